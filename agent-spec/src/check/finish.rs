//! A type put together from its label and its properties, with what does not go together reported.

use super::keywords::{self, misplaced};
use super::place::Place;
use super::properties::Properties;
use super::reader::Reader;
use super::type_reference::refuse_null;
use super::{narrow, nesting};
use crate::Nest;
use crate::diagnostic::{Code, Diagnostic};
use crate::types::{Constraints, Kind, Shape, Type};
use crate::validate;
use agent_gram::syntax::{Value, ValueKind};
use agent_gram::{Span, lower};
use std::borrow::Cow;

/// A type put together, with the default.
pub(super) struct Finished {
    pub(super) ty: Type,
    pub(super) default: Option<agent_gram::Value>,
    /// Why the default does not fit, when that is not an error yet.
    pub(super) bad_default: Option<Diagnostic>,
}

impl Properties<'_> {
    /// Puts the type together from its label's kind and the properties, and reports what does not
    /// go with it.
    pub(super) fn finish(
        self,
        reader: &mut Reader<'_>,
        base: Type,
        base_span: Span,
        place: Place,
    ) -> Finished {
        for (keyword, span) in &self.keywords {
            if let Some(wanted) = misplaced(keyword, base.kind()) {
                let message = format!(
                    "`{keyword}` goes with {wanted}, and this is `{}`",
                    base.label()
                );
                let found = Diagnostic::new(Code::MisplacedKeyword, *span, message);
                reader.report(found.with_label(base_span, "the type"));
            }
        }
        if let (Some((_, fields)), Some((_, value))) = (&self.fields, &self.value) {
            reader.report(
                Diagnostic::new(
                    Code::MisplacedKeyword,
                    *fields.max(value),
                    "`fields` and `valueType` exclude each other",
                )
                .with_label(*fields.min(value), "the other one")
                .with_help("`fields` names each key; `valueType` allows any key"),
            );
        }
        if place != Place::Result {
            refuse_null(reader, &base, base_span);
        }
        self.refuse_parts_said_twice(reader, &base, base_span);
        let optional = self.optional || base.is_optional();
        let kind = match (base.kind().clone(), self.element, self.fields, self.value) {
            (Kind::Array(_), Some((element, _)), _, _) => Kind::Array(Nest::new(element)),
            (Kind::Object(_), _, Some((fields, _)), _) => {
                Kind::Object(Shape::Fields(Cow::Owned(fields)))
            }
            (Kind::Object(_), _, _, Some((value, _))) => Kind::Object(Shape::Map(Nest::new(value))),
            (kind, ..) => kind,
        };
        let inner = base.constraints();
        narrow::refuse_narrowing_twice(reader, inner, base_span, &self.keywords);
        let mut constraints = narrow::both(self.constraints, inner);
        refuse_empty_ranges(reader, &constraints, &self.keywords);
        let required = match self.enumeration {
            None if inner.enumeration().is_empty() => Type::new(kind).with_constraints(constraints),
            None => {
                let plain = Type::new(kind).with_constraints(constraints.clone());
                let allowed = inner.enumeration();
                narrow::refuse_narrowed_enumeration(reader, &plain, allowed, &self.keywords);
                constraints.enumeration = inner.enumeration.clone();
                plain.with_constraints(constraints)
            }
            Some(values) => {
                let plain = Type::new(kind).with_constraints(constraints.clone());
                constraints.enumeration = Cow::Owned(read_enumeration(reader, values, &plain));
                plain.with_constraints(constraints)
            }
        };
        let mut bad_default = None;
        let default = self.default.and_then(|value| {
            let found = match fitting(value, &required, "the default") {
                Ok(value) => return value,
                Err(found) => found,
            };
            if place == Place::Parameter && reader.options.defer_bad_defaults {
                bad_default = Some(found);
                return Some(lower::lower_value(value));
            }
            reader.report(found);
            None
        });
        // A default makes the parameter optional already.
        let optional = optional && default.is_none();
        let ty = required.with_optional(optional);
        if matches!(place, Place::Parameter | Place::Result) {
            nesting::refuse_too_deep(reader, &ty, base_span, &self.keywords);
        }
        Finished {
            ty,
            default,
            bad_default,
        }
    }
}

impl Properties<'_> {
    /// Reports elements, fields or values that the type says already, such as
    /// `{type: "[Text]", elementType: "Int"}`: one of the two would not count.
    fn refuse_parts_said_twice(&self, reader: &mut Reader<'_>, base: &Type, base_span: Span) {
        let said = keywords::said(base);
        let mut keywords = self.keywords.iter();
        let again = keywords.find(|(keyword, _)| said.contains(keyword));
        if let Some((keyword, span)) = again {
            let message = format!("`{keyword}` says again what the type says already");
            reader.report(
                Diagnostic::new(Code::MisplacedKeyword, *span, message)
                    .with_label(base_span, "the type")
                    .with_help("keep one of them"),
            );
        }
    }
}

fn read_enumeration(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    ty: &Type,
) -> Vec<agent_gram::Value> {
    let ValueKind::Array(items) = value.kind() else {
        reader.wrong::<()>(value, "`enum`", "a list of the values allowed");
        return Vec::new();
    };
    if items.items().next().is_none() {
        reader.error(
            Code::BadValue,
            value.span(),
            "`enum` must allow at least one value",
        );
    }
    let mut allowed = Vec::new();
    for item in items.items() {
        match fitting(item, ty, "an allowed value") {
            Ok(value) => allowed.extend(value),
            Err(found) => reader.report(found),
        }
    }
    allowed
}

/// The value, if it fits the type; nothing for what the parser could not read.
fn fitting(
    value: Value<'_>,
    ty: &Type,
    what: &str,
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
    validate::fits_value(ty, &lowered).map_err(|reason| {
        let message = format!("{what} does not fit the type: {reason}");
        Diagnostic::new(Code::BadDefault, value.span(), message)
    })?;
    Ok(Some(lowered))
}

/// Reports a least that is above the greatest: no value could satisfy both.
fn refuse_empty_ranges(
    reader: &mut Reader<'_>,
    constraints: &Constraints,
    keywords: &[(&'static str, Span)],
) {
    let bounds = match (&constraints.minimum, &constraints.maximum) {
        (Some(least), Some(greatest)) => least.as_f64() > greatest.as_f64(),
        _ => false,
    };
    let above = |least: Option<u64>, greatest: Option<u64>| {
        least
            .zip(greatest)
            .is_some_and(|(least, greatest)| least > greatest)
    };
    for (is_empty, least, greatest) in [
        (bounds, "minimum", "maximum"),
        (
            above(constraints.min_length, constraints.max_length),
            "minLength",
            "maxLength",
        ),
        (
            above(constraints.min_items, constraints.max_items),
            "minItems",
            "maxItems",
        ),
    ] {
        // One of the two may stand in the type that is narrowed.
        let place = keywords
            .iter()
            .find(|(keyword, _)| *keyword == least)
            .or_else(|| keywords.iter().find(|(keyword, _)| *keyword == greatest));
        if is_empty && let Some((_, span)) = place {
            let message = format!("`{least}` is above `{greatest}`, so no value is allowed");
            reader.report(
                Diagnostic::new(Code::BadValue, *span, message)
                    .with_help("lower the one, or raise the other"),
            );
        }
    }
}
