//! Tools that are known when they are compiled: their parameters, descriptors and gram texts as constants.

use super::{Tool, ToolFuture};
use crate::context::ToolContext;
use agent_gram::Value;
use agent_spec::__private::{
    gram_bytes, gram_len, signature_bytes, signature_len, text_of, tools_bytes, tools_len,
};
use agent_spec::ToolSet;
use agent_spec::{Param, Returns, Signature, ToolDescriptor, ToolSettings, Type};
use std::marker::PhantomData;

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

/// What a parameter's type makes of it.
#[derive(Clone, Copy, Debug)]
pub enum SlotKind {
    /// An argument of this type.
    Argument(&'static Type),
    /// Something of the host's, such as the context of the call. The model knows nothing of it.
    Host,
}

/// A parameter of a tool function.
#[derive(Debug)]
pub enum Slot {
    /// An argument.
    Argument(Param),
    /// Something of the host's.
    Host,
}

/// The type of an argument; nothing for what is the host's.
#[must_use]
pub const fn argument_type(kind: SlotKind) -> Option<&'static Type> {
    match kind {
        SlotKind::Argument(ty) => Some(ty),
        SlotKind::Host => None,
    }
}

/// The type of an argument, or `Any` for what is the host's, of which nobody asks it.
#[must_use]
pub const fn type_or_any(kind: SlotKind) -> &'static Type {
    match kind {
        SlotKind::Argument(ty) => ty,
        SlotKind::Host => Type::ANY,
    }
}

/// An argument with another type; what is the host's stays that.
#[must_use]
pub const fn with_type(kind: SlotKind, ty: &'static Type) -> SlotKind {
    match kind {
        SlotKind::Argument(_) => SlotKind::Argument(ty),
        SlotKind::Host => SlotKind::Host,
    }
}

/// Stops at a parameter that is called `_`, unless it is the host's.
///
/// # Panics
/// When it is an argument.
#[track_caller]
pub const fn check_unnamed(kind: SlotKind) {
    if let SlotKind::Argument(_) = kind {
        panic!("a parameter of a tool needs a name, since a model sends it by name");
    }
}

/// Stops at a description of what no model sees.
///
/// # Panics
/// When the parameter is the host's.
#[track_caller]
pub const fn check_argument_described(kind: SlotKind) {
    if let SlotKind::Host = kind {
        panic!("what the host gives takes no description, since no model sees it; write a comment");
    }
}

/// A description, unless it is empty.
#[must_use]
pub const fn unless_empty(text: &'static str) -> Option<&'static str> {
    if text.is_empty() { None } else { Some(text) }
}

/// A parameter with what its attributes say.
#[must_use]
pub const fn slot(
    kind: SlotKind,
    name: &'static str,
    default: Option<&'static Value>,
    description: Option<&'static str>,
) -> Slot {
    match kind {
        SlotKind::Argument(ty) => {
            Slot::Argument(Param::from_static(name, ty, default, description))
        }
        SlotKind::Host => Slot::Host,
    }
}

/// The `at`th argument. Past the last one comes a filler: which parameters are the host's is known
/// only when the `const` is evaluated, and its length must be known before; [`arguments_of`] cuts
/// the fillers off.
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

/// What a tool says of itself.
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

/// What has a descriptor in a constant.
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
