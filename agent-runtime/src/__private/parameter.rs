//! Taking the parameters of a tool function, by value and by reference.
//!
//! What a parameter is, its type decides, through the traits [`ToolParameter`] and [`ToolReference`]. A type
//! that has neither is reported once, where the tool's descriptor is made. It must not be reported
//! again where the parameter is taken, so there rustc finds [`FallbackOwned`] or
//! [`FallbackBorrowed`] in place of the inherent functions, which are there for all types that can
//! be taken.

use super::arguments::{Arguments, DecodeError};
use super::slot::SlotKind;
use crate::context::ToolContext;
use crate::extensions::Extension;
use agent_spec::GramType;
use serde_core::de::DeserializeOwned;
use std::any::type_name;
use std::marker::PhantomData;

/// What a tool function can take by value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no gram type",
    label = "gram cannot describe this type, or a type in it",
    note = "a type of your own: derive it, `#[derive(GramType)]`",
    note = "a type of another crate with a JSON Schema: wrap it, `Json<T>` (feature `schemars`)",
    note = "any other: state it, `#[tool(type = \"{{id: Text}}\")]`",
    note = "what the host gives is no argument: the context of a call is `&ToolContext`, a value of \
            yours `Extension<T>`"
)]
pub trait ToolParameter {
    /// What the parameter is.
    const KIND: SlotKind;
}

#[diagnostic::do_not_recommend]
impl<T: GramType> ToolParameter for T {
    const KIND: SlotKind = SlotKind::Argument(T::TYPE);
}

#[diagnostic::do_not_recommend]
impl<T> ToolParameter for Extension<T> {
    const KIND: SlotKind = SlotKind::Host;
}

/// How a parameter is taken by value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from JSON",
    label = "serde cannot read this type",
    note = "a parameter of a tool is read from what the model sends: add `#[derive(serde::Deserialize)]` \
            to the type, beside `GramType`"
)]
pub trait Take: Sized {
    /// Takes it.
    ///
    /// # Errors
    /// When the argument is missing or of another type, or the host did not give it.
    fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<Self, DecodeError>;
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> Take for T {
    fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<T, DecodeError> {
        arguments.read(name, default)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> Take for Extension<T> {
    fn take(
        arguments: &Arguments<'_>,
        _: &str,
        _: Option<&'static str>,
    ) -> Result<Self, DecodeError> {
        arguments.context().shared_extension().ok_or_else(|| {
            DecodeError::Host(format!("the host gave the tool no `{}`", type_name::<T>()))
        })
    }
}

/// Takes a parameter by value.
#[derive(Debug)]
pub struct OwnedParameter<T>(PhantomData<T>);

impl<T: ToolParameter> OwnedParameter<T> {
    /// Takes it.
    ///
    /// # Errors
    /// When the argument is missing or of another type, or the host did not give it.
    pub fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<T, DecodeError>
    where
        T: Take,
    {
        T::take(arguments, name, default)
    }
}

/// What names it never compiles.
pub trait FallbackOwned<T> {
    /// Fails.
    ///
    /// # Errors
    /// Always.
    fn take(_: &Arguments<'_>, name: &str, _: Option<&'static str>) -> Result<T, DecodeError> {
        Err(DecodeError::argument(name, &"the type has no gram type"))
    }
}

impl<T> FallbackOwned<T> for OwnedParameter<T> {}

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

    /// Takes it from the arguments, or from the context.
    ///
    /// # Errors
    /// When the argument is missing or of another type.
    fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<Self::Held, DecodeError>;

    /// What the function is given.
    fn borrow(held: &Self::Held) -> &Self;
}

impl ToolReference for str {
    type Held = String;
    const KIND: SlotKind = SlotKind::Argument(<str as GramType>::TYPE);

    fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<String, DecodeError> {
        arguments.read(name, default)
    }

    fn borrow(held: &String) -> &str {
        held
    }
}

impl<T: GramType + DeserializeOwned + Send + 'static> ToolReference for [T] {
    type Held = Vec<T>;
    const KIND: SlotKind = SlotKind::Argument(<[T] as GramType>::TYPE);

    fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<Vec<T>, DecodeError> {
        arguments.read(name, default)
    }

    fn borrow(held: &Vec<T>) -> &[T] {
        held
    }
}

impl ToolReference for ToolContext {
    type Held = ToolContext;
    const KIND: SlotKind = SlotKind::Host;

    fn take(
        arguments: &Arguments<'_>,
        _: &str,
        _: Option<&'static str>,
    ) -> Result<ToolContext, DecodeError> {
        Ok(arguments.context().clone())
    }

    fn borrow(held: &ToolContext) -> &ToolContext {
        held
    }
}

impl<T: Send + Sync + 'static> ToolReference for Extension<T> {
    type Held = Self;
    const KIND: SlotKind = SlotKind::Host;

    fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<Self, DecodeError> {
        Take::take(arguments, name, default)
    }

    fn borrow(held: &Self) -> &Self {
        held
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
    ) -> Result<T::Held, DecodeError> {
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
    ) -> Result<&'static T, DecodeError> {
        Err(DecodeError::argument(
            name,
            &"it cannot be taken by reference",
        ))
    }

    /// What the function is given.
    fn borrow<'h>(held: &'h &'static T) -> &'h T {
        held
    }
}

impl<T: ?Sized> FallbackBorrowed<T> for BorrowedParameter<T> {}
