//! The methods of toolboxes as the macros name them.

use super::slot::Slot;
use crate::context::ToolContext;
use crate::tool::ToolFuture;
use agent_spec::ToolDescriptor;
use std::sync::Arc;

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

    /// The parameters of the method, its context among them and its `self` left out.
    const SLOTS: &'static [Slot];

    /// Calls the method, as [`Tool::call`](crate::Tool::call) says.
    fn call<'a>(
        toolbox: &'a Arc<Self>,
        arguments: &'a str,
        context: &'a ToolContext,
    ) -> ToolFuture<'a>;
}

/// How a method is called.
pub type MethodCall<B> = for<'a> fn(&'a Arc<B>, &'a str, &'a ToolContext) -> ToolFuture<'a>;

/// What a method can take as its `self`.
#[diagnostic::on_unimplemented(
    message = "a tool cannot have `{Self}` for its `self`",
    label = "take `&self`",
    note = "a toolbox is shared by its tools and by the calls of each; besides `&self` a tool can \
            take `self: Arc<Self>` and `self: &Arc<Self>`"
)]
pub trait TakeSelf<'t, B> {
    /// Takes it.
    fn take(toolbox: &'t Arc<B>) -> Self;
}

#[diagnostic::do_not_recommend]
impl<'t, B> TakeSelf<'t, B> for &'t B {
    fn take(toolbox: &'t Arc<B>) -> Self {
        toolbox
    }
}

#[diagnostic::do_not_recommend]
impl<'t, B> TakeSelf<'t, B> for &'t Arc<B> {
    fn take(toolbox: &'t Arc<B>) -> Self {
        toolbox
    }
}

#[diagnostic::do_not_recommend]
impl<'t, B> TakeSelf<'t, B> for Arc<B> {
    fn take(toolbox: &'t Arc<B>) -> Self {
        Arc::clone(toolbox)
    }
}
