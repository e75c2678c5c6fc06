//! Taking the parameters of a tool function, by value or by reference.
//!
//! The type of a parameter decides whether the model or the host gives it, through the trait
//! [`ToolParameter`] or [`ToolReference`]. A type without the trait is reported once, where the tool's
//! descriptor is made. It must not be reported again where the parameter is taken, so there rustc finds
//! [`FallbackOwned`] or [`FallbackBorrowed`] in place of the inherent function, which exists for all types
//! that can be taken.

use super::arguments::{Arguments, DecodeError};
use crate::context::ToolContext;
use crate::extensions::Extension;
use crate::tool::generated::SlotKind;
use agent_spec::__private::Host;
use agent_spec::{GramType, Type};
use serde_core::de::DeserializeOwned;
use std::any::type_name;
use std::convert::Infallible;
use std::marker::PhantomData;

/// A type that a tool function can take by value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no gram type",
    label = "gram cannot describe this type, or a type in it",
    note = "a type of your own: derive it, `#[derive(GramType)]`",
    note = "a map: its keys are written as text: `String`, an integer, `bool`, `char`, or an enum without data",
    note = "some types of `uuid`, `chrono`, `jiff`, `url` and `rust_decimal`: enable the feature of gramwork-runtime \
            that is named as the crate",
    note = "a type of another crate with a JSON Schema: wrap it, `Json<T>` (feature `schemars`)",
    note = "any other: state it, `#[tool(type = \"{{id: Text}}\")]` on a parameter, `#[gram(type = \"…\")]` on a field; \
            a field that holds nothing, `()` or `PhantomData`: leave it out, `#[serde(skip)]`",
    note = "what the host gives is no argument: the context of a call is `&ToolContext`, a value of \
            yours `Extension<T>`"
)]
pub trait ToolParameter {
    /// The kind of the parameter.
    const KIND: SlotKind;
}

// Rustc may recommend this implementation, because it then names the type without gram type, which may be
// nested in the type of the parameter.
impl<T: GramType> ToolParameter for T {
    const KIND: SlotKind = SlotKind::Argument(T::TYPE);
}

#[diagnostic::do_not_recommend]
impl<T> ToolParameter for Extension<T> {
    const KIND: SlotKind = SlotKind::Host;
}

/// Takes a parameter by value from the arguments or the context.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from JSON",
    label = "serde cannot read this type",
    note = "a parameter of a tool is read from what the model sends: add `#[derive(serde::Deserialize)]` \
            to the type, beside `GramType`"
)]
pub trait Take: Sized {
    /// The type of the value that the host gives; `()` for an argument of the model.
    type Given: ?Sized;

    /// Takes the parameter.
    ///
    /// # Errors
    /// When the argument is missing or has another type, or the host did not give the value.
    fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<Self, DecodeError>
    where
        Self::Given: Givable;
}

/// A value that a host can give to a tool in an [`Extension`]. The bound is where the parameter is taken, and
/// not on the implementation of [`Take`], because rustc would only report there that no implementation
/// exists.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an extension: it cannot be shared between threads",
    label = "not `Send`, `Sync` and `'static`",
    note = "what the host gives is shared by calls on several threads: hold an `Arc` in place of an \
            `Rc`, and a `Mutex` or an atomic in place of a `Cell` or `RefCell`"
)]
pub trait Givable: Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> Givable for T {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> Take for T {
    type Given = ();

    fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<T, DecodeError> {
        arguments.read(name, default)
    }
}

#[diagnostic::do_not_recommend]
impl<T> Take for Extension<T> {
    type Given = T;

    fn take(
        arguments: &Arguments<'_>,
        _: &str,
        _: Option<&'static str>,
    ) -> Result<Self, DecodeError>
    where
        T: Givable,
    {
        arguments.context().shared_extension().ok_or_else(|| {
            DecodeError::Host(format!("the host gave the tool no `{}`", type_name::<T>()))
        })
    }
}

/// Takes a parameter by value.
#[derive(Debug)]
pub struct OwnedParameter<T>(PhantomData<T>);

impl<T: ToolParameter> OwnedParameter<T> {
    /// Takes the parameter.
    ///
    /// # Errors
    /// When the argument is missing or has another type, or the host did not give the value.
    pub fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<T, DecodeError>
    where
        T: Take,
        T::Given: Givable,
    {
        T::take(arguments, name, default)
    }
}

/// The fallback for a type without gram type. Code that uses it does not compile.
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

/// A type to which a parameter can be a reference.
#[diagnostic::on_unimplemented(
    message = "a tool cannot take a reference to `{Self}`",
    label = "take the value itself",
    note = "references that a tool can take are `&str`, slices such as `&[String]`, and `&ToolContext`"
)]
pub trait ToolReference {
    /// The owned value that is kept while the function runs.
    type Held: Send + 'static;
    /// The kind of the parameter.
    const KIND: SlotKind;

    /// Borrows the argument of the function.
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

// Rustc may recommend this implementation, because it then names the value that the host cannot give.
impl<T: Givable> ToolReference for Extension<T> {
    type Held = Self;
    const KIND: SlotKind = SlotKind::Host;

    fn borrow(held: &Self) -> &Self {
        held
    }
}

/// Takes a parameter by reference. A separate trait, so that a type without gram type that serde cannot read
/// either is reported once.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from JSON",
    label = "serde cannot read this type",
    note = "a parameter of a tool is read from what the model sends: add `#[derive(serde::Deserialize)]` \
            to the type, beside `GramType`"
)]
pub trait TakeReference: ToolReference {
    /// Takes the owned value from the arguments or the context.
    ///
    /// # Errors
    /// When the argument is missing or has another type, or the host did not give the value.
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
        Ok(arguments.context().clone().with_valid_arguments(false))
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
    /// Takes the owned value, which is kept while the function runs.
    ///
    /// # Errors
    /// When the argument is missing or has another type, or the host did not give the value.
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

    /// Borrows the argument of the function.
    pub fn borrow(held: &T::Held) -> &T {
        T::borrow(held)
    }
}

/// The fallback for a type that cannot be taken by reference. Code that uses it does not compile.
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

    /// Borrows the argument of the function.
    fn borrow(held: &Infallible) -> &T {
        match *held {}
    }
}

impl<T: ?Sized> FallbackBorrowed<T> for BorrowedParameter<T> {}

/// Finds the schemars schema of a Rust type for which a gram type is stated. The stated type is compared with
/// the schema when the tool is bound. Rustc prefers the inherent constant to the constant of the trait
/// [`NoSchema`], which is for types without schema.
#[derive(Debug)]
pub struct StatedFor<T: ?Sized>(PhantomData<T>);

#[cfg(feature = "schemars")]
impl<T: schemars::JsonSchema> StatedFor<T> {
    /// The type's own schema.
    pub const HOST: Option<Host> = Some(Host::Schema(crate::json::schema_of::<T>));
}

/// The fallback for a type without schema; see [`StatedFor`].
pub trait NoSchema {
    /// No schema.
    const HOST: Option<Host> = None;
}

impl<T: ?Sized> NoSchema for StatedFor<T> {}

/// Returns the stated type of a parameter, with the schema of its Rust type. Calls are always validated
/// against the stated type.
#[must_use]
pub const fn stated(of: &'static Type, host: Option<Host>) -> Type {
    let ty = Type::stated(of);
    match host {
        Some(host) => ty.with_host(host),
        None => ty,
    }
}
