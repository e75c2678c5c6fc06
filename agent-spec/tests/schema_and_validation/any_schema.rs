//! JSON Schemas in gram: the keyword `schema` of `Any`, written, read and compared.

use crate::schema_and_validation::foreign_tools::Construct;
use agent_spec::schema::{Loss, SchemaReader, canonical_schema, same_schema};
use agent_spec::{Kind, Signature, Type};
use serde_json::{Value, json};

fn reader() -> SchemaReader {
    SchemaReader::new().keeping_the_rest()
}

/// Reads a schema of arguments, and checks that its signature can be written, as gram and as a schema, and read again.
#[track_caller]
fn kept(schema: &Value) -> Signature {
    let signature = reader().read_signature(schema, None);
    let signature = signature.unwrap_or_else(|error| panic!("{schema}\n{error}"));
    check_again(&signature);
    signature
}

#[track_caller]
fn check_again(signature: &Signature) {
    let gram = signature.to_string();
    let parsed =
        agent_spec::parse_signature(&gram).unwrap_or_else(|found| panic!("{gram}\n{found}"));
    assert_eq!(parsed, *signature, "{gram}");
    let written = signature.schema();
    let again = reader().read_signature(&written, None);
    let again = again.unwrap_or_else(|error| panic!("{written}\n{error}"));
    assert_eq!(again.to_string(), gram, "{written}");
    assert_eq!(again.params(), signature.params(), "{written}");
    let value: Value = written.to_value();
    let again = reader().read_signature(&value, None).expect("a signature");
    assert_eq!(again.params().len(), signature.params().len());
    jsonschema::validator_for(&value).unwrap_or_else(|error| panic!("{value}\n{error}"));
}

#[track_caller]
fn check(properties: Value, signature: &str) {
    let schema = json!({"type": "object", "properties": properties});
    assert_eq!(kept(&schema).to_string(), signature);
}

#[test]
fn the_smallest_part_is_kept() {
    check(
        json!({"a": {"type": "object", "minProperties": 1}, "b": {"type": "string"}}),
        r#"(a::Any {optional: true, schema: "{\"minProperties\":1,\"type\":\"object\"}"})==>(b::Text {optional: true})==>(::Any)"#,
    );
    check(
        json!({"list": {"type": "array", "items": {"not": {"type": "string"}}, "maxItems": 3}}),
        r#"(list::Array {optional: true, elementType: {type: "Any", schema: "{\"not\":{\"type\":\"string\"}}"}, maxItems: 3})==>(::Any)"#,
    );
    check(
        json!({"map": {"type": "object", "additionalProperties": {"type": "array", "uniqueItems": true}}}),
        r#"(map::Object {optional: true, valueType: {type: "Any", schema: "{\"type\":\"array\",\"uniqueItems\":true}"}})==>(::Any)"#,
    );
    check(
        json!({"record": {"type": "object", "properties": {
            "kept": {"type": "array", "contains": {"const": 1}, "description": "D"},
            "typed": {"type": "integer"},
        }, "required": ["kept"]}}),
        r#"(record::Object {optional: true, fields: [{name: "kept", type: "Any", description: "D", schema: "{\"contains\":{\"const\":1},\"type\":\"array\"}"}, {name: "typed", type: "Int", optional: true}]})==>(::Any)"#,
    );
    check(
        json!({"pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"if": {"type": "string"}, "then": {"minLength": 1}}], "items": false, "minItems": 2}}),
        r#"(pair::Array {optional: true, items: ["Int", {type: "Any", schema: "{\"if\":{\"type\":\"string\"},\"then\":{\"minLength\":1}}"}]})==>(::Any)"#,
    );
    // An arm of a union is no part of its own.
    check(
        json!({"either": {"anyOf": [{"type": "string"}, {"type": "object", "maxProperties": 2}]}}),
        r#"(either::Any {optional: true, schema: "{\"anyOf\":[{\"type\":\"string\"},{\"maxProperties\":2,\"type\":\"object\"}]}"})==>(::Any)"#,
    );
    // Nor does a part say more than that nothing is allowed.
    check(
        json!({"list": {"type": "array", "items": false}}),
        r#"(list::Array {optional: true, elementType: {type: "Any", schema: "{\"not\":{}}"}})==>(::Any)"#,
    );
}

#[test]
fn null_beside_a_part_that_is_kept_makes_it_optional() {
    check(
        json!({"list": {"type": "array", "items": {"anyOf": [{"not": {"type": "string"}}, {"type": "null"}]}}}),
        r#"(list::Array {optional: true, elementType: {type: "Any", optional: true, schema: "{\"not\":{\"type\":\"string\"}}"}})==>(::Any)"#,
    );
    check(
        json!({"a": {"anyOf": [{"not": {"type": "string"}}, {"type": "null"}]}}),
        r#"(a::Any {optional: true, schema: "{\"anyOf\":[{\"not\":{\"type\":\"string\"}},{\"type\":\"null\"}]}"})==>(::Any)"#,
    );
}

#[test]
fn a_part_brings_its_definitions_along() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "a": {"$ref": "#/definitions/Filter"},
            "b": {"type": "array", "items": {"$ref": "#/definitions/Filter"}},
            "name": {"$ref": "#/definitions/Name"},
        },
        "definitions": {
            "Filter": {"type": "object", "minProperties": 1, "properties": {"name": {"$ref": "#/definitions/Name"}}},
            "Name": {"type": "string"},
            "Unused": {"type": "integer"},
        },
    });
    let signature = kept(&schema);
    let text = r##"{"$defs":{"Filter":{"minProperties":1,"properties":{"name":{"$ref":"#/$defs/Name"}},"type":"object"},"Name":{"type":"string"}},"$ref":"#/$defs/Filter"}"##;
    let a = signature.params()[0].ty();
    assert_eq!(a.constraints().schema.as_deref(), Some(text));
    let Kind::Array(element) = signature.params()[1].ty().kind() else {
        panic!("{signature}");
    };
    assert_eq!(element.constraints().schema.as_deref(), Some(text));
    let written = signature.schema().to_value();
    // One definition serves both.
    assert_eq!(
        written["properties"]["a"],
        json!({"$ref": "#/$defs/Filter"})
    );
    assert_eq!(
        written["properties"]["b"]["items"],
        json!({"$ref": "#/$defs/Filter"})
    );
    assert_eq!(written["properties"]["name"], json!({"type": "string"}));
    assert_eq!(written["$defs"].as_object().map(|all| all.len()), Some(2));
}

#[test]
fn a_schema_that_contains_itself_is_kept_where_it_is_entered() {
    let tree = json!({"type": "object", "properties": {
        "value": {"type": "integer"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
    }});
    let of = |properties: Value| {
        json!({"type": "object", "properties": properties, "$defs": {"Tree": tree, "Args": {
            "type": "object",
            "properties": {
                "deep": {"type": "object", "properties": {"again": {"$ref": "#/$defs/Args"}}},
                "name": {"type": "string"},
            },
        }, "A": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}},
           "B": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}, "c": {"$ref": "#/$defs/C"}}},
           "C": {"type": "object", "properties": {"c": {"type": "array", "items": {"$ref": "#/$defs/C"}}}},
        }})
    };
    let signature = kept(&of(json!({"tree": {"$ref": "#/$defs/Tree"}})));
    assert!(
        signature
            .to_string()
            .starts_with("(tree::Any {optional: true, schema: "),
        "{signature}"
    );
    let signature = kept(&of(
        json!({"of": {"type": "object", "properties": {"tree": {"$ref": "#/$defs/Tree"}}}}),
    ));
    assert!(
        signature
            .to_string()
            .starts_with("(of::Object {optional: true, fields: [{name: \"tree\", type: \"Any\""),
        "{signature}"
    );
    // The whole document.
    let signature = kept(&of(
        json!({"more": {"type": "array", "items": {"$ref": "#"}}}),
    ));
    assert!(
        signature
            .to_string()
            .starts_with("(more::Array {optional: true, elementType: {type: \"Any\""),
        "{signature}"
    );
    kept(&of(
        json!({"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/B"}, "c": {"$ref": "#/$defs/C"}}),
    ));
    kept(&of(
        json!({"list": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "string"}]}}}),
    ));
    let mut args = of(json!({}));
    args["$ref"] = json!("#/$defs/Args");
    let signature = kept(&args);
    assert!(
        signature
            .to_string()
            .starts_with("(deep::Object {optional: true, fields: [{name: \"again\", type: \"Any\""),
        "{signature}"
    );
}

#[test]
fn definitions_of_one_name_are_renamed_where_they_differ() {
    let signature = agent_spec::parse_signature(
        r##"(a::Any {schema: "{\"$ref\":\"#/$defs/T\",\"$defs\":{\"T\":{\"items\":{\"$ref\":\"#/$defs/T\"}}}}"})==>(b::Any {schema: "{\"items\":{\"$ref\":\"#/$defs/T\"},\"$defs\":{\"T\":{\"type\":[\"string\",\"null\"],\"enum\":[\"a\",null]}}}"})==>(::Any)"##,
    )
    .expect("a signature");
    let written = signature.schema().to_value();
    assert_eq!(
        written["properties"],
        json!({"a": {"$ref": "#/$defs/T"}, "b": {"items": {"$ref": "#/$defs/T2"}}})
    );
    assert_eq!(
        written["$defs"],
        json!({"T": {"items": {"$ref": "#/$defs/T"}}, "T2": {"type": ["string", "null"], "enum": ["a", null]}})
    );
}

#[test]
fn the_schema_is_written_beside_the_description() {
    let written = |parameter: &str| {
        let signature = agent_spec::parse_signature(&format!("(a::Any {{{parameter}}})==>(::Any)"));
        signature.expect("a signature").schema().to_value()["properties"]["a"].clone()
    };
    assert_eq!(
        written(r#"description: "Ours", schema: "{\"not\":{},\"description\":\"theirs\"}""#),
        json!({"description": "Ours", "not": {}})
    );
    assert_eq!(
        written(r#"schema: "{\"not\":{},\"description\":\"theirs\"}""#),
        json!({"description": "theirs", "not": {}})
    );
    assert_eq!(
        written(r#"default: 1, schema: "{\"type\":[\"integer\",\"array\"],\"default\":2}""#),
        json!({"default": 1, "type": ["integer", "array"]})
    );
    let elements = agent_spec::parse_signature(
        r#"(a::Array {elementType: {type: "Any", optional: true, schema: "{\"not\":{}}"}})==>(::Any {optional: true, schema: "{\"not\":{}}"})"#,
    )
    .expect("a signature");
    let either = json!({"anyOf": [{"not": {}}, {"type": "null"}]});
    assert_eq!(
        elements.schema().to_value()["properties"]["a"]["items"],
        either
    );
    assert_eq!(elements.return_schema().to_value(), either);
}

#[test]
fn a_canonical_text_is_the_same_for_equal_schemas() {
    let canonical = |text: &str| {
        let once = canonical_schema(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
        assert_eq!(canonical_schema(&once).as_ref(), Ok(&once), "{text}");
        once
    };
    for (text, expected) in [
        ("true", "{}"),
        (" { } ", "{}"),
        ("false", r#"{"not":{}}"#),
        (
            r#"{"type": "object", "minProperties": 1.0, "enum": [{"b": 1, "a": -0.0}, 1.5, 1e3]}"#,
            r#"{"enum":[{"a":0,"b":1},1.5,1000],"minProperties":1,"type":"object"}"#,
        ),
        (
            "{\"const\": \"\u{7f}\u{9b}2J\u{202e}\u{e0041}\u{200d}\"}",
            "{\"const\":\"\\u007f\\u009b2J\\u202e\\udb40\\udc41\u{200d}\"}",
        ),
        (
            r##"{"$id": "https://example.com/a", "$schema": "x", "items": {"$id": "b", "$ref": "#/$defs/%61~1b"}, "$defs": {"a/b": {"$anchor": "c"}, "unused": {}}}"##,
            r##"{"$defs":{"a_1b":{}},"items":{"$ref":"#/$defs/a_1b"}}"##,
        ),
        (
            r##"{"properties": {"$ref": {"$ref": "#"}, "id": {}}}"##,
            r##"{"$defs":{"root":{"properties":{"$ref":{"$ref":"#/$defs/root"},"id":{}}}},"properties":{"$ref":{"$ref":"#/$defs/root"},"id":{}}}"##,
        ),
        (
            r##"{"anyOf": [{"$ref": "#/a/x"}, {"$ref": "#/b/x"}], "a": {"x": {"type": "null"}}, "b": {"x": {"type": "string"}}}"##,
            r##"{"$defs":{"x":{"type":"null"},"x2":{"type":"string"}},"a":{"x":{"type":"null"}},"anyOf":[{"$ref":"#/$defs/x"},{"$ref":"#/$defs/x2"}],"b":{"x":{"type":"string"}}}"##,
        ),
    ] {
        let found = canonical(text);
        // `$` is before the letters.
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn a_text_that_no_validator_can_use_is_no_schema() {
    let doubled = (0..20).map(|at| {
        let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
        (format!("d{at}"), json!({"allOf": [next, next]}))
    });
    let doubled: serde_json::Map<String, Value> = doubled.collect();
    let itself = "refers to itself alone";
    for (schema, reason) in [
        (json!({"$ref": "#"}), itself),
        (
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}),
            "\"#/$defs/a\" refers to itself alone",
        ),
        (
            json!({"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
            itself,
        ),
        (
            json!({"$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}),
            itself,
        ),
        (
            json!({"anyOf": [{"type": "string"}, {"$ref": "#"}]}),
            itself,
        ),
        (
            json!({"if": true, "then": {"allOf": [{"$ref": "#"}]}}),
            itself,
        ),
        (
            json!({"$ref": "#/$defs/d0", "$defs": doubled}),
            "leads nowhere",
        ),
        (
            {
                let mut ending = doubled.clone();
                ending.insert("d20".to_owned(), json!({"type": "string"}));
                json!({"$ref": "#/$defs/d0", "$defs": ending})
            },
            "more than 100000 schemas",
        ),
        (
            json!({"type": "strin"}),
            "`type` must be one of the seven types, or a list of them",
        ),
        (json!({"type": ["string", "string"]}), "`type` must be"),
        (json!({"type": []}), "`type` must be"),
        (
            json!({"not": {"minLength": "3"}}),
            "`minLength` must be a whole number, 0 or more",
        ),
        (json!({"maxItems": -1}), "`maxItems` must be"),
        (json!({"minProperties": 1.5}), "`minProperties` must be"),
        (json!({"minimum": "0"}), "`minimum` must be a number"),
        (
            json!({"exclusiveMaximum": null}),
            "`exclusiveMaximum` must be a number",
        ),
        (
            json!({"multipleOf": 0}),
            "`multipleOf` must be a number above 0",
        ),
        (json!({"pattern": 1}), "`pattern` must be a text"),
        (json!({"enum": "a"}), "`enum` must be a list"),
        (
            json!({"required": "a"}),
            "`required` must be a list of different names",
        ),
        (json!({"required": ["a", "a"]}), "`required` must be"),
        (
            json!({"dependentRequired": {"a": "b"}}),
            "`dependentRequired` must be",
        ),
        (json!({"dependencies": {"a": 1}}), "`dependencies` must be"),
        (
            json!({"uniqueItems": "true"}),
            "`uniqueItems` must be `true` or `false`",
        ),
        (
            json!({"properties": {"a": "string"}}),
            "`properties` must be an object of schemas",
        ),
        (json!({"anyOf": []}), "`anyOf` must be a list of schemas"),
        (json!({"allOf": {"type": "string"}}), "`allOf` must be"),
        (json!({"items": 1}), "`items` must be a schema"),
        (
            json!({"additionalProperties": "no"}),
            "`additionalProperties` must be a schema",
        ),
        (json!({"$defs": 3}), "`$defs` must be"),
    ] {
        let error = canonical_schema(&schema.to_string()).expect_err("no schema");
        assert!(error.contains(reason), "{schema}: {error}");
        let text = serde_json::to_string(&schema.to_string()).expect("JSON");
        assert!(
            agent_spec::parse_signature(&format!("(a::Any {{schema: {text}}})==>(::Any)")).is_err()
        );
    }
    // Words that refuse no value are left out if they are not what they must be.
    for schema in [
        json!({"minLength": 1, "examples": "a", "title": 3, "$comment": []}),
        json!({"minLength": 1, "deprecated": "yes", "readOnly": 0, "description": {}}),
    ] {
        assert_eq!(
            canonical_schema(&schema.to_string()).as_deref(),
            Ok(r#"{"minLength":1}"#)
        );
    }
}

#[test]
fn types_are_equal_by_their_json() {
    let ty = |schema: &str| {
        let text = format!("(a::Any {{schema: '{schema}'}})==>(::Any)");
        agent_spec::parse_signature(&text).expect("a signature")
    };
    assert_eq!(
        ty(r#"{"type": "object", "minProperties": 1}"#),
        ty(r#"{"minProperties":1.0,"type":"object"}"#)
    );
    assert_ne!(ty(r#"{"minProperties":1}"#), ty(r#"{"minProperties":2}"#));
    assert_eq!(
        ty("true"),
        agent_spec::parse_signature("(a::Any)==>(::Any)").expect("a signature")
    );
}

#[test]
fn keywords_of_the_arguments_as_a_whole_are_losses() {
    let base = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}});
    for (key, value, losses, signature) in [
        (
            "anyOf",
            json!([{"required": ["a"]}, {"required": ["b"]}]),
            vec![Loss::Conditions],
            "(a::Text {optional: true})==>(b::Int {optional: true})==>(::Any)",
        ),
        (
            "oneOf",
            json!([{"required": ["a"]}, {"required": ["a", "b"]}]),
            vec![Loss::Overlaps, Loss::Conditions],
            "(a::Text)==>(b::Int {optional: true})==>(::Any)",
        ),
        (
            "anyOf",
            json!([{"required": ["a"]}, {"not": {"required": ["b"]}}]),
            vec![Loss::Not, Loss::Conditions],
            "(a::Text {optional: true})==>(b::Int {optional: true})==>(::Any)",
        ),
        (
            "allOf",
            json!([{"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"properties": {"c": {"type": "boolean"}}}]),
            vec![Loss::Conditions, Loss::Conditions],
            "(a::Text {optional: true})==>(b::Int {optional: true})==>(c::Bool {optional: true})==>(::Any)",
        ),
        (
            "dependentRequired",
            json!({"a": ["b"]}),
            vec![Loss::Conditions],
            "(a::Text {optional: true})==>(b::Int {optional: true})==>(::Any)",
        ),
        (
            "additionalProperties",
            json!({"type": "string"}),
            vec![],
            "(a::Text {optional: true})==>(b::Int {optional: true})==>(`*`::Text)==>(::Any)",
        ),
        (
            "not",
            json!({"required": ["a", "b"]}),
            vec![Loss::Not],
            "(a::Text {optional: true})==>(b::Int {optional: true})==>(::Any)",
        ),
        (
            "oneOf",
            json!([
                {"properties": {"kind": {"const": "x"}, "c": {"type": "string"}}, "required": ["kind", "c"]},
                {"properties": {"kind": {"const": "y"}, "c": {"type": "integer"}}, "required": ["kind"]},
            ]),
            vec![Loss::Conditions],
            "(a::Text {optional: true})==>(b::Int {optional: true})==>(c::Any {optional: true, anyOf: [\"Text\", \"Int\"]})==>(kind::Text {enum: [\"x\", \"y\"]})==>(::Any)",
        ),
    ] {
        let mut schema = base.clone();
        schema[key] = value;
        let read = reader().read_signature_with_losses(&schema, None);
        let (found, lost) = read.unwrap_or_else(|error| panic!("{schema}\n{error}"));
        assert_eq!(found.to_string(), signature, "{schema}");
        let lost: Vec<Loss> = lost.iter().filter_map(|lost| lost.loss()).collect();
        assert_eq!(lost, losses, "{schema}");
        check_again(&found);
    }
    // Inside of a parameter nothing is lost.
    let inner = json!({"type": "object", "properties": {"of": {"type": "object", "anyOf": [{"required": ["a"]}, {"not": {}}]}}});
    let (_, lost) = reader()
        .read_signature_with_losses(&inner, None)
        .expect("a signature");
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn losses_in_a_part_that_is_kept_are_not_listed() {
    let schema = json!({"type": "object", "properties": {
        "kept": {"type": "object", "minProperties": 1, "additionalProperties": false},
        "typed": {"type": "object", "properties": {}, "additionalProperties": false},
    }});
    let (_, lost) = reader()
        .read_signature_with_losses(&schema, None)
        .expect("a signature");
    let lost: Vec<&str> = lost.iter().map(|lost| lost.path()).collect();
    assert_eq!(lost, ["$.properties.typed.additionalProperties"]);
}

#[test]
fn arguments_that_are_no_parameters_are_refused() {
    for (schema, reason) in [
        (
            json!({"type": "string"}),
            "the arguments of a call are an object",
        ),
        (
            json!({"type": "object", "properties": {"a b": {}}}),
            "`a b`",
        ),
        (
            json!({"type": "object", "properties": 3}),
            "an object of schemas",
        ),
        (json!(false), "allows no value"),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "https://example.com"}}}),
            "leads out of the schema",
        ),
        (
            json!({"type": "object", "properties": {"a": {"not": {"$ref": "#/$defs/Missing"}}}}),
            "leads nowhere",
        ),
        (
            json!({"type": "object", "properties": {"a": 3}}),
            "a JSON Schema is an object",
        ),
    ] {
        let error = reader()
            .read_signature(&schema, None)
            .expect_err("no signature");
        assert!(error.to_string().contains(reason), "{schema}\n{error}");
    }
}

#[test]
fn a_result_is_kept_whole() {
    let arguments = json!({"type": "object"});
    let result = json!({"type": "object", "minProperties": 1, "description": "All"});
    let signature = reader()
        .read_signature(&arguments, Some(&result))
        .expect("a signature");
    assert_eq!(
        signature.to_string(),
        r#"(`*`::Any)==>(::Any {description: "All", schema: "{\"minProperties\":1,\"type\":\"object\"}"})"#
    );
    let again = reader().read_signature(&arguments, Some(&signature.return_schema().to_value()));
    assert_eq!(again.as_ref(), Ok(&signature));
    let list = json!({"type": "array", "items": {"anyOf": [{"$ref": "#"}, {"type": "string"}]}});
    let ty = reader().read_type(&list).expect("a type");
    assert_eq!(reader().read_type(&ty.schema()), Ok(ty));
}

#[test]
fn a_hostile_document_ends_with_an_error() {
    // Many properties that each refer to all others.
    let names: Vec<String> = (0..3_000).map(|at| format!("p{at}")).collect();
    let part = json!({"uniqueItems": true, "items": {"$ref": "#"}, "title": "x".repeat(500)});
    let all: serde_json::Map<String, Value> = names
        .iter()
        .map(|name| (name.clone(), part.clone()))
        .collect();
    let schema = json!({"type": "object", "properties": all});
    let error = reader()
        .read_signature(&schema, None)
        .expect_err("too many parts");
    assert!(
        error.to_string().contains("more than 200000 parts"),
        "{error}"
    );
    // A long chain of references.
    let chain: serde_json::Map<String, Value> = (0..5_000)
        .map(|at| {
            (
                format!("d{at}"),
                json!({"not": {"$ref": format!("#/$defs/d{}", at + 1)}}),
            )
        })
        .collect();
    let schema =
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": chain});
    assert!(reader().read_signature(&schema, None).is_err());
    // Deeper than JSON text.
    let deep = (0..2_000).fold(json!({}), |inner, _| json!({"not": inner}));
    let schema = json!({"type": "object", "properties": {"a": deep}});
    let error = reader()
        .read_signature(&schema, None)
        .expect_err("too deep");
    assert!(error.to_string().contains("too deep"), "{error}");
    drop(error);
    let mut schema = schema;
    // Dropped from the inside, because `serde_json` drops values by recursion.
    let mut at = schema["properties"]["a"].take();
    while let Some(inner) = at.get_mut("not") {
        at = inner.take();
    }
}

#[test]
fn all_foreign_tools_become_signatures() {
    let mut kept = 0;
    for construct in Construct::all() {
        let read = reader().read_signature_with_losses(&construct.schema, None);
        if construct.name.contains("a name that no provider takes") {
            assert!(read.is_err());
            continue;
        }
        let (signature, losses) =
            read.unwrap_or_else(|error| panic!("{}: {error}", construct.name));
        check_again(&signature);
        // What the schema allows is what the signature allows, apart from what gram's own rules replace.
        for lost in &losses {
            let loss = lost.loss().expect("a loss");
            assert!(
                matches!(
                    loss,
                    Loss::ClosedObjects
                        | Loss::RequiredNull
                        | Loss::Defaults
                        | Loss::UnknownKeywords
                ),
                "{}: {loss:?}",
                construct.name
            );
        }
        kept += usize::from(signature.to_string().contains("schema: "));
        // Without what had to be kept, the signature is that of other readers.
        if let Ok(same) = SchemaReader::new().read_signature(&construct.schema, None) {
            assert_eq!(same, signature, "{}", construct.name);
        }
    }
    assert!(kept >= 3, "{kept}");
}

#[test]
fn a_part_that_is_written_means_what_was_read() {
    let filter = json!({"oneOf": [
        {"type": "object", "properties": {"and": {"type": "array", "items": {"$ref": "#/$defs/Filter"}}}, "required": ["and"]},
        {"type": "object", "properties": {"field": {"type": "string"}}, "required": ["field"]},
    ]});
    let schema = json!({"type": "object", "properties": {"filter": {"$ref": "#/$defs/Filter"}}, "required": ["filter"], "$defs": {"Filter": filter}});
    let written = kept(&schema).schema().to_value();
    assert!(same_schema(&written, &schema), "{written}");
    let validator = jsonschema::validator_for(&written).expect("a schema");
    assert!(validator.is_valid(&json!({"filter": {"and": [{"field": "a"}, {"and": []}]}})));
    assert!(!validator.is_valid(&json!({"filter": {"and": [{"field": 1}]}})));
}

#[test]
fn any_that_is_narrowed_by_a_schema_is_no_plain_any() {
    let ty = Type::from_expression("[Any]").expect("a type");
    let narrowed = reader()
        .read_type(&json!({"type": "array", "items": {"not": {"type": "null"}}}))
        .expect("a type");
    assert_ne!(ty, narrowed);
    // The schema is validated by agent-runtime.
    assert!(narrowed.validate(&json!([null, 1])).is_ok());
}
