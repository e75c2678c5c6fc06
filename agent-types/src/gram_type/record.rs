//! The types that `#[derive(GramType)]` builds in a `const`: records, enumerations, and records with
//! fields that only `const` evaluation can list.

use crate::attribute::{
    check_buffered, stop_at_default_of_one, stop_at_lost_field, stop_at_other_aliases,
};
use crate::constraints::Constraints;
use crate::gram_type::alike::{holds, is_alike};
use crate::gram_type::flatten::{flattened_field, values_in};
use crate::text::same_text;
use crate::types::{Field, Kind, Shape, Type, types_of};
use agent_gram::Value;
use agent_gram::print::writer::Writer;
use agent_gram::value::{Nest, Text};
use std::borrow::Cow;

/// A record of these fields.
#[must_use]
pub const fn record(fields: &'static [Field]) -> Type {
    Type::new(Kind::Object(Shape::Fields(Cow::Borrowed(fields))))
}

/// A record of these fields, and of further keys with values of one type.
#[must_use]
pub const fn extended(fields: &'static [Field], values: &'static Type) -> Type {
    Type::new(Kind::Object(Shape::Extended(
        Cow::Borrowed(fields),
        Nest::from_static(values),
    )))
}

/// A text that is one of these values. The implementation reads no other texts.
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
pub enum RecordPart {
    /// A field.
    Field(Field),
    /// The fields of a record, in place of the record.
    Flattened(&'static Type),
    /// The content of the variant of this name.
    Variant(&'static str, &'static [RecordPart]),
    /// A variant without any data, not even a record without fields.
    Unit,
}

/// The parts of a type's record, where the number of its fields is not known before rustc
/// evaluates a `const`.
pub trait Parts {
    /// The parts.
    const PARTS: &'static [RecordPart];
}

impl RecordPart {
    /// Returns the field at a position, and whether every value of the part has it; see
    /// [`flattened_field`].
    const fn field(&'static self, at: usize) -> Option<(&'static Field, bool)> {
        match self {
            RecordPart::Field(field) if at == 0 => Some((field, !field.is_optional())),
            RecordPart::Flattened(ty) => match flattened_field(ty, at) {
                Some((field, required)) => Some((field, required && !ty.is_optional())),
                None => None,
            },
            RecordPart::Field(_) | RecordPart::Variant(..) | RecordPart::Unit => None,
        }
    }

    /// Returns the type of the values of further keys, which a flattened map has.
    const fn values(&self) -> Option<&'static Type> {
        match self {
            RecordPart::Flattened(ty) => values_in(ty),
            RecordPart::Field(_) | RecordPart::Variant(..) | RecordPart::Unit => None,
        }
    }

    /// Whether the implementation would accept values that the type of this part forbids, or would read
    /// them in another form.
    const fn is_checked(&self) -> bool {
        match self {
            RecordPart::Field(field) => field.ty().is_checked(),
            RecordPart::Flattened(ty) => ty.is_checked(),
            RecordPart::Variant(..) | RecordPart::Unit => false,
        }
    }

    /// Panics with a message when serde cannot read an integer of a variant with a tag.
    #[track_caller]
    const fn check_integers(&self) {
        match self {
            RecordPart::Field(field) => check_buffered(field.ty()),
            RecordPart::Flattened(ty) => check_buffered(ty),
            RecordPart::Variant(..) | RecordPart::Unit => {}
        }
    }
}

/// Returns the field of this name in the parts.
const fn field_among(parts: &'static [RecordPart], name: &str) -> Option<&'static Field> {
    let mut at = 0;
    while at < parts.len() {
        let mut inner = 0;
        while let Some((field, _)) = parts[at].field(inner) {
            if same_text(field.name(), name) {
                return Some(field);
            }
            inner += 1;
        }
        at += 1;
    }
    None
}

/// The record of a type's parts, with all fields of all parts. A field is required if every variant requires
/// it, and optional if a variant lacks it. A field of several types is `Any`, and a field with several
/// descriptions has all of them. A flattened map gives the record further keys.
#[must_use]
pub const fn merged<T: Parts + ?Sized>() -> Type {
    let fields = merged_fields::<T>();
    let mut at = 0;
    while at < T::PARTS.len() {
        if let Some(values) = T::PARTS[at].values() {
            return extended(fields, values);
        }
        at += 1;
    }
    record(fields)
}

/// The maximum number of fields that a merged record may have.
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
const fn count_of(parts: &'static [RecordPart]) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < parts.len() {
        count += match &parts[at] {
            RecordPart::Variant(_, parts) => count_of(parts),
            part => {
                let mut fields = 0;
                while part.field(fields).is_some() {
                    fields += 1;
                }
                fields
            }
        };
        at += 1;
    }
    count
}

/// The lists with room for `N` fields. The length of a list in a `const` must be known before its content, so
/// there are a few sizes, and a list that is longer than its content is cut.
struct Merged<T: ?Sized, const N: usize>(std::marker::PhantomData<T>);

impl<T: Parts + ?Sized, const N: usize> Merged<T, N> {
    const SLOTS: Slots<N> = Slots::of(T::PARTS);
    const TYPES: &'static [Type; N] = &types(&Self::SLOTS);
    const FIELDS: &'static [Field; N] = &fields::<T, N>(&Self::SLOTS, Self::TYPES);
}

/// The fields that were found, each name once.
#[derive(Clone, Copy)]
struct Slots<const N: usize> {
    slots: [Slot; N],
    len: usize,
}

/// The common type of the fields of one name.
#[derive(Clone, Copy)]
struct Slot {
    /// The first field of the name.
    field: &'static Field,
    /// A type that has the values of all fields of the name.
    ty: &'static Type,
    /// Whether a field of the name must be checked.
    checked: bool,
    /// Whether `null` is a value of a field of the name, and not a missing value.
    null: bool,
    described: Described,
    /// The number of times that the field is required: once for all, or once for each variant.
    required: usize,
    /// Whether every variant has the field, because the field belongs to no variant.
    common: bool,
    optional: bool,
    /// The aliases of the first field of the name that has aliases.
    aliases: &'static [&'static str],
}

impl Slot {
    const EMPTY: Slot = Slot {
        field: const { &Field::from_static("", Type::ANY, None, None) },
        ty: Type::ANY,
        checked: false,
        null: false,
        described: Described::Not,
        required: 0,
        common: false,
        optional: false,
        aliases: &[],
    };
}

impl<const N: usize> Slots<N> {
    const fn of(parts: &'static [RecordPart]) -> Self {
        let mut slots = Slots {
            slots: [Slot::EMPTY; N],
            len: 0,
        };
        let mut variants = 0;
        let mut at = 0;
        while at < parts.len() {
            match &parts[at] {
                RecordPart::Variant(_, parts) => {
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

    const fn add_part(&mut self, part: &'static RecordPart, common: bool) {
        let mut at = 0;
        while let Some((field, required)) = part.field(at) {
            self.add(field, required, common);
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
        slot.null |= field.ty().keeps_null() || !field.is_optional() && has_null(field.ty());
        slot.described = slot.described.and(field.description());
        slot.required += required as usize;
        slot.common |= common;
        if slot.aliases.is_empty() {
            slot.aliases = field.aliases();
        }
    }

    const fn find(&self, name: &str) -> Option<usize> {
        let mut at = 0;
        while at < self.len {
            if crate::text::same_text(self.slots[at].field.name(), name) {
                return Some(at);
            }
            at += 1;
        }
        None
    }

    /// Returns the name of the field in a slot and its description; `None` after the last slot.
    const fn described(&self, at: usize) -> Option<(&'static str, Described)> {
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
        // A default already makes a field optional.
        let optional = if slot.default().is_some() {
            slot.field.ty().is_optional()
        } else {
            slot.optional
        };
        let ty = ty.with_optional(optional).with_null_kept(slot.null);
        std::mem::forget(std::mem::replace(&mut types[at], ty));
        at += 1;
    }
    types
}

impl Slot {
    /// Returns the default of a field that belongs to no variant. [`check_beside_tag`] reports a default in a
    /// variant.
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
        )
        .with_aliases(slot.aliases);
        std::mem::forget(std::mem::replace(&mut fields[at], field));
        at += 1;
    }
    fields
}

/// The content of adjacently tagged variants, as one type.
enum Content {
    /// All variants have this type.
    One(&'static Type),
    /// One record with the fields of all variants.
    Record,
    /// The variants have several types.
    Any,
}

/// Returns the content of the variants. A variant of one value is one flattened part.
const fn content_of(parts: &'static [RecordPart]) -> Content {
    let mut one: Option<&'static Type> = None;
    let (mut values, mut records, mut alike) = (true, true, true);
    let mut at = 0;
    while at < parts.len() {
        match &parts[at] {
            RecordPart::Variant(_, [RecordPart::Flattened(ty)]) => {
                records &= matches!(ty.kind(), Kind::Object(Shape::Fields(_)));
                one = match one {
                    Some(known) => {
                        alike &= is_alike(known, ty);
                        Some(union(known, ty))
                    }
                    None => Some(ty),
                };
            }
            RecordPart::Variant(..) => values = false,
            RecordPart::Unit | RecordPart::Field(_) | RecordPart::Flattened(_) => {}
        }
        at += 1;
    }
    match one {
        Some(ty) if values && (alike || !matches!(ty.kind(), Kind::Any)) => Content::One(ty),
        _ if records => Content::Record,
        _ => Content::Any,
    }
}

/// Returns the type of the content of adjacently tagged variants: the one type of all, or one record
/// when all are records, or `Any`; optional when a variant has no content.
#[must_use]
pub const fn content_type<T: Parts + ?Sized>() -> Type {
    let parts = T::PARTS;
    let (mut optional, mut checked, mut null) = (false, false, false);
    let mut at = 0;
    while at < parts.len() {
        match &parts[at] {
            RecordPart::Variant(_, [RecordPart::Flattened(ty)]) => {
                optional |= ty.is_optional();
                checked |= ty.is_checked();
                null |= !ty.is_optional() && has_null(ty);
            }
            RecordPart::Unit => optional = true,
            RecordPart::Variant(..) | RecordPart::Field(_) | RecordPart::Flattened(_) => {}
        }
        at += 1;
    }
    let ty = match content_of(parts) {
        Content::One(ty) if checked => Type::stated(ty),
        Content::One(ty) => Type::borrowed(ty),
        Content::Record => merged::<T>(),
        Content::Any => Type::new(Kind::Any),
    };
    ty.with_optional(optional).with_null_kept(null)
}

/// Whether `null` is a value of a required type.
const fn has_null(ty: &Type) -> bool {
    match ty.kind() {
        Kind::Any => true,
        Kind::Union(types) => {
            let types = types_of(types);
            let mut at = 0;
            while at < types.len() {
                if has_null(&types[at]) {
                    return true;
                }
                at += 1;
            }
            false
        }
        _ => false,
    }
}

/// The descriptions of the fields of one name.
#[derive(Clone, Copy)]
enum Described {
    Not,
    /// All fields with a description have the same one.
    Alike(&'static str),
    /// The descriptions differ between the variants.
    Differently,
}

impl Described {
    const fn and(self, description: Option<&'static str>) -> Self {
        match (self, description) {
            (Self::Not, Some(text)) => Self::Alike(text),
            (Self::Alike(known), Some(text)) if !same_text(known, text) => Self::Differently,
            _ => self,
        }
    }
}

/// Returns the description of the field in a slot: the one that all variants share, or the description
/// of each variant.
const fn description_of<T: Parts + ?Sized, const N: usize>(slot: usize) -> Option<&'static str> {
    let slots = &Merged::<T, N>::SLOTS;
    match slots.described(slot) {
        Some((_, Described::Alike(text))) => Some(text),
        Some((_, Described::Differently)) => {
            let mut counter = Writer::new(&mut []);
            write_all(&mut counter, T::PARTS, slots, N);
            Some(match counter.len() {
                0..=1024 => Texts::<T, N, 1024>::of(slot),
                1025..=16_384 => Texts::<T, N, 16_384>::of(slot),
                _ => panic!(
                    "what the variants say of the fields that they share has room for 16 KiB; write \
                     less, or the same text in each variant"
                ),
            })
        }
        _ => None,
    }
}

/// All texts of descriptions that differ between variants, one after another.
struct Texts<T: ?Sized, const N: usize, const LEN: usize>(std::marker::PhantomData<T>);

impl<T: Parts + ?Sized, const N: usize, const LEN: usize> Texts<T, N, LEN> {
    const BYTES: &'static [u8; LEN] = &{
        let mut bytes = [0; LEN];
        write_all(
            &mut Writer::new(&mut bytes),
            T::PARTS,
            &Merged::<T, N>::SLOTS,
            N,
        );
        bytes
    };

    const fn of(slot: usize) -> &'static str {
        let (start, end) = (Self::len_before(slot), Self::len_before(slot + 1));
        match std::str::from_utf8(Self::BYTES.split_at(end).0.split_at(start).1) {
            Ok(text) => text,
            Err(_) => panic!("texts put together are text"),
        }
    }

    const fn len_before(slot: usize) -> usize {
        let mut counter = Writer::new(&mut []);
        write_all(&mut counter, T::PARTS, &Merged::<T, N>::SLOTS, slot);
        counter.len()
    }
}

/// Writes the texts of the slots before `end`.
const fn write_all<const N: usize>(
    writer: &mut Writer<'_>,
    parts: &'static [RecordPart],
    slots: &Slots<N>,
    end: usize,
) {
    let mut at = 0;
    while at < end {
        if let Some((name, Described::Differently)) = slots.described(at) {
            write_one(writer, parts, name);
        }
        at += 1;
    }
}

/// Writes the description that each variant has for its field of this name:
/// `circle: In metres; square: In feet`.
const fn write_one(writer: &mut Writer<'_>, parts: &'static [RecordPart], name: &str) {
    let mut is_first = true;
    let mut at = 0;
    while at < parts.len() {
        if let RecordPart::Variant(variant, parts) = &parts[at]
            && let Some(field) = field_among(parts, name)
            && let Some(text) = field.description()
        {
            writer.text(if is_first { "" } else { "; " });
            writer.text(variant);
            writer.text(": ");
            writer.text(match text.as_bytes() {
                [.., b'.'] => text.split_at(text.len() - 1).0,
                _ => text,
            });
            is_first = false;
        }
        at += 1;
    }
}

/// Returns the type that covers both types: the wider type when they are alike, the plain type of their kind
/// when neither is narrowed, and `Any` otherwise. The caller decides whether the type is optional.
const fn union(left: &'static Type, right: &'static Type) -> &'static Type {
    if is_alike(left, right) {
        return if holds(left, right) { left } else { right };
    }
    if left.is_checked() || right.is_checked() {
        return Type::ANY;
    }
    // Serde checks the constraints that the Rust types enforce.
    match (left.kind(), right.kind()) {
        (Kind::Text, Kind::Text) => const { &Type::new(Kind::Text) },
        (Kind::Int, Kind::Int) => const { &Type::new(Kind::Int) },
        (Kind::Double, Kind::Double) => const { &Type::new(Kind::Double) },
        _ => Type::ANY,
    }
}

/// Panics with a message when the record of all variants cannot express a constraint or the aliases of an internally
/// tagged variant, or when serde cannot read an integer of the variant. `variant` and `part` are positions in [`Parts::PARTS`].
#[track_caller]
pub const fn check_beside_tag<T: Parts + ?Sized>(variant: usize, part: usize) {
    if let RecordPart::Variant(_, parts) = &T::PARTS[variant] {
        parts[part].check_integers();
        check_part(T::PARTS, variant, &parts[part]);
    }
}

/// Panics with a message when the common type of all contents cannot express a constraint of an
/// adjacently tagged variant, or when serde cannot read an integer of the variant.
#[track_caller]
pub const fn check_in_content<T: Parts + ?Sized>(variant: usize, part: usize) {
    let RecordPart::Variant(_, parts) = &T::PARTS[variant] else {
        return;
    };
    parts[part].check_integers();
    match content_of(T::PARTS) {
        Content::One(_) => {}
        Content::Record => check_part(T::PARTS, variant, &parts[part]),
        // Only the first lost constraint is reported, so that one mistake gives one message.
        Content::Any => {
            if parts[part].is_checked()
                && !is_any_checked(parts.split_at(part).0)
                && !is_any_checked(T::PARTS.split_at(variant).0)
            {
                panic!(
                    "the variants hold values of several types, which are `Any` in gram: what narrows \
                     this one, says how it is read or fills it in would be lost; let every variant \
                     hold a record, or check it in the function"
                );
            }
        }
    }
}

const fn is_any_checked(parts: &[RecordPart]) -> bool {
    let mut at = 0;
    while at < parts.len() {
        let checked = match &parts[at] {
            RecordPart::Variant(_, parts) => is_any_checked(parts),
            part => part.is_checked(),
        };
        if checked {
            return true;
        }
        at += 1;
    }
    false
}

#[track_caller]
const fn check_part(all: &'static [RecordPart], variant: usize, part: &'static RecordPart) {
    let mut at = 0;
    while let Some((field, _)) = part.field(at) {
        // The derive reports a constraint of a field in the variant itself.
        if matches!(part, RecordPart::Flattened(_)) && field.default().is_some() {
            stop_at_default_of_one(field.name());
        }
        if is_lost(all, variant, field) {
            stop_at_lost_field(field.name());
        }
        if has_other_aliases(all, variant, field) {
            stop_at_other_aliases(field.name());
        }
        at += 1;
    }
}

/// Whether the constraints of a field cannot be kept beside the fields of its name in other variants.
/// They are reported at the first narrowed field.
const fn is_lost(all: &'static [RecordPart], variant: usize, field: &Field) -> bool {
    if !field.ty().is_checked() {
        return false;
    }
    let mut lost = false;
    let mut at = 0;
    while at < all.len() {
        if at != variant
            && let RecordPart::Variant(_, parts) = &all[at]
            && let Some(other) = field_among(parts, field.name())
        {
            if at < variant && other.ty().is_checked() {
                return false;
            }
            lost |= !is_alike(field.ty(), other.ty());
        }
        at += 1;
    }
    lost
}

/// Whether an earlier variant gives a field of the same name other aliases.
const fn has_other_aliases(all: &'static [RecordPart], variant: usize, field: &Field) -> bool {
    let mut at = 0;
    while at < variant {
        if let RecordPart::Variant(_, parts) = &all[at]
            && let Some(other) = field_among(parts, field.name())
            && !field.aliases().is_empty()
            && !other.aliases().is_empty()
            && !same_texts(field.aliases(), other.aliases())
        {
            return true;
        }
        at += 1;
    }
    false
}

const fn same_texts(left: &[&str], right: &[&str]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if !same_text(left[at], right[at]) {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{Parts, RecordPart, Slots, check_beside_tag, check_in_content, merged, record};
    use crate::gram_type::GramType;
    use crate::types::{Field, Kind, Shape, Type, fields_of};
    use agent_gram::Value;

    const fn field(name: &'static str) -> RecordPart {
        RecordPart::Field(Field::from_static(
            name,
            const { &Type::new(Kind::Int) },
            None,
            None,
        ))
    }

    const PARTS: &[RecordPart] = &[field("a"), field("b"), field("a"), field("c")];

    /// A list that is too short for all fields is evaluated too, although another one is used.
    #[test]
    fn cuts_fields_that_have_no_slot() {
        let names = |slots: &[super::Slot], len: usize| -> Vec<&str> {
            slots[..len].iter().map(|slot| slot.field.name()).collect()
        };
        let two = Slots::<2>::of(PARTS);
        assert_eq!(names(&two.slots, two.len), ["a", "b"]);
        let four = Slots::<4>::of(PARTS);
        assert_eq!(names(&four.slots, four.len), ["a", "b", "c"]);
    }

    const fn described(name: &'static str, description: &'static str) -> RecordPart {
        RecordPart::Field(Field::from_static(
            name,
            const { &Type::new(Kind::Int) },
            None,
            Some(description),
        ))
    }

    struct Shapes;

    impl Parts for Shapes {
        const PARTS: &'static [RecordPart] = &[
            RecordPart::Variant(
                "circle",
                &[
                    described("size", "In metres."),
                    described("name", "The name."),
                ],
            ),
            RecordPart::Variant(
                "square",
                &[
                    described("name", "The name."),
                    described("size", "In feet."),
                ],
            ),
        ];
    }

    #[test]
    fn joins_descriptions_that_differ_between_variants() {
        let ty = merged::<Shapes>();
        let Kind::Object(Shape::Fields(fields)) = ty.kind() else {
            panic!("{ty:?}");
        };
        let descriptions: Vec<_> = fields_of(fields)
            .iter()
            .map(|field| (field.name(), field.description()))
            .collect();
        assert_eq!(
            descriptions,
            [
                ("size", Some("circle: In metres; square: In feet")),
                ("name", Some("The name.")),
            ]
        );
    }

    struct Flattened;

    impl Parts for Flattened {
        const PARTS: &'static [RecordPart] = &[
            RecordPart::Variant("plain", &[described("size", "In metres.")]),
            RecordPart::Variant(
                "boxed",
                &[RecordPart::Flattened(
                    const {
                        &record(
                            const {
                                &[Field::from_static(
                                    "size",
                                    const { &Type::new(Kind::Int) },
                                    Some(const { &Value::Integer(1) }),
                                    None,
                                )]
                            },
                        )
                    },
                )],
            ),
        ];
    }

    #[test]
    #[should_panic(expected = "the default of the field `size`")]
    fn refuses_a_default_that_only_one_variant_has() {
        check_beside_tag::<Flattened>(1, 0);
    }

    struct Wide;

    impl Parts for Wide {
        const PARTS: &'static [RecordPart] = &[
            RecordPart::Variant("small", &[RecordPart::Flattened(<i64>::TYPE)]),
            RecordPart::Variant("large", &[RecordPart::Flattened(<u128>::TYPE)]),
        ];
    }

    #[test]
    #[should_panic(expected = "128 bits")]
    fn refuses_an_integer_beside_a_tag_that_serde_cannot_read() {
        check_beside_tag::<Wide>(1, 0);
    }

    #[test]
    #[should_panic(expected = "128 bits")]
    fn refuses_an_integer_in_content_that_serde_cannot_read() {
        check_in_content::<Wide>(1, 0);
    }

    const fn aliased(name: &'static str, aliases: &'static [&'static str]) -> RecordPart {
        RecordPart::Field(
            Field::from_static(name, const { &Type::new(Kind::Int) }, None, None)
                .with_aliases(aliases),
        )
    }

    struct Aliases;

    impl Parts for Aliases {
        const PARTS: &'static [RecordPart] = &[
            RecordPart::Variant("none", &[aliased("a", &[])]),
            RecordPart::Variant("first", &[aliased("a", &["b"])]),
            RecordPart::Variant("same", &[aliased("a", &["b"])]),
            RecordPart::Variant("other", &[aliased("a", &["c"])]),
        ];
    }

    #[test]
    fn variants_share_the_aliases_of_a_field() {
        let ty = merged::<Aliases>();
        let Kind::Object(Shape::Fields(fields)) = ty.kind() else {
            panic!("{ty:?}");
        };
        assert_eq!(fields_of(fields)[0].aliases(), ["b"]);
        check_beside_tag::<Aliases>(2, 0);
    }

    #[test]
    #[should_panic(expected = "the field `a` is in several variants")]
    fn refuses_other_aliases_in_another_variant() {
        check_beside_tag::<Aliases>(3, 0);
    }

    #[test]
    fn accepts_fields_that_variants_share() {
        check_beside_tag::<Flattened>(0, 0);
        check_beside_tag::<Shapes>(1, 1);
    }
}
