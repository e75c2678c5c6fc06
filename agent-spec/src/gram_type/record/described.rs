//! The descriptions of a field that several variants have, as one text.

use super::merged::{Merged, Slots};
use super::{Part, Parts, field_among};
use crate::binding::same_text;
use agent_gram::print::writer::Writer;

/// How the fields of one name are described.
#[derive(Clone, Copy)]
pub(super) enum Described {
    Not,
    /// All that are described, in the same way.
    Alike(&'static str),
    /// In several ways, each by its variant.
    Differently,
}

impl Described {
    pub(super) const fn and(self, description: Option<&'static str>) -> Self {
        match (self, description) {
            (Self::Not, Some(text)) => Self::Alike(text),
            (Self::Alike(known), Some(text)) if !same_text(known, text) => Self::Differently,
            _ => self,
        }
    }
}

/// The description of the field in a slot: what all say, or what each variant says.
pub(super) const fn description_of<T: Parts + ?Sized, const N: usize>(
    slot: usize,
) -> Option<&'static str> {
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

/// All such texts, one after another.
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
    parts: &'static [Part],
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

/// Writes what each variant says of its field of this name: `circle: In metres; square: In feet`.
const fn write_one(writer: &mut Writer<'_>, parts: &'static [Part], name: &str) {
    let mut is_first = true;
    let mut at = 0;
    while at < parts.len() {
        if let Part::Variant(variant, parts) = &parts[at]
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
