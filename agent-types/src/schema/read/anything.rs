//! Any values: those of `true`, and the further keys of objects.

use crate::host::Host;
use crate::types::{Field, Kind, Shape, Type, types_of};
use agent_gram::value::Nest;
use std::borrow::Cow;

/// Whether a type is `Any` without constraints.
pub(super) fn is_anything(ty: &Type) -> bool {
    matches!(ty.kind(), Kind::Any) && ty.constraints().is_none()
}

/// The type of a part that gram cannot express, for a reader that takes such parts as `Any`. It is marked as
/// having a schema of its own.
pub(super) fn unread_part() -> Type {
    fn schema() -> serde_json::Value {
        true.into()
    }
    Type::new(Kind::Any).with_host(Host::Schema(schema))
}

/// A record with further keys.
pub(super) fn extended(fields: Vec<Field>, values: Type) -> Shape {
    match fields.is_empty() && is_anything(&values) && !is_explicit(&values) {
        true => Shape::Open,
        false => Shape::Extended(Cow::Owned(fields), Nest::new(values)),
    }
}

/// Whether the schema allows any further keys explicitly, and not only because it has no `properties`.
/// Without an explicit keyword, the `properties` of another part of the schema close the object.
pub(super) fn is_explicit(values: &Type) -> bool {
    is_anything(values) && values.host().is_none()
}

/// Returns a type that no other part of the schema narrows any more: a map of any values is any object.
pub(super) fn settled(ty: Type) -> Type {
    let kind = match ty.kind() {
        Kind::Object(Shape::Extended(fields, values))
            if fields.is_empty() && is_explicit(values) =>
        {
            Kind::Object(Shape::Open)
        }
        Kind::Union(types) => Kind::Union(
            types_of(types)
                .iter()
                .map(|ty| settled(ty.clone()))
                .collect(),
        ),
        _ => return ty,
    };
    Type::new(kind)
        .with_constraints(ty.constraints().clone())
        .with_optional(ty.is_optional())
}
