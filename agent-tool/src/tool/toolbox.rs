//! Values whose methods are tools: the toolbox, its methods and its blocks.

use super::static_tool::Slot;
use super::{StaticTools, Tool, ToolFuture};
use crate::context::ToolContext;
use agent_spec::__private::{MethodNames, same_text, stop_at_unknown_method};
use agent_spec::{__private::BROKEN_TOOL, ToolDescriptor, ToolSet};
use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// A value whose methods are tools. [`#[toolbox]`](macro@crate::toolbox) implements it.
///
/// Its tools share the value: a library that has them holds it in an [`Arc`], and it lives as long
/// as the last library. [`StaticTools`] has the descriptors of the tools.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a toolbox",
    label = "its methods are not known as tools",
    note = "write `#[toolbox]` on its `impl` block, and `#[tool]` on the methods that are tools"
)]
pub trait Toolbox: Shareable + Sized {
    /// The descriptors of the tools of the first block.
    #[doc(hidden)]
    const METHODS: ToolSet;
    /// The functions that call the methods, in the order of `METHODS`.
    #[doc(hidden)]
    const CALLS: &'static [MethodCall<Self>];
    /// The names of the methods, in the order of `METHODS`.
    #[doc(hidden)]
    const NAMES: &'static [&'static str];
    /// The other blocks.
    #[doc(hidden)]
    type Parts: ToolboxParts<Self>;

    /// A tool for each method of all blocks.
    #[doc(hidden)]
    fn tools(toolbox: &Arc<Self>) -> Vec<Arc<dyn Tool>>;
}

// Not recommended, so that a missing implementation is reported for `StaticTools`, which the program names.
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

    fn validates_arguments(&self) -> bool {
        true
    }

    fn trusts_validation(&self) -> bool {
        true
    }

    fn owner(&self) -> Option<&str> {
        Some(type_name::<B>())
    }
}

/// Prints the name of the tool.
impl<B> fmt::Debug for MethodTool<B> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("MethodTool")
            .field(&self.descriptor.name())
            .finish()
    }
}

/// A method that is a tool. `#[toolbox]` implements it for each method with `#[tool]`, and `Db::find` in
/// `agent!` refers to it. `NAME` is the hash of the method's name, because a trait cannot have a text as its
/// parameter.
pub trait Method<const NAME: u64> {
    /// The descriptor of the tool.
    const DESCRIPTOR: &'static ToolDescriptor;

    /// The parameters of the method, with its context and without its `self`.
    const SLOTS: &'static [Slot];

    /// Calls the method as [`Tool::call`](crate::Tool::call) does.
    fn call<'a>(
        toolbox: &'a Arc<Self>,
        arguments: &'a str,
        context: &'a ToolContext,
    ) -> ToolFuture<'a>;
}

/// Finds the tool of a method's name. If the method is not a tool, rustc finds [`FallbackMethod`], and
/// [`check_method`] reports the method.
#[derive(Debug)]
pub struct MethodOf<B, const NAME: u64>(PhantomData<B>);

impl<B: Method<NAME>, const NAME: u64> MethodOf<B, NAME> {
    /// Whether the method is a tool.
    pub const IS_TOOL: bool = true;
    /// The descriptor of the tool.
    pub const DESCRIPTOR: &'static ToolDescriptor = B::DESCRIPTOR;
}

/// The constants of a method that is not a tool.
pub trait FallbackMethod {
    /// Whether the method is a tool.
    const IS_TOOL: bool = false;
    /// A placeholder: code that uses it does not compile.
    const DESCRIPTOR: &'static ToolDescriptor = BROKEN_TOOL;
}

impl<B, const NAME: u64> FallbackMethod for MethodOf<B, NAME> {}

/// Stops compilation at a method that is not a tool of the toolbox.
///
/// # Panics
/// When the method is not a tool.
#[track_caller]
pub const fn check_method<B: Toolbox>(is_tool: bool, toolbox: &str, method: &str) {
    if !is_tool {
        let names =
            const { &MethodNames::new(B::NAMES, Some(<B::Parts as ToolboxParts<B>>::NAMES)) };
        stop_at_unknown_method(toolbox, method, names);
    }
}

/// A function that calls a method.
pub type MethodCall<B> = for<'a> fn(&'a Arc<B>, &'a str, &'a ToolContext) -> ToolFuture<'a>;

/// A type that a method can have for its `self`.
#[diagnostic::on_unimplemented(
    message = "a tool cannot have `{Self}` for its `self`",
    label = "take `&self`",
    note = "a toolbox is shared by its tools and by the calls of each; besides `&self` a tool can \
            take `self: Arc<Self>` and `self: &Arc<Self>`"
)]
pub trait TakeSelf<'t, B> {
    /// Borrows or clones the toolbox.
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

/// A value that the tools of a library can share.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a toolbox: it cannot be shared between threads",
    label = "not `Send`, `Sync` and `'static`",
    note = "a toolbox is called from several tasks at once, so it must be `Send + Sync + 'static`: \
            hold an `Arc` in place of an `Rc`, and a `Mutex` or an atomic in place of a `Cell` or \
            `RefCell`; a generic toolbox demands it of its parameters, as in `T: Send + Sync + 'static`"
)]
// `Send` and `Sync` are not supertraits, because rustc would report each of them at the inner type that lacks
// it, instead of at the toolbox.
pub trait Shareable: 'static {}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> Shareable for T {}

/// A further block of a toolbox, besides the first one. The type `P` names the block.
#[diagnostic::on_unimplemented(
    message = "`{P}` is not a part of the toolbox `{Self}`",
    label = "no part of this toolbox",
    note = "a part is a block of its own: `#[toolbox(part = Name)] impl {Self}`"
)]
pub trait ToolboxPart<P>: Sized + 'static {
    /// The descriptors of the tools of the block.
    const METHODS: ToolSet;
    /// The functions that call the methods, in the order of `METHODS`.
    const CALLS: &'static [MethodCall<Self>];
    /// The names of the methods, in the order of `METHODS`.
    const NAMES: &'static [&'static str];
}

/// The further blocks of a toolbox: nested pairs of a part and the parts after it.
pub trait ToolboxParts<B> {
    /// The descriptors of the tools of the blocks.
    const METHODS: ToolSet;
    /// The names of the methods of the blocks.
    const NAMES: &'static MethodNames;

    /// Adds a tool for each method of the blocks.
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

/// A list of parts that contains the part `P`. Rustc infers the position `At` of the part.
#[diagnostic::on_unimplemented(
    message = "the toolbox does not list its part `{P}`, whose tools would be in no library",
    label = "not listed",
    note = "list it at the first block of the type: `#[toolbox(parts = [{P}])]`"
)]
pub trait Lists<P, At> {}

/// The position of the first part.
#[derive(Debug)]
pub struct First;

/// A position after the first part.
#[derive(Debug)]
pub struct Later<At>(PhantomData<At>);

#[diagnostic::do_not_recommend]
impl<P, R> Lists<P, First> for (P, R) {}
#[diagnostic::do_not_recommend]
impl<P, Q, R: Lists<P, At>, At> Lists<P, Later<At>> for (Q, R) {}

/// A part that the first block of a toolbox lists. [`ToolboxParts`] reports a listed type that is not a part
/// of the toolbox.
pub trait Listed {
    /// The names of the tools in the blocks before the part.
    const BEFORE: &'static [&'static [&'static str]];
}

/// Finds the blocks before a part. If no toolbox lists the part, rustc finds [`FallbackBefore`] and
/// [`FallbackListed`].
#[derive(Debug)]
pub struct Before<P>(PhantomData<P>);

impl<P: Listed> Before<P> {
    /// The names of the tools in the blocks before the part.
    pub const NAMES: &'static [&'static [&'static str]] = P::BEFORE;

    /// Does nothing, because the part is listed. A part of another toolbox is reported where it is listed.
    pub fn check_listed<B>() {}
}

/// The blocks before a part that no toolbox lists.
pub trait FallbackBefore {
    /// No names.
    const NAMES: &'static [&'static [&'static str]] = &[];
}

impl<P> FallbackBefore for Before<P> {}

/// The check of a part that no toolbox lists.
pub trait FallbackListed<P, At> {
    /// Requires that the toolbox of the part lists the part.
    fn check_listed<B: Toolbox>()
    where
        B::Parts: Lists<P, At>,
    {
    }
}

impl<P, At> FallbackListed<P, At> for Before<P> {}

/// Stops compilation with a message if an earlier block has a tool of the name.
///
/// # Panics
/// When an earlier block has a tool of the name.
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
