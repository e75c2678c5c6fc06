//! Validation of values, including members that a type does not name.

use agent_spec::types::fields_of;
use agent_spec::{Kind, Nest, Shape, Type};
use serde_json::Value;

/// A type together with whether `null` counts as no value where the type is used.
#[derive(Clone, Copy)]
pub(super) struct NullableType<'a> {
    /// The type. Whether the type itself is optional does not count.
    pub(super) ty: &'a Type,
    /// Whether `null` is accepted as no value.
    pub(super) allows_null: bool,
}

impl<'a> NullableType<'a> {
    /// Creates a type that accepts `null` when the type is optional.
    pub(super) const fn of(ty: &'a Type) -> Self {
        Self {
            ty,
            allows_null: ty.is_optional(),
        }
    }

    /// Creates a type that accepts `null` only as a value.
    pub(super) const fn required(ty: &'a Type) -> Self {
        Self {
            ty,
            allows_null: false,
        }
    }
}

/// The treatment of members of an object that its type does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UndeclaredMembers {
    /// Refused, as in arguments: an argument that is dropped in silence is not obeyed.
    Refused,
    /// Ignored, as a reader of results does.
    Ignored,
}

/// Whether a type accepts a value.
pub(super) fn accepts(
    accepting: NullableType<'_>,
    value: &Value,
    undeclared: UndeclaredMembers,
) -> bool {
    if value.is_null() && accepting.allows_null {
        return true;
    }
    // An optional type validates `null`, which this use of the type may not accept.
    if value.is_null() && accepting.ty.is_optional() {
        let required = accepting.ty.clone().with_optional(false);
        return required.validate(value).is_ok();
    }
    accepting.ty.validate(value).is_ok()
        && (undeclared == UndeclaredMembers::Ignored || !has_undeclared(accepting.ty, value))
}

/// Returns the position of the first value that a type refuses. The values are validated as one list, so
/// that each `pattern` is compiled once.
pub(super) fn first_refused(
    accepting: NullableType<'_>,
    values: &[Value],
    undeclared: UndeclaredMembers,
) -> Option<usize> {
    let element = accepting.ty.clone().with_optional(accepting.allows_null);
    let list = Type::new(Kind::Array(Nest::new(element)));
    let refused = match list.validate(&Value::Array(values.to_vec())) {
        Ok(()) => None,
        Err(violations) => {
            let is_refused = |value| !accepts(accepting, value, undeclared);
            item_of_path(violations.first().path()).or_else(|| values.iter().position(is_refused))
        }
    };
    if undeclared == UndeclaredMembers::Ignored {
        return refused;
    }
    let values = &values[..refused.unwrap_or(values.len())];
    let with_undeclared = |value| has_undeclared(accepting.ty, value);
    values.iter().position(with_undeclared).or(refused)
}

/// Returns the position that a path into a list begins with, such as 3 for `$[3].name`.
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
        (Kind::Tuple(types), Value::Array(items)) => {
            let mut items = types.iter().zip(items);
            items.any(|(ty, item)| has_undeclared(ty, item))
        }
        (Kind::Union(types), value) => {
            let mut fitting = types
                .iter()
                .filter(|ty| ty.validate(value).is_ok())
                .peekable();
            fitting.peek().is_some() && fitting.all(|ty| has_undeclared(ty, value))
        }
        (Kind::Object(Shape::Extended(fields, values)), Value::Object(members)) => {
            members.iter().any(|(key, member)| {
                let mut fields = fields_of(fields).iter();
                let field = fields.find(|field| field.name() == key);
                has_undeclared(field.map_or(values.get(), |field| field.ty()), member)
            })
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
