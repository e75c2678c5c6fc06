//! Tools that are known when they are compiled.

use crate::__private::Slot;
use crate::context::ToolContext;
use crate::tool::{Tool, ToolFuture};
use agent_spec::ToolDescriptor;

/// A tool whose descriptor is a constant: what `#[tool]` makes of a function, and what `agent!`
/// compares a spec with. Each is a [`Tool`], too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "write `#[tool]` on the function, and name the function here"
)]
pub trait StaticTool: Sized + Send + Sync + 'static {
    /// What the tool says of itself.
    const DESCRIPTOR: &'static ToolDescriptor;

    /// The tool as a value.
    const TOOL: Self;

    /// The parameters of the function, its context among them.
    #[doc(hidden)]
    const SLOTS: &'static [Slot];

    /// Calls the function; [`Tool::call`] says how.
    ///
    /// # Errors
    /// What the model is told when the call fails.
    fn invoke<'a>(arguments: &'a str, context: &'a ToolContext) -> ToolFuture<'a>;
}

#[diagnostic::do_not_recommend]
impl<T: StaticTool> Tool for T {
    fn descriptor(&self) -> &ToolDescriptor {
        T::DESCRIPTOR
    }

    fn call<'a>(&'a self, arguments: &'a str, context: &'a ToolContext) -> ToolFuture<'a> {
        T::invoke(arguments, context)
    }
}
