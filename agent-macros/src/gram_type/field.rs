//! The rules for one field.

use super::attributes::Stated;
use super::parse::{ParsedField, ParsedType};
use super::recursion::own_name_in;
use crate::constraints::Narrowing;
use crate::default::{Default, read_default};
use crate::report::Report;
use agent_spec::case::Case;
use agent_spec::validate::fits_value;
use proc_macro2::Span;
use std::collections::HashSet;
use syn::Type;
use syn::spanned::Spanned;

/// A field free of mistakes.
pub(super) struct CheckedField<'p> {
    pub(super) name: String,
    /// As it is written in Rust.
    pub(super) parsed: &'p ParsedField,
    pub(super) source: Source<'p>,
    /// Whether serde fills it in when it is missing.
    pub(super) is_filled: bool,
    pub(super) default: Option<Default>,
    pub(super) description: Option<String>,
    pub(super) narrowing: &'p Narrowing,
    /// Where its fields are asked to stand in place of it.
    pub(super) flatten: Option<Span>,
    /// Where it is asked to be left out of what is written.
    pub(super) left_out: Option<Span>,
}

/// Where the type of a field comes from.
pub(super) enum Source<'p> {
    /// From rustc.
    Rust(&'p Type),
    /// From an attribute, beside the Rust type.
    Stated(&'p Stated, &'p Type),
}

impl Source<'_> {
    pub(super) fn span(&self) -> Span {
        match self {
            Source::Rust(ty) => ty.span(),
            Source::Stated(stated, _) => stated.span,
        }
    }
}

/// What holds for all fields of a struct or variant.
#[derive(Clone, Copy)]
pub(super) struct Around<'p> {
    pub(super) of: &'p ParsedType,
    pub(super) case: Option<Case>,
    /// Whether the whole record has a default.
    pub(super) is_filled: bool,
}

/// Checks a field; gives nothing for one that models cannot send.
fn check_field<'p>(
    report: &Report,
    around: Around<'_>,
    field: &'p ParsedField,
) -> Option<CheckedField<'p>> {
    let (serde, settings) = (&field.serde, &field.settings);
    if serde.skip.or(serde.skip_deserializing).is_some() {
        if let Some(place) = settings.place {
            report.error(
                place,
                "this field is skipped, so no value of it is ever read; remove `#[gram(…)]`",
            );
        }
        return None;
    }
    let source = check_source(report, around.of, field)?;
    if let Some(place) = serde.flatten {
        refuse_beside_flatten(report, field, place);
    }
    let default = settings
        .default
        .as_ref()
        .and_then(|expression| read_default(report, expression));
    settings.narrowing.check(report, default.as_ref());
    if let (Some(default), Source::Stated(stated, _)) = (&default, &source)
        && let Err(reason) = fits_value(&stated.ty, &default.value)
    {
        let message = format!("the default does not fit the type that is stated: {reason}");
        report.error(default.span, message);
    }
    let name = field.name.as_deref().unwrap_or_default();
    let name = match (&serde.rename, around.case) {
        (Some(name), _) => name.clone(),
        (None, Some(case)) => case.field(name),
        (None, None) => name.to_owned(),
    };
    let description = match &settings.description {
        Some(text) => Some(text.value()),
        None => field.description.clone(),
    };
    let is_filled = around.is_filled || serde.default.is_some();
    let may_be_missing = is_filled || default.is_some();
    Some(CheckedField {
        name,
        parsed: field,
        source,
        is_filled,
        default,
        description,
        narrowing: &settings.narrowing,
        flatten: serde.flatten,
        left_out: serde.skip_serializing.filter(|_| !may_be_missing),
    })
}

/// Checks all fields of a struct or variant, and that no two have one name in JSON.
pub(super) fn check_fields<'p>(
    report: &Report,
    around: Around<'_>,
    fields: &'p [ParsedField],
) -> Vec<CheckedField<'p>> {
    let fields = fields.iter();
    let checked: Vec<_> = fields
        .filter_map(|field| check_field(report, around, field))
        .collect();
    let named = checked.iter().filter(|field| field.flatten.is_none());
    refuse_twice(
        report,
        "field",
        named.map(|field| (field.name.as_str(), field.parsed.place)),
    );
    checked
}

/// Reports each name that was there before, where it stands again.
pub(super) fn refuse_twice<'n>(
    report: &Report,
    what: &str,
    names: impl Iterator<Item = (&'n str, Span)>,
) {
    let mut seen = HashSet::new();
    for (name, place) in names {
        if !seen.insert(name) {
            report.error(
                place,
                format!("another {what} is `{name}` in JSON already; rename one of the two"),
            );
        }
    }
}

/// Where the type comes from; reports a type that gram has no words for.
pub(super) fn check_source<'p>(
    report: &Report,
    of: &ParsedType,
    field: &'p ParsedField,
) -> Option<Source<'p>> {
    if let Some(stated) = &field.settings.stated {
        return Some(Source::Stated(stated, &field.ty));
    }
    if let Some((word, span)) = field.serde.other_forms.first() {
        report.error(
            *span,
            format!(
                "`{word}` gives the field a form in JSON that its Rust type does not tell; state it \
                 with `#[gram(type = \"Text\")]`, or write `#[gram(opaque)]` for `Any`"
            ),
        );
        return None;
    }
    if let Some(span) = own_name_in(&field.ty, &of.name, &of.generics) {
        report.error(
            span,
            format!(
                "`{}` holds itself here, and a gram type has an end; write `#[gram(opaque)]` on the \
                 field, which makes it `Any`",
                of.name
            ),
        );
        return None;
    }
    if let Type::Tuple(tuple) = &field.ty
        && !tuple.elems.is_empty()
    {
        report.error(
            tuple.span(),
            "a tuple is a list of values of several types, which gram cannot say; write a struct with \
             named fields, or `#[gram(opaque)]` on the field",
        );
        return None;
    }
    Some(Source::Rust(&field.ty))
}

/// Reports a value without a name that serde leaves out: nothing would be left of what holds it.
pub(super) fn refuse_skipped_value(
    report: &Report,
    field: &ParsedField,
    instead: &str,
) -> Option<()> {
    let serde = &field.serde;
    let skip = serde
        .skip
        .or(serde.skip_deserializing)
        .or(serde.skip_serializing);
    let Some(place) = skip else {
        return Some(());
    };
    report.error(
        place,
        format!(
            "this is the only value, and a value that is not always read and written is none in \
             gram; remove this word, or make {instead}"
        ),
    );
    None
}

/// What is flattened is no field of its own, so nothing can be said of it.
fn refuse_beside_flatten(report: &Report, field: &ParsedField, flatten: Span) {
    let settings = &field.settings;
    if settings.stated.is_some() {
        report.error(
            flatten,
            "what is flattened must be known field by field; make it a field of its own, or write \
             `#[gram(opaque)]` on the type that holds it",
        );
    } else if let Some(place) = settings.place {
        report.error(
            place,
            "a flattened field has no place of its own; say this on the fields of its type",
        );
    }
}
