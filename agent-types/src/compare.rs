//! Comparing values and types, in a `const` as well as at run time.

pub(crate) mod difference;
pub(crate) mod fingerprint;
pub(crate) mod literal;
mod narrowing;
mod order;
pub(crate) mod rule;
mod value;

pub(crate) use difference::{START, field_difference, of_types, type_difference};
pub(crate) use fingerprint::fingerprint;
pub(crate) use literal::may_fit;
pub(crate) use narrowing::is_bound_beyond;
pub(crate) use rule::Rule;
pub use value::{same_value, value_key};

use crate::text::same_text;
use crate::types::{Field, Type};

/// Whether two types mean the same. At run time, `==` can be faster for long lists in different orders.
#[must_use]
pub const fn same_type(left: &Type, right: &Type) -> bool {
    type_difference(left, right, Rule::Equal, START).is_none()
}

/// Whether two types mean the same, apart from being optional.
pub(crate) const fn same_required(left: &Type, right: &Type) -> bool {
    of_types(left, right, Rule::Equal, START).is_none()
}

/// Returns the index of the field of a name.
pub const fn find_field(fields: &[Field], name: &str) -> Option<usize> {
    let mut at = 0;
    while at < fields.len() {
        if same_text(fields[at].name(), name) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Returns the index of the field of a name. The search begins at `near`, because two records mostly have
/// the same order, and long records would otherwise take quadratic time.
pub const fn find_field_near(fields: &[Field], name: &str, near: usize) -> Option<usize> {
    let mut tried = 0;
    while tried < fields.len() {
        let at = (near + tried) % fields.len();
        if same_text(fields[at].name(), name) {
            return Some(at);
        }
        tried += 1;
    }
    None
}

/// Whether two defaults are equal, or one is missing.
pub(crate) const fn defaults_agree(left: &Field, right: &Field) -> bool {
    match (left.default(), right.default()) {
        (Some(a), Some(b)) => same_value(a, b),
        _ => true,
    }
}

/// Whether two texts are equal, or both are missing.
pub(crate) const fn same_opt_text(left: Option<&str>, right: Option<&str>) -> bool {
    match (left, right) {
        (None, None) => true,
        (Some(a), Some(b)) => same_text(a, b),
        _ => false,
    }
}

/// Two types are equal when every value means the same to both; ranges of the implementation do
/// not count.
impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        if let Some(ty) = order::reordered_type(self, other) {
            return same_type(&ty, other);
        }
        same_type(self, other)
    }
}

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        if self.name() != other.name() {
            return false;
        }
        if let Some(ty) = order::reordered_type(self.ty(), other.ty()) {
            return field_difference(&self.with_type(ty), other, Rule::Equal, START).is_none();
        }
        field_difference(self, other, Rule::Equal, START).is_none()
    }
}
