//! JSON Schemas of types and signatures.
//!
//! One canonical form, a subset of draft 2020-12. What a provider needs differently is a transform
//! in that provider's own module, over [`Schema::members`].
//!
//! The other way, [`read`] makes types of schemas: [`Type::from_schema`],
//! [`Signature::from_schemas`].

mod build;
mod host;
pub mod read;
mod same;

pub use read::{Loss, SchemaError, SchemaProblem, SchemaReader};
pub use same::same_schema;

use crate::json::Ordered;
use crate::signature::Signature;
use crate::types::Type;
use agent_gram::value::Text;
use serde_core::ser::{Serialize, Serializer};
use std::fmt;

/// A JSON Schema: an object whose members keep their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    members: Vec<(Text, Ordered)>,
}

impl Schema {
    /// A schema of these members, for transforms of other schemas. Their keys must differ.
    #[must_use]
    pub fn from_members(members: Vec<(Text, Ordered)>) -> Self {
        Self { members }
    }

    /// The members, in order.
    #[must_use]
    pub fn members(&self) -> &[(Text, Ordered)] {
        &self.members
    }

    /// The members, owned.
    #[must_use]
    pub fn into_members(self) -> Vec<(Text, Ordered)> {
        self.members
    }

    /// The same as a JSON value that keeps the order.
    #[must_use]
    pub fn into_ordered(self) -> Ordered {
        Ordered::Object(self.members)
    }

    /// The same as a `serde_json::Value`, which sorts the members. A bound beyond 64 bits becomes
    /// the nearest double.
    #[must_use]
    pub fn to_value(&self) -> serde_json::Value {
        serde_json::Value::Object(crate::json::to_map(&self.members))
    }
}

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::json::serialize_members(&self.members, serializer)
    }
}

/// Compact JSON text.
impl fmt::Display for Schema {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl Type {
    /// The JSON Schema of the values. An optional type also allows `null`. The range of the
    /// implementation is not part of it; a schema that it has of its own is, where the type is
    /// `Any`.
    #[must_use]
    pub fn schema(&self) -> Schema {
        Schema::from_members(build::type_members(self))
    }
}

impl Signature {
    /// The JSON Schema of the object of arguments:
    /// `{"type":"object","properties":{…},"required":[…]}`.
    #[must_use]
    pub fn schema(&self) -> Schema {
        self.schema_for(None)
    }

    /// The JSON Schema of the object of arguments of a tool that is implemented by a function of
    /// another signature: where this one says only `Any`, a schema that the function's type has of
    /// its own is part of it, with its definitions at the root.
    #[must_use]
    pub fn schema_for(&self, implementation: Option<&Signature>) -> Schema {
        let host = implementation.map_or(&[][..], Signature::params);
        Schema::from_members(build::object_members(self.params(), host))
    }

    /// The JSON Schema of the result.
    #[must_use]
    pub fn return_schema(&self) -> Schema {
        Schema::from_members(build::return_members(self.returns()))
    }
}
