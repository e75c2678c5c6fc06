//! Parameters whose gram type somebody stated, `#[tool(type = "…")]`, beside a Rust type that need
//! have none.

use agent_spec::Type;
use agent_spec::types::Host;
use std::marker::PhantomData;

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
