//! Values whose methods are tools: the toolbox, its methods and its blocks.

use super::static_tool::Slot;
use super::{StaticTools, Tool, ToolFuture};
use crate::context::ToolContext;
use agent_spec::__private::same_text;
use agent_spec::__private::{MethodNames, stop_at_unknown_method};
use agent_spec::ToolDescriptor;
use agent_spec::{__private::BROKEN_TOOL, ToolSet};
use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// A value whose methods are tools: what [`#[toolbox]`](macro@crate::toolbox) makes of a type.
///
/// Its tools share the value: a library that has them holds it in an [`Arc`], and it lives as long
/// as the last library. [`StaticTools`] has what the tools say of themselves.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a toolbox",
    label = "its methods are not known as tools",
    note = "write `#[toolbox]` on its `impl` block, and `#[tool]` on the methods that are tools"
)]
pub trait Toolbox: Shareable + Sized {
    /// What each tool of the first block says of itself.
    #[doc(hidden)]
    const METHODS: ToolSet;
    /// How each of them is called, in the same order.
    #[doc(hidden)]
    const CALLS: &'static [MethodCall<Self>];
    /// The methods, in the same order.
    #[doc(hidden)]
    const NAMES: &'static [&'static str];
    /// The other blocks.
    #[doc(hidden)]
    type Parts: ToolboxParts<Self>;

    /// A tool for each method of all blocks.
    #[doc(hidden)]
    fn tools(toolbox: &Arc<Self>) -> Vec<Arc<dyn Tool>>;
}

// What is wrong is said of the trait that was asked for.
#[diagnostic::do_not_recommend]
impl<B: Toolbox> StaticTools for B {
    const TOOLS: ToolSet = ToolSet::Sets(&[B::METHODS, <B::Parts as ToolboxParts<B>>::METHODS]);
}

/// One method of a shared toolbox, as a tool.
pub struct MethodTool<B> {
    toolbox: Arc<B>,
    descriptor: &'static ToolDescriptor,
    call: MethodCall<B>,
}

impl<B: Toolbox + Send + Sync> MethodTool<B> {
    /// A tool for each method of all blocks.
    pub(crate) fn all(toolbox: &Arc<B>) -> Vec<Arc<dyn Tool>> {
        let mut tools = Vec::new();
        add_methods(toolbox, &B::METHODS, B::CALLS, &mut tools);
        B::Parts::add_tools(toolbox, &mut tools);
        tools
    }
}

/// Adds a tool for each method of one block.
fn add_methods<B: Toolbox + Send + Sync>(
    toolbox: &Arc<B>,
    methods: &ToolSet,
    calls: &'static [MethodCall<B>],
    tools: &mut Vec<Arc<dyn Tool>>,
) {
    let tool = |(descriptor, call): (_, &MethodCall<B>)| -> Arc<dyn Tool> {
        Arc::new(MethodTool {
            toolbox: Arc::clone(toolbox),
            descriptor,
            call: *call,
        })
    };
    tools.extend(methods.iter().zip(calls).map(tool));
}

impl<B: Toolbox + Send + Sync> Tool for MethodTool<B> {
    fn descriptor(&self) -> &ToolDescriptor {
        self.descriptor
    }

    fn call<'a>(&'a self, arguments: &'a str, context: &'a ToolContext) -> ToolFuture<'a> {
        (self.call)(&self.toolbox, arguments, context)
    }

    fn owner(&self) -> Option<&str> {
        Some(type_name::<B>())
    }
}

/// Shows the name.
impl<B> fmt::Debug for MethodTool<B> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("MethodTool")
            .field(&self.descriptor.name())
            .finish()
    }
}

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

/// What can be shared by the tools of a library.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a toolbox: it cannot be shared between threads",
    label = "not `Send`, `Sync` and `'static`",
    note = "a toolbox is called from several tasks at once, so it must be `Send + Sync + 'static`: \
            hold an `Arc` in place of an `Rc`, and a `Mutex` or an atomic in place of a `Cell` or \
            `RefCell`; a generic toolbox demands it of its parameters, as in `T: Send + Sync + 'static`"
)]
// `Send` and `Sync` are no supertraits: rustc would report each of them, at the type that has not
// got it, in place of the toolbox.
pub trait Shareable: 'static {}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> Shareable for T {}

/// A block of a toolbox besides the first one: `P` is the type that stands for it.
#[diagnostic::on_unimplemented(
    message = "`{P}` is not a part of the toolbox `{Self}`",
    label = "no part of this toolbox",
    note = "a part is a block of its own: `#[toolbox(part = Name)] impl {Self}`"
)]
pub trait ToolboxPart<P>: Sized + 'static {
    /// What each tool of the block says of itself.
    const METHODS: ToolSet;
    /// How each of them is called, in the same order.
    const CALLS: &'static [MethodCall<Self>];
    /// The methods, in the same order.
    const NAMES: &'static [&'static str];
}

/// The further blocks of a toolbox: pairs of a part and those after it.
pub trait ToolboxParts<B> {
    /// What all tools of them say of themselves.
    const METHODS: ToolSet;
    /// Their methods.
    const NAMES: &'static MethodNames;

    /// Adds a tool for each of their methods.
    fn add_tools(toolbox: &Arc<B>, tools: &mut Vec<Arc<dyn Tool>>)
    where
        B: Send + Sync;
}

#[diagnostic::do_not_recommend]
impl<B> ToolboxParts<B> for () {
    const METHODS: ToolSet = ToolSet::EMPTY;
    const NAMES: &'static MethodNames = MethodNames::NONE;

    fn add_tools(_: &Arc<B>, _: &mut Vec<Arc<dyn Tool>>)
    where
        B: Send + Sync,
    {
    }
}

impl<B: Toolbox + ToolboxPart<P>, P, R: ToolboxParts<B>> ToolboxParts<B> for (P, R) {
    const METHODS: ToolSet = ToolSet::Sets(&[<B as ToolboxPart<P>>::METHODS, R::METHODS]);
    const NAMES: &'static MethodNames =
        &MethodNames::new(<B as ToolboxPart<P>>::NAMES, Some(R::NAMES));

    fn add_tools(toolbox: &Arc<B>, tools: &mut Vec<Arc<dyn Tool>>)
    where
        B: Send + Sync,
    {
        let (methods, calls) = (<B as ToolboxPart<P>>::METHODS, <B as ToolboxPart<P>>::CALLS);
        add_methods(toolbox, &methods, calls, tools);
        R::add_tools(toolbox, tools);
    }
}

/// The names of the tools of a part.
pub trait PartNames {
    /// The names.
    const NAMES: &'static [&'static str];
}

/// Parts with the part `P` among them; `At` says where, and is left for rustc to find.
#[diagnostic::on_unimplemented(
    message = "the toolbox does not list its part `{P}`, whose tools would be in no library",
    label = "not listed",
    note = "list it at the first block of the type: `#[toolbox(parts = [{P}])]`"
)]
pub trait Lists<P, At> {}

/// The first one.
#[derive(Debug)]
pub struct First;

/// One after the first.
#[derive(Debug)]
pub struct Later<At>(PhantomData<At>);

#[diagnostic::do_not_recommend]
impl<P, R> Lists<P, First> for (P, R) {}
#[diagnostic::do_not_recommend]
impl<P, Q, R: Lists<P, At>, At> Lists<P, Later<At>> for (Q, R) {}

/// A part that the first block of a toolbox lists. Whether it is a part of that toolbox,
/// [`ToolboxParts`] says, where it is listed.
pub trait Listed {
    /// The names of the tools in the blocks before it.
    const BEFORE: &'static [&'static [&'static str]];
}

/// What is before a part. Where no toolbox lists it, rustc finds [`FallbackBefore`] and
/// [`FallbackListed`].
#[derive(Debug)]
pub struct Before<P>(PhantomData<P>);

impl<P: Listed> Before<P> {
    /// The names of the tools in the blocks before it.
    pub const NAMES: &'static [&'static [&'static str]] = P::BEFORE;

    /// Says nothing: it is listed, and by the wrong toolbox it is reported there.
    pub fn check_listed<B>() {}
}

/// What is before a part that no toolbox lists.
pub trait FallbackBefore {
    /// No names.
    const NAMES: &'static [&'static [&'static str]] = &[];
}

impl<P> FallbackBefore for Before<P> {}

/// What is said of a part that no toolbox lists.
pub trait FallbackListed<P, At> {
    /// Holds it to being listed by its own.
    fn check_listed<B: Toolbox>()
    where
        B::Parts: Lists<P, At>,
    {
    }
}

impl<P, At> FallbackListed<P, At> for Before<P> {}

/// Stops with a message when a block before has a tool of the name.
///
/// # Panics
/// Then.
#[track_caller]
pub const fn check_name(name: &str, before: &[&[&str]], message: &str) {
    let mut block = 0;
    while block < before.len() {
        let mut at = 0;
        while at < before[block].len() {
            if same_text(before[block][at], name) {
                panic!("{}", message);
            }
            at += 1;
        }
        block += 1;
    }
}
