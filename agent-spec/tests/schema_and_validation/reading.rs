//! JSON Schemas read as gram types, each shown as the gram text of a result of that type.

use agent_spec::json::Ordered;
use agent_spec::schema::{Loss, SchemaReader};
use agent_spec::{Returns, Signature, Type};
use serde_json::{Value, json};

/// The gram text of a type.
fn text_of(ty: Type) -> String {
    let text = Signature::new(vec![], Returns::new(ty)).to_string();
    let text = text.strip_prefix("()==>").expect("a result").to_owned();
    agent_spec::parse_signature(&format!("()==>{text}"))
        .unwrap_or_else(|error| panic!("{text}\n{error}"));
    text
}

fn check(reader: &SchemaReader, schema: &Value, expected: &str) {
    match reader.read_type(schema) {
        Ok(ty) => assert_eq!(text_of(ty), expected, "{schema}"),
        Err(error) => panic!("{schema}\n{error}"),
    }
}

fn check_all<const N: usize>(cases: [(Value, &str); N]) {
    for (schema, expected) in cases {
        check(&SchemaReader::new(), &schema, expected);
    }
}

#[test]
fn types_and_options() {
    check_all([
        (json!({}), "(::Any)"),
        (json!(true), "(::Any)"),
        (json!({"type": "null"}), "(::Null)"),
        (json!({"type": "string"}), "(::String)"),
        (json!({"type": ["string"]}), "(::String)"),
        (json!({"type": "integer"}), "(::Int)"),
        (json!({"type": "number"}), "(::Double)"),
        (json!({"type": ["integer", "number"]}), "(::Double)"),
        (json!({"type": "boolean"}), "(::Bool)"),
        (
            json!({"type": ["string", "null"]}),
            "(::String {optional: true})",
        ),
        (
            json!({"type": ["null", "integer"]}),
            "(::Int {optional: true})",
        ),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            "(::String {optional: true})",
        ),
        (
            json!({"oneOf": [{"type": "null"}, {"type": "array"}]}),
            "(::Array {optional: true})",
        ),
        (json!({"anyOf": [{"type": "null"}]}), "(::Null)"),
        (
            json!({"anyOf": [{}, {"type": "null"}]}),
            "(::Any {optional: true})",
        ),
        (
            json!({"anyOf": [{"anyOf": [{"type": "boolean"}, {"type": "null"}]}]}),
            "(::Bool {optional: true})",
        ),
        (
            json!({"type": "string", "title": "T", "$comment": "c", "x-y": 1}),
            "(::String)",
        ),
        (
            json!({"$schema": "s", "$id": "i", "type": "string", "examples": [1],
                   "deprecated": true, "readOnly": true, "writeOnly": false}),
            "(::String)",
        ),
    ]);
}

#[test]
fn lists_maps_and_records() {
    check_all([
        (json!({"type": "array"}), "(::Array)"),
        (json!({"type": "array", "items": true}), "(::Array)"),
        (json!({"type": "array", "uniqueItems": false}), "(::Array)"),
        (
            json!({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}),
            r#"(::Array {elementType: {type: "Array", elementType: "Int"}})"#,
        ),
        (
            json!({"type": "array", "items": {"type": ["string", "null"], "minLength": 1}, "minItems": 1.0}),
            r#"(::Array {elementType: {type: "Text", optional: true, minLength: 1}, minItems: 1})"#,
        ),
        (json!({"type": "object"}), "(::Object)"),
        (
            json!({"type": "object", "additionalProperties": true}),
            "(::Object)",
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "number"}}}}),
            r#"(::Object {valueType: {type: "Array", elementType: {type: "Object", valueType: "Double"}}})"#,
        ),
        (
            json!({"type": "object", "properties": {}}),
            "(::Object {fields: []})",
        ),
        (
            json!({"type": "object", "properties": {}, "additionalProperties": false}),
            "(::Object {fields: []})",
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": true}, "required": ["b", "c"], "additionalProperties": {}}),
            r#"(::Object {fields: [{name: "a", type: "Text", optional: true}, {name: "b", type: "Any"}, {name: "c", type: "Any"}], valueType: "Any"})"#,
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"}}),
            r#"(::Object {fields: [{name: "a", type: "Text", optional: true}], valueType: "Int"})"#,
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "unevaluatedProperties": {"type": "integer"}}),
            r#"(::Object {fields: [{name: "a", type: "Text", optional: true}], valueType: "Int"})"#,
        ),
        (
            json!({"type": "array", "prefixItems": [{"type": "number"}, {"type": ["string", "null"]}], "items": false, "minItems": 2}),
            r#"(::Array {items: ["Double", {type: "Text", optional: true}]})"#,
        ),
        (
            json!({"type": "array", "prefixItems": [{"type": "number"}], "minItems": 1, "maxItems": 1}),
            r#"(::Array {items: ["Double"]})"#,
        ),
        (
            json!({"type": "array", "items": [{"type": "number"}, {}], "additionalItems": false, "minItems": 2}),
            r#"(::Array {items: ["Double", "Any"]})"#,
        ),
        // `null` counts as absent.
        (
            json!({"type": "object", "properties": {"a": {"type": "null"}, "b": {}}}),
            r#"(::Object {fields: [{name: "b", type: "Any", optional: true}]})"#,
        ),
        (
            json!({"type": "object", "properties": {"": {"type": "string"}}, "required": [""]}),
            r#"(::Object {fields: [{name: "", type: "Text"}]})"#,
        ),
    ]);
}

#[test]
fn fields_have_descriptions_and_defaults() {
    let field = |schema: Value, required: bool| {
        let required = if required { json!(["x"]) } else { json!([]) };
        json!({"type": "object", "properties": {"x": schema}, "required": required})
    };
    check_all([
        (
            field(
                json!({"type": "string", "description": "d", "default": "v"}),
                false,
            ),
            r#"(::Object {fields: [{name: "x", type: "Text", default: "v", description: "d"}]})"#,
        ),
        // A required value never gets its default, and `null` is not a value.
        (
            field(json!({"type": "string", "default": "v"}), true),
            r#"(::Object {fields: [{name: "x", type: "Text"}]})"#,
        ),
        (
            field(json!({"type": ["string", "null"], "default": null}), false),
            r#"(::Object {fields: [{name: "x", type: "Text", optional: true}]})"#,
        ),
        (
            field(json!({"type": ["string", "null"]}), true),
            r#"(::Object {fields: [{name: "x", type: "Text", optional: true}]})"#,
        ),
        // A default of a record leaves out what may be missing.
        (
            field(
                json!({"type": "object", "properties": {"o": {"type": "string"}, "n": {"type": "integer"}}, "required": ["n"],
                       "default": {"n": 1, "o": null}}),
                false,
            ),
            r#"(::Object {fields: [{name: "x", type: "Object", default: {n: 1}, fields: [{name: "n", type: "Int"}, {name: "o", type: "Text", optional: true}]}]})"#,
        ),
        (
            field(
                json!({"type": "array", "items": {"type": "number"}, "default": [1, 2.5]}),
                false,
            ),
            r#"(::Object {fields: [{name: "x", type: "Array", default: [1, 2.5], elementType: "Double"}]})"#,
        ),
    ]);
}

#[test]
fn enumerations() {
    check_all([
        (
            json!({"type": "string", "enum": ["a", "b"]}),
            r#"(::String {enum: ["a", "b"]})"#,
        ),
        (
            json!({"enum": ["a", "b"]}),
            r#"(::String {enum: ["a", "b"]})"#,
        ),
        (json!({"enum": [1, 2]}), "(::Int {enum: [1, 2]})"),
        (json!({"enum": [1, 2.5]}), "(::Double {enum: [1, 2.5]})"),
        (json!({"const": true}), "(::Bool {enum: [true]})"),
        (json!({"enum": ["a", 1]}), r#"(::Any {enum: ["a", 1]})"#),
        (
            json!({"enum": [["a"], {"k": 1}]}),
            r#"(::Any {enum: [["a"], {k: 1}]})"#,
        ),
        (
            json!({"enum": ["a", null]}),
            r#"(::String {optional: true, enum: ["a"]})"#,
        ),
        (
            json!({"enum": ["a", 1, null]}),
            r#"(::Any {optional: true, enum: ["a", 1]})"#,
        ),
        (json!({"enum": [null]}), "(::Null)"),
        (json!({"const": null}), "(::Null)"),
        (
            json!({"type": ["string", "null"], "enum": ["a", null]}),
            r#"(::String {optional: true, enum: ["a"]})"#,
        ),
        // A value that is not listed is not allowed, also `null`.
        (
            json!({"type": ["string", "null"], "enum": ["a"]}),
            r#"(::String {enum: ["a"]})"#,
        ),
        (
            json!({"oneOf": [{"const": "a"}, {"type": "string", "const": "b"}, {"enum": ["c", "d"]}]}),
            r#"(::String {enum: ["a", "b", "c", "d"]})"#,
        ),
        (
            json!({"anyOf": [{"const": "a"}, {"const": "a"}, {"const": 2}, {"type": "null"}]}),
            r#"(::Any {optional: true, enum: ["a", 2]})"#,
        ),
        (
            json!({"oneOf": [{"const": 0}, {"const": 0.25}, {"const": 0.5}]}),
            "(::Double {enum: [0, 0.25, 0.5]})",
        ),
        (
            json!({"anyOf": [{"const": 1}, {"const": 2.5}]}),
            "(::Double {enum: [1, 2.5]})",
        ),
        (
            json!({"type": "string", "anyOf": [{"const": "a"}, {"const": "b"}]}),
            r#"(::String {enum: ["a", "b"]})"#,
        ),
        // The descriptions of single values are added to the description of the field.
        (
            json!({"type": "object", "required": ["c"], "properties": {"c": {"description": "A colour.", "oneOf": [
                {"const": "red", "description": "like blood"}, {"const": "blue"}, {"const": "green", "description": "like grass"}]}}}),
            r#"(::Object {fields: [{name: "c", type: "Text", description: "A colour.\n- \"red\": like blood\n- \"green\": like grass", enum: ["red", "blue", "green"]}]})"#,
        ),
    ]);
}

#[test]
fn keywords() {
    check_all([
        (
            json!({"type": "string", "format": "email", "minLength": 1, "maxLength": 9, "pattern": "^a"}),
            r#"(::String {format: "email", minLength: 1, maxLength: 9, pattern: "^a"})"#,
        ),
        (
            json!({"type": "integer", "format": "uint8", "minimum": 0, "maximum": 255}),
            "(::Int {minimum: 0, maximum: 255})",
        ),
        (json!({"type": "number", "format": "double"}), "(::Double)"),
        (json!({"type": "boolean", "format": "x"}), "(::Bool)"),
        (
            json!({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10}),
            "(::Int {exclusiveMinimum: 0, exclusiveMaximum: 10})",
        ),
        (
            json!({"type": "integer", "exclusiveMinimum": 0.5, "exclusiveMaximum": 3.0}),
            "(::Int {exclusiveMinimum: 0.5, exclusiveMaximum: 3.0})",
        ),
        (
            json!({"type": "integer", "minimum": 5, "exclusiveMinimum": 0, "maximum": 9, "exclusiveMaximum": 9}),
            "(::Int {minimum: 5, maximum: 9, exclusiveMinimum: 0, exclusiveMaximum: 9})",
        ),
        (
            json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1.5, "multipleOf": 0.1}),
            "(::Double {exclusiveMinimum: 0, exclusiveMaximum: 1.5, multipleOf: 0.1})",
        ),
        (
            json!({"type": "number", "minimum": 0.5, "maximum": 5}),
            "(::Double {minimum: 0.5, maximum: 5})",
        ),
        (
            json!({"type": "array", "minItems": 1, "maxItems": 3}),
            "(::Array {minItems: 1, maxItems: 3})",
        ),
    ]);
}

#[test]
fn references() {
    let with = |schema: Value| {
        let mut schema = schema;
        schema["$defs"] = json!({
            "Name": {"type": "string", "description": "A name."},
            "a/b~c d": {"type": "integer"},
            "~1": {"type": "boolean"},
            "List": {"type": "array", "items": {"$ref": "#/$defs/Name"}},
            "unused": {"not": {}},
        });
        schema
    };
    check_all([
        (with(json!({"$ref": "#/$defs/Name"})), "(::String)"),
        (with(json!({"$ref": "#/$defs/a~1b~0c%20d"})), "(::Int)"),
        (with(json!({"$ref": "#/$defs/~01"})), "(::Bool)"),
        (
            json!({"$ref": "#/definitions/N", "definitions": {"N": {"type": "integer"}}}),
            "(::Int)",
        ),
        (
            with(json!({"allOf": [{"$ref": "#/$defs/List"}], "description": "x"})),
            r#"(::Array {elementType: "Text"})"#,
        ),
        (
            with(json!({"allOf": [{"$ref": "#/$defs/Name"}, {"description": "x"}]})),
            "(::String)",
        ),
        (
            with(json!({"$ref": "#/$defs/Name", "type": "string", "minLength": 3})),
            "(::String {minLength: 3})",
        ),
        (
            with(json!({"type": "object", "properties": {
                "a": {"$ref": "#/$defs/Name"},
                "b": {"$ref": "#/$defs/Name", "description": "Its own.", "default": "x"},
                "c": {"anyOf": [{"$ref": "#/$defs/Name"}, {"type": "null"}], "default": null},
                "d": {"$ref": "#/properties/b"},
            }, "required": ["a"]})),
            concat!(
                r#"(::Object {fields: [{name: "a", type: "Text", description: "A name."}, "#,
                r#"{name: "b", type: "Text", default: "x", description: "Its own."}, "#,
                r#"{name: "c", type: "Text", optional: true, description: "A name."}, "#,
                r#"{name: "d", type: "Text", default: "x", description: "Its own."}]})"#,
            ),
        ),
        (
            json!({"type": "object", "allOf": [{"type": "object", "properties": {"a": {"type": "integer"}}}]}),
            r#"(::Object {fields: [{name: "a", type: "Int", optional: true}]})"#,
        ),
        (
            json!({"allOf": [{"type": "integer", "minimum": 1}, {"type": "number", "maximum": 9}]}),
            "(::Int {minimum: 1, maximum: 9})",
        ),
    ]);
}

#[test]
fn reads_losses_that_the_caller_allows() {
    let node = json!({"type": "object", "properties": {"next": {"$ref": "#"}, "v": {"type": "integer"}}, "required": ["v"]});
    for (loss, schema, expected) in [
        (
            Loss::ClosedObjects,
            json!({"type": "object", "properties": {}, "additionalProperties": false}),
            "(::Object {fields: []})",
        ),
        (
            Loss::RequiredNull,
            json!({"type": "object", "properties": {"a": {"type": ["integer", "null"]}}, "required": ["a"]}),
            r#"(::Object {fields: [{name: "a", type: "Int", optional: true}]})"#,
        ),
        (
            Loss::RequiredNull,
            json!({"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a"]}),
            "(::Object {fields: []})",
        ),
        (
            Loss::UniqueItems,
            json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true}),
            r#"(::Array {elementType: "Text"})"#,
        ),
        (
            Loss::Not,
            json!({"type": "integer", "minimum": -128, "not": {"const": 0}}),
            "(::Int {minimum: -128})",
        ),
        (
            Loss::Contains,
            json!({"type": "array", "contains": {"type": "string"}, "maxContains": 2}),
            "(::Array)",
        ),
        (
            Loss::PropertyCount,
            json!({"type": "object", "minProperties": 1}),
            "(::Object)",
        ),
        (
            Loss::PropertyNames,
            json!({"type": "object", "propertyNames": {"maxLength": 3}}),
            "(::Object)",
        ),
        (
            Loss::Conditions,
            json!({"type": "object", "if": {}, "then": false, "dependentRequired": {}}),
            "(::Object)",
        ),
        (
            Loss::UnknownKeywords,
            json!({"type": "string", "optional": true}),
            "(::String)",
        ),
        (
            Loss::UnknownKeywords,
            json!({"allOf": [{"type": "string"}], "nullable": true}),
            "(::String)",
        ),
        (
            Loss::Defaults,
            json!({"type": "object", "properties": {"a": {"type": "integer", "default": "0"}}}),
            r#"(::Object {fields: [{name: "a", type: "Int", optional: true}]})"#,
        ),
        (
            Loss::EnumValues,
            json!({"type": "string", "enum": ["a", 1]}),
            r#"(::String {enum: ["a"]})"#,
        ),
        (
            Loss::EnumValues,
            json!({"type": "boolean", "enum": ["True", "False"]}),
            "(::Bool)",
        ),
        (
            Loss::EnumValues,
            json!({"type": "string", "enum": ["a", null]}),
            r#"(::String {enum: ["a"]})"#,
        ),
        (
            Loss::EnumValues,
            json!({"type": "string", "enum": []}),
            "(::String)",
        ),
        (
            Loss::Patterns,
            json!({"type": "string", "pattern": "^(?!x)", "minLength": 1}),
            "(::String {minLength: 1})",
        ),
        (
            Loss::FurtherProperties,
            json!({"type": "object", "unevaluatedProperties": {"type": "integer"}, "allOf": [{}]}),
            "(::Object)",
        ),
        (
            Loss::FurtherProperties,
            json!({"type": "object", "patternProperties": {"^s_": {"type": "string"}}}),
            "(::Object)",
        ),
        (
            Loss::ClosedObjects,
            json!({"type": "object", "unevaluatedProperties": false, "allOf": [{"type": "object", "properties": {"a": true}, "required": ["a"]}]}),
            r#"(::Object {fields: [{name: "a", type: "Any"}]})"#,
        ),
        (
            Loss::PropertyNames,
            json!({"type": "object", "patternProperties": {"^\\d+$": {"type": "string"}}, "additionalProperties": false}),
            r#"(::Object {valueType: "Text"})"#,
        ),
        (
            Loss::Tuples,
            json!({"type": "array", "prefixItems": [{"type": "number"}], "items": {"type": "string"}}),
            r#"(::Array {items: ["Double"]})"#,
        ),
        (
            Loss::Tuples,
            json!({"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}], "items": false, "minItems": 1}),
            r#"(::Array {items: ["Double", "Text"]})"#,
        ),
        (
            Loss::Unions,
            json!({"anyOf": (0..65).map(|at| json!({"type": "object", "properties": {format!("f{at}"): {}}, "required": [format!("f{at}")]})).collect::<Vec<_>>()}),
            "(::Any)",
        ),
        (
            Loss::Overlaps,
            json!({"oneOf": [{"type": "string", "minLength": 2}, {"type": "string", "maxLength": 2}]}),
            r#"(::Any {anyOf: [{type: "Text", minLength: 2}, {type: "Text", maxLength: 2}]})"#,
        ),
        (
            Loss::Overlaps,
            json!({"oneOf": [{"type": "integer"}, {"type": "number"}]}),
            "(::Double)",
        ),
        (
            Loss::ImpliedTypes,
            json!({"properties": {"a": true}, "required": ["a"]}),
            r#"(::Object {fields: [{name: "a", type: "Any"}]})"#,
        ),
        (
            Loss::ImpliedTypes,
            json!({"maximum": 5}),
            "(::Double {maximum: 5})",
        ),
        (
            Loss::Overlaps,
            json!({"oneOf": [{"const": 1}, {"enum": [1, 2]}]}),
            "(::Int {enum: [1, 2]})",
        ),
        (
            Loss::Recursion,
            node,
            r#"(::Object {fields: [{name: "next", type: "Any", optional: true}, {name: "v", type: "Int"}]})"#,
        ),
    ] {
        let refused = SchemaReader::exact().read_type(&schema);
        let advice = format!("Loss::{loss:?}");
        let advised = refused
            .as_ref()
            .is_err_and(|error| error.to_string().contains(&advice));
        assert!(advised, "{schema}: {refused:?}");
        check(&SchemaReader::exact().allowing(loss), &schema, expected);

        let (_, losses) = SchemaReader::lossy()
            .read_type_with_losses(&schema)
            .expect("all losses are allowed");
        let listed = losses.iter().map(|problem| problem.loss());
        assert!(
            listed.clone().all(|listed| listed == Some(loss)),
            "{losses:?}"
        );
        assert!(listed.count() > 0, "{schema}");
    }
}

#[test]
fn words_that_say_nothing_are_passed_over() {
    for (word, value) in [
        ("propertyNames", json!({"type": "string"})),
        ("propertyNames", json!({"type": "string", "title": "Key"})),
        ("propertyNames", json!({})),
        ("minProperties", json!(0)),
        ("nullable", json!(false)),
        ("uniqueItems", json!(false)),
        ("dependentRequired", json!({})),
        ("patternProperties", json!({})),
        ("unevaluatedProperties", json!(true)),
        ("if", json!({"required": ["a"]})),
        ("then", json!(false)),
        ("minContains", json!(1)),
        ("title", json!("A title")),
        ("$comment", json!("a note")),
        ("examples", json!([{}])),
        ("deprecated", json!(true)),
        ("readOnly", json!(true)),
        ("discriminator", json!({"propertyName": "kind"})),
        ("$defs", json!({"A": {"not": {}}})),
        ("definitions", json!({"A": {"not": {}}})),
        ("components", json!({"schemas": {"A": {"not": {}}}})),
        ("additionalItems", json!(false)),
        // Keywords of other types.
        ("minLength", json!(3)),
        ("items", json!({"type": "string"})),
        ("maximum", json!(3)),
    ] {
        let mut schema = json!({"type": "object", "additionalProperties": {"type": "integer"}});
        schema[word] = value;
        check(
            &SchemaReader::exact(),
            &schema,
            r#"(::Object {valueType: "Int"})"#,
        );
    }
    for (word, value) in [
        ("additionalItems", json!(false)),
        ("unevaluatedItems", json!(false)),
    ] {
        let mut schema = json!({"type": "array", "items": {"type": "string"}});
        schema[word] = value;
        check(
            &SchemaReader::exact(),
            &schema,
            r#"(::Array {elementType: "Text"})"#,
        );
    }
}

#[test]
fn unions() {
    let record = |name: &str, schema: Value| json!({"type": "object", "properties": {name: schema}, "required": [name]});
    let cat = json!({"type": "object", "required": ["kind"], "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}}});
    let dog = json!({"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["dog", "wolf"]}}});
    let mut closed = record("a", json!(true));
    closed["additionalProperties"] = json!(false);
    for (schema, expected) in [
        (
            json!({"type": ["string", "integer", "null"], "minLength": 3, "minimum": 1}),
            r#"(::Any {optional: true, anyOf: [{type: "Text", minLength: 3}, {type: "Int", minimum: 1}]})"#,
        ),
        (
            json!({"type": ["string", "array"], "items": {"type": "string"}}),
            r#"(::Any {anyOf: ["Text", {type: "Array", elementType: "Text"}]})"#,
        ),
        (
            json!({"type": ["string", "integer"], "enum": ["a", "b"]}),
            r#"(::String {enum: ["a", "b"]})"#,
        ),
        (
            json!({"type": ["string", "integer", "null"], "enum": ["a", 1]}),
            r#"(::Any {enum: ["a", 1]})"#,
        ),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "object"}, {"type": "null"}]}),
            r#"(::Any {optional: true, anyOf: ["Text", "Object"]})"#,
        ),
        (
            json!({"anyOf": [{"type": "string"}, {"anyOf": [{"type": "integer"}, {"type": "boolean"}]}]}),
            r#"(::Any {anyOf: ["Text", "Int", "Bool"]})"#,
        ),
        (
            json!({"anyOf": [{"const": "auto"}, {"type": "integer"}]}),
            r#"(::Any {anyOf: [{type: "Text", enum: ["auto"]}, "Int"]})"#,
        ),
        // Different types.
        (
            json!({"oneOf": [{"type": "string"}, {"type": "array"}, {"type": "integer"}]}),
            r#"(::Any {anyOf: ["Text", "Array", "Int"]})"#,
        ),
        // A constant that is no value of the other.
        (
            json!({"oneOf": [{"const": 1}, {"type": "integer", "minimum": 2}]}),
            r#"(::Any {anyOf: [{type: "Int", enum: [1]}, {type: "Int", minimum: 2}]})"#,
        ),
        // A required field with other values.
        (
            json!({"oneOf": [cat, dog]}),
            concat!(
                r#"(::Any {anyOf: [{type: "Object", fields: [{name: "kind", type: "Text", enum: ["cat"]}, "#,
                r#"{name: "lives", type: "Int", optional: true}]}, "#,
                r#"{type: "Object", fields: [{name: "kind", type: "Text", enum: ["dog", "wolf"]}]}]})"#,
            ),
        ),
        // A required field of another type.
        (
            json!({"oneOf": [record("a", json!({"type": "integer"})), record("a", json!({"type": "string"}))]}),
            r#"(::Any {anyOf: [{type: "Object", fields: [{name: "a", type: "Int"}]}, {type: "Object", fields: [{name: "a", type: "Text"}]}]})"#,
        ),
        // A field that the other refuses.
        (
            json!({"oneOf": [closed, record("b", json!(true))]}),
            r#"(::Any {anyOf: [{type: "Object", fields: [{name: "a", type: "Any"}]}, {type: "Object", fields: [{name: "b", type: "Any"}]}]})"#,
        ),
        // Keywords beside the union narrow each of its types.
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                   "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
            concat!(
                r#"(::Any {anyOf: [{type: "Object", fields: [{name: "a", type: "Text"}, {name: "b", type: "Text", optional: true}]}, "#,
                r#"{type: "Object", fields: [{name: "a", type: "Text", optional: true}, {name: "b", type: "Text"}]}]})"#,
            ),
        ),
        (
            json!({"type": "string", "anyOf": [{"minLength": 3}, {"type": "integer"}]}),
            "(::String {minLength: 3})",
        ),
    ] {
        check(&SchemaReader::new(), &schema, expected);
    }
}

#[test]
fn the_description_of_a_union_tells_of_its_alternatives() {
    let page = json!({"type": "object", "properties": {"kind": {"const": "page"}}, "required": ["kind"], "description": "A page."});
    let record = json!({"type": "object", "properties": {"a": {}}, "description": "Others."});
    let target = json!({"description": "The target.", "anyOf": [page, record, {"type": "string", "description": "A name."}, {"type": "null", "description": "None."}]});
    check(
        &SchemaReader::new(),
        &json!({"type": "object", "properties": {"target": target}}),
        concat!(
            r#"(::Object {fields: [{name: "target", type: "Any", optional: true, "#,
            r#"description: "The target.\n- `kind` \"page\": A page.\n- `Object`: Others.\n- `Text`: A name.", "#,
            r#"anyOf: [{type: "Object", fields: [{name: "kind", type: "Text", enum: ["page"]}]}, "#,
            r#"{type: "Object", fields: [{name: "a", type: "Any", optional: true}]}, "Text"]}]})"#,
        ),
    );
}

#[test]
fn a_map_of_any_values_is_any_object() {
    for schema in [
        json!({"type": "object", "additionalProperties": true}),
        json!({"type": "object", "additionalProperties": {}}),
        json!({"type": "object", "additionalProperties": {"description": "anything"}}),
        json!({"type": "object", "properties": {}, "additionalProperties": true}),
        json!({"type": "object", "patternProperties": {".*": {}}}),
    ] {
        check(&SchemaReader::exact(), &schema, "(::Object)");
    }
}

#[test]
fn reads_nullable_beside_a_type_as_openapi_means_it() {
    check_all([
        (
            json!({"type": "string", "nullable": true}),
            "(::String {optional: true})",
        ),
        (
            json!({"type": "array", "items": {"type": "integer", "nullable": true}}),
            r#"(::Array {elementType: {type: "Int", optional: true}})"#,
        ),
        (
            json!({"type": "string", "enum": ["a", null], "nullable": true}),
            r#"(::String {optional: true, enum: ["a"]})"#,
        ),
    ]);
}

#[test]
fn reads_exclusive_bounds_of_draft_4() {
    check_all([
        (
            json!({"type": "integer", "minimum": 0, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false}),
            "(::Int {maximum: 9, exclusiveMinimum: 0})",
        ),
        (
            json!({"type": "number", "maximum": 1.5, "exclusiveMaximum": true}),
            "(::Double {exclusiveMaximum: 1.5})",
        ),
    ]);
}

#[test]
fn one_required_constant_tells_the_records_of_one_of_apart() {
    let circle = json!({
        "type": "object",
        "properties": {"kind": {"const": "circle", "default": "circle"}, "r": {"type": "number"}},
        "required": ["r"],
    });
    let rect = json!({
        "type": "object",
        "properties": {"kind": {"const": "rect"}, "w": {"type": "number"}},
        "required": ["kind", "w"],
    });
    for arms in [json!([circle, rect]), json!([rect, circle])] {
        let ty = SchemaReader::exact().read_type(&json!({"oneOf": arms}));
        let ty = ty.unwrap_or_else(|error| panic!("{error}"));
        assert!(ty.validate(&json!({"r": 1})).is_ok());
        assert!(ty.validate(&json!({"kind": "rect", "w": 1})).is_ok());
        assert!(ty.validate(&json!({"kind": "rect", "r": 1})).is_err());
    }
    let mut open = rect.clone();
    open["required"] = json!(["w"]);
    let both = json!({"oneOf": [circle, open]});
    let error = SchemaReader::new()
        .read_type(&both)
        .expect_err("they overlap");
    assert_eq!(error.first().loss(), Some(Loss::Overlaps));
}

#[test]
fn one_of_with_alternatives_that_may_both_fit_is_refused() {
    let record =
        |name: &str| json!({"type": "object", "properties": {name: {}}, "required": [name]});
    for arms in [
        json!([{"type": "integer"}, {"type": "number"}]),
        json!([{"type": "string"}, {"type": "string", "format": "date"}]),
        json!([{"type": "array"}, {"type": "array", "items": {"type": "string"}}]),
        json!([record("a"), record("b")]),
        json!([{"const": "a"}, {"type": "string"}]),
        json!([{}, {"type": "string"}]),
    ] {
        let schema = json!({"oneOf": arms});
        let error = SchemaReader::new()
            .read_type(&schema)
            .expect_err("they overlap");
        assert_eq!(error.first().loss(), Some(Loss::Overlaps), "{schema}");
    }
}

#[test]
fn records_of_all_of_join() {
    check_all([(
        json!({"allOf": [
            {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}, "b": {"type": "string"}}, "required": ["b"]},
            {"type": "object", "properties": {"a": {"type": "number"}, "c": {}}, "required": ["a"]},
        ]}),
        r#"(::Object {fields: [{name: "a", type: "Int", minimum: 1}, {name: "b", type: "Text"}, {name: "c", type: "Any", optional: true}]})"#,
    )]);
}

#[test]
fn maps_by_other_keywords() {
    for (word, value) in [
        ("unevaluatedProperties", json!({"type": "integer"})),
        ("patternProperties", json!({"^(.*)$": {"type": "integer"}})),
    ] {
        let mut schema = json!({"type": "object"});
        schema[word] = value;
        check(
            &SchemaReader::exact(),
            &schema,
            r#"(::Object {valueType: "Int"})"#,
        );
    }
}

#[test]
fn arms_of_any_of_collapse_only_if_another_arm_says_the_same() {
    let exact = SchemaReader::exact();
    for (arms, expected) in [
        (
            json!([{"type": "integer"}, {"type": "number"}]),
            "(::Double)",
        ),
        (
            json!([{"type": "array", "items": {"type": "integer"}}, {"type": "array", "items": {"type": "number"}}]),
            r#"(::Array {elementType: "Double"})"#,
        ),
        (
            json!([{"type": "string"}, {"type": "string", "format": "date-time"}]),
            r#"(::Any {anyOf: ["Text", {type: "Text", format: "date-time"}]})"#,
        ),
        (
            json!([{"type": "integer", "minimum": 1}, {"type": "number"}]),
            r#"(::Any {anyOf: [{type: "Int", minimum: 1}, "Double"]})"#,
        ),
        (
            json!([{"enum": ["a", "b"]}, {"type": "string"}, {"type": "null"}]),
            r#"(::Any {optional: true, anyOf: [{type: "Text", enum: ["a", "b"]}, "Text"]})"#,
        ),
        (
            json!([{"enum": ["a", "b"]}, {}]),
            r#"(::Any {optional: true, anyOf: [{type: "Text", enum: ["a", "b"]}, "Any"]})"#,
        ),
        (
            json!([{"type": "array", "items": {"type": "integer"}}, {"type": "array"}]),
            r#"(::Any {anyOf: [{type: "Array", elementType: "Int"}, "Array"]})"#,
        ),
        (
            json!([{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "object"}]),
            r#"(::Any {anyOf: [{type: "Object", fields: [{name: "a", type: "Text", optional: true}]}, "Object"]})"#,
        ),
        (json!([{"type": "integer"}, {"type": "integer"}]), "(::Int)"),
    ] {
        check(&exact, &json!({"anyOf": arms}), expected);
    }
    check(
        &exact,
        &json!({"enum": ["a", "b"], "const": "b"}),
        r#"(::String {enum: ["b"]})"#,
    );
    let one_of = json!({"oneOf": [{"type": "integer"}, {"type": "number"}]});
    assert!(exact.read_type(&one_of).is_err());
}

#[test]
fn reads_a_signature_from_two_schemas() {
    let parameters = json!({
        "type": "object",
        "properties": {
            "user-name": {"type": "string", "description": "Who."},
            "age": {"type": "integer", "default": 18},
        },
        "required": ["user-name"],
        "additionalProperties": false,
    });
    let returns = json!({"type": ["string", "null"], "description": "A greeting."});
    for (parameters, returns, expected) in [
        (
            &parameters,
            Some(&returns),
            concat!(
                "(age::Int {default: 18})==>(user-name::Text {description: \"Who.\"})",
                "==>(::String {optional: true, description: \"A greeting.\"})",
            ),
        ),
        (&json!({"type": "object"}), None, "(`*`::Any)==>(::Any)"),
        (
            &json!({"type": "object", "properties": {}}),
            Some(&json!({"type": "null"})),
            "()==>(::Null)",
        ),
    ] {
        let signature = Signature::from_schemas(parameters, returns);
        let signature = signature.unwrap_or_else(|error| panic!("{parameters}\n{error}"));
        assert_eq!(signature.to_string(), expected);
        assert_eq!(
            agent_spec::parse_signature(expected).as_ref(),
            Ok(&signature)
        );
    }
}

#[test]
fn our_own_schemas_keep_the_order_of_parameters() {
    let text = "(z::Text)==>(a::Object {fields: [{name: \"y\", type: \"Int\"}, {name: \"b\", type: \"Int\"}]})==>(m::Int)==>(::Object {fields: [{name: \"d\", type: \"Int\"}, {name: \"c\", type: \"Int\"}]})";
    let signature = agent_spec::parse_signature(text).expect("a signature");
    let (schema, returns) = (signature.schema(), signature.return_schema());
    let read = Signature::from_schemas(&schema, Some(&returns)).expect("readable");
    assert_eq!(read.to_string(), text);
    let (schema, returns) = (schema.to_ordered(), returns.to_ordered());
    let read = Signature::from_schemas(&schema, Some(&returns)).expect("readable");
    assert_eq!(read.to_string(), text);
}

#[test]
fn keeps_the_order_of_a_schema_in_text() {
    let text = r##"{"type":"object","properties":{"z":{"$ref":"#/$defs/R"},"a":{"type":"integer"}},"required":["a"],"$defs":{"R":{"type":"object","properties":{"y":true,"b":true}}}}"##;
    let schema: Ordered = serde_json::from_str(text).expect("JSON");
    let signature = Signature::from_schemas(&schema, None).expect("readable");
    assert_eq!(
        signature.to_string(),
        concat!(
            r#"(z::Object {optional: true, fields: [{name: "y", type: "Any", optional: true}, "#,
            r#"{name: "b", type: "Any", optional: true}]})==>(a::Int)==>(::Any)"#,
        )
    );
}
