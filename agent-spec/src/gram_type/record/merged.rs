//! The record of a type's parts.

use super::described::{Described, description_of};
use super::union::{is_alike, union};
use super::{Part, Parts, record};
use crate::types::{Field, Kind, Shape, Type};

/// The record of a type's parts: all fields of all parts. What every variant requires is required,
/// what others lack is optional, what has several types is `Any`, what is described in several ways
/// has all descriptions.
#[must_use]
pub const fn merged<T: Parts + ?Sized>() -> Type {
    record(merged_fields::<T>())
}

/// The most fields that such a record may have.
const MOST_FIELDS: usize = 256;

const fn merged_fields<T: Parts + ?Sized>() -> &'static [Field] {
    let most = count_of(T::PARTS);
    if most <= 16 {
        cut::<T, 16>()
    } else if most <= 64 {
        cut::<T, 64>()
    } else if most <= MOST_FIELDS {
        cut::<T, MOST_FIELDS>()
    } else {
        panic!("a record of flattened fields, or of the fields of all variants, has room for 256")
    }
}

const fn cut<T: Parts + ?Sized, const N: usize>() -> &'static [Field] {
    Merged::<T, N>::FIELDS.split_at(Merged::<T, N>::SLOTS.len).0
}

/// The number of fields before those of one name are merged.
const fn count_of(parts: &'static [Part]) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < parts.len() {
        count += match &parts[at] {
            Part::Variant(_, parts) => count_of(parts),
            part => part.fields().0.len(),
        };
        at += 1;
    }
    count
}

/// The lists of one size. A list of a `const` has a length that must be known before its content
/// is, so there are a few sizes, and what is too long is cut.
pub(super) struct Merged<T: ?Sized, const N: usize>(std::marker::PhantomData<T>);

impl<T: Parts + ?Sized, const N: usize> Merged<T, N> {
    pub(super) const SLOTS: Slots<N> = Slots::of(T::PARTS);
    const TYPES: &'static [Type; N] = &types(&Self::SLOTS);
    const FIELDS: &'static [Field; N] = &fields::<T, N>(&Self::SLOTS, Self::TYPES);
}

/// The fields that were met, each name once.
#[derive(Clone, Copy)]
pub(super) struct Slots<const N: usize> {
    slots: [Slot; N],
    len: usize,
}

/// What the fields of one name have in common.
#[derive(Clone, Copy)]
struct Slot {
    /// The first of them.
    field: &'static Field,
    /// A type for all.
    ty: &'static Type,
    /// Whether one of them must be checked.
    checked: bool,
    described: Described,
    /// How many times it is always there: once for all, or once for each variant.
    required: usize,
    /// Whether every variant has it, since it belongs to none.
    common: bool,
    optional: bool,
}

impl Slot {
    const EMPTY: Slot = Slot {
        field: const { &Field::from_static("", Type::ANY, None, None) },
        ty: Type::ANY,
        checked: false,
        described: Described::Not,
        required: 0,
        common: false,
        optional: false,
    };
}

impl<const N: usize> Slots<N> {
    const fn of(parts: &'static [Part]) -> Self {
        let mut slots = Slots {
            slots: [Slot::EMPTY; N],
            len: 0,
        };
        let mut variants = 0;
        let mut at = 0;
        while at < parts.len() {
            match &parts[at] {
                Part::Variant(_, parts) => {
                    variants += 1;
                    let mut inner = 0;
                    while inner < parts.len() {
                        slots.add_part(&parts[inner], false);
                        inner += 1;
                    }
                }
                part => slots.add_part(part, true),
            }
            at += 1;
        }
        at = 0;
        while at < slots.len {
            let slot = slots.slots[at];
            slots.slots[at].optional = slot.required < if slot.common { 1 } else { variants };
            at += 1;
        }
        slots
    }

    const fn add_part(&mut self, part: &'static Part, common: bool) {
        let (fields, may_be_missing) = part.fields();
        let mut at = 0;
        while at < fields.len() {
            let required = !may_be_missing && !fields[at].is_optional();
            self.add(&fields[at], required, common);
            at += 1;
        }
    }

    const fn add(&mut self, field: &'static Field, required: bool, common: bool) {
        let at = match self.find(field.name()) {
            Some(at) => {
                let slot = &mut self.slots[at];
                slot.ty = union(slot.ty, field.ty());
                at
            }
            None if self.len < N => {
                self.slots[self.len].field = field;
                self.slots[self.len].ty = field.ty();
                self.len += 1;
                self.len - 1
            }
            None => return,
        };
        let slot = &mut self.slots[at];
        slot.checked |= field.ty().is_checked();
        slot.described = slot.described.and(field.description());
        slot.required += required as usize;
        slot.common |= common;
    }

    const fn find(&self, name: &str) -> Option<usize> {
        let mut at = 0;
        while at < self.len {
            if crate::binding::same_text(self.slots[at].field.name(), name) {
                return Some(at);
            }
            at += 1;
        }
        None
    }

    /// The name of the field in a slot, and how it is described; nothing after the last.
    pub(super) const fn described(&self, at: usize) -> Option<(&'static str, Described)> {
        if at < self.len {
            Some((self.slots[at].field.name(), self.slots[at].described))
        } else {
            None
        }
    }
}

const fn types<const N: usize>(slots: &Slots<N>) -> [Type; N] {
    let mut types = [const { Type::new(Kind::Any) }; N];
    let mut at = 0;
    while at < slots.len {
        let slot = slots.slots[at];
        let ty = if slot.checked {
            Type::stated(slot.ty)
        } else {
            Type::borrowed(slot.ty)
        };
        // A default makes a field optional already.
        let optional = if slot.default().is_some() {
            slot.field.ty().is_optional()
        } else {
            slot.optional
        };
        std::mem::forget(std::mem::replace(
            &mut types[at],
            ty.with_optional(optional),
        ));
        at += 1;
    }
    types
}

impl Slot {
    /// The default. That no variant has one of its own, `check_beside_tag` looks.
    const fn default(&self) -> Option<&'static agent_gram::Value> {
        if self.common {
            self.field.default()
        } else {
            None
        }
    }
}

const fn fields<T: Parts + ?Sized, const N: usize>(
    slots: &Slots<N>,
    types: &'static [Type; N],
) -> [Field; N] {
    let mut fields = [const { Field::from_static("", Type::ANY, None, None) }; N];
    let mut at = 0;
    while at < slots.len {
        let slot = slots.slots[at];
        let field = Field::from_static(
            slot.field.name(),
            &types[at],
            slot.default(),
            description_of::<T, N>(at),
        );
        std::mem::forget(std::mem::replace(&mut fields[at], field));
        at += 1;
    }
    fields
}

/// What adjacently tagged variants hold, as one type.
pub(super) enum Content {
    /// The one type of all.
    One(&'static Type),
    /// One record of all their fields.
    Record,
    /// Several types.
    Any,
}

/// What the variants hold. A variant of one value is one flattened part.
pub(super) const fn content_of(parts: &'static [Part]) -> Content {
    let mut one: Option<&'static Type> = None;
    let (mut values, mut records, mut alike) = (true, true, true);
    let mut at = 0;
    while at < parts.len() {
        match &parts[at] {
            Part::Variant(_, [Part::Flattened(ty)]) => {
                records &= matches!(ty.kind(), Kind::Object(Shape::Fields(_)));
                one = match one {
                    Some(known) => {
                        alike &= is_alike(known, ty);
                        Some(union(known, ty))
                    }
                    None => Some(ty),
                };
            }
            Part::Variant(..) => values = false,
            Part::Unit | Part::Field(_) | Part::Flattened(_) => {}
        }
        at += 1;
    }
    match one {
        Some(ty) if values && (alike || !matches!(ty.kind(), Kind::Any)) => Content::One(ty),
        _ if records => Content::Record,
        _ => Content::Any,
    }
}

/// The type of what adjacently tagged variants hold: the one type of all, or one record when all
/// are records, or `Any`; optional when a variant holds nothing.
#[must_use]
pub const fn content_type<T: Parts + ?Sized>() -> Type {
    let parts = T::PARTS;
    let (mut optional, mut checked) = (false, false);
    let mut at = 0;
    while at < parts.len() {
        match &parts[at] {
            Part::Variant(_, [Part::Flattened(ty)]) => {
                optional |= ty.is_optional();
                checked |= ty.is_checked();
            }
            Part::Unit => optional = true,
            Part::Variant(..) | Part::Field(_) | Part::Flattened(_) => {}
        }
        at += 1;
    }
    let ty = match content_of(parts) {
        Content::One(ty) if checked => Type::stated(ty),
        Content::One(ty) => Type::borrowed(ty),
        Content::Record => merged::<T>(),
        Content::Any => Type::new(Kind::Any),
    };
    ty.with_optional(optional)
}
