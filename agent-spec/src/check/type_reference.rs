//! Types where a value stands: a label in quotes or bare, a type expression in quotes, or a map
//! `{type, …}`.

use super::place::Place;
use super::properties::read_properties;
use super::reader::Reader;
use crate::diagnostic::{Code, Diagnostic};
use crate::names::nearest;
use crate::type_expression::parse_type;
use crate::types::{Kind, TYPE_LABELS, Type};
use agent_gram::Span;
use agent_gram::syntax::{Value, ValueKind};

/// Reads the type that a value stands for.
pub(super) fn read_type_reference(reader: &mut Reader<'_>, value: Value<'_>) -> Option<Type> {
    match value.kind() {
        ValueKind::String { text, .. } if is_word(text) => read_label(reader, text, value.span()),
        ValueKind::String { text, .. } => read_expression(reader, text, value.span()),
        ValueKind::Symbol(symbol) => read_label(reader, symbol, value.span()),
        ValueKind::Map(record) => {
            let mut read = read_properties(reader, record, Place::Type);
            match read.ty.take() {
                Some((ty, span)) => Some(read.finish(reader, ty, span, Place::Type).ty),
                None => {
                    if read.places.label == Span::default() {
                        reader.error(
                            Code::MissingType,
                            value.span(),
                            "a type in a map needs `type`",
                        );
                    }
                    None
                }
            }
        }
        _ => reader.wrong(
            value,
            "a type",
            "a type label such as \"Text\", or a map `{type: …}`",
        ),
    }
}

/// Reads the type of what stands inside another type: an element, a value or a field.
pub(super) fn read_inner_type(reader: &mut Reader<'_>, value: Value<'_>) -> Option<Type> {
    let ty = read_type_reference(reader, value)?;
    refuse_null(reader, &ty, value.span());
    Some(ty)
}

/// Reports `Null` where nothing is returned.
pub(super) fn refuse_null(reader: &mut Reader<'_>, ty: &Type, span: Span) {
    if matches!(ty.kind(), Kind::Null) {
        let message = "`Null` can only be returned";
        reader.report(
            Diagnostic::new(Code::MisplacedType, span, message)
                .with_help("write `optional: true` for a value that may be missing"),
        );
    }
}

/// Whether a text is a label and no expression.
fn is_word(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Reads a type expression. The text may hold escapes, so findings are about the whole of it.
fn read_expression(reader: &mut Reader<'_>, text: &str, span: Span) -> Option<Type> {
    match parse_type(text) {
        Ok(ty) => Some(ty),
        Err(error) => {
            let found = Diagnostic::new(Code::UnknownType, span, error.message);
            reader.report(match error.help {
                Some(help) => found.with_help(help),
                None => found.with_help(
                    "a type is a label, `[T]`, `Maybe T`, `Map T`, `{name: T, …}` or `(T)`",
                ),
            });
            None
        }
    }
}

/// Reads a type label.
pub(super) fn read_label(reader: &mut Reader<'_>, label: &str, span: Span) -> Option<Type> {
    if let Some(kind) = Kind::from_label(label) {
        return Some(Type::new(kind));
    }
    let found = Diagnostic::new(Code::UnknownType, span, format!("`{label}` is not a type"));
    reader.report(match nearest(label, TYPE_LABELS) {
        Some(meant) => found.with_help(format!("did you mean `{meant}`?")),
        None => found.with_help(
            "the types are `Text`, `Int`, `Double`, `Bool`, `Object`, `Array` and `Any`, \
             and `String` or `Null` for a result",
        ),
    });
    None
}
