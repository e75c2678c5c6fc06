//! Every property of a parameter, in every place where it may stand: read, written, as a schema,
//! in validation, and read again from the schema.

use agent_spec::Signature;
use serde_json::{Value, json};

/// A property, with the schema it makes and a value that it allows and one that it refuses.
struct Property {
    label: &'static str,
    text: &'static str,
    schema: Value,
    good: Value,
    bad: Value,
}

fn property(
    label: &'static str,
    text: &'static str,
    schema: Value,
    good: Value,
    bad: Value,
) -> Property {
    Property {
        label,
        text,
        schema,
        good,
        bad,
    }
}

/// The properties that narrow a type, which may stand wherever a type does.
fn narrowing() -> Vec<Property> {
    vec![
        property(
            "Array",
            r#"elementType: "Int""#,
            json!({"type": "array", "items": {"type": "integer"}}),
            json!([1]),
            json!(["1"]),
        ),
        property(
            "Object",
            r#"valueType: "Bool""#,
            json!({"type": "object", "additionalProperties": {"type": "boolean"}}),
            json!({"k": true}),
            json!({"k": 1}),
        ),
        property(
            "Object",
            r#"fields: [{name: "x", type: "Int"}, {name: "y", type: "Text", optional: true}]"#,
            json!({"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "string"}}, "required": ["x"]}),
            json!({"x": 1}),
            json!({"y": "b"}),
        ),
        property(
            "Object",
            r#"fields: [{name: "x", type: "Array", default: [{z: "u"}], description: "d", elementType: {type: "Object", optional: true, fields: [{name: "z", type: "Text", enum: ["u"]}]}}]"#,
            json!({"type": "object", "required": [], "properties": {"x": {
                "type": "array", "description": "d", "default": [{"z": "u"}],
                "items": {"type": ["object", "null"], "properties": {"z": {"type": "string", "enum": ["u"]}}, "required": ["z"]},
            }}}),
            json!({"x": [null, {"z": "u"}]}),
            json!({"x": [{"z": "v"}]}),
        ),
        property(
            "Text",
            r#"enum: ["a", "b"]"#,
            json!({"type": "string", "enum": ["a", "b"]}),
            json!("b"),
            json!("c"),
        ),
        property(
            "Int",
            "enum: [1, 2]",
            json!({"type": "integer", "enum": [1, 2]}),
            json!(2),
            json!(3),
        ),
        property(
            "Text",
            r#"format: "date""#,
            json!({"type": "string", "format": "date"}),
            json!("2026-11-21"),
            json!("x"),
        ),
        property(
            "Int",
            "minimum: 1",
            json!({"type": "integer", "minimum": 1}),
            json!(1),
            json!(0),
        ),
        property(
            "Double",
            "maximum: 2.5",
            json!({"type": "number", "maximum": 2.5}),
            json!(2.5),
            json!(3),
        ),
        property(
            "Text",
            "minLength: 2",
            json!({"type": "string", "minLength": 2}),
            json!("äö"),
            json!("ä"),
        ),
        property(
            "Text",
            "maxLength: 2",
            json!({"type": "string", "maxLength": 2}),
            json!("äö"),
            json!("äöü"),
        ),
        property(
            "Text",
            r#"pattern: "^a""#,
            json!({"type": "string", "pattern": "^a"}),
            json!("ab"),
            json!("b"),
        ),
        property(
            "Array",
            "minItems: 1",
            json!({"type": "array", "minItems": 1}),
            json!([1]),
            json!([]),
        ),
        property(
            "Array",
            "maxItems: 1",
            json!({"type": "array", "maxItems": 1}),
            json!([1]),
            json!([1, 2]),
        ),
        property(
            "Text",
            r#"format: "x", minLength: 1, maxLength: 2, pattern: "b""#,
            json!({"type": "string", "format": "x", "minLength": 1, "maxLength": 2, "pattern": "b"}),
            json!("ab"),
            json!("a"),
        ),
    ]
}

/// A place for a type: what stands before and after its record, where its schema is in that of the
/// arguments or of the result, and how a value gets there.
struct Location {
    name: &'static str,
    text: fn(&str, &str) -> String,
    pointer: &'static str,
    value: fn(Value) -> Value,
}

const PLACES: [Location; 7] = [
    Location {
        name: "a parameter",
        text: |label, entries| format!("(p::{label} {{{entries}}})==>(::Any)"),
        pointer: "/properties/p",
        value: |value| json!({"p": value}),
    },
    Location {
        name: "a result",
        text: |label, entries| {
            let label = if label == "Text" { "String" } else { label };
            format!("()==>(::{label} {{{entries}}})")
        },
        pointer: "",
        value: |value| value,
    },
    Location {
        name: "a field",
        text: |label, entries| {
            format!(
                r#"(p::Object {{fields: [{{name: "f", type: "{label}", {entries}}}]}})==>(::Any)"#
            )
        },
        pointer: "/properties/p/properties/f",
        value: |value| json!({"p": {"f": value}}),
    },
    Location {
        name: "an element",
        text: |label, entries| {
            format!(r#"(p::Array {{elementType: {{type: "{label}", {entries}}}}})==>(::Any)"#)
        },
        pointer: "/properties/p/items",
        value: |value| json!({"p": [value]}),
    },
    Location {
        name: "a value of a map",
        text: |label, entries| {
            format!(r#"(p::Object {{valueType: {{type: "{label}", {entries}}}}})==>(::Any)"#)
        },
        pointer: "/properties/p/additionalProperties",
        value: |value| json!({"p": {"k": value}}),
    },
    Location {
        name: "a list of maps of lists",
        text: |label, entries| {
            format!(
                r#"(p::Array {{elementType: {{type: "Object", valueType: {{type: "Array", elementType: {{type: "{label}", {entries}}}}}}}}})==>(::Any)"#
            )
        },
        pointer: "/properties/p/items/additionalProperties/items",
        value: |value| json!({"p": [{"k": [value]}]}),
    },
    Location {
        name: "a map of records of records",
        text: |label, entries| {
            format!(
                r#"(p::Object {{valueType: {{type: "Object", fields: [{{name: "r", type: "Object", fields: [{{name: "f", type: "{label}", {entries}}}]}}]}}}})==>(::Any)"#
            )
        },
        pointer: "/properties/p/additionalProperties/properties/r/properties/f",
        value: |value| json!({"p": {"k": {"r": {"f": value}}}}),
    },
];

impl Location {
    fn is_result(&self) -> bool {
        self.pointer.is_empty()
    }

    /// Whether being optional is said by `required`, and a default and a description may stand.
    fn is_named(&self) -> bool {
        self.pointer.contains("properties")
            && !self.pointer.ends_with("items")
            && !self.pointer.ends_with("additionalProperties")
    }

    /// The signature, whose text is canonical and whose schemas lead back to it.
    fn signature(&self, label: &str, entries: &str) -> Signature {
        let text = (self.text)(label, entries);
        let signature =
            agent_spec::parse_signature(&text).unwrap_or_else(|error| panic!("{text}\n{error}"));
        assert_eq!(signature.to_string(), text, "{}", self.name);
        let (schema, returns) = (signature.schema(), signature.return_schema());
        let read = Signature::from_schemas(&schema, Some(&returns));
        assert_eq!(read.as_ref(), Ok(&signature), "{text}");
        assert_eq!(read.expect("readable").to_string(), text);
        signature
    }

    fn schema(&self, signature: &Signature) -> Value {
        let schema = if self.is_result() {
            signature.return_schema()
        } else {
            signature.schema()
        };
        let schema = schema.to_value();
        schema.pointer(self.pointer).expect("the place").clone()
    }

    fn allows(&self, signature: &Signature, value: &Value) -> bool {
        let value = (self.value)(value.clone());
        if self.is_result() {
            signature.returns().ty().validate(&value).is_ok()
        } else {
            signature.check_arguments(&value.to_string(), None).is_ok()
        }
    }
}

#[test]
fn every_keyword_works_wherever_a_type_does() {
    for property in narrowing() {
        for place in &PLACES {
            let signature = place.signature(property.label, property.text);
            let at = format!("{} in {}", property.text, place.name);
            assert_eq!(place.schema(&signature), property.schema, "{at}");
            assert!(place.allows(&signature, &property.good), "{at}");
            assert!(!place.allows(&signature, &property.bad), "{at}");
        }
    }
}

#[test]
fn every_type_can_be_optional_everywhere() {
    for property in narrowing() {
        for place in &PLACES {
            let signature = place.signature(
                property.label,
                &format!("optional: true, {}", property.text),
            );
            let at = format!("{} in {}", property.text, place.name);
            assert!(place.allows(&signature, &property.good), "{at}");
            assert!(place.allows(&signature, &Value::Null), "{at}");
            assert!(!place.allows(&signature, &property.bad), "{at}");
            let mut expected = property.schema.clone();
            if !place.is_named() {
                expected["type"] = json!([expected["type"], "null"]);
                if let Some(Value::Array(values)) = expected.get_mut("enum") {
                    values.push(Value::Null);
                }
            }
            assert_eq!(place.schema(&signature), expected, "{at}");
        }
    }
}

#[test]
fn fields_and_parameters_have_defaults_and_descriptions() {
    for place in PLACES.iter().filter(|place| place.is_named()) {
        let entries = r#"default: "ab", description: "What \"it\" is.", minLength: 2"#;
        let signature = place.signature("Text", entries);
        assert_eq!(
            place.schema(&signature),
            json!({"type": "string", "description": "What \"it\" is.", "default": "ab", "minLength": 2}),
            "{}",
            place.name
        );
        assert!(place.allows(&signature, &json!(null)), "{}", place.name);
        let (text, wrong) = ((place.text)("Text", "default: 1"), "default does not fit");
        let error = agent_spec::parse_signature(&text)
            .expect_err(&text)
            .to_string();
        assert!(error.contains(wrong), "{error}");
    }
    let result = PLACES
        .iter()
        .find(|place| place.is_result())
        .expect("a result");
    let signature = result.signature("Text", r#"description: "d""#);
    assert_eq!(
        result.schema(&signature),
        json!({"type": "string", "description": "d"})
    );
    assert!(agent_spec::parse_signature(r#"()==>(::String {default: "x"})"#).is_err());
}

/// Other forms of the same, each with its canonical text and its schema.
#[test]
fn every_form_of_a_type_is_one_type() {
    for (source, canonical, schema) in [
        // Fields as a map, labels bare, quoted, as an expression and as a map.
        (
            r#"(u::Object {fields: {name: Text, age: "Maybe Int", tags: "[Text]", home: {type: Object, fields: {zip: "Int"}}, by: "Map [Maybe {x: Double}]"}})"#,
            r#"(u::Object {fields: [{name: "name", type: "Text"}, {name: "age", type: "Int", optional: true}, {name: "tags", type: "Array", elementType: "Text"}, {name: "home", type: "Object", fields: [{name: "zip", type: "Int"}]}, {name: "by", type: "Object", valueType: {type: "Array", elementType: {type: "Object", optional: true, fields: [{name: "x", type: "Double"}]}}}]})"#,
            json!({"type": "object", "required": ["name", "tags", "home", "by"], "properties": {
                "name": {"type": "string"},
                "age": {"type": "integer"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "home": {"type": "object", "properties": {"zip": {"type": "integer"}}, "required": ["zip"]},
                "by": {"type": "object", "additionalProperties": {"type": "array", "items": {
                    "type": ["object", "null"], "properties": {"x": {"type": "number"}}, "required": ["x"]}}},
            }}),
        ),
        (
            r#"(u::Object {fields: [{type: "{a: {b: [Maybe Text]}}", name: "deep", optional: true}]})"#,
            r#"(u::Object {fields: [{name: "deep", type: "Object", optional: true, fields: [{name: "a", type: "Object", fields: [{name: "b", type: "Array", elementType: {type: "Text", optional: true}}]}]}]})"#,
            json!({"type": "object", "required": [], "properties": {"deep": {"type": "object", "required": ["a"], "properties": {
                "a": {"type": "object", "required": ["b"], "properties": {"b": {"type": "array", "items": {"type": ["string", "null"]}}}}}}}}),
        ),
        (
            r#"(u::Array {elementType: "Map [Int]"})"#,
            r#"(u::Array {elementType: {type: "Object", valueType: {type: "Array", elementType: "Int"}}})"#,
            json!({"type": "array", "items": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}}}),
        ),
        (
            r#"(u::Object {valueType: "{id: Text, parent: Maybe Text}"})"#,
            r#"(u::Object {valueType: {type: "Object", fields: [{name: "id", type: "Text"}, {name: "parent", type: "Text", optional: true}]}})"#,
            json!({"type": "object", "additionalProperties": {"type": "object", "required": ["id"], "properties": {
                "id": {"type": "string"}, "parent": {"type": "string"}}}}),
        ),
        (
            r#"(u::Object {valueType: "Maybe Int"})"#,
            r#"(u::Object {valueType: {type: "Int", optional: true}})"#,
            json!({"type": "object", "additionalProperties": {"type": ["integer", "null"]}}),
        ),
        // A type that is narrowed further where it stands.
        (
            r#"(u::Array {elementType: {type: "[Text]", minItems: 1}, maxItems: 2})"#,
            r#"(u::Array {elementType: {type: "Array", elementType: "Text", minItems: 1}, maxItems: 2})"#,
            json!({"type": "array", "maxItems": 2, "items": {"type": "array", "minItems": 1, "items": {"type": "string"}}}),
        ),
        (
            r#"(u::Array {elementType: {type: "Maybe Text", enum: ["a"]}})"#,
            r#"(u::Array {elementType: {type: "Text", optional: true, enum: ["a"]}})"#,
            json!({"type": "array", "items": {"type": ["string", "null"], "enum": ["a", null]}}),
        ),
        (
            "(u::Object {fields: {}})",
            "(u::Object {fields: []})",
            json!({"type": "object", "properties": {}, "required": []}),
        ),
    ] {
        let signature = agent_spec::parse_signature(&format!("{source}==>(::Any)"))
            .unwrap_or_else(|error| panic!("{source}\n{error}"));
        assert_eq!(signature.to_string(), format!("{canonical}==>(::Any)"));
        assert_eq!(
            agent_spec::parse_signature(&signature.to_string()).as_ref(),
            Ok(&signature)
        );
        assert_eq!(
            signature.schema().to_value()["properties"]["u"],
            schema,
            "{source}"
        );
        let read = Signature::from_schemas(&signature.schema(), None).expect("readable");
        assert_eq!(read.to_string(), signature.to_string());
        // The same as a result.
        let result = source.strip_prefix("(u").expect("a parameter");
        let signature = agent_spec::parse_signature(&format!("()==>({result}"))
            .unwrap_or_else(|error| panic!("{source}\n{error}"));
        assert_eq!(signature.return_schema().to_value(), schema, "{source}");
    }
}
