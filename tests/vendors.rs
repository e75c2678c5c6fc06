//! The three vendors with lists of models, as far as they refuse requests, by their documentation of November 2026: fake
//! servers at the vendors' own host names, behind a proxy on this machine. No request of an agent may be refused.

mod accounts;
mod anthropic;
mod bad_refusals;
mod documented;
mod facts;
mod features;
mod google;
mod no_refusals;
mod one_correction;
mod openai;
mod refused;
mod reply;
mod said;
