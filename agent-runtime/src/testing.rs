#![doc = include_str!("docs/testing.md")]

mod calls;
mod store;

pub use crate::model::{Cassette, CassetteModel};
pub use calls::{CallAssertions, ToolCalls};
pub use store::check_store;
