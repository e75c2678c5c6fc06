//! The properties that were read of a type, and the rules for their combinations.

use crate::check::nesting::refuse_too_deep;
use crate::check::places::ParamPlaces;
use crate::check::reader::Reader;
use crate::diagnostic::{Code, Diagnostic};
use crate::vocabulary::{Keyword, RecordKind};
use agent_gram::syntax::{Value, ValueKind};
use agent_gram::value::{Nest, Text};
use agent_gram::{Span, lower};
use agent_types::__private::{Patterns, empty_range, fits_value_of};
use agent_types::types::{Bound, Constraint, MOST_ALTERNATIVES};
use agent_types::{Constraints, Field, Kind, Shape, Type};
use std::borrow::Cow;

/// The properties of a record, before they are checked against the type.
#[derive(Default)]
pub(super) struct Properties<'t> {
    /// The kind of the type, as far as it is known before the properties are read.
    pub(super) base: Option<Kind>,
    pub(super) name: Option<(String, Span)>,
    pub(super) ty: Option<(Type, Span)>,
    pub(super) description: Option<Text>,
    pub(super) remote: Option<Text>,
    pub(super) optional: bool,
    pub(super) default: Option<Value<'t>>,
    pub(super) element: Option<(Type, Span)>,
    pub(super) value: Option<(Type, Span)>,
    pub(super) fields: Option<(Vec<Field>, Span)>,
    pub(super) items: Option<(Vec<Type>, Span)>,
    pub(super) any_of: Option<(Vec<Type>, Span)>,
    pub(super) enumeration: Option<Value<'t>>,
    /// The value of `const`, which means an `enum` of this value.
    pub(super) constant: Option<Value<'t>>,
    pub(super) constraints: Constraints,
    pub(super) keywords: Vec<(Keyword, Span)>,
    /// Known keys that were probably misspelt. The misspellings were reported.
    pub(super) misspelt: Vec<&'static str>,
    /// Whether `name` is there, and has a value other than text. The value was reported.
    pub(super) is_name_reported: bool,
    pub(super) places: ParamPlaces,
}

impl Properties<'_> {
    pub(super) fn detail(&mut self, keyword: Keyword, span: Span) {
        if self.places.details == Span::default() {
            self.places.details = span;
        }
        self.keywords.push((keyword, span));
    }
}

/// A type put together, with the default.
pub(super) struct Finished {
    pub(super) ty: Type,
    pub(super) default: Option<agent_gram::Value>,
    /// The reason why the default does not fit, when that is not an error yet.
    pub(super) bad_default: Option<Diagnostic>,
}

/// Builds a field of its description and its name at an MCP server.
pub(super) fn build_field(
    name: String,
    finished: Finished,
    (description, remote): (Option<Text>, Option<Text>),
) -> Field {
    let mut field = Field::new(name, finished.ty);
    if let Some(default) = finished.default {
        field = field.with_default(default);
    }
    if let Some(description) = description {
        field = field.with_description(description);
    }
    if let Some(remote) = remote {
        field = field.with_remote(remote);
    }
    field
}

impl Properties<'_> {
    /// Builds the type from its label's kind and the properties, and reports keywords that do not apply
    /// to it.
    pub(super) fn finish(
        mut self,
        reader: &mut Reader<'_>,
        base: Type,
        base_span: Span,
        record: RecordKind,
    ) -> Finished {
        let is_media = matches!(base.kind(), Kind::Media(_));
        for (keyword, span) in &self.keywords {
            if is_media && *keyword == Keyword::Enum || !base.kind().is_in(keyword.family()) {
                let message = format!(
                    "`{}` goes with {}, and this is `{}`",
                    keyword.name(),
                    keyword.family().words(),
                    base.label()
                );
                let found = Diagnostic::new(Code::MisplacedKeyword, *span, message)
                    .with_label(base_span, "the type");
                reader.report(match (keyword, record) {
                    (Keyword::AnyOf, RecordKind::Parameter | RecordKind::Result) => {
                        found.with_help("write the label `Any`: `Any {anyOf: […]}`")
                    }
                    (Keyword::Schema, RecordKind::Parameter | RecordKind::Result) => {
                        found.with_help("write the label `Any`: `Any {schema: …}`")
                    }
                    (Keyword::AnyOf | Keyword::Schema, _) => {
                        found.with_help("write `type: \"Any\"`")
                    }
                    _ => found,
                });
            }
        }
        self.refuse_tuple_keywords(reader);
        self.refuse_repeated_parts(reader, &base, base_span);
        self.refuse_beside_schema(reader, base.constraints(), base_span);
        let base = self.joined(reader, base);
        // Media in a map are reported at the position of the map.
        let is_reported_later = is_media && record == RecordKind::Type;
        let is_taken = is_media && record == RecordKind::Parameter && reader.takes_media;
        if !is_taken && record != RecordKind::Result && !is_reported_later {
            refuse_result_only(reader, &base, base_span);
        }
        let optional = self.optional || base.is_optional();
        // An `enum` of media was reported above.
        let written = if is_media {
            None
        } else {
            self.allowed_values(reader)
        };
        let kind = match base.kind().clone() {
            Kind::Array(element) => match (self.items, self.element) {
                (Some((items, _)), _) => Kind::Tuple(Cow::Owned(items)),
                (None, Some((element, _))) => Kind::Array(Nest::new(element)),
                (None, None) => Kind::Array(element),
            },
            Kind::Object(shape) => Kind::Object(match (self.fields, self.value) {
                (Some((fields, _)), Some((value, _))) if !fields.is_empty() => {
                    Shape::Extended(Cow::Owned(fields), Nest::new(value))
                }
                (_, Some((value, _))) => Shape::Map(Nest::new(value)),
                (Some((fields, _)), None) => Shape::Fields(Cow::Owned(fields)),
                (None, None) => shape,
            }),
            kind => kind,
        };
        let inner = base.constraints();
        refuse_narrowing_twice(reader, inner, base_span, &self.keywords);
        let mut constraints = merge(self.constraints, inner);
        refuse_empty_ranges(reader, base.kind(), &constraints, &self.keywords);
        let required = match written {
            None if inner.enumeration().is_empty() => Type::new(kind).with_constraints(constraints),
            None => {
                let plain = Type::new(kind).with_constraints(constraints.clone());
                let allowed = inner.enumeration();
                refuse_narrowed_enumeration(reader, &plain, allowed, &self.keywords);
                constraints.enumeration = inner.enumeration.clone();
                plain.with_constraints(constraints)
            }
            Some(written) => {
                let plain = Type::new(kind).with_constraints(constraints.clone());
                let mut allowed = Vec::new();
                for value in written {
                    match fitting(value, &plain, "an allowed value", &mut reader.patterns) {
                        Ok(value) => allowed.extend(value),
                        Err(found) => reader.report(found),
                    }
                }
                constraints.enumeration = Cow::Owned(allowed);
                plain.with_constraints(constraints)
            }
        };
        let mut bad_default = None;
        let default = self.default.and_then(|value| {
            let found = match fitting(value, &required, "the default", &mut reader.patterns) {
                Ok(value) => return value,
                Err(found) => found,
            };
            if record == RecordKind::Parameter && reader.options.defer_bad_defaults {
                bad_default = Some(found);
                return Some(lower::lower_value(value));
            }
            reader.report(found);
            None
        });
        // A default already makes the parameter optional.
        let optional = optional && default.is_none();
        let ty = required.with_optional(optional);
        if matches!(record, RecordKind::Parameter | RecordKind::Result) {
            refuse_too_deep(reader, &ty, base_span, &self.keywords);
        }
        Finished {
            ty,
            default,
            bad_default,
        }
    }
}

impl Properties<'_> {
    /// Returns the type that `anyOf` makes of `Any`, or the base itself.
    fn joined(&mut self, reader: &mut Reader<'_>, base: Type) -> Type {
        let Some((types, span)) = self.any_of.take() else {
            return base;
        };
        if !matches!(base.kind(), Kind::Any) {
            // Reported as a keyword that does not apply to the type, or as a repeated part.
            return base;
        }
        let optional = base.is_optional();
        match Type::any_of(types) {
            Some(joined) => {
                let optional = optional || joined.is_optional();
                joined.with_optional(optional)
            }
            // A list of too many types was refused before. Here the list is short enough, but the unions
            // in it have too many types together.
            None => {
                let message = format!("`anyOf` has more than {MOST_ALTERNATIVES} types in all");
                reader.error(Code::BadValue, span, message);
                base
            }
        }
    }

    /// Reports keywords beside `items`, which has the number and the types of the elements.
    fn refuse_tuple_keywords(&self, reader: &mut Reader<'_>) {
        let Some((_, items)) = &self.items else {
            return;
        };
        for (keyword, span) in &self.keywords {
            if matches!(
                keyword,
                Keyword::ElementType | Keyword::MinItems | Keyword::MaxItems
            ) {
                let message = format!("`items` and `{}` exclude each other", keyword.name());
                reader.report(
                    Diagnostic::new(Code::MisplacedKeyword, *span, message)
                        .with_label(*items, "the types of the elements")
                        .with_help(
                            "`items` has one type for each element, so it fixes their number",
                        ),
                );
            }
        }
    }

    /// Reports `anyOf` and `enum` beside `schema`, because the schema alone defines the allowed values.
    /// `inner` are the constraints that the type already has.
    fn refuse_beside_schema(&self, reader: &mut Reader<'_>, inner: &Constraints, inner_span: Span) {
        let of = |wanted: Keyword| self.keywords.iter().find(|(keyword, _)| *keyword == wanted);
        let schema = of(Keyword::Schema);
        let schema_span = match (schema, &inner.schema) {
            (Some((_, span)), _) => *span,
            (None, Some(_)) => inner_span,
            (None, None) => return,
        };
        let beside = of(Keyword::AnyOf).or(of(Keyword::Enum)).copied();
        let in_type = schema.filter(|_| !inner.enumeration().is_empty());
        let (name, span, label) = match (beside, in_type) {
            (Some((keyword, span)), _) => (keyword.name(), span, schema_span),
            (None, Some((_, span))) => (Keyword::Enum.name(), *span, inner_span),
            (None, None) => return,
        };
        let message = format!("`{name}` and `schema` exclude each other");
        reader.report(
            Diagnostic::new(Code::MisplacedKeyword, span, message)
                .with_label(label, "the other one")
                .with_help("write it into the JSON Schema"),
        );
    }

    /// Reports elements, fields or values that the type already has, such as
    /// `{type: "[Text]", elementType: "Int"}`, because one of the two would be ignored.
    fn refuse_repeated_parts(&self, reader: &mut Reader<'_>, base: &Type, base_span: Span) {
        let mut keywords = self.keywords.iter();
        let again = keywords.find(|(keyword, _)| repeats(*keyword, base));
        if let Some((keyword, span)) = again {
            let message = format!("`{}` repeats a part of the type", keyword.name());
            reader.report(
                Diagnostic::new(Code::MisplacedKeyword, *span, message)
                    .with_label(base_span, "the type")
                    .with_help("keep one of them"),
            );
        }
    }
}

impl<'t> Properties<'t> {
    /// Returns the allowed values as they are written. Reports an empty `enum`, and an `enum` beside
    /// `const`.
    fn allowed_values(&self, reader: &mut Reader<'_>) -> Option<Vec<Value<'t>>> {
        let Some(list) = self.enumeration else {
            return self.constant.map(|value| vec![value]);
        };
        if let Some(value) = self.constant {
            let (first, second) = (list.span(), value.span());
            reader.report(
                Diagnostic::new(
                    Code::MisplacedKeyword,
                    first.max(second),
                    "`enum` and `const` exclude each other",
                )
                .with_label(first.min(second), "the other one")
                .with_help("`const` is an `enum` of one value"),
            );
        }
        let ValueKind::Array(items) = list.kind() else {
            reader.wrong::<()>(list, "`enum`", "a list of the values allowed");
            return Some(Vec::new());
        };
        let items: Vec<_> = items.items().collect();
        if items.is_empty() {
            let message = "`enum` must allow at least one value";
            reader.error(Code::BadValue, list.span(), message);
        }
        Some(items)
    }
}

/// Returns the value, if it fits the type; `None` for a value that the parser could not read.
fn fitting(
    value: Value<'_>,
    ty: &Type,
    what: &str,
    patterns: &mut Patterns,
) -> Result<Option<agent_gram::Value>, Diagnostic> {
    if matches!(value.kind(), ValueKind::Invalid) {
        return Ok(None);
    }
    if let ValueKind::Symbol(symbol) = value.kind() {
        let message = format!("{what} is the bare symbol `{symbol}`, which is no value of a call");
        let help = if symbol == "null" {
            "gram has no null; write `optional: true` instead".to_owned()
        } else {
            format!("quote it: \"{symbol}\"")
        };
        return Err(Diagnostic::new(Code::BadDefault, value.span(), message).with_help(help));
    }
    let lowered = lower::lower_value(value);
    fits_value_of(ty, &lowered, patterns).map_err(|reason| {
        let message = format!("{what} does not fit the type: {reason}");
        Diagnostic::new(Code::BadDefault, value.span(), message)
    })?;
    Ok(Some(lowered))
}

/// Reports a lower bound above the upper bound, because no value could satisfy both.
fn refuse_empty_ranges(
    reader: &mut Reader<'_>,
    kind: &Kind,
    constraints: &Constraints,
    keywords: &[(Keyword, Span)],
) {
    let Some((least, greatest)) = constraints.opt_empty_range() else {
        if matches!(kind, Kind::Int) {
            refuse_no_integer(reader, constraints, keywords);
        }
        return;
    };
    // One of the two bounds may come from the type inside the map, which has no place here.
    let at = |wanted: Keyword| keywords.iter().find(|(keyword, _)| *keyword == wanted);
    if let Some((_, span)) = at(least).or_else(|| at(greatest)) {
        reader.report(
            Diagnostic::new(Code::BadValue, *span, empty_range(least, greatest))
                .with_help("lower the one, or raise the other"),
        );
    }
}

/// Reports bounds of an `Int` between which there is no whole number.
fn refuse_no_integer(
    reader: &mut Reader<'_>,
    constraints: &Constraints,
    keywords: &[(Keyword, Span)],
) {
    let bound = |keyword: Keyword| match constraints.get(keyword) {
        Some(Constraint::Number(bound)) => Some(bound),
        _ => None,
    };
    // `as` and the saturating operations stop at the ends of `i128`. At worst an empty range counts as
    // non-empty, so a correct type is never reported.
    let low = |keyword| match bound(keyword)? {
        Bound::Int(value) if keyword.is_exclusive() => value.checked_add(1),
        Bound::Int(value) => Some(*value),
        other if keyword.is_exclusive() => Some((other.as_f64().floor() as i128).saturating_add(1)),
        other => Some(other.as_f64().ceil() as i128),
    };
    let high = |keyword: Keyword| match bound(keyword)? {
        Bound::Int(value) if keyword.is_exclusive() => value.checked_sub(1),
        Bound::Int(value) => Some(*value),
        other if keyword.is_exclusive() => Some((other.as_f64().ceil() as i128).saturating_sub(1)),
        other => Some(other.as_f64().floor() as i128),
    };
    let lows = [Keyword::Minimum, Keyword::ExclusiveMinimum];
    let highs = [Keyword::Maximum, Keyword::ExclusiveMaximum];
    let least = lows.into_iter().filter_map(low).max();
    let greatest = highs.into_iter().filter_map(high).min();
    let (Some(least), Some(greatest)) = (least, greatest) else {
        return;
    };
    let ends = |keyword: &Keyword| lows.contains(keyword) || highs.contains(keyword);
    if least > greatest
        && let Some((_, span)) = keywords.iter().find(|(keyword, _)| ends(keyword))
    {
        reader.report(
            Diagnostic::new(
                Code::BadValue,
                *span,
                "no whole number lies between the bounds of this `Int`",
            )
            .with_help("lower the one, or raise the other"),
        );
    }
}

/// Whether a keyword repeats a part of the type, such as the elements of `[Text]`.
fn repeats(keyword: Keyword, ty: &Type) -> bool {
    match ty.kind() {
        // `Array` and `[Any]` leave the elements open.
        Kind::Array(element) => {
            matches!(keyword, Keyword::ElementType | Keyword::Items)
                && !element.get().is_plain_any()
        }
        Kind::Tuple(_) => matches!(
            keyword,
            Keyword::ElementType | Keyword::Items | Keyword::MinItems | Keyword::MaxItems
        ),
        Kind::Object(shape) => {
            matches!(keyword, Keyword::Fields | Keyword::ValueType) && !matches!(shape, Shape::Open)
        }
        Kind::Union(_) => matches!(keyword, Keyword::AnyOf | Keyword::Schema),
        _ => false,
    }
}

/// Whether a key applies to a type, for editors. A key that is not a keyword of types applies to all
/// types.
///
/// ```
/// use agent_spec::{Kind, Type, check::applies_to};
///
/// let count = Type::new(Kind::Int);
/// assert!(applies_to("minimum", &count));
/// assert!(!applies_to("pattern", &count));
/// ```
#[must_use]
pub fn applies_to(key: &str, ty: &Type) -> bool {
    let Some(keyword) = Keyword::from_name(key) else {
        return true;
    };
    // Gram has no `null` and no media, so `enum` cannot list a value.
    let has_values = !ty.kind().is_result_only();
    ty.kind().is_in(keyword.family())
        && !repeats(keyword, ty)
        && (has_values || keyword != Keyword::Enum)
}

/// Adds the constraints of the type itself to those around it. A keyword that is in both keeps its outer
/// value, and the `enum` of the type itself is left out.
fn merge(mut outer: Constraints, inner: &Constraints) -> Constraints {
    for (keyword, constraint) in inner.iter() {
        if keyword != Keyword::Enum && outer.get(keyword).is_none() {
            outer.set(keyword, constraint);
        }
    }
    outer
}

/// Reports keywords that are both around a type and in it, because only one of them would count.
fn refuse_narrowing_twice(
    reader: &mut Reader<'_>,
    inner: &Constraints,
    inner_span: Span,
    keywords: &[(Keyword, Span)],
) {
    if inner.is_none() {
        return;
    }
    for (keyword, span) in keywords {
        if inner.get(*keyword).is_some() {
            let message = format!("the type has its own `{}`", keyword.name());
            reader.report(
                Diagnostic::new(Code::MisplacedKeyword, *span, message)
                    .with_label(inner_span, "the type")
                    .with_help("keep one of them"),
            );
        }
    }
}

/// Reports the first allowed value of the inner type that the constraints around it forbid.
fn refuse_narrowed_enumeration(
    reader: &mut Reader<'_>,
    narrowed: &Type,
    allowed: &[agent_gram::Value],
    keywords: &[(Keyword, Span)],
) {
    let Some((_, place)) = keywords.first() else {
        return;
    };
    let refused = allowed
        .iter()
        .find_map(|value| fits_value_of(narrowed, value, &mut reader.patterns).err());
    if let Some(reason) = refused {
        let message = format!("a value that the type allows does not fit: {reason}");
        reader.report(
            Diagnostic::new(Code::BadDefault, *place, message)
                .with_help("narrow the type, or list fewer values in its `enum`"),
        );
    }
}

/// Reports `Null` and media in a place other than a whole result.
pub(super) fn refuse_result_only(reader: &mut Reader<'_>, ty: &Type, span: Span) {
    let (message, help) = match ty.kind() {
        Kind::Null => (
            "`Null` can only be returned".to_owned(),
            "write `optional: true` for a value that may be missing".to_owned(),
        ),
        Kind::Media(media) if reader.takes_media => (
            format!("`{}` stands only as a whole parameter", media.label()),
            "write `(name::Parts)` for several media, or for media and texts".to_owned(),
        ),
        Kind::Media(media) => (media.misplaced(), media.misplaced_help()),
        _ => return,
    };
    reader.report(Diagnostic::new(Code::MisplacedType, span, message).with_help(help));
}
