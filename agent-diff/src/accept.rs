//! Whether a value is taken, asked of the validator itself.

use super::inclusion::{Extra, Place};
use agent_spec::types::fields_of;
use agent_spec::{Kind, Nest, Shape, Type};
use serde_json::Value;

/// Whether a value is taken.
pub(super) fn takes(place: Place<'_>, value: &Value, extra: Extra) -> bool {
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

/// Returns the position of the first value that a place refuses. The values are validated as one list, so
/// that each pattern is compiled once.
pub(super) fn first_refused(place: Place<'_>, values: &[Value], extra: Extra) -> Option<usize> {
    let element = place.ty.clone().with_optional(place.null);
    let list = Type::new(Kind::Array(Nest::new(element)));
    let refused = match list.validate(&Value::Array(values.to_vec())) {
        Ok(()) => None,
        Err(violations) => {
            let each = || values.iter().position(|value| !takes(place, value, extra));
            item_of_path(violations.first().path()).or_else(each)
        }
    };
    let undeclared = || {
        values
            .iter()
            .position(|value| has_undeclared(place.ty, value))
    };
    let undeclared = (extra == Extra::Refused).then(undeclared).flatten();
    refused.into_iter().chain(undeclared).min()
}

/// The position that a path into a list begins with, such as 3 for `$[3].name`.
fn item_of_path(path: &str) -> Option<usize> {
    let (item, _) = path.strip_prefix("$[")?.split_once(']')?;
    item.parse().ok()
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
