//! The rules of the loop, one test each, on the state machine alone: no I/O, no clock.

mod answers;
mod approval;
mod attempts;
mod fallback;
mod limits;
mod meant_calls;
mod order;
mod play;
mod refusals;
mod stopping;
