//! Taking the parameters of a tool function by reference: the same as by value, with the traits
//! [`ToolReference`] and [`TakeReference`].

use super::arguments::{Arguments, DecodeError};
use super::parameter::{Givable, Take};
use crate::context::ToolContext;
use crate::extensions::Extension;
use crate::tool::generated::SlotKind;
use agent_spec::GramType;
use serde_core::de::DeserializeOwned;
use std::convert::Infallible;
use std::marker::PhantomData;

/// What can stand behind the `&` of a parameter.
#[diagnostic::on_unimplemented(
    message = "a tool cannot take a reference to `{Self}`",
    label = "take the value itself",
    note = "references that a tool can take are `&str`, slices such as `&[String]`, and `&ToolContext`"
)]
pub trait ToolReference {
    /// What is held while the function runs.
    type Held: Send + 'static;
    /// What the parameter is.
    const KIND: SlotKind;

    /// What the function is given.
    fn borrow(held: &Self::Held) -> &Self;
}

impl ToolReference for str {
    type Held = String;
    const KIND: SlotKind = SlotKind::Argument(<str as GramType>::TYPE);

    fn borrow(held: &String) -> &str {
        held
    }
}

impl<T: GramType + Send + 'static> ToolReference for [T] {
    type Held = Vec<T>;
    const KIND: SlotKind = SlotKind::Argument(<[T] as GramType>::TYPE);

    fn borrow(held: &Vec<T>) -> &[T] {
        held
    }
}

#[diagnostic::do_not_recommend]
impl ToolReference for ToolContext {
    type Held = ToolContext;
    const KIND: SlotKind = SlotKind::Host;

    fn borrow(held: &ToolContext) -> &ToolContext {
        held
    }
}

// Rustc may recommend this one: then it names what the host gives and cannot.
impl<T: Givable> ToolReference for Extension<T> {
    type Held = Self;
    const KIND: SlotKind = SlotKind::Host;

    fn borrow(held: &Self) -> &Self {
        held
    }
}

/// How what stands behind the `&` of a parameter is taken. A trait of its own, so that a type that
/// has no gram type and that serde cannot read is reported once.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from JSON",
    label = "serde cannot read this type",
    note = "a parameter of a tool is read from what the model sends: add `#[derive(serde::Deserialize)]` \
            to the type, beside `GramType`"
)]
pub trait TakeReference: ToolReference {
    /// Takes it from the arguments, or from the context.
    ///
    /// # Errors
    /// When the argument is missing or of another type, or the host did not give it.
    fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<Self::Held, DecodeError>;
}

#[diagnostic::do_not_recommend]
impl TakeReference for str {
    fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<String, DecodeError> {
        arguments.read(name, default)
    }
}

#[diagnostic::do_not_recommend]
impl<T: GramType + DeserializeOwned + Send + 'static> TakeReference for [T] {
    fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<Vec<T>, DecodeError> {
        arguments.read(name, default)
    }
}

#[diagnostic::do_not_recommend]
impl TakeReference for ToolContext {
    fn take(
        arguments: &Arguments<'_>,
        _: &str,
        _: Option<&'static str>,
    ) -> Result<ToolContext, DecodeError> {
        Ok(arguments.context().clone())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Givable> TakeReference for Extension<T> {
    fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<Self, DecodeError> {
        Take::take(arguments, name, default)
    }
}

/// Takes a parameter by reference.
#[derive(Debug)]
pub struct BorrowedParameter<T: ?Sized>(PhantomData<T>);

impl<T: ToolReference + ?Sized> BorrowedParameter<T> {
    /// Takes what is held while the function runs.
    ///
    /// # Errors
    /// When the argument is missing or of another type, or the host did not give it.
    pub fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<T::Held, DecodeError>
    where
        T: TakeReference,
    {
        T::take(arguments, name, default)
    }

    /// What the function is given.
    pub fn borrow(held: &T::Held) -> &T {
        T::borrow(held)
    }
}

/// What names it never compiles.
pub trait FallbackBorrowed<T: ?Sized> {
    /// Fails.
    ///
    /// # Errors
    /// Always.
    fn take(
        _: &Arguments<'_>,
        name: &str,
        _: Option<&'static str>,
    ) -> Result<Infallible, DecodeError> {
        Err(DecodeError::argument(
            name,
            &"it cannot be taken by reference",
        ))
    }

    /// What the function is given.
    fn borrow(held: &Infallible) -> &T {
        match *held {}
    }
}

impl<T: ?Sized> FallbackBorrowed<T> for BorrowedParameter<T> {}
