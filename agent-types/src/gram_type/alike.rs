//! Compares the Rust types behind one gram type: which of them accepts the values of the other.

use crate::compare::{find_field, same_required};
use crate::host::Host;
use crate::text::same_text;
use crate::types::{Kind, Type, types_of};

/// Whether two types have the same gram type, and the implementation of one accepts every value of
/// the other implementation.
pub(super) const fn is_alike(left: &Type, right: &Type) -> bool {
    same_required(left, right) && (holds(left, right) || holds(right, left))
}

pub(super) const fn holds(outer: &Type, inner: &Type) -> bool {
    holds_all(outer, inner, Unknown::Differs)
}

/// The result of comparing two JSON Schemas, which a `const` cannot do.
#[derive(Clone, Copy)]
pub(super) enum Unknown {
    /// The schemas count as equal.
    Agrees,
    /// The schemas count as different.
    Differs,
}

/// Whether the implementation of `outer`, which has the same gram type, accepts every value of the
/// implementation of `inner`, in the same form: a range of integers at any depth may be wider.
pub(super) const fn holds_all(outer: &Type, inner: &Type, schemas: Unknown) -> bool {
    let own = match (outer.host(), inner.host()) {
        (Some(Host::Refused), _) | (_, Some(Host::Refused)) => true,
        (Some(Host::Schema(_)), _) | (_, Some(Host::Schema(_))) => {
            matches!(schemas, Unknown::Agrees)
        }
        (
            None | Some(Host::Variants | Host::Aliases(_)),
            None | Some(Host::Variants | Host::Aliases(_) | Host::Range(_)),
        ) => true,
        (Some(Host::Range(outer)), Some(Host::Range(inner))) => {
            outer.0 <= inner.0 && inner.1 <= outer.1
        }
        (Some(Host::Text(outer)), Some(Host::Text(inner))) => {
            same_text(outer.expected, inner.expected)
        }
        _ => false,
    };
    own && match (outer.kind(), inner.kind()) {
        (Kind::Array(outer), Kind::Array(inner)) => holds_all(outer.get(), inner.get(), schemas),
        (Kind::Tuple(outer), Kind::Tuple(inner)) | (Kind::Union(outer), Kind::Union(inner)) => {
            let (outer, inner) = (types_of(outer), types_of(inner));
            let mut at = 0;
            while at < inner.len() {
                if at >= outer.len() || !holds_all(&outer[at], &inner[at], schemas) {
                    return false;
                }
                at += 1;
            }
            true
        }
        (Kind::Object(outer), Kind::Object(inner)) => {
            if let (Some(outer), Some(inner)) = (outer.values(), inner.values())
                && !holds_all(outer, inner, schemas)
            {
                return false;
            }
            let (outer, inner) = (outer.fields(), inner.fields());
            let mut at = 0;
            while at < inner.len() {
                match find_field(outer, inner[at].name()) {
                    Some(other) if holds_all(outer[other].ty(), inner[at].ty(), schemas) => {}
                    _ => return false,
                }
                at += 1;
            }
            true
        }
        _ => true,
    }
}
