//! The methods of toolboxes as the macros name them.

use agent_spec::ToolDescriptor;

/// A tool that is a method: what `#[toolbox]` makes of it beside the box, and what `Db::find` in
/// `agent!` means. `NAME` is the hash of the method's name, the only way to have a name in a trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tool method of this name",
    label = "no such tool method",
    note = "a method is a tool when it has `#[tool]` in a block with `#[toolbox]`"
)]
pub trait Method<const NAME: u64> {
    /// What the tool says of itself.
    const DESCRIPTOR: &'static ToolDescriptor;
}
