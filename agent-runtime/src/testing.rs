#![doc = include_str!("docs/testing.md")]

mod calls;
mod cassette;

pub use calls::{CalledTool, ToolCalls};
pub use cassette::{Cassette, CassetteModel};
