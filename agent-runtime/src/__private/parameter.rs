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

/// What a tool function can take by value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no gram type",
    label = "gram cannot describe this type, or a type in it",
    note = "a type of your own: derive it, `#[derive(GramType)]`",
    note = "a map: its keys are `String`, as in JSON",
    note = "a type of another crate with a JSON Schema: wrap it, `Json<T>` (feature `schemars`)",
    note = "any other: state it, `#[tool(type = \"{{id: Text}}\")]` on a parameter, `#[gram(type = \"…\")]` on a field",
    note = "what the host gives is no argument: the context of a call is `&ToolContext`, a value of \
            yours `Extension<T>`"
)]
pub trait ToolParameter {
    /// What the parameter is.
    const KIND: SlotKind;
}

// Rustc may recommend this one: then it names the very type that has no gram type, which may be
// inside the parameter's.
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
    /// What the host gives; `()` where the model does.
    type Given: ?Sized;

    /// Takes it.
    ///
    /// # Errors
    /// When the argument is missing or of another type, or the host did not give it.
    fn take(
        arguments: &Arguments<'_>,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<Self, DecodeError>
    where
        Self::Given: Givable;
}

/// What a host can give to a tool in an [`Extension`]. It is demanded where the parameter is taken, and
/// not of the implementation of [`Take`], beside which rustc would only say that there is none.
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
        T::Given: Givable,
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

/// Finds what is known of a Rust type beside which a gram type is stated: its schema by schemars, when
/// it has one, which the stated type is held against when the tool is bound. Which of the two, rustc
/// decides: an inherent constant is preferred to that of a trait, [`NoSchema`].
#[derive(Debug)]
pub struct StatedFor<T: ?Sized>(PhantomData<T>);

#[cfg(feature = "schemars")]
impl<T: schemars::JsonSchema> StatedFor<T> {
    /// The type's own schema.
    pub const HOST: Option<Host> = Some(Host::Schema(crate::json::schema_of::<T>));
}

/// What is known of a type without a schema; see [`StatedFor`].
pub trait NoSchema {
    /// Nothing.
    const HOST: Option<Host> = None;
}

impl<T: ?Sized> NoSchema for StatedFor<T> {}

/// The stated type of a parameter, with what is known of its Rust type. A call is always checked
/// against it.
#[must_use]
pub const fn stated(of: &'static Type, host: Option<Host>) -> Type {
    let ty = Type::stated(of);
    match host {
        Some(host) => ty.with_host(host),
        None => ty,
    }
}
