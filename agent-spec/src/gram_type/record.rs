//! What `#[derive(GramType)]` makes types of, in a `const`: records, enumerations, and the records
//! whose fields only `const` evaluation knows.

use crate::types::{Constraints, Field, Kind, Shape, Type, fields_of};
use agent_gram::Value;
use agent_gram::value::Text;
use std::borrow::Cow;

/// A record of these fields.
#[must_use]
pub const fn record(fields: &'static [Field]) -> Type {
    Type::new(Kind::Object(Shape::Fields(Cow::Borrowed(fields))))
}

/// A text that is one of these values, which the implementation reads and no others.
#[must_use]
pub const fn choice(values: &'static Constraints) -> Type {
    Type::kept(Kind::Text, values)
}

/// Texts as the values of an enumeration.
#[must_use]
pub const fn texts<const N: usize>(texts: [&'static str; N]) -> [Value; N] {
    let mut values = [const { Value::Boolean(false) }; N];
    let mut at = 0;
    while at < N {
        let value = Value::String(Text::from_static(texts[at]));
        // Assigning would run a destructor, which a `const` cannot.
        std::mem::forget(std::mem::replace(&mut values[at], value));
        at += 1;
    }
    values
}

/// A part of a record, or of an enum that is one record for all its variants.
#[derive(Debug)]
pub enum Part {
    /// A field.
    Field(Field),
    /// The fields of a record, in place of the record.
    Flattened(&'static Type),
    /// What one of the variants has.
    Variant(&'static [Part]),
    /// A variant that has nothing at all, not even a record without fields.
    Unit,
}

/// The parts of a type's record, where the number of its fields is not known before rustc
/// evaluates a `const`.
pub trait Parts {
    /// The parts.
    const PARTS: &'static [Part];
}

/// The record of a type's parts: all fields of all parts. What every variant requires is required,
/// what others lack is optional, what has several types is `Any`.
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
const fn count_of(parts: &[Part]) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < parts.len() {
        count += match &parts[at] {
            Part::Field(_) => 1,
            Part::Flattened(ty) => fields_in(ty).len(),
            Part::Variant(parts) => count_of(parts),
            Part::Unit => 0,
        };
        at += 1;
    }
    count
}

const fn fields_in(ty: &Type) -> &[Field] {
    match ty.kind() {
        Kind::Object(Shape::Fields(fields)) => fields_of(fields),
        _ => &[],
    }
}

/// The lists of one size. A list of a `const` has a length that must be known before its content
/// is, so there are a few sizes, and what is too long is cut.
struct Merged<T: ?Sized, const N: usize>(std::marker::PhantomData<T>);

impl<T: Parts + ?Sized, const N: usize> Merged<T, N> {
    const SLOTS: Slots<N> = Slots::of(T::PARTS);
    const TYPES: &'static [Type; N] = &types(&Self::SLOTS);
    const FIELDS: &'static [Field; N] = &fields(&Self::SLOTS, Self::TYPES);
}

/// The fields that were met, each name once.
#[derive(Clone, Copy)]
struct Slots<const N: usize> {
    slots: [Slot; N],
    len: usize,
}

/// What the types of the fields of one name have in common.
#[derive(Clone, Copy)]
enum Shared {
    /// All.
    Type,
    /// The kind, so that it stays, and what the Rust types keep to by themselves, serde checks.
    Kind,
    /// Nothing.
    Nothing,
}

impl Shared {
    const fn between(left: &Type, right: &Type) -> Self {
        let same = crate::binding::same_required(left, right);
        let checked = left.is_checked() || right.is_checked();
        match (left.kind(), right.kind()) {
            _ if same && same_range(left, right) => Self::Type,
            (Kind::Text, Kind::Text) | (Kind::Int, Kind::Int) | (Kind::Double, Kind::Double)
                if !checked =>
            {
                Self::Kind
            }
            _ => Self::Nothing,
        }
    }

    const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Type, Self::Type) => Self::Type,
            (Self::Nothing, _) | (_, Self::Nothing) => Self::Nothing,
            _ => Self::Kind,
        }
    }

    const fn is_all(self) -> bool {
        matches!(self, Self::Type)
    }
}

/// Whether the Rust types hold the same integers. What one holds, another may not.
const fn same_range(left: &Type, right: &Type) -> bool {
    match (left.host_range(), right.host_range()) {
        (Some(left), Some(right)) => left.0 == right.0 && left.1 == right.1,
        (None, None) => true,
        _ => false,
    }
}

#[derive(Clone, Copy)]
struct Slot {
    field: Option<&'static Field>,
    /// How many times it is always there: once for all, or once for each variant.
    required: usize,
    /// Whether every variant has it, since it belongs to none.
    common: bool,
    /// What the types have in common.
    shared: Shared,
    optional: bool,
}

impl<const N: usize> Slots<N> {
    const fn of(parts: &'static [Part]) -> Self {
        let mut slots = Slots {
            slots: [Slot {
                field: None,
                required: 0,
                common: false,
                shared: Shared::Type,
                optional: false,
            }; N],
            len: 0,
        };
        let mut variants = 0;
        let mut at = 0;
        while at < parts.len() {
            match &parts[at] {
                Part::Variant(parts) => {
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
        match part {
            Part::Field(field) => self.add(field, !field.is_optional(), common),
            Part::Flattened(ty) => {
                let fields = fields_in(ty);
                let mut at = 0;
                while at < fields.len() {
                    let required = !ty.is_optional() && !fields[at].is_optional();
                    self.add(&fields[at], required, common);
                    at += 1;
                }
            }
            Part::Variant(_) | Part::Unit => {}
        }
    }

    const fn add(&mut self, field: &'static Field, required: bool, common: bool) {
        let mut at = 0;
        while at < self.len {
            let slot = &mut self.slots[at];
            if let Some(known) = slot.field
                && crate::binding::same_text(known.name(), field.name())
            {
                slot.required += required as usize;
                slot.common |= common;
                slot.shared = slot.shared.and(Shared::between(known.ty(), field.ty()));
                return;
            }
            at += 1;
        }
        if self.len < N {
            self.slots[self.len] = Slot {
                field: Some(field),
                required: required as usize,
                common,
                shared: Shared::Type,
                optional: false,
            };
            self.len += 1;
        }
    }
}

/// The type of this kind that nothing narrows; `Shared::Kind` is said of these kinds only.
const fn plain(ty: &Type) -> &'static Type {
    match ty.kind() {
        Kind::Text => const { &Type::new(Kind::Text) },
        Kind::Int => const { &Type::new(Kind::Int) },
        Kind::Double => const { &Type::new(Kind::Double) },
        _ => Type::ANY,
    }
}

const fn types<const N: usize>(slots: &Slots<N>) -> [Type; N] {
    let mut types = [const { Type::new(Kind::Any) }; N];
    let mut at = 0;
    while at < slots.len {
        let slot = slots.slots[at];
        if let Some(field) = slot.field {
            let ty = match slot.shared {
                Shared::Type => field.ty(),
                Shared::Kind => plain(field.ty()),
                Shared::Nothing => Type::ANY,
            };
            // A default makes a field optional already.
            let ty = if slot.optional && field.default().is_none() {
                Type::optional_of(ty)
            } else {
                Type::borrowed(ty)
            };
            std::mem::forget(std::mem::replace(&mut types[at], ty));
        }
        at += 1;
    }
    types
}

const fn fields<const N: usize>(slots: &Slots<N>, types: &'static [Type; N]) -> [Field; N] {
    let mut fields = [const { Field::from_static("", Type::ANY, None, None) }; N];
    let mut at = 0;
    while at < slots.len {
        let slot = slots.slots[at];
        if let Some(field) = slot.field {
            // Of variants that differ, one cannot say the default for all.
            let default = if slot.shared.is_all() {
                field.default()
            } else {
                None
            };
            let field = Field::from_static(field.name(), &types[at], default, field.description());
            std::mem::forget(std::mem::replace(&mut fields[at], field));
        }
        at += 1;
    }
    fields
}

/// The type of what adjacently tagged variants hold: the one type of all, or one record when all
/// are records, or `Any`; optional when a variant holds nothing. A variant of one value is one
/// flattened part.
#[must_use]
pub const fn content_type<T: Parts + ?Sized>() -> Type {
    let parts = T::PARTS;
    let mut first: Option<&'static Type> = None;
    let (mut shared, mut records, mut optional) = (Shared::Type, true, false);
    let mut at = 0;
    while at < parts.len() {
        match &parts[at] {
            Part::Variant([Part::Flattened(ty)]) => {
                records &= matches!(ty.kind(), Kind::Object(Shape::Fields(_)));
                optional |= ty.is_optional();
                match first {
                    Some(first) => shared = shared.and(Shared::between(first, ty)),
                    None => first = Some(ty),
                }
            }
            Part::Variant(_) => shared = Shared::Nothing,
            Part::Unit => optional = true,
            Part::Field(_) | Part::Flattened(_) => {}
        }
        at += 1;
    }
    let ty = match first {
        Some(ty) if shared.is_all() => Type::borrowed(ty),
        Some(ty) if matches!(shared, Shared::Kind) => Type::borrowed(plain(ty)),
        _ if records => merged::<T>(),
        _ => Type::new(Kind::Any),
    };
    ty.with_optional(optional)
}
