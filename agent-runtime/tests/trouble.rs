//! Failures in the middle of a run, and the state after them.

mod batch;
mod cancelled_anywhere;
mod resumed_anywhere;
