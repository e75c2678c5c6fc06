//! Checks the rules across the parts of a type.

use super::parse::{Body, ParsedField, ParsedFields, ParsedType, ParsedVariant, Style, plain_name};
use super::serde::Serde;
use crate::constraints::SpannedConstraints;
use crate::default::{DefaultValue, read_default};
use crate::report::Report;
use crate::settings::StatedType;
use crate::tool::types_in;
use agent_spec::case::Case;
use agent_spec::types::MOST_ALTERNATIVES;
use proc_macro2::Span;
use quote::ToTokens;
use std::collections::HashSet;
use syn::spanned::Spanned;
use syn::{Generics, Ident, Type, TypePath};

/// The JSON form of the values of a type.
pub(super) enum JsonForm<'p> {
    /// The form that an attribute states.
    Stated(&'p StatedType),
    /// The form of the only value.
    Newtype {
        value: Element<'p>,
        /// Whether the value must not be optional.
        is_never_missing: bool,
    },
    /// An object.
    Record(Vec<CheckedField<'p>>),
    /// A list of exactly these elements.
    Tuple(Vec<Element<'p>>),
    /// An object with the name of the variant beside its fields.
    Internal {
        tag: &'p str,
        variants: Vec<Variant<'p>>,
    },
    /// An object with the name of the variant and its content.
    Adjacent {
        tag: &'p str,
        content: &'p str,
        variants: Vec<Variant<'p>>,
    },
    /// The name of a variant without data, or an object whose only key is the name of another variant.
    External {
        words: Vec<UnitVariant>,
        variants: Vec<Variant<'p>>,
    },
    /// The content of one of several variants, whose name is not written; first the form of the variants
    /// whose name is written.
    Untagged {
        tagged: Option<Box<JsonForm<'p>>>,
        contents: Vec<(Content<'p>, Span)>,
    },
}

/// A value without a name.
pub(super) struct Element<'p> {
    pub(super) source: TypeSource<'p>,
    pub(super) narrowing: &'p SpannedConstraints,
}

/// Checks all rules. Returns `None` if an error leaves no type to describe, or if serde reports an
/// error.
pub(super) fn check_type<'p>(report: &Report, parsed: &'p ParsedType) -> Option<JsonForm<'p>> {
    let form = check_form(report, parsed)?;
    if let Some(place) = parsed.settings.narrowing.place()
        && !matches!(form, JsonForm::Newtype { .. } | JsonForm::Stated(_))
    {
        report.error(
            place,
            "only a type of one value is narrowed as a whole; write this on a field",
        );
    }
    Some(form)
}

fn check_form<'p>(report: &Report, parsed: &'p ParsedType) -> Option<JsonForm<'p>> {
    if let Some(stated) = &parsed.settings.stated {
        return Some(JsonForm::Stated(stated));
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
) -> Option<JsonForm<'p>> {
    if parsed.serde.transparent.is_some() {
        let mut values = body.fields.iter().filter(|field| is_the_value(field));
        return match (values.next(), values.next()) {
            (Some(field), None) => newtype(report, parsed, field, false),
            // serde reports the error.
            _ => None,
        };
    }
    match (body.style, body.fields.as_slice()) {
        (Style::Named, fields) => {
            let fields = check_fields(report, parsed, parsed.serde.rename_all, fields);
            Some(JsonForm::Record(fields))
        }
        (Style::Tuple, [field]) => {
            refuse_skipped_value(report, field, "the struct opaque, `#[gram(opaque)]`")?;
            newtype(report, parsed, field, true)
        }
        (Style::Tuple, fields) => check_elements(report, parsed, fields).map(JsonForm::Tuple),
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

/// Whether a field of a transparent struct is its value, by the rule of serde, which recognizes
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
    is_never_missing: bool,
) -> Option<JsonForm<'p>> {
    refuse_place_of_its_own(
        report,
        field,
        "a newtype is its value, which has no name, description or default of its own; say this where \
         the newtype is used",
    );
    Some(JsonForm::Newtype {
        value: check_element(report, parsed, field)?,
        is_never_missing,
    })
}

/// Checks a value without a name.
fn check_element<'p>(
    report: &Report,
    of: &ParsedType,
    field: &'p ParsedField,
) -> Option<Element<'p>> {
    let narrowing = &field.settings.narrowing;
    narrowing.check(report, None);
    Some(Element {
        source: check_source(report, of, field)?,
        narrowing,
    })
}

/// A field without errors.
pub(super) struct CheckedField<'p> {
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    /// The field in Rust.
    pub(super) parsed: &'p ParsedField,
    pub(super) source: TypeSource<'p>,
    /// Whether serde fills in a missing value.
    pub(super) is_filled: bool,
    pub(super) default: Option<DefaultValue>,
    pub(super) description: Option<String>,
    pub(super) narrowing: &'p SpannedConstraints,
    /// The span of `flatten`.
    pub(super) flatten: Option<Span>,
    /// The span of the word that can leave the field out of the serialized form.
    pub(super) left_out: Option<Span>,
}

/// The source of the type of a field.
pub(super) enum TypeSource<'p> {
    /// The Rust type.
    Rust(&'p Type),
    /// The type that an attribute states, and the Rust type.
    Stated(&'p StatedType, &'p Type),
}

impl TypeSource<'_> {
    pub(super) fn span(&self) -> Span {
        match self {
            TypeSource::Rust(ty) => ty.span(),
            TypeSource::Stated(stated, _) => stated.span,
        }
    }
}

/// Checks a field. Returns `None` for a field that models cannot send.
fn check_field<'p>(
    report: &Report,
    of: &ParsedType,
    case: Option<Case>,
    field: &'p ParsedField,
) -> Option<CheckedField<'p>> {
    let (serde, settings) = (&field.serde, &field.settings);
    if serde.skip.or(serde.skip_deserializing).is_some() {
        refuse_settings_of_skipped(report, field);
        return None;
    }
    let source = check_source(report, of, field)?;
    if let Some(place) = serde.flatten {
        refuse_beside_flatten(report, field, place);
    }
    let default = settings
        .default
        .as_ref()
        .and_then(|expression| read_default(report, expression));
    settings.narrowing.check(report, default.as_ref());
    if let (Some(default), TypeSource::Stated(stated, _)) = (&default, &source) {
        default.check_stated(report, &stated.ty);
    }
    let name = field.name.as_deref().unwrap_or_default();
    let name = match (&serde.rename, case) {
        (Some(name), _) => name.clone(),
        (None, Some(case)) => case.field(name),
        (None, None) => name.to_owned(),
    };
    let description = match &settings.description {
        Some(text) => Some(text.value()),
        None => field.description.clone(),
    };
    // serde has no default for an enum as a whole.
    let is_filled = serde.default.or(of.serde.default).is_some();
    let may_be_missing = is_filled || default.is_some();
    Some(CheckedField {
        aliases: other_names(serde, &name),
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

/// Returns the names besides the first under which serde reads a field or a variant.
fn other_names(serde: &Serde, name: &str) -> Vec<String> {
    let mut others: Vec<String> = Vec::new();
    for alias in &serde.aliases {
        if alias != name && !others.contains(alias) {
            others.push(alias.clone());
        }
    }
    others
}

/// Checks all fields of a struct or variant, and that their names in JSON differ.
fn check_fields<'p>(
    report: &Report,
    of: &ParsedType,
    case: Option<Case>,
    fields: &'p [ParsedField],
) -> Vec<CheckedField<'p>> {
    let fields = fields.iter();
    let checked: Vec<_> = fields
        .filter_map(|field| check_field(report, of, case, field))
        .collect();
    let named = checked.iter().filter(|field| field.flatten.is_none());
    refuse_twice(
        report,
        "field",
        named.map(|field| (field.name.as_str(), field.parsed.place)),
    );
    checked
}

/// Reports each repeated name at its second place.
fn refuse_twice<'n>(report: &Report, what: &str, names: impl Iterator<Item = (&'n str, Span)>) {
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

/// Returns the source of the type. Reports a type that gram cannot express.
fn check_source<'p>(
    report: &Report,
    of: &ParsedType,
    field: &'p ParsedField,
) -> Option<TypeSource<'p>> {
    if let Some(stated) = &field.settings.stated {
        return Some(TypeSource::Stated(stated, &field.ty));
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
    Some(TypeSource::Rust(&field.ty))
}

/// Checks the fields of a tuple.
fn check_elements<'p>(
    report: &Report,
    of: &ParsedType,
    fields: &'p [ParsedField],
) -> Option<Vec<Element<'p>>> {
    let mut elements = Vec::new();
    for field in fields {
        let serde = &field.serde;
        let both = serde.skip_serializing.and(serde.skip_deserializing);
        if serde.skip.or(both).is_some() {
            refuse_settings_of_skipped(report, field);
            continue;
        }
        if let Some(place) = serde.skip_serializing.or(serde.skip_deserializing) {
            report.error(
                place,
                "the list is longer in one direction than in the other, and a gram type is one for both; \
                 write `#[serde(skip)]`, or name the fields",
            );
            elements.push(None);
            continue;
        }
        refuse_place_of_its_own(
            report,
            field,
            "an element of a list has no name, description or default of its own; name the fields",
        );
        elements.push(check_element(report, of, field));
    }
    elements.into_iter().collect()
}

/// Reports a description or a default of a value without a name.
fn refuse_place_of_its_own(report: &Report, field: &ParsedField, message: &str) {
    let settings = &field.settings;
    let unwanted = settings.default.as_ref().map(Spanned::span);
    let unwanted = unwanted.or(settings.description.as_ref().map(syn::LitStr::span));
    if let Some(place) = unwanted {
        report.error(place, message);
    }
}

fn refuse_settings_of_skipped(report: &Report, field: &ParsedField) {
    if let Some(place) = field.settings.place {
        report.error(
            place,
            "this field is skipped, so no value of it is ever read; remove `#[gram(…)]`",
        );
    }
}

/// Reports a value without a name that serde skips, because nothing would be left.
fn refuse_skipped_value(report: &Report, field: &ParsedField, instead: &str) -> Option<()> {
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

/// Reports settings on a flattened field, which is not a field in JSON.
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

/// A variant without errors.
pub(super) struct Variant<'p> {
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    pub(super) description: Option<String>,
    pub(super) content: Content<'p>,
}

/// A variant that is serialized as a text.
pub(super) struct UnitVariant {
    /// Its name in Rust.
    pub(super) variant: String,
    /// Its serialized text.
    pub(super) word: String,
    pub(super) aliases: Vec<String>,
}

/// The content of a variant.
pub(super) enum Content<'p> {
    Nothing,
    Value(Element<'p>),
    Tuple(Vec<Element<'p>>),
    Record(Vec<CheckedField<'p>>),
}

/// Returns the form in which serde serializes the enum.
fn check_enum<'p>(
    report: &Report,
    parsed: &'p ParsedType,
    variants: &'p [ParsedVariant],
) -> Option<JsonForm<'p>> {
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
    let all = parsed.serde.untagged.is_some();
    let is_tagged = |variant: &&ParsedVariant| !all && variant.serde.untagged.is_none();
    let (tagged, untagged): (Vec<_>, Vec<_>) = read.into_iter().partition(is_tagged);
    let tagged = match tagged.as_slice() {
        [] => None,
        tagged => Some(check_tagged(report, parsed, tagged)?),
    };
    if untagged.is_empty() {
        return tagged;
    }
    Some(JsonForm::Untagged {
        tagged: tagged.map(Box::new),
        contents: check_untagged(report, parsed, &untagged)?,
    })
}

/// Returns the contents of the variants whose name is not written.
fn check_untagged<'p>(
    report: &Report,
    parsed: &'p ParsedType,
    variants: &[&'p ParsedVariant],
) -> Option<Vec<(Content<'p>, Span)>> {
    let mut contents = Vec::new();
    for variant in variants {
        let content = match variant.fields.style {
            Style::Unit => {
                report.error(
                    variant.name.span(),
                    format!(
                        "`{}` is `null` in JSON, which means that a value is missing; remove the variant, \
                         and write `Option<{}>` where the enum is used",
                        variant.name, parsed.name
                    ),
                );
                None
            }
            _ => check_content(report, parsed, variant),
        };
        if let Some(Content::Record(fields)) = &content {
            refuse_flatten(report, fields);
        }
        refuse_descriptions(report, variant);
        contents.push(content.map(|content| (content, variant.name.span())));
    }
    contents.into_iter().collect()
}

/// Reports a description of a value that has neither a name nor a variant that is written.
fn refuse_descriptions(report: &Report, variant: &ParsedVariant) {
    if let (Style::Tuple, [field]) = (variant.fields.style, variant.fields.fields.as_slice())
        && let Some(text) = &field.settings.description
    {
        report.error(
            text.span(),
            "the value of a variant without a tag has no place for a description; describe the fields in \
             it, or what holds the enum",
        );
    }
}

/// Returns the form of the variants whose name is written.
fn check_tagged<'p>(
    report: &Report,
    parsed: &'p ParsedType,
    read: &[&'p ParsedVariant],
) -> Option<JsonForm<'p>> {
    let serde = &parsed.serde;
    let names: Vec<_> = read
        .iter()
        .map(|variant| (name_of(parsed, variant), variant.name.span()))
        .collect();
    refuse_twice(
        report,
        "variant",
        names.iter().map(|(name, place)| (name.as_str(), *place)),
    );
    match (&serde.tag, &serde.content) {
        (None, None) => {
            let is_unit = |variant: &&ParsedVariant| variant.fields.style == Style::Unit;
            let (units, others): (Vec<_>, Vec<_>) = read.iter().copied().partition(is_unit);
            let variants = check_variants(report, parsed, &others)?;
            for variant in &variants {
                if let Content::Record(fields) = &variant.content {
                    refuse_flatten(report, fields);
                }
            }
            let types = variants.len() + usize::from(!units.is_empty());
            if types > MOST_ALTERNATIVES {
                report.error(
                    parsed.name.span(),
                    format!(
                        "`{}` has {} variants with data, and a gram type has room for \
                         {MOST_ALTERNATIVES} types; add `#[serde(tag = \"type\")]`, which makes it a \
                         record, or write `#[gram(opaque)]` on it",
                        parsed.name,
                        variants.len()
                    ),
                );
                return None;
            }
            let words = units.iter().map(|variant| {
                let word = name_of(parsed, variant);
                UnitVariant {
                    variant: plain_name(&variant.name),
                    aliases: other_names(&variant.serde, &word),
                    word,
                }
            });
            Some(JsonForm::External {
                words: words.collect(),
                variants,
            })
        }
        (Some((tag, _)), None) => {
            // serde does not support tuples in this form, and reports it.
            let mut fields = read.iter().map(|variant| &variant.fields);
            if fields.any(|fields| fields.style == Style::Tuple && fields.fields.len() != 1) {
                return None;
            }
            let variants = check_variants(report, parsed, read)?;
            refuse_defaults(report, &variants);
            Some(JsonForm::Internal { tag, variants })
        }
        (Some((tag, _)), Some((content, _))) => {
            let variants = check_variants(report, parsed, read)?;
            refuse_defaults(report, &variants);
            Some(JsonForm::Adjacent {
                tag,
                content,
                variants,
            })
        }
        // serde reports that `content` needs a tag.
        (None, Some(_)) => None,
    }
}

/// Reports variants that are deserialized from other forms than their name, or serialized and never
/// deserialized.
fn refuse_special_variants(report: &Report, variants: &[&ParsedVariant]) -> Option<()> {
    let mut all = Some(());
    for variant in variants {
        let serde = &variant.serde;
        if let Some((word, span)) = serde.other_forms.first() {
            let message = format!(
                "`{word}` lets the variant be read from a form that gram cannot express; remove it, or write \
                 `#[gram(opaque)]` on the enum, which makes it `Any`"
            );
            report.error(*span, message);
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
            let name = name_of(parsed, variant);
            Some(Variant {
                aliases: other_names(&variant.serde, &name),
                name,
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
            let case = variant.serde.rename_all.or(parsed.serde.rename_all_fields);
            Some(Content::Record(check_fields(report, parsed, case, fields)))
        }
        (Style::Tuple, [field]) => {
            if let Some(expression) = &field.settings.default {
                report.error(
                    expression.span(),
                    "the value of a variant has no default; name the field: `{ field: T }`",
                );
            }
            refuse_skipped_value(report, field, "the variant a unit variant")?;
            check_element(report, parsed, field).map(Content::Value)
        }
        (Style::Tuple, fields) => check_elements(report, parsed, fields).map(Content::Tuple),
    }
}

/// Returns the description of the variant. It includes the description of its only value, which has no other
/// place.
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

/// Reports defaults, because the runtime would fill them in before the variant is known.
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

/// Reports flattened fields in a variant of an enum without a tag. Each of its records is a type of its
/// own, whose fields must be known here.
fn refuse_flatten(report: &Report, fields: &[CheckedField<'_>]) {
    for span in fields.iter().filter_map(|field| field.flatten) {
        report.error(
            span,
            "fields cannot be flattened into a variant of an enum without a tag; put them into a struct \
             that the variant holds, or add `#[serde(tag = \"type\")]`",
        );
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

/// Returns the span at which a type names the type that contains it, by its name or as `Self`.
/// rustc reports indirect recursion.
fn own_name_in(ty: &Type, name: &Ident, generics: &Generics) -> Option<Span> {
    let is_parameter = generics.type_params().any(|param| param.ident == *name);
    let mut found = None;
    visit_paths(ty, &mut |path| {
        let first = opt_first(path);
        found = found.or(first
            .filter(|first| *first == "Self" || (*first == name && !is_parameter))
            .map(Ident::span));
        true
    });
    found
}

/// Returns the type parameters in the types of fields, and the associated types of parameters, such as
/// `T::Item`. For `T::Item`, serde needs nothing for `T` itself.
pub(super) fn types_of_parameters(types: &[Type], generics: &Generics) -> Vec<Type> {
    let is_parameter = |name: &Ident| generics.type_params().any(|param| param.ident == *name);
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for ty in types {
        visit_paths(ty, &mut |path| {
            let is_associated = path.qself.as_ref().is_some_and(|of| {
                let mut names_one = false;
                visit_paths(&of.ty, &mut |path| {
                    names_one |= opt_first(path).is_some_and(is_parameter);
                    !names_one
                });
                names_one
            });
            let is_found = is_associated || opt_first(path).is_some_and(is_parameter);
            if is_found && seen.insert(path.to_token_stream().to_string()) {
                found.push(Type::Path(path.clone()));
            }
            !is_found
        });
    }
    found
}

/// Returns the first name of a path that is relative to the place where it is written.
fn opt_first(path: &TypePath) -> Option<&Ident> {
    if path.qself.is_some() || path.path.leading_colon.is_some() {
        return None;
    }
    path.path.segments.first().map(|first| &first.ident)
}

/// Visits the paths in a type. The types inside a path are visited if `visit` returns `true` for it.
fn visit_paths<'t>(ty: &'t Type, visit: &mut dyn FnMut(&'t TypePath) -> bool) {
    match ty {
        Type::Array(array) => visit_paths(&array.elem, visit),
        Type::Group(group) => visit_paths(&group.elem, visit),
        Type::Paren(paren) => visit_paths(&paren.elem, visit),
        Type::Reference(reference) => visit_paths(&reference.elem, visit),
        Type::Slice(slice) => visit_paths(&slice.elem, visit),
        Type::Tuple(tuple) => tuple.elems.iter().for_each(|ty| visit_paths(ty, visit)),
        Type::Path(path) => {
            if !visit(path) {
                return;
            }
            if let Some(of) = &path.qself {
                visit_paths(&of.ty, visit);
            }
            for ty in path.path.segments.iter().flat_map(types_in) {
                visit_paths(ty, visit);
            }
        }
        _ => {}
    }
}
