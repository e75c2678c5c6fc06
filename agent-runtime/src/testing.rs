#![doc = include_str!("docs/testing.md")]

mod calls;
mod journal;
mod replay;
mod store;

pub use crate::model::{Cassette, CassetteModel};
pub use calls::{CallAssertions, ToolCalls};
pub use journal::check_journal;
pub use replay::{
    Comparison, LiveReplay, Replay, ReplayAction, ReplayStep, RequestDifference, RequestPart,
    StepSide,
};
pub use store::check_store;
