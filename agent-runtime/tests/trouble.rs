//! What goes wrong in the middle of a run, and what is left then.

mod batch;
mod cancelled_anywhere;
mod resumed_anywhere;
