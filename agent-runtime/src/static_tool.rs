//! Tools that are known when they are compiled.

use agent_spec::ToolDescriptor;

/// A tool whose descriptor is a constant: what `#[tool]` makes of a function, and what `agent!`
/// compares a spec with.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "write `#[tool]` on the function, and name the function here"
)]
pub trait StaticTool {
    /// What the tool says of itself.
    const DESCRIPTOR: &'static ToolDescriptor;
}
