//! Narrowing what is narrowed already: `{type: {type: "Text", minLength: 1}, maxLength: 3}`.

use super::reader::Reader;
use crate::diagnostic::{Code, Diagnostic};
use crate::types::{Constraints, Type};
use crate::validate;
use agent_gram::{Span, Value};

/// What is said around a type and what the type itself says. Enumerations are left out.
pub(super) fn both(outer: Constraints, inner: &Constraints) -> Constraints {
    // Most types are narrowed in one place or not at all.
    if inner.is_none() {
        return outer;
    }
    let inner = inner.clone();
    Constraints {
        enumeration: Constraints::NONE.enumeration,
        format: outer.format.or(inner.format),
        minimum: outer.minimum.or(inner.minimum),
        maximum: outer.maximum.or(inner.maximum),
        min_length: outer.min_length.or(inner.min_length),
        max_length: outer.max_length.or(inner.max_length),
        pattern: outer.pattern.or(inner.pattern),
        min_items: outer.min_items.or(inner.min_items),
        max_items: outer.max_items.or(inner.max_items),
    }
}

/// Reports keywords that stand both around a type and in it: only one of them would count.
pub(super) fn refuse_narrowing_twice(
    reader: &mut Reader<'_>,
    inner: &Constraints,
    inner_span: Span,
    keywords: &[(&'static str, Span)],
) {
    if inner.is_none() {
        return;
    }
    for (keyword, span) in keywords {
        if inner.keywords().any(|own| own == *keyword) {
            let message = format!("the type has its own `{keyword}`");
            reader.report(
                Diagnostic::new(Code::MisplacedKeyword, *span, message)
                    .with_label(inner_span, "the type")
                    .with_help("keep one of them"),
            );
        }
    }
}

/// Reports the first allowed value of the inner type that what stands around it forbids.
pub(super) fn refuse_narrowed_enumeration(
    reader: &mut Reader<'_>,
    narrowed: &Type,
    allowed: &[Value],
    keywords: &[(&'static str, Span)],
) {
    let Some((_, place)) = keywords.first() else {
        return;
    };
    let refused = allowed
        .iter()
        .find_map(|value| validate::fits_value(narrowed, value).err());
    if let Some(reason) = refused {
        let message = format!("a value that the type allows does not fit: {reason}");
        reader.report(
            Diagnostic::new(Code::BadDefault, *place, message)
                .with_help("narrow the type, or list fewer values in its `enum`"),
        );
    }
}
