//! What a parameter of a tool function is: an argument of the model, or something of the host's,
//! such as the context of the call.

use agent_gram::Value;
use agent_spec::{Param, Returns, Signature, ToolDescriptor, ToolSettings, Type};

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
