//! How deep a type nests when it is written as gram.

use crate::check::reader::Reader;
use crate::diagnostic::Code;
use crate::vocabulary::{Keyword, KeywordValue};
use agent_gram::Span;
use agent_types::__private::json_depth;
use agent_types::types::{fields_of, types_of};
use agent_types::{Field, Kind, Shape, Type};

/// The maximum nesting of a type in gram. It leaves room for the record, the node, the signature, the
/// tool and the agent around the type.
const MOST: usize = agent_gram::MAX_DEPTH - 6;

/// Reports a type that no pattern could hold.
pub(super) fn refuse_too_deep(
    reader: &mut Reader<'_>,
    ty: &Type,
    ty_span: Span,
    keywords: &[(Keyword, Span)],
) {
    if depth_of_type(ty) > MOST {
        let deep = keywords.iter().find(|(keyword, _)| {
            let value = keyword.value();
            matches!(value, KeywordValue::Part | KeywordValue::Values)
        });
        let span = deep.map_or(ty_span, |(_, span)| *span);
        let message = format!("the type nests more than {MOST} deep");
        reader.error(Code::GramTooDeep, span, message);
    }
}

/// Returns the maximum number of brackets and braces inside each other when the type is written as gram.
fn depth_of_type(ty: &Type) -> usize {
    let parts = match ty.kind() {
        Kind::Array(inner) | Kind::Object(Shape::Map(inner)) => depth_of_part(inner.get()),
        Kind::Object(Shape::Fields(fields)) => depth_of_fields(fields_of(fields)),
        Kind::Object(Shape::Extended(fields, values)) => {
            depth_of_fields(fields_of(fields)).max(depth_of_part(values.get()))
        }
        Kind::Tuple(types) | Kind::Union(types) => {
            1 + types_of(types).iter().map(depth_of_part).max().unwrap_or(0)
        }
        _ => 0,
    };
    let values = ty
        .constraints()
        .enumeration()
        .iter()
        .map(depth_of_value)
        .max();
    // An object inside an object takes two levels of JSON Schema, `properties` and the property's schema,
    // but one level of gram.
    let schema = ty.constraints().schema.as_ref();
    let schema = schema.map_or(0, |text| json_depth(text) / 2);
    parts
        .max(values.map_or(0, |deepest| 1 + deepest))
        .max(schema)
}

/// Returns the nesting of an element or a value: 0 when its label is enough, else that of a map.
fn depth_of_part(ty: &Type) -> usize {
    if ty.is_label_only() {
        0
    } else {
        1 + depth_of_type(ty)
    }
}

/// Returns the nesting of a list of maps, one for each field.
fn depth_of_fields(fields: &[Field]) -> usize {
    2 + fields.iter().map(depth_of_field).max().unwrap_or(0)
}

fn depth_of_field(field: &Field) -> usize {
    depth_of_type(field.ty()).max(field.default().map_or(0, depth_of_value))
}

fn depth_of_value(value: &agent_gram::Value) -> usize {
    match value {
        agent_gram::Value::Array(items) => {
            1 + items
                .as_slice()
                .iter()
                .map(depth_of_value)
                .max()
                .unwrap_or(0)
        }
        agent_gram::Value::Map(record) => {
            let entries = record.entries().iter();
            1 + entries
                .map(|(_, value)| depth_of_value(value))
                .max()
                .unwrap_or(0)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::depth_of_type;

    #[test]
    fn counts_the_brackets_that_nest_in_a_type() {
        for (ty, expected) in [
            ("Int", 0),
            ("Int {minimum: 1}", 0),
            ("Array {elementType: \"Int\"}", 0),
            ("Array {elementType: {type: \"Int\", minimum: 1}}", 1),
            (
                "Array {elementType: {type: \"Array\", elementType: {type: \"Int\", minimum: 1}}}",
                2,
            ),
            ("Object {valueType: {type: \"Int\", minimum: 1}}", 1),
            ("Object {fields: [{name: \"a\", type: \"Int\"}]}", 2),
            (
                "Object {fields: [{name: \"a\", type: \"Array\", default: [[1]]}]}",
                4,
            ),
            ("Any {anyOf: [\"Int\", \"Text\"]}", 1),
            ("Any {anyOf: [\"Int\", {type: \"Text\", maxLength: 1}]}", 2),
            ("Array {items: [\"Int\", \"[Text]\"]}", 2),
            (
                "Object {fields: [{name: \"a\", type: \"Int\"}], valueType: \"Int\"}",
                2,
            ),
            ("Any {enum: [1, 2]}", 1),
            ("Any {enum: [[1], [[2]]]}", 3),
            ("Any {enum: [{a: 1}]}", 2),
            ("Any {enum: [{a: {b: {}}}]}", 4),
            ("Any {enum: [{a: [{b: 1}]}, 1]}", 4),
        ] {
            let signature = crate::parse_signature(&format!("(p::{ty})==>(::Any)"));
            let signature = signature.expect("a signature");
            assert_eq!(depth_of_type(signature.params()[0].ty()), expected, "{ty}");
        }
    }
}
