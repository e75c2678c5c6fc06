//! What goes wrong in the middle of a run, and what is left then.

#[path = "../support/mod.rs"]
mod support;

mod batch;
mod cancelled_anywhere;
mod resumed_anywhere;
