//! Whether a value is taken, asked of the validator itself.

use super::{Extra, Place};
use agent_spec::types::fields_of;
use agent_spec::{Kind, Shape, Type};
use serde_json::Value;

/// Whether a value is taken.
pub(crate) fn takes(place: Place<'_>, value: &Value, extra: Extra) -> bool {
    if value.is_null() && place.null {
        return true;
    }
    // A type that is optional takes `null`; its place may not.
    if value.is_null() && place.ty.is_optional() {
        let required = place.ty.clone().with_optional(false);
        return required.validate(value).is_ok();
    }
    place.ty.validate(value).is_ok()
        && (extra == Extra::Ignored || !has_undeclared(place.ty, value))
}

/// Whether a value has a member, at any depth, that its type does not name.
fn has_undeclared(ty: &Type, value: &Value) -> bool {
    match (ty.kind(), value) {
        (Kind::Array(of), Value::Array(items)) => items.iter().any(|item| has_undeclared(of, item)),
        (Kind::Object(Shape::Map(of)), Value::Object(members)) => {
            members.values().any(|member| has_undeclared(of, member))
        }
        (Kind::Object(Shape::Fields(fields)), Value::Object(members)) => {
            let fields = fields_of(fields);
            let mut named = 0;
            for field in fields {
                if let Some(member) = members.get(field.name()) {
                    named += 1;
                    if has_undeclared(field.ty(), member) {
                        return true;
                    }
                }
            }
            named < members.len()
        }
        _ => false,
    }
}
