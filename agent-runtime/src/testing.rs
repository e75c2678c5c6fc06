#![doc = include_str!("docs/testing.md")]

mod calls;
mod cassette;

pub use calls::{CalledTool, ToolCalls};
pub(crate) use cassette::Replayed;
pub use cassette::{Cassette, CassetteModel};
