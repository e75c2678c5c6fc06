//! The rules for enums.

use super::check::Form;
use super::field::{
    Around, CheckedField, Source, check_fields, check_source, refuse_skipped_value, refuse_twice,
};
use super::parse::{ParsedType, ParsedVariant, Style, plain_name};
use crate::constraints::Narrowing;
use crate::report::Report;

/// A variant free of mistakes.
pub(super) struct Variant<'p> {
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) content: Content<'p>,
}

/// A variant that is written as a text.
pub(super) struct Word {
    /// Its name in Rust.
    pub(super) variant: String,
    /// What it is written as.
    pub(super) word: String,
}

/// What a variant holds.
pub(super) enum Content<'p> {
    Nothing,
    Value(Source<'p>, &'p Narrowing),
    Record(Vec<CheckedField<'p>>),
}

/// Finds the form in which serde writes the enum.
pub(super) fn check_enum<'p>(
    report: &Report,
    parsed: &'p ParsedType,
    variants: &'p [ParsedVariant],
) -> Option<Form<'p>> {
    let serde = &parsed.serde;
    if let Some(span) = serde.untagged {
        report.error(
            span,
            "a value of an untagged enum is of one of several types, which gram cannot say; write \
             `#[serde(tag = \"type\")]`, which makes it a record, or `#[gram(opaque)]`, which makes \
             it `Any`",
        );
        return None;
    }
    let read: Vec<&ParsedVariant> = variants
        .iter()
        .filter(|variant| variant.serde.skip.is_none())
        .collect();
    if read.is_empty() {
        report.error(
            parsed.name.span(),
            format!(
                "`{}` has no variant that a model could send; give it one that serde does not skip",
                parsed.name
            ),
        );
        return None;
    }
    refuse_special_variants(report, &read)?;
    let names: Vec<_> = read
        .iter()
        .map(|variant| (name_of(parsed, variant), variant.name.span()))
        .collect();
    refuse_twice(
        report,
        "variant",
        names.iter().map(|(name, place)| (name.as_str(), *place)),
    );
    let is_unit = |variant: &&&ParsedVariant| variant.fields.style == Style::Unit;
    let units = read.iter().filter(is_unit).count();
    match (&serde.tag, &serde.content) {
        (None, None) if units == read.len() => {
            let words = read.iter().map(|variant| Word {
                variant: plain_name(&variant.name),
                word: name_of(parsed, variant),
            });
            Some(Form::Words(words.collect()))
        }
        (None, None) if units > 0 => {
            report.error(
                parsed.name.span(),
                format!(
                    "`{}` is a text for variants without data and a record for the others, and a gram \
                     type is one of the two; add `#[serde(tag = \"type\")]`, which makes it a record \
                     always, or `#[gram(opaque)]`, which makes it `Any`",
                    parsed.name
                ),
            );
            None
        }
        (None, None) => {
            let variants = check_variants(report, parsed, &read)?;
            refuse_flatten(report, &variants);
            Some(Form::External(variants))
        }
        (Some((tag, _)), None) => {
            // Serde has no such form of tuples, and says so.
            if read.iter().any(|variant| is_tuple_of_several(variant)) {
                return None;
            }
            let variants = check_variants(report, parsed, &read)?;
            refuse_defaults(report, &variants);
            Some(Form::Internal { tag, variants })
        }
        (Some((tag, _)), Some((content, _))) => {
            let variants = check_variants(report, parsed, &read)?;
            refuse_defaults(report, &variants);
            Some(Form::Adjacent {
                tag,
                content,
                variants,
            })
        }
        // Serde says that `content` needs a tag.
        (None, Some(_)) => None,
    }
}

fn is_tuple_of_several(variant: &ParsedVariant) -> bool {
    variant.fields.style == Style::Tuple && variant.fields.fields.len() != 1
}

/// Reports variants that are read where no name says so, or that are written and never read.
fn refuse_special_variants(report: &Report, variants: &[&ParsedVariant]) -> Option<()> {
    let mut all = Some(());
    for variant in variants {
        let serde = &variant.serde;
        if let Some((word, span)) = serde.other_forms.first() {
            report.error(
                *span,
                format!(
                    "`{word}` lets the variant be read from a form that gram cannot say; remove it, \
                     or write `#[gram(opaque)]` on the enum, which makes it `Any`"
                ),
            );
            all = None;
        } else if let Some(span) = serde.untagged {
            report.error(
                span,
                "an untagged variant may look like anything, which gram cannot say; give it a name \
                 like the others, or write `#[gram(opaque)]` on the enum",
            );
            all = None;
        } else if let Some(span) = serde.skip_deserializing {
            report.error(
                span,
                "a variant that is written and never read would be two gram types; write \
                 `#[serde(skip)]`, or `#[gram(opaque)]` on the enum",
            );
            all = None;
        }
    }
    all
}

fn check_variants<'p>(
    report: &Report,
    parsed: &'p ParsedType,
    variants: &[&'p ParsedVariant],
) -> Option<Vec<Variant<'p>>> {
    let checked: Vec<_> = variants
        .iter()
        .map(|variant| {
            Some(Variant {
                name: name_of(parsed, variant),
                description: description_of(report, variant),
                content: check_content(report, parsed, variant)?,
            })
        })
        .collect();
    checked.into_iter().collect()
}

fn check_content<'p>(
    report: &Report,
    parsed: &'p ParsedType,
    variant: &'p ParsedVariant,
) -> Option<Content<'p>> {
    match (variant.fields.style, variant.fields.fields.as_slice()) {
        (Style::Unit, _) => Some(Content::Nothing),
        (Style::Named, fields) => {
            let around = Around {
                of: parsed,
                case: variant.serde.rename_all.or(parsed.serde.rename_all_fields),
                is_filled: false,
            };
            Some(Content::Record(check_fields(report, around, fields)))
        }
        (Style::Tuple, [field]) => {
            let settings = &field.settings;
            if let Some(expression) = &settings.default {
                report.error(
                    syn::spanned::Spanned::span(expression),
                    "the value of a variant has no default; name the field: `{ field: T }`",
                );
            }
            refuse_skipped_value(report, field, "the variant a unit variant")?;
            settings.narrowing.check(report, None);
            let source = check_source(report, parsed, field)?;
            Some(Content::Value(source, &settings.narrowing))
        }
        (Style::Tuple, _) => {
            report.error(
                variant.name.span(),
                format!(
                    "`{}` is a list of values of several types, which gram cannot say; name the fields",
                    variant.name
                ),
            );
            None
        }
    }
}

/// What the variant is for, and what is said of the one value in it, which has no other place.
fn description_of(report: &Report, variant: &ParsedVariant) -> Option<String> {
    let value = match variant.fields.fields.as_slice() {
        [field] if variant.fields.style == Style::Tuple => field,
        _ => return variant.description.clone(),
    };
    if let Some(text) = &value.settings.description {
        report.error(
            text.span(),
            "the value of a variant has no name, and is described with the variant; write a doc \
             comment on the variant",
        );
    }
    match (&variant.description, &value.description) {
        (Some(variant), Some(value)) => Some(format!("{}: {value}", variant.trim_end_matches('.'))),
        (variant, value) => variant.as_ref().or(value.as_ref()).cloned(),
    }
}

/// Reports defaults, which the runtime fills in before it is known which variant is meant.
fn refuse_defaults(report: &Report, variants: &[Variant<'_>]) {
    for variant in variants {
        let Content::Record(fields) = &variant.content else {
            continue;
        };
        for field in fields.iter().filter(|field| field.flatten.is_none()) {
            if let Some(place) = field.parsed.settings.default_word {
                report.error(
                    place,
                    "a default would be filled in for every variant; leave it to serde: \
                     `#[serde(default = \"…\")]`",
                );
            }
        }
    }
}

/// Each record of such an enum is a type of its own, whose fields must be known here.
fn refuse_flatten(report: &Report, variants: &[Variant<'_>]) {
    for variant in variants {
        if let Content::Record(fields) = &variant.content {
            for span in fields.iter().filter_map(|field| field.flatten) {
                report.error(
                    span,
                    "fields cannot be flattened into a variant of an enum without a tag; put them \
                     into a struct that the variant holds, or add `#[serde(tag = \"type\")]`",
                );
            }
        }
    }
}

fn name_of(parsed: &ParsedType, variant: &ParsedVariant) -> String {
    let name = plain_name(&variant.name);
    match (&variant.serde.rename, parsed.serde.rename_all) {
        (Some(name), _) => name.clone(),
        (None, Some(case)) => case.variant(&name),
        (None, None) => name,
    }
}
