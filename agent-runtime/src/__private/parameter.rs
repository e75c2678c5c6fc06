//! What a parameter of a tool function is: an argument of the model, or the context of the call.

use super::arguments::{Arguments, DecodeError};
use crate::context::ToolContext;
use agent_gram::Value;
use agent_spec::{GramType, Param, Type};
use serde_core::de::DeserializeOwned;
use std::marker::PhantomData;

/// What a parameter's type makes of it.
#[derive(Clone, Copy, Debug)]
pub enum SlotKind {
    /// An argument of this type.
    Argument(&'static Type),
    /// The context of the call, which the model knows nothing of.
    Context,
}

/// A parameter of a tool function.
#[derive(Debug)]
pub enum Slot {
    /// An argument.
    Argument(Param),
    /// The context.
    Context,
}

/// The type of an argument; nothing for the context.
#[must_use]
pub const fn argument_type(kind: SlotKind) -> Option<&'static Type> {
    match kind {
        SlotKind::Argument(ty) => Some(ty),
        SlotKind::Context => None,
    }
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
        SlotKind::Context => Slot::Context,
    }
}

/// The `at`th argument. Past the last one comes a filler: which parameters are contexts is known
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

/// What can stand behind the `&` of a parameter.
#[diagnostic::on_unimplemented(
    message = "a tool cannot take a reference to `{Self}`",
    label = "take the value itself",
    note = "references that a tool can take are `&str`, slices such as `&[String]`, and `&ToolContext`"
)]
pub trait Borrowed {
    /// What is held while the function runs.
    type Held: Send + 'static;
    /// What the parameter is.
    const KIND: SlotKind;

    /// Takes it from the arguments, or from the context.
    ///
    /// # Errors
    /// When the argument is missing or of another type.
    fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
        context: &ToolContext,
    ) -> Result<Self::Held, DecodeError>;

    /// What the function is given.
    fn borrow(held: &Self::Held) -> &Self;
}

impl Borrowed for str {
    type Held = String;
    const KIND: SlotKind = SlotKind::Argument(<str as GramType>::TYPE);

    fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
        _: &ToolContext,
    ) -> Result<String, DecodeError> {
        arguments.take(name, default)
    }

    fn borrow(held: &String) -> &str {
        held
    }
}

impl<T: GramType + DeserializeOwned + Send + 'static> Borrowed for [T] {
    type Held = Vec<T>;
    const KIND: SlotKind = SlotKind::Argument(<[T] as GramType>::TYPE);

    fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
        _: &ToolContext,
    ) -> Result<Vec<T>, DecodeError> {
        arguments.take(name, default)
    }

    fn borrow(held: &Vec<T>) -> &[T] {
        held
    }
}

impl Borrowed for ToolContext {
    type Held = ToolContext;
    const KIND: SlotKind = SlotKind::Context;

    fn take(
        _: &Arguments<'_>,
        _: &str,
        _: Option<&'static str>,
        context: &ToolContext,
    ) -> Result<ToolContext, DecodeError> {
        Ok(context.clone())
    }

    fn borrow(held: &ToolContext) -> &ToolContext {
        held
    }
}

/// Takes an argument by value.
///
/// A type without a gram type was reported where the tool's descriptor is made. It must not be
/// reported again here, so for such a type rustc finds [`FallbackArgument`] in place of the
/// inherent function, which is there for all types that have one.
#[derive(Debug)]
pub struct OwnedArgument<T>(PhantomData<T>);

impl<T: GramType> OwnedArgument<T> {
    /// Reads the argument.
    ///
    /// # Errors
    /// When it is missing or of another type.
    pub fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<T, DecodeError>
    where
        T: DeserializeOwned,
    {
        arguments.take(name, default)
    }
}

/// See [`OwnedArgument`]. What names it never compiles.
pub trait FallbackArgument<T> {
    /// Fails.
    ///
    /// # Errors
    /// Always.
    fn take(_: &Arguments<'_>, name: &str, _: Option<&'static str>) -> Result<T, DecodeError> {
        Err(DecodeError::new(name, &"the type has no gram type"))
    }
}

impl<T> FallbackArgument<T> for OwnedArgument<T> {}

/// Takes an argument by reference, or the context; like [`OwnedArgument`].
#[derive(Debug)]
pub struct BorrowedArgument<T: ?Sized>(PhantomData<T>);

impl<T: Borrowed + ?Sized> BorrowedArgument<T> {
    /// Takes what is held while the function runs.
    ///
    /// # Errors
    /// When it is missing or of another type.
    pub fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
        context: &ToolContext,
    ) -> Result<T::Held, DecodeError> {
        T::take(arguments, name, default, context)
    }

    /// What the function is given.
    pub fn borrow(held: &T::Held) -> &T {
        T::borrow(held)
    }
}

/// See [`BorrowedArgument`]. What names it never compiles.
pub trait FallbackBorrowed<T: ?Sized> {
    /// Fails.
    ///
    /// # Errors
    /// Always.
    fn take(
        _: &Arguments<'_>,
        name: &str,
        _: Option<&'static str>,
        _: &ToolContext,
    ) -> Result<&'static T, DecodeError> {
        Err(DecodeError::new(name, &"it cannot be taken by reference"))
    }

    /// What the function is given.
    fn borrow<'h>(held: &'h &'static T) -> &'h T {
        held
    }
}

impl<T: ?Sized> FallbackBorrowed<T> for BorrowedArgument<T> {}
