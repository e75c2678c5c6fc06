//! How deep a type nests.
//!
//! Type expressions are short: what they nest once, gram nests up to twice. So a document may hold a
//! type that no pattern could, and every agent must have a pattern.

use super::reader::Reader;
use crate::diagnostic::Code;
use crate::types::{Field, Kind, Shape, Type, fields_of};
use crate::write::is_label_only;
use agent_gram::{Span, Value};

/// How deep a type may nest as gram writes it, so that there is room for what stands around it: the
/// record, the node, the signature, the tool and the agent.
const MOST: usize = agent_gram::MAX_DEPTH - 6;

/// Reports a type that no pattern could hold.
pub(super) fn refuse_too_deep(
    reader: &mut Reader<'_>,
    ty: &Type,
    ty_span: Span,
    keywords: &[(&'static str, Span)],
) {
    if of_type(ty) > MOST {
        let parts = ["fields", "elementType", "valueType", "enum"];
        let deep = keywords.iter().find(|(keyword, _)| parts.contains(keyword));
        let span = deep.map_or(ty_span, |(_, span)| *span);
        let message = format!("the type nests more than {MOST} deep");
        reader.error(Code::GramTooDeep, span, message);
    }
}

/// How many brackets and braces stand inside each other when the type is written as gram, at most.
fn of_type(ty: &Type) -> usize {
    let parts = match ty.kind() {
        Kind::Array(inner) | Kind::Object(Shape::Map(inner)) => of_part(inner.get()),
        Kind::Object(Shape::Fields(fields)) => {
            // A list of maps.
            2 + fields_of(fields).iter().map(of_field).max().unwrap_or(0)
        }
        _ => 0,
    };
    let values = ty.constraints().enumeration().iter().map(of_value).max();
    parts.max(values.map_or(0, |deepest| 1 + deepest))
}

/// Of an element or a value: a label is enough for some, others are maps.
fn of_part(ty: &Type) -> usize {
    if is_label_only(ty) {
        0
    } else {
        1 + of_type(ty)
    }
}

fn of_field(field: &Field) -> usize {
    of_type(field.ty()).max(field.default().map_or(0, of_value))
}

fn of_value(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.as_slice().iter().map(of_value).max().unwrap_or(0),
        Value::Map(record) => {
            let entries = record.entries().iter();
            1 + entries.map(|(_, value)| of_value(value)).max().unwrap_or(0)
        }
        _ => 0,
    }
}
