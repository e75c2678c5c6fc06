//! The built-in tools for the web, against servers on 127.0.0.1.

mod agreement;
mod calls;
mod hostile;
mod real_wiki;
mod scraper;
mod search;
mod search_config;
mod search_key;
mod server;
mod traces;
mod wikipedia;
