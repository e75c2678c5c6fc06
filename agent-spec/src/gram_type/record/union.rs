//! One type for what several variants have in one place.

use crate::binding::{find_field, same_required};
use crate::types::{Host, Kind, Shape, Type, fields_of};

/// Whether the two are one type, of which one implementation holds whatever the other does.
pub(super) const fn is_alike(left: &Type, right: &Type) -> bool {
    same_required(left, right) && (holds_all(left, right) || holds_all(right, left))
}

/// The type that holds for both: the wider one when they are alike, that of the kind when nothing
/// narrows the two, and `Any` otherwise. Whether they are optional is for the caller to say.
pub(super) const fn union(left: &'static Type, right: &'static Type) -> &'static Type {
    if is_alike(left, right) {
        return if holds_all(left, right) { left } else { right };
    }
    if left.is_checked() || right.is_checked() {
        return Type::ANY;
    }
    // What the Rust types keep to by themselves, serde checks.
    match (left.kind(), right.kind()) {
        (Kind::Text, Kind::Text) => const { &Type::new(Kind::Text) },
        (Kind::Int, Kind::Int) => const { &Type::new(Kind::Int) },
        (Kind::Double, Kind::Double) => const { &Type::new(Kind::Double) },
        _ => Type::ANY,
    }
}

/// Whether the implementation of `outer`, which is the same type in gram, takes every value that the
/// one of `inner` takes, in the same form: a range of integers at any depth may be wider.
const fn holds_all(outer: &Type, inner: &Type) -> bool {
    let own = match (outer.host(), inner.host()) {
        (None, None | Some(Host::Range(_))) => true,
        (Some(Host::Range(outer)), Some(Host::Range(inner))) => {
            outer.0 <= inner.0 && inner.1 <= outer.1
        }
        (Some(Host::Text(outer)), Some(Host::Text(inner))) => {
            crate::binding::same_text(outer.expected, inner.expected)
        }
        // Whether two schemas are one, a `const` cannot tell.
        _ => false,
    };
    own && match (outer.kind(), inner.kind()) {
        (Kind::Array(outer), Kind::Array(inner))
        | (Kind::Object(Shape::Map(outer)), Kind::Object(Shape::Map(inner))) => {
            holds_all(outer.get(), inner.get())
        }
        (Kind::Object(Shape::Fields(outer)), Kind::Object(Shape::Fields(inner))) => {
            let (outer, inner) = (fields_of(outer), fields_of(inner));
            let mut at = 0;
            while at < inner.len() {
                match find_field(outer, inner[at].name()) {
                    Some(other) if holds_all(outer[other].ty(), inner[at].ty()) => {}
                    _ => return false,
                }
                at += 1;
            }
            true
        }
        _ => true,
    }
}
