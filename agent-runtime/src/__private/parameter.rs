//! Taking the parameters of a tool function by value.
//!
//! What a parameter is, its type decides, through the trait [`ToolParameter`]. A type that does not
//! have it is reported once, where the tool's descriptor is made. It must not be reported again where
//! the parameter is taken, so there rustc finds [`FallbackOwned`] in place of the inherent function,
//! which is there for all types that can be taken.

use super::arguments::{Arguments, DecodeError};
use crate::extensions::Extension;
use crate::tool::generated::SlotKind;
use agent_spec::GramType;
use serde_core::de::DeserializeOwned;
use std::any::type_name;
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
