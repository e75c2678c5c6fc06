//! The methods of toolboxes as the macros name them.

use super::ToolFuture;
use super::slot::Slot;
use super::toolbox::Toolbox;
use super::toolbox_parts::ToolboxParts;
use crate::context::ToolContext;
use agent_spec::ToolDescriptor;
use agent_spec::binding::{MethodNames, stop_at_unknown_method};
use agent_spec::tool_set::BROKEN_TOOL;
use std::marker::PhantomData;
use std::sync::Arc;

/// A tool that is a method: what `#[toolbox]` makes of it beside the box, and what `Db::find` in
/// `agent!` means. `NAME` is the hash of the method's name, the only way to have a name in a trait.
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

/// The tool that is the method of a name. Where there is none, rustc finds [`FallbackMethod`], and
/// [`check_method`] says so.
#[derive(Debug)]
pub struct MethodOf<B, const NAME: u64>(PhantomData<B>);

impl<B: Method<NAME>, const NAME: u64> MethodOf<B, NAME> {
    /// Whether there is one.
    pub const IS_TOOL: bool = true;
    /// What the tool says of itself.
    pub const DESCRIPTOR: &'static ToolDescriptor = B::DESCRIPTOR;
}

/// What stands for a method that is not there.
pub trait FallbackMethod {
    /// Whether there is one.
    const IS_TOOL: bool = false;
    /// What names it never compiles.
    const DESCRIPTOR: &'static ToolDescriptor = BROKEN_TOOL;
}

impl<B, const NAME: u64> FallbackMethod for MethodOf<B, NAME> {}

/// Stops with a message at a method that is no tool of the toolbox.
///
/// # Panics
/// Then.
#[track_caller]
pub const fn check_method<B: Toolbox>(is_tool: bool, toolbox: &str, method: &str) {
    if !is_tool {
        let names =
            const { &MethodNames::new(B::NAMES, Some(<B::Parts as ToolboxParts<B>>::NAMES)) };
        stop_at_unknown_method(toolbox, method, names);
    }
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
