//! Warnings of a change of style, in words.

use super::search::Refused;
use crate::check::{Meaning, TypeValue};
use crate::diagnostic::{Code, Diagnostic};
use crate::type_expression::Unsayable;
use agent_gram::Span;
use agent_gram::syntax::ValueKind;

/// A comment stands in a type that is not in the style.
pub(super) fn kept_comment(value: &TypeValue<'_>) -> Diagnostic {
    let message = format!(
        "`{}` of {} stays as it is, since a comment stands in it",
        value.key, value.owner
    );
    Diagnostic::new(Code::CommentInType, value.value.span(), message)
        .with_help("move the comment before the tool, and run it again")
}

/// The style has no words for parts of a type: of the fields with these numbers, or of the type.
pub(super) fn unsayable(value: &TypeValue<'_>, reasons: &[(usize, Unsayable)]) -> Vec<Diagnostic> {
    let places = places_of_fields(value);
    let found = reasons.iter().map(|(at, reason)| {
        let place = places.get(*at).copied();
        unsayable_part(value, place.unwrap_or(value.value.span()), reason)
    });
    found.collect()
}

fn unsayable_part(value: &TypeValue<'_>, place: Span, reason: &Unsayable) -> Diagnostic {
    let part = match (&value.meaning, reason.path()) {
        (Meaning::Fields(_), Some(path)) => format!("the field `{path}`"),
        (Meaning::Type(_), Some(path)) => format!("`{path}` of the type"),
        (_, None) => "the type".to_owned(),
    };
    let message = format!(
        "`{}` of {} stays as it is: {part} {reason}, which the style `portable` cannot say",
        value.key, value.owner
    );
    Diagnostic::new(Code::NotPortable, place, message)
        .with_help("official gram tools cannot read it so; the style `list` says everything")
}

/// Where the fields stand in `fields`; nothing for other values.
fn places_of_fields(value: &TypeValue<'_>) -> Vec<Span> {
    match (&value.meaning, value.value.kind()) {
        (Meaning::Fields(_), ValueKind::Array(items)) => {
            items.items().map(|item| item.span()).collect()
        }
        (Meaning::Fields(_), ValueKind::Map(record)) => {
            let entries = record.properties();
            entries.map(|entry| entry.value().span()).collect()
        }
        _ => Vec::new(),
    }
}

/// The official grammar has no place for a value that says no type, or for a name.
pub(super) fn refused_part(refused: &Refused<'_>) -> Diagnostic {
    let part = match (refused.key, refused.owner) {
        (Some(key), Some(owner)) => format!("`{key}` of `{owner}`"),
        (Some(key), None) => format!("`{key}`"),
        (None, _) => "a name".to_owned(),
    };
    let message = format!(
        "{part} {}, which official gram tools cannot read",
        refused.refusal
    );
    Diagnostic::new(Code::NotPortable, refused.span, message).with_help(refused.refusal.help())
}

/// There is no room for a type in the style `list`, which nests deeper.
pub(super) fn too_deep(place: Span) -> Diagnostic {
    let message = "the type nests too deep to be written in this style here";
    Diagnostic::new(Code::NotPortable, place, message)
        .with_help("define the tool less deep in the document, and refer to it by name")
}
