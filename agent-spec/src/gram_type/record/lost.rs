//! What one record for all variants would lose: words that narrow the field of one of them, and
//! defaults, which are filled in before anybody looks which variant it is.

use super::merged::{Content, content_of};
use super::union::is_alike;
use super::{Part, Parts, field_among};
use crate::binding::{OwnMistake, stop_at};
use crate::types::Field;

/// Stops with a message when a part of an internally tagged variant has what the record of all
/// variants cannot say. `variant` and `part` are places in [`Parts::PARTS`].
#[track_caller]
pub const fn check_beside_tag<T: Parts + ?Sized>(variant: usize, part: usize) {
    if let Part::Variant(_, parts) = &T::PARTS[variant] {
        check_part(T::PARTS, variant, &parts[part]);
    }
}

/// Stops with a message when a part of an adjacently tagged variant has what the one type of all
/// contents cannot say.
#[track_caller]
pub const fn check_in_content<T: Parts + ?Sized>(variant: usize, part: usize) {
    let Part::Variant(_, parts) = &T::PARTS[variant] else {
        return;
    };
    match content_of(T::PARTS) {
        Content::One(_) => {}
        Content::Record => check_part(T::PARTS, variant, &parts[part]),
        // One mistake, one message: the first that is lost.
        Content::Any => {
            if parts[part].is_checked()
                && !is_any_checked(parts.split_at(part).0)
                && !is_any_checked(T::PARTS.split_at(variant).0)
            {
                stop_at(OwnMistake::LostInAny);
            }
        }
    }
}

const fn is_any_checked(parts: &[Part]) -> bool {
    let mut at = 0;
    while at < parts.len() {
        let checked = match &parts[at] {
            Part::Variant(_, parts) => is_any_checked(parts),
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
const fn check_part(all: &'static [Part], variant: usize, part: &'static Part) {
    let (fields, _) = part.fields();
    let mut at = 0;
    while at < fields.len() {
        let field = &fields[at];
        // That of a field written in the variant itself, the derive reports.
        if matches!(part, Part::Flattened(_)) && field.default().is_some() {
            stop_at(OwnMistake::DefaultOfOne { name: field.name() });
        }
        if is_lost(all, variant, field) {
            stop_at(OwnMistake::LostInUnion { name: field.name() });
        }
        at += 1;
    }
}

/// Whether what must be checked of the field cannot be said beside the fields of its name in other
/// variants. It is reported of the first that is narrowed.
const fn is_lost(all: &'static [Part], variant: usize, field: &Field) -> bool {
    if !field.ty().is_checked() {
        return false;
    }
    let mut lost = false;
    let mut at = 0;
    while at < all.len() {
        if at != variant
            && let Part::Variant(_, parts) = &all[at]
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
