//! The types of enums that serde writes without a tag, and of tuples.

use crate::compare::{fingerprint, same_required};
use crate::gram_type::record::holds_all;
use crate::types::{Kind, MOST_ALTERNATIVES, Type, types_of};
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
    ty.with_optional(found.optional && found.len > 0)
}

/// A list of exactly these elements.
#[must_use]
pub const fn tuple(items: &'static [Type]) -> Type {
    Type::new(Kind::Tuple(Cow::Borrowed(items)))
}

struct Joined<T: ?Sized>(std::marker::PhantomData<T>);

impl<T: Alternatives + ?Sized> Joined<T> {
    const FOUND: Found = {
        let mut found = Found {
            types: [Type::ANY; MOST_ALTERNATIVES],
            fingerprints: [0; MOST_ALTERNATIVES],
            len: 0,
            optional: false,
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
}

impl Found {
    const fn add(&mut self, ty: &'static Type) {
        self.optional |= ty.is_optional();
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
