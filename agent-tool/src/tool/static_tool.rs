//! Tools that are known when they are compiled: their parameters, descriptors and gram texts as constants.

use super::{AgentTool, Tool, ToolFuture};
use crate::context::ToolContext;
use agent_gram::Value;
use agent_spec::__private::{
    gram_bytes, gram_len, signature_bytes, signature_len, text_of, tools_bytes, tools_len,
};
use agent_spec::{
    Kind, MediaKind, Param, Returns, Signature, ToolDescriptor, ToolSet, ToolSettings, Type,
};
use std::marker::PhantomData;

/// A tool whose descriptor is a constant, so that `agent!` can compare it with a spec. `#[tool]` implements
/// it for a function. Each static tool is a [`Tool`], too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "write `#[tool]` on the function, and name the function here",
    note = "a toolbox or a set is spread, with two dots: `..Db`"
)]
pub trait StaticTool: Sized + Send + Sync + 'static {
    /// The name, description, signature and settings of the tool.
    const DESCRIPTOR: &'static ToolDescriptor;

    /// The tool as a value.
    const TOOL: Self;

    /// The parameters of the function, its context among them.
    #[doc(hidden)]
    const SLOTS: &'static [Slot];

    /// Whether the function may be private where its type is not.
    #[doc(hidden)]
    const MAY_BE_PRIVATE: bool = false;

    /// The descriptor and [`MAY_BE_PRIVATE`](Self::MAY_BE_PRIVATE), for lists of tools.
    #[doc(hidden)]
    const LISTED: (&'static ToolDescriptor, bool) = (Self::DESCRIPTOR, Self::MAY_BE_PRIVATE);

    /// Calls the function as [`Tool::call`] does.
    ///
    /// # Errors
    /// The error that the model reads.
    fn invoke<'a>(arguments: &'a str, context: &'a ToolContext) -> ToolFuture<'a>;

    /// The agent, if the tool is one; see [`Tool::agent`].
    #[doc(hidden)]
    #[must_use]
    fn agent() -> Option<AgentTool> {
        None
    }
}

#[diagnostic::do_not_recommend]
impl<T: StaticTool> Tool for T {
    fn descriptor(&self) -> &ToolDescriptor {
        T::DESCRIPTOR
    }

    fn call<'a>(&'a self, arguments: &'a str, context: &'a ToolContext) -> ToolFuture<'a> {
        T::invoke(arguments, context)
    }

    fn validates_arguments(&self) -> bool {
        true
    }

    fn trusts_validation(&self) -> bool {
        true
    }

    fn agent(&self) -> Option<AgentTool> {
        T::agent()
    }
}

/// Several tools whose descriptors are constants: a toolbox, or a set made by `tool_set!`. In `agent!` it is
/// written `..Db`, or alone `tools: GREETERS`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of tools",
    label = "neither a toolbox nor a set of tools",
    note = "a set is a type with `#[toolbox]` on its `impl` block, or what `tool_set!` names; a \
            function is named in brackets and without dots: `[say_hello]`"
)]
pub trait StaticTools {
    /// The tools.
    const TOOLS: ToolSet;

    /// The tools in gram, as a library prints them.
    const GRAM: &'static str = gram_text_of_set::<Self>();
}

/// The kind of a parameter, which its type decides.
#[derive(Clone, Copy, Debug)]
pub enum SlotKind {
    /// An argument of this type.
    Argument(&'static Type),
    /// A value that the host gives, such as the context of the call. The model does not see it.
    Host,
}

/// A parameter of a tool function.
#[derive(Debug)]
pub enum Slot {
    /// An argument.
    Argument(Param),
    /// A value that the host gives.
    Host,
}

/// The type of an argument; `None` for a value of the host.
#[must_use]
pub const fn argument_type(kind: SlotKind) -> Option<&'static Type> {
    match kind {
        SlotKind::Argument(ty) => Some(ty),
        SlotKind::Host => None,
    }
}

/// The type of an argument. `Any` for a value of the host, where it is not used.
#[must_use]
pub const fn type_or_any(kind: SlotKind) -> &'static Type {
    match kind {
        SlotKind::Argument(ty) => ty,
        SlotKind::Host => Type::ANY,
    }
}

/// Replaces the type of an argument. A value of the host stays unchanged.
#[must_use]
pub const fn with_type(kind: SlotKind, ty: &'static Type) -> SlotKind {
    match kind {
        SlotKind::Argument(_) => SlotKind::Argument(ty),
        SlotKind::Host => SlotKind::Host,
    }
}

/// Stops compilation at an argument that is named `_`.
///
/// # Panics
/// When the parameter is an argument.
#[track_caller]
pub const fn check_unnamed(kind: SlotKind) {
    if let SlotKind::Argument(_) = kind {
        panic!("a parameter of a tool needs a name, since a model sends it by name");
    }
}

/// Stops compilation at the description of a value of the host.
///
/// # Panics
/// When the parameter is a value of the host.
#[track_caller]
pub const fn check_argument_described(kind: SlotKind) {
    if let SlotKind::Host = kind {
        panic!("what the host gives takes no description, since no model sees it; write a comment");
    }
}

/// Returns the text, unless it is empty.
#[must_use]
pub const fn unless_empty(text: &'static str) -> Option<&'static str> {
    if text.is_empty() { None } else { Some(text) }
}

/// Stops compilation at a result of which a part is media.
///
/// # Panics
/// When a part of the type is media, and not the whole type.
#[track_caller]
pub const fn check_result(tool: &'static ToolDescriptor) {
    let Some(signature) = tool.signature() else {
        return;
    };
    let ty = signature.returns().ty();
    let is_whole = match ty.kind() {
        Kind::Media(MediaKind::Part) => false,
        Kind::Media(_) => true,
        _ => !ty.holds_media(),
    };
    if !is_whole {
        panic!(
            "media stand only as a whole result of a tool: return `Image`, `Audio` or `Document`, or `Vec<Part>` \
             for several of them and texts"
        );
    }
}

/// Creates a parameter with the values of its attributes.
///
/// # Panics
/// When the type or a part of it is media, which is allowed only as a whole result.
#[must_use]
#[track_caller]
pub const fn slot(
    kind: SlotKind,
    name: &'static str,
    default: Option<&'static Value>,
    description: Option<&'static str>,
) -> Slot {
    match kind {
        SlotKind::Argument(ty) => {
            if ty.holds_media() {
                panic!(
                    "media stand only as a whole result of a tool, and no parameter holds them; take a path, a URL \
                     or an id as text"
                );
            }
            Slot::Argument(Param::from_static(name, ty, default, description))
        }
        SlotKind::Host => Slot::Host,
    }
}

/// The argument at an index. Behind the last argument, the returned parameter is a filler, because the length
/// of the array must be known before the `const` evaluation that distinguishes arguments from values of the
/// host. [`arguments_of`] removes the fillers.
#[must_use]
pub const fn param(slots: &'static [Slot], at: usize) -> Param {
    let mut left = at;
    let mut index = 0;
    while index < slots.len() {
        if let Slot::Argument(param) = &slots[index] {
            if left == 0 {
                return Param::borrowed(param);
            }
            left -= 1;
        }
        index += 1;
    }
    Param::from_static("", Type::ANY, None, None)
}

/// The arguments among the parameters.
#[must_use]
pub const fn arguments_of(params: &'static [Param], slots: &'static [Slot]) -> &'static [Param] {
    let mut count = 0;
    let mut index = 0;
    while index < slots.len() {
        if let Slot::Argument(_) = slots[index] {
            count += 1;
        }
        index += 1;
    }
    params.split_at(count).0
}

/// Creates the descriptor of a tool.
#[must_use]
pub const fn descriptor(
    name: &'static str,
    description: &'static str,
    params: &'static [Param],
    returns: &'static Type,
    settings: ToolSettings,
) -> ToolDescriptor {
    let signature = Signature::from_static(params, Returns::from_static(returns, None));
    ToolDescriptor::from_static(name, description, signature, settings)
}

/// A type with a descriptor in a constant.
pub trait Described {
    /// The descriptor.
    const OF: &'static ToolDescriptor;
}

impl<T: StaticTool> Described for T {
    const OF: &'static ToolDescriptor = T::DESCRIPTOR;
}

/// A text about a tool in at most `N` bytes.
struct Fitted<T, const N: usize>(PhantomData<T>);

impl<T: Described, const N: usize> Fitted<T, N> {
    const SIGNATURE: &'static str = {
        let length = signature_len(T::OF);
        if length <= N {
            text_of(Self::SIGNATURE_BYTES.split_at(length).0)
        } else {
            ""
        }
    };
    const SIGNATURE_BYTES: &'static [u8; N] = &if signature_len(T::OF) <= N {
        signature_bytes(T::OF)
    } else {
        [0; N]
    };
    const GRAM: &'static str = {
        let length = gram_len(T::OF);
        if length <= N {
            text_of(Self::GRAM_BYTES.split_at(length).0)
        } else {
            ""
        }
    };
    const GRAM_BYTES: &'static [u8; N] = &if gram_len(T::OF) <= N {
        gram_bytes(T::OF)
    } else {
        [0; N]
    };
}

/// A text about several tools in at most `N` bytes.
struct FittedSet<T: ?Sized, const N: usize>(PhantomData<T>);

impl<T: StaticTools + ?Sized, const N: usize> FittedSet<T, N> {
    const SET: &'static ToolSet = &T::TOOLS;
    const GRAM: &'static str = {
        let length = tools_len(Self::SET);
        if length <= N {
            text_of(Self::BYTES.split_at(length).0)
        } else {
            ""
        }
    };
    const BYTES: &'static [u8; N] = &if tools_len(Self::SET) <= N {
        tools_bytes(Self::SET)
    } else {
        [0; N]
    };
}

macro_rules! smallest {
    ($fitted:ident::$text:ident of $length:expr, in $($size:literal),+ or $largest:literal) => {
        match $length {
            $(0..=$size => $fitted::<T, $size>::$text,)+
            0..=$largest => $fitted::<T, $largest>::$text,
            _ => panic!("the gram text is longer than 256 KiB"),
        }
    };
}

/// The signature of a tool in gram, on one line.
///
/// # Panics
/// When the text is longer than 256 KiB.
#[must_use]
pub const fn signature_text<T: Described>() -> &'static str {
    smallest!(Fitted::SIGNATURE of signature_len(T::OF), in 128, 512, 2048, 8192 or 262_144)
}

/// A tool in gram.
///
/// # Panics
/// When the text is longer than 256 KiB.
#[must_use]
pub const fn gram_text<T: Described>() -> &'static str {
    smallest!(Fitted::GRAM of gram_len(T::OF), in 128, 512, 2048, 8192 or 262_144)
}

/// Several tools in gram.
///
/// # Panics
/// When the text is longer than 256 KiB.
#[must_use]
pub const fn gram_text_of_set<T: StaticTools + ?Sized>() -> &'static str {
    smallest!(FittedSet::GRAM of tools_len(&T::TOOLS), in 512, 2048, 8192, 32_768 or 262_144)
}
