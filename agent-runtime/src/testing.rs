#![doc = include_str!("docs/testing.md")]

mod calls;
mod cassette;
mod store;

pub use calls::{CalledTool, ToolCalls};
pub(crate) use cassette::Replayed;
pub use cassette::{Cassette, CassetteModel};
pub use store::check_store;
