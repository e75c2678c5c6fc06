//! The mapping of types to JSON Schema, which 000 prints as a list.

use crate::documents::location::Document::ToolContract;
use crate::documents::location::{Location, at};
use crate::documents::rows::{Row, check_rows};
use serde_json::{Value, from_str, json};

pub(crate) struct TypeRow {
    pub(crate) place: Location,
    /// The type, with the placeholders `T`, `T1` and `T2` replaced by types.
    expression: &'static str,
    /// The schema of a value.
    schema: &'static str,
    required: bool,
}

impl Row for TypeRow {
    fn place(&self) -> Location {
        self.place
    }
}

/// Types that are a label.
pub(crate) const LABELS: &[TypeRow] = &[
    TypeRow {
        place: at(ToolContract, "Type Mapping › Text"),
        expression: "Text",
        schema: r#"{"type":"string"}"#,
        required: true,
    },
    TypeRow {
        place: at(ToolContract, "Type Mapping › Int"),
        expression: "Int",
        schema: r#"{"type":"integer"}"#,
        required: true,
    },
    TypeRow {
        place: at(ToolContract, "Type Mapping › Double"),
        expression: "Double",
        schema: r#"{"type":"number"}"#,
        required: true,
    },
    TypeRow {
        place: at(ToolContract, "Type Mapping › Bool"),
        expression: "Bool",
        schema: r#"{"type":"boolean"}"#,
        required: true,
    },
];

/// Types that are made of others. Gram has no place for these but a text.
pub(crate) const EXPRESSIONS: &[TypeRow] = &[
    TypeRow {
        place: at(ToolContract, "Type Mapping › Maybe T"),
        expression: "Maybe Int",
        schema: r#"{"type":"integer"}"#,
        required: false,
    },
    TypeRow {
        place: at(ToolContract, "Type Mapping › {field1: T1, field2: T2}"),
        expression: "{field1: Text, field2: Int}",
        schema: r#"{
            "type": "object",
            "properties": {"field1": {"type": "string"}, "field2": {"type": "integer"}},
            "required": ["field1", "field2"]
        }"#,
        required: true,
    },
    TypeRow {
        place: at(ToolContract, "Type Mapping › [T]"),
        expression: "[Text]",
        schema: r#"{"type":"array","items":{"type":"string"}}"#,
        required: true,
    },
];

/// Checks the schema that a signature gives to its parameter `x`.
fn check_schema(row: &TypeRow, schema: &Value, text: &str) {
    let expected: Value = from_str(row.schema).expect("the row has JSON");
    assert_eq!(schema["properties"]["x"], expected, "{text}");
    let required = if row.required {
        json!(["x"])
    } else {
        json!([])
    };
    assert_eq!(schema["required"], required, "{text}");
}

fn schema_of(text: &str) -> Value {
    let signature =
        agent_runtime::spec::parse_signature(text).unwrap_or_else(|found| panic!("{found}"));
    signature.schema().to_value()
}

/// The forms in which a type stands as text, in the field `x` of a record.
fn check_as_text(row: &TypeRow) {
    let expression = row.expression;
    for fields in [
        format!("{{x: \"{expression}\"}}"),
        format!("{{x: {{type: \"{expression}\"}}}}"),
        format!("[{{name: \"x\", type: \"{expression}\"}}]"),
    ] {
        let text = format!("(record::Object {{fields: {fields}}})==>(::String)");
        check_schema(row, &schema_of(&text)["properties"]["record"], &text);
    }
}

#[test]
fn labels_of_parameters() {
    check_rows(LABELS, |row| {
        let text = format!("(x::{})==>(::String)", row.expression);
        check_schema(row, &schema_of(&text), &text);
    });
}

#[test]
fn labels_as_text() {
    check_rows(LABELS, check_as_text);
}

#[test]
fn expressions_as_text() {
    check_rows(EXPRESSIONS, check_as_text);
}

/// Properties of a parameter mean the same as expressions in text.
#[test]
fn the_same_with_properties() {
    let properties = [
        "Int {optional: true}",
        r#"Object {fields: [{name: "field1", type: "Text"}, {name: "field2", type: "Int"}]}"#,
        r#"Array {elementType: "Text"}"#,
    ];
    assert_eq!(EXPRESSIONS.len(), properties.len());
    for (row, properties) in EXPRESSIONS.iter().zip(properties) {
        let text = format!("(x::{properties})==>(::String)");
        check_schema(row, &schema_of(&text), &text);
    }
}
