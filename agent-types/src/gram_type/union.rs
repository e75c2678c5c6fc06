//! The types of enums that serde writes without a tag, and of tuples.

use crate::attribute::check_buffered;
use crate::compare::{find_field, fingerprint, same_required, same_value};
use crate::constraints::{Constraint, Constraints};
use crate::gram_type::alike::{Unknown, holds_all};
use crate::host::{Host, IntRange};
use crate::keyword::Keyword;
use crate::types::{Field, Kind, MOST_ALTERNATIVES, Type, types_of};
use agent_gram::value::Nest;
use std::borrow::Cow;

/// The types of the variants of an enum, in the order in which serde tries them.
pub trait Alternatives {
    /// The types.
    const ALTERNATIVES: &'static [&'static Type];
}

/// Returns the type of the values of several types: a union, or one type if all of them are equal. See
/// [`Type::any_of`].
#[must_use]
pub const fn any_of<T: Alternatives + ?Sized>() -> Type {
    let found = &Joined::<T>::FOUND;
    let ty = match found.len {
        0 => Type::new(Kind::Null),
        1 => Type::borrowed(&Joined::<T>::TYPES[0]),
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
/// key is the name. `types` has one text type with the names of the variants without data, and a record for
/// each other variant.
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

/// Panics with a message about a variant without a tag in these cases:
/// - The variant can be `null`.
/// - Serde would read a value as this variant, although only a later variant allows the value.
/// - The variant has the gram type of an earlier variant and reads other values.
/// - The variant has an integer that serde cannot read without a tag.
///
/// `at` is the place of the variant in [`Alternatives::ALTERNATIVES`].
#[track_caller]
pub const fn check_alternative<T: Alternatives + ?Sized>(at: usize) {
    let all = T::ALTERNATIVES;
    if all[at].is_optional() {
        panic!(
            "`null` means that a value is missing, so no variant without a tag can be `null`; hold the \
             value without `Option`, and write `Option<…>` where the enum is used"
        );
    }
    check_buffered(all[at]);
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
    if let Some(mixed) = Joined::<T>::FOUND.mixed
        && mixed == at
    {
        panic!(
            "an earlier variant has the same gram type and holds other integers, or texts of another \
             form, so the type cannot tell which values serde reads; hold the same types in both \
             variants, add a tag, `#[serde(tag = \"type\")]`, or write `#[gram(opaque)]` on the enum"
        );
    }
}

/// Whether a value that `ty` forbids, but its implementation reads, can be of the type `later`.
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
        // The form itself shows which texts the implementation reads.
        Kind::Text if matches!(ty.host(), Some(Host::Text(_))) => false,
        _ => ty.is_checked() && may_share(ty, later),
    }
}

/// Whether a value may be of both types, as far as their kinds and the values of their tags show.
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

/// Whether no field that both records require distinguishes them.
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
            ranges: [None; MOST_ALTERNATIVES],
            mixed: None,
            len: 0,
            optional: false,
            by_variant: false,
        };
        let mut at = 0;
        while at < T::ALTERNATIVES.len() {
            found.add(T::ALTERNATIVES[at], at);
            at += 1;
        }
        found
    };
    const RANGES: &'static [Option<IntRange>; MOST_ALTERNATIVES] = &Self::FOUND.ranges;
    const TYPES: &'static [Type; MOST_ALTERNATIVES] = &Self::FOUND.required(Self::RANGES);
}

/// The different types of a union.
struct Found {
    types: [&'static Type; MOST_ALTERNATIVES],
    fingerprints: [u64; MOST_ALTERNATIVES],
    /// The integers that one of the variants of a type can hold; `None` when they are not limited.
    ranges: [Option<IntRange>; MOST_ALTERNATIVES],
    /// The first variant that has the gram type of an earlier variant, where neither reads all values of the
    /// other variant.
    mixed: Option<usize>,
    len: usize,
    optional: bool,
    by_variant: bool,
}

impl Found {
    /// Adds the type of a variant, or a type in it.
    const fn add(&mut self, ty: &'static Type, variant: usize) {
        self.optional |= ty.is_optional();
        self.by_variant |= matches!(ty.host(), Some(Host::Variants));
        match ty.kind() {
            Kind::Null => self.optional = true,
            // A constraint of a union narrows all its types, so a narrowed union counts as one type.
            Kind::Union(types) if ty.constraints().is_none() => {
                let types = types_of(types);
                let mut at = 0;
                while at < types.len() {
                    self.add(&types[at], variant);
                    at += 1;
                }
            }
            _ => self.add_one(ty, variant),
        }
    }

    const fn add_one(&mut self, ty: &'static Type, variant: usize) {
        let own = fingerprint(ty);
        let mut at = 0;
        while at < self.len {
            // Equal types have equal fingerprints.
            if self.fingerprints[at] == own && same_required(self.types[at], ty) {
                if !self.join(at, ty) && self.mixed.is_none() {
                    self.mixed = Some(variant);
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
        self.ranges[self.len] = match ty.host_range() {
            Some(range) => Some(*range),
            None => None,
        };
        self.len += 1;
    }

    /// Joins `ty` with the equal type at index `at`, because serde reads a value as either variant. Returns
    /// `false` when neither implementation reads all values of the other.
    const fn join(&mut self, at: usize, ty: &'static Type) -> bool {
        let known = self.types[at];
        if !holds_all(known, ty, Unknown::Differs) {
            self.types[at] = ty;
        }
        if matches!(ty.kind(), Kind::Int) {
            self.ranges[at] = match (self.ranges[at], ty.host_range()) {
                (Some(known), Some(range)) => Some(hull(known, *range)),
                _ => None,
            };
            return true;
        }
        holds_all(known, ty, Unknown::Agrees) || holds_all(ty, known, Unknown::Agrees)
    }

    /// Copies the types, none of them optional, each integer with its range.
    const fn required(
        &self,
        ranges: &'static [Option<IntRange>; MOST_ALTERNATIVES],
    ) -> [Type; MOST_ALTERNATIVES] {
        let mut types = [const { Type::new(Kind::Any) }; MOST_ALTERNATIVES];
        let mut at = 0;
        while at < self.len {
            let ty = Type::borrowed(self.types[at]).with_optional(false);
            let ty = match &ranges[at] {
                Some(range) => ty.with_host(Host::Range(range)),
                None => ty,
            };
            // Assigning would run a destructor, which a `const` cannot.
            std::mem::forget(std::mem::replace(&mut types[at], ty));
            at += 1;
        }
        types
    }
}

/// Returns the range from the lowest to the highest integer of two ranges. The ranges of two Rust integers
/// have no gap between them, because both contain 1.
const fn hull(left: IntRange, right: IntRange) -> IntRange {
    let lowest = if left.0 < right.0 { left.0 } else { right.0 };
    let highest = if left.1 > right.1 { left.1 } else { right.1 };
    (lowest, highest)
}

#[cfg(test)]
mod tests {
    use super::{Alternatives, check_alternative};
    use crate::gram_type::GramType;
    use crate::types::Type;

    struct Untagged;

    impl Alternatives for Untagged {
        const ALTERNATIVES: &'static [&'static Type] = &[<u64>::TYPE, <i128>::TYPE];
    }

    #[test]
    #[should_panic(expected = "128 bits")]
    fn refuses_an_untagged_integer_that_serde_cannot_read() {
        check_alternative::<Untagged>(1);
    }
}
