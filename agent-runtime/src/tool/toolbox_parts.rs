//! The blocks of a toolbox.

use super::Tool;
use super::method::MethodCall;
use super::toolbox::{Toolbox, add_methods};
use agent_spec::binding::MethodNames;
use agent_spec::text::same_text;
use agent_spec::tool_set::ToolSet;
use std::marker::PhantomData;
use std::sync::Arc;

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
