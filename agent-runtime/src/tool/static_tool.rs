//! Tools that are known when they are compiled.

use super::gram_text::gram_text_of_set;
use super::slot::Slot;
use super::{Tool, ToolFuture};
use crate::context::ToolContext;
use agent_spec::ToolDescriptor;
use agent_spec::tool_set::ToolSet;

/// A tool whose descriptor is a constant: what `#[tool]` makes of a function, and what `agent!`
/// compares a spec with. Each is a [`Tool`], too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "write `#[tool]` on the function, and name the function here",
    note = "a toolbox or a set is spread, with two dots: `..Db`"
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

/// Tools whose descriptors are constants: what a toolbox has, and what `tool_set!` names. `agent!`
/// takes it as `..Db`, or alone as `tools: GREETERS`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of tools",
    label = "neither a toolbox nor a set of tools",
    note = "a set is a type with `#[toolbox]` on its `impl` block, or what `tool_set!` names; a \
            function is named in brackets and without dots: `tools: [say_hello]`"
)]
pub trait StaticTools {
    /// The tools.
    const TOOLS: ToolSet;

    /// The tools in gram, as a library prints them.
    const GRAM: &'static str = gram_text_of_set::<Self>();
}
