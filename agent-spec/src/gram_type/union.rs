//! The types of enums that serde writes without a tag, and of tuples.

use crate::Nest;
use crate::compare::{find_field, fingerprint, same_required, same_value};
use crate::constraints::{Constraint, Constraints};
use crate::gram_type::record::holds_all;
use crate::host::Host;
use crate::types::{Field, Kind, MOST_ALTERNATIVES, Type, types_of};
use crate::vocabulary::Keyword;
use std::borrow::Cow;

/// The types of the variants of an enum, in the order in which serde tries them.
pub trait Alternatives {
    /// The types.
    const ALTERNATIVES: &'static [&'static Type];
}

/// Returns the type of the values of several types: a union, or the one type that all are. See
/// [`Type::any_of`].
#[must_use]
pub const fn any_of<T: Alternatives + ?Sized>() -> Type {
    let found = &Joined::<T>::FOUND;
    let ty = match found.len {
        0 => Type::new(Kind::Null),
        1 => Type::borrowed(found.types[0]),
        len => {
            let types = Joined::<T>::TYPES.split_at(len).0;
            Type::new(Kind::Union(Cow::Borrowed(types)))
        }
    };
    let ty = ty.with_optional(found.optional && found.len > 0);
    match found.by_variant && found.len > 1 {
        true => ty.with_host(Host::Variants),
        false => ty,
    }
}

/// Returns the type of an enum that serde writes as the name of a variant, or as an object whose only
/// key is the name. `types` has one text of the names without data, and a record for each other variant.
#[must_use]
pub const fn variants(types: &'static [Type]) -> Type {
    match types {
        [only] => Type::borrowed(only),
        types => Type::new(Kind::Union(Cow::Borrowed(types))).with_host(Host::Variants),
    }
}

/// A list of exactly these elements.
#[must_use]
pub const fn tuple(items: &'static [Type]) -> Type {
    match items {
        [] => Type::kept(Kind::Array(Nest::from_static(Type::ANY)), NO_ITEMS),
        items => Type::new(Kind::Tuple(Cow::Borrowed(items))),
    }
}

/// Gram has no tuple without elements.
const NO_ITEMS: &Constraints =
    &Constraints::from_static(&[(Keyword::MaxItems, Constraint::Count(0))]);

/// Panics with a message when a variant without a tag can be `null`, or when serde would read a value as
/// this variant that only a later one allows. `at` is the place in [`Alternatives::ALTERNATIVES`].
#[track_caller]
pub const fn check_alternative<T: Alternatives + ?Sized>(at: usize) {
    let all = T::ALTERNATIVES;
    if all[at].is_optional() {
        panic!(
            "`null` means that a value is missing, so no variant without a tag can be `null`; hold the \
             value without `Option`, and write `Option<…>` where the enum is used"
        );
    }
    let mut later = at + 1;
    while later < all.len() {
        if is_lost_before(all[at], all[later]) {
            panic!(
                "serde tries the variants in order and does not check what narrows this one or fills it \
                 in, so it would read values as this variant that only a later one allows; put this \
                 variant last, add a tag, `#[serde(tag = \"type\")]`, or check the value in the function"
            );
        }
        later += 1;
    }
}

/// Whether a value that a type forbids, and its implementation reads, can be of a `later` type.
const fn is_lost_before(ty: &Type, later: &Type) -> bool {
    match ty.kind() {
        Kind::Union(types) if ty.constraints().is_none() => {
            let types = types_of(types);
            let mut at = 0;
            while at < types.len() {
                if is_lost_before(&types[at], later) {
                    return true;
                }
                at += 1;
            }
            false
        }
        // The form itself tells which texts the implementation reads.
        Kind::Text if matches!(ty.host(), Some(Host::Text(_))) => false,
        _ => ty.is_checked() && may_share(ty, later),
    }
}

/// Whether a value may be of both types, as far as their kinds and the values of their tags tell.
const fn may_share(left: &Type, right: &Type) -> bool {
    match (left.kind(), right.kind()) {
        (Kind::Union(types), _) => may_share_any(types_of(types), right),
        (_, Kind::Union(types)) => may_share_any(types_of(types), left),
        (Kind::Any, _) | (_, Kind::Any) => true,
        (Kind::Text, Kind::Text) => {
            let (left, right) = (left.constraints(), right.constraints());
            let (left, right) = (left.enumeration(), right.enumeration());
            left.is_empty() || right.is_empty() || is_any_same(left, right)
        }
        (Kind::Int | Kind::Double, Kind::Int | Kind::Double) | (Kind::Bool, Kind::Bool) => true,
        (Kind::Tuple(left), Kind::Tuple(right)) => types_of(left).len() == types_of(right).len(),
        (Kind::Array(_) | Kind::Tuple(_), Kind::Array(_) | Kind::Tuple(_)) => true,
        (Kind::Object(left), Kind::Object(right)) => {
            may_share_fields(left.fields(), right.fields())
        }
        _ => false,
    }
}

const fn may_share_any(types: &[Type], other: &Type) -> bool {
    let mut at = 0;
    while at < types.len() {
        if may_share(&types[at], other) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_any_same(left: &[agent_gram::Value], right: &[agent_gram::Value]) -> bool {
    let mut at = 0;
    while at < left.len() {
        let mut other = 0;
        while other < right.len() {
            if same_value(&left[at], &right[other]) {
                return true;
            }
            other += 1;
        }
        at += 1;
    }
    false
}

/// Whether no field that both records require tells them apart.
const fn may_share_fields(left: &[Field], right: &[Field]) -> bool {
    let mut at = 0;
    while at < left.len() {
        if !left[at].is_optional()
            && let Some(other) = find_field(right, left[at].name())
            && !right[other].is_optional()
            && !may_share(left[at].ty(), right[other].ty())
        {
            return false;
        }
        at += 1;
    }
    true
}

struct Joined<T: ?Sized>(std::marker::PhantomData<T>);

impl<T: Alternatives + ?Sized> Joined<T> {
    const FOUND: Found = {
        let mut found = Found {
            types: [Type::ANY; MOST_ALTERNATIVES],
            fingerprints: [0; MOST_ALTERNATIVES],
            len: 0,
            optional: false,
            by_variant: false,
        };
        let mut at = 0;
        while at < T::ALTERNATIVES.len() {
            found.add(T::ALTERNATIVES[at]);
            at += 1;
        }
        found
    };
    const TYPES: &'static [Type; MOST_ALTERNATIVES] = &Self::FOUND.required();
}

/// The different types of a union.
struct Found {
    types: [&'static Type; MOST_ALTERNATIVES],
    fingerprints: [u64; MOST_ALTERNATIVES],
    len: usize,
    optional: bool,
    by_variant: bool,
}

impl Found {
    const fn add(&mut self, ty: &'static Type) {
        self.optional |= ty.is_optional();
        self.by_variant |= matches!(ty.host(), Some(Host::Variants));
        match ty.kind() {
            Kind::Null => self.optional = true,
            // What narrows a union narrows all its types, so a narrowed one is one type.
            Kind::Union(types) if ty.constraints().is_none() => {
                let types = types_of(types);
                let mut at = 0;
                while at < types.len() {
                    self.add(&types[at]);
                    at += 1;
                }
            }
            _ => self.add_one(ty),
        }
    }

    const fn add_one(&mut self, ty: &'static Type) {
        let own = fingerprint(ty);
        let mut at = 0;
        while at < self.len {
            // Equal types have equal fingerprints.
            if self.fingerprints[at] == own && same_required(self.types[at], ty) {
                // Serde reads the value as either variant, so the wider implementation counts.
                if !holds_all(self.types[at], ty) {
                    self.types[at] = ty;
                }
                return;
            }
            at += 1;
        }
        if self.len == MOST_ALTERNATIVES {
            panic!(
                "an enum without a tag has room for 64 different types; give it a tag, \
                 `#[serde(tag = \"kind\")]`, or write `#[gram(opaque)]` on it"
            );
        }
        self.types[self.len] = ty;
        self.fingerprints[self.len] = own;
        self.len += 1;
    }

    /// Copies the types, none of them optional.
    const fn required(&self) -> [Type; MOST_ALTERNATIVES] {
        let mut types = [const { Type::new(Kind::Any) }; MOST_ALTERNATIVES];
        let mut at = 0;
        while at < self.len {
            let ty = Type::borrowed(self.types[at]).with_optional(false);
            // Assigning would run a destructor, which a `const` cannot.
            std::mem::forget(std::mem::replace(&mut types[at], ty));
            at += 1;
        }
        types
    }
}
