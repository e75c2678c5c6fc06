//! The rules across the parts of a type.

use super::attributes::Stated;
use super::enumeration::{Variant, Word, check_enum};
use super::field::{
    Around, CheckedField, Source, check_fields, check_source, refuse_skipped_value,
};
use super::parse::{Body, ParsedField, ParsedFields, ParsedType, Style};
use crate::constraints::Narrowing;
use crate::report::Report;
use proc_macro2::Span;
use syn::Type;

/// What values of the type look like in JSON.
pub(super) enum Form<'p> {
    /// As an attribute says.
    Stated(&'p Stated),
    /// As the one value in it.
    Newtype(Newtype<'p>),
    /// An object.
    Record(Vec<CheckedField<'p>>),
    /// One of these texts.
    Words(Vec<Word>),
    /// An object with the variant's name beside its fields.
    Internal {
        tag: &'p str,
        variants: Vec<Variant<'p>>,
    },
    /// An object of the variant's name and what it holds.
    Adjacent {
        tag: &'p str,
        content: &'p str,
        variants: Vec<Variant<'p>>,
    },
    /// An object of one key, the variant's name.
    External(Vec<Variant<'p>>),
}

/// A struct that is written as the one value in it.
pub(super) struct Newtype<'p> {
    pub(super) source: Source<'p>,
    pub(super) narrowing: &'p Narrowing,
    /// Where the value stands when it must not be optional.
    pub(super) never_missing: Option<Span>,
}

/// Checks all rules. Gives nothing when a mistake leaves no type to describe, or when serde reports
/// one.
pub(super) fn check_type<'p>(report: &Report, parsed: &'p ParsedType) -> Option<Form<'p>> {
    let form = check_form(report, parsed)?;
    if let Some(place) = parsed.settings.narrowing.place()
        && !matches!(form, Form::Newtype(_) | Form::Stated(_))
    {
        report.error(
            place,
            "only a type of one value is narrowed as a whole; write this on a field",
        );
    }
    Some(form)
}

fn check_form<'p>(report: &Report, parsed: &'p ParsedType) -> Option<Form<'p>> {
    if let Some(stated) = &parsed.settings.stated {
        return Some(Form::Stated(stated));
    }
    if let Some((word, span)) = parsed.serde.other_forms.first() {
        report.error(
            *span,
            format!(
                "`{word}` gives the type a form in JSON that its fields do not tell; state it with \
                 `#[gram(type = \"Text\")]` on the type, or write `#[gram(opaque)]` for `Any`"
            ),
        );
        return None;
    }
    match &parsed.body {
        Body::Struct(fields) => check_struct(report, parsed, fields),
        Body::Enum(variants) => check_enum(report, parsed, variants),
    }
}

fn check_struct<'p>(
    report: &Report,
    parsed: &'p ParsedType,
    body: &'p ParsedFields,
) -> Option<Form<'p>> {
    if parsed.serde.transparent.is_some() {
        let mut values = body.fields.iter().filter(|field| is_the_value(field));
        return match (values.next(), values.next()) {
            (Some(field), None) => newtype(report, parsed, field, false),
            // Serde says what is wrong.
            _ => None,
        };
    }
    match (body.style, body.fields.as_slice()) {
        (Style::Named, fields) => {
            let around = Around {
                of: parsed,
                case: parsed.serde.rename_all,
                is_filled: parsed.serde.default.is_some(),
            };
            Some(Form::Record(check_fields(report, around, fields)))
        }
        (Style::Tuple, [field]) => {
            refuse_skipped_value(report, field, "the struct opaque, `#[gram(opaque)]`")?;
            newtype(report, parsed, field, true)
        }
        (Style::Tuple, _) => {
            report.error(
                parsed.name.span(),
                format!(
                    "`{}` is a list of values of several types, which gram cannot say; name the \
                     fields, or write `#[gram(opaque)]` on the struct",
                    parsed.name
                ),
            );
            None
        }
        (Style::Unit, _) => {
            report.error(
                parsed.name.span(),
                format!(
                    "`{}` holds nothing that a model could send; leave it out, return `()`, or give \
                     it named fields",
                    parsed.name
                ),
            );
            None
        }
    }
}

/// Whether a field of a transparent struct is the value, by serde's own rule, which knows
/// `PhantomData` by its name.
fn is_the_value(field: &ParsedField) -> bool {
    let serde = &field.serde;
    let is_marker = matches!(&field.ty, Type::Path(path)
        if path.path.segments.last().is_some_and(|last| last.ident == "PhantomData"));
    !is_marker
        && serde.skip.is_none()
        && serde.skip_deserializing.is_none()
        && serde.default.is_none()
}

fn newtype<'p>(
    report: &Report,
    parsed: &'p ParsedType,
    field: &'p ParsedField,
    never_missing: bool,
) -> Option<Form<'p>> {
    let settings = &field.settings;
    let unwanted = settings.default.as_ref().map(syn::spanned::Spanned::span);
    let unwanted = unwanted.or(settings.description.as_ref().map(syn::LitStr::span));
    if let Some(place) = unwanted {
        report.error(
            place,
            "a newtype is its value, which has no name, description or default of its own; say this \
             where the newtype is used",
        );
    }
    settings.narrowing.check(report, None);
    let source = check_source(report, parsed, field)?;
    Some(Form::Newtype(Newtype {
        never_missing: never_missing.then(|| source.span()),
        source,
        narrowing: &settings.narrowing,
    }))
}
