//! Schemas of tools of others: all that they allow reaches the tool, and all that they say reaches the model.

use agent_spec::schema::{Loss, ReadTool, SchemaReader};
use agent_spec::{Signature, parse_signature};
use serde_json::{Value, json};

fn read(schema: &Value) -> ReadTool {
    let reader = SchemaReader::new().foreign().keeping_the_rest().renaming();
    let read = reader.read_tool(schema, None);
    let read = read.unwrap_or_else(|error| panic!("{schema}\n{error}"));
    let gram = read.signature.to_string();
    let again = parse_signature(&gram).unwrap_or_else(|found| panic!("{gram}\n{found}"));
    assert_eq!(again, read.signature, "{gram}");
    read
}

/// Checks that arguments reach the tool as they are, or without those that are dropped.
#[track_caller]
fn check_arrival(signature: &Signature, given: &Value, arriving: &Value) {
    let text = given.to_string();
    let checked = signature.check_arguments(&text, None);
    let checked = checked.unwrap_or_else(|error| panic!("{signature}\n{error}"));
    assert_eq!(checked.into_value(), *arriving, "{signature}");
}

#[test]
fn an_object_is_open_unless_it_has_properties_and_says_nothing_about_others() {
    let a = json!({"a": {"type": "integer"}});
    let given = json!({"a": 1, "x": 2, "y-1": 3});
    for (schema, signature, dropped, conditions) in [
        (json!({}), "(`*`::Any)", &[][..], None),
        (json!({"type": "object"}), "(`*`::Any)", &[], None),
        (json!({"type": ["object", "null"]}), "(`*`::Any)", &[], None),
        (
            json!({"type": "object", "required": ["a"]}),
            "(a::Any)==>(`*`::Any)",
            &[],
            None,
        ),
        (
            json!({"type": "object", "properties": a}),
            "(a::Int {optional: true})",
            &["x", "y-1"],
            None,
        ),
        (json!({"properties": {}}), "()", &["a", "x", "y-1"], None),
        (
            json!({"type": "object", "properties": a, "additionalProperties": false}),
            "(a::Int {optional: true})",
            &["x", "y-1"],
            None,
        ),
        (
            json!({"type": "object", "additionalProperties": false}),
            "()",
            &["a", "x", "y-1"],
            None,
        ),
        (
            json!({"type": "object", "properties": a, "additionalProperties": true}),
            "(a::Int {optional: true})==>(`*`::Any)",
            &[],
            None,
        ),
        (
            json!({"type": "object", "properties": a, "unevaluatedProperties": {}}),
            "(a::Int {optional: true})==>(`*`::Any)",
            &[],
            None,
        ),
        (
            json!({"type": "object", "properties": a, "additionalProperties": {"type": ["integer", "null"]}}),
            "(a::Int {optional: true})==>(`*`::Int {optional: true})",
            &[],
            None,
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer", "description": "A size"}}),
            "(`*`::Int {description: \"- each value: A size\"})",
            &[],
            None,
        ),
        (
            json!({"type": "object", "additionalProperties": {"not": {"type": "string"}}}),
            r#"(`*`::Any {schema: "{\"not\":{\"type\":\"string\"}}"})"#,
            &[],
            None,
        ),
        (
            json!({"type": "object", "patternProperties": {"": {"type": "integer"}}}),
            "(`*`::Int)",
            &[],
            None,
        ),
        (
            json!({"type": "object", "properties": a, "patternProperties": {"^x": {"type": "integer"}}}),
            "(a::Int {optional: true})==>(`*`::Any)",
            &[],
            Some(r#"{"patternProperties":{"^x":{"type":"integer"}}}"#),
        ),
        (
            json!({"type": "object", "properties": a, "patternProperties": {"^x": true, "^y": true}, "additionalProperties": false}),
            "(a::Int {optional: true})==>(`*`::Any)",
            &[],
            Some(r#"{"additionalProperties":false,"patternProperties":{"^x":true,"^y":true}}"#),
        ),
        (
            json!({"type": "object", "dependentRequired": {"a": ["x"]}}),
            "(`*`::Any)",
            &[],
            Some(r#"{"dependentRequired":{"a":["x"]}}"#),
        ),
        (
            json!({"type": "object", "properties": a, "dependentRequired": {"a": ["a"]}, "minProperties": 1}),
            "(a::Int {optional: true})",
            &["x", "y-1"],
            Some(r#"{"dependentRequired":{"a":["a"]},"minProperties":1}"#),
        ),
        (
            json!({"type": "object", "properties": a, "if": {"required": ["a"]}, "then": {"properties": {"x": {"type": "integer"}}}}),
            "(a::Int {optional: true})==>(`*`::Any)",
            &[],
            Some(r#"{"if":{"required":["a"]},"then":{"properties":{"x":{"type":"integer"}}}}"#),
        ),
        (
            json!({"oneOf": [{"properties": a, "required": ["a"]}, {"properties": {"x": {"type": "number"}}, "required": ["x"]}]}),
            "(a::Int {optional: true})==>(x::Double {optional: true})",
            &["y-1"],
            Some(
                r#"{"oneOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"x":{"type":"number"}},"required":["x"]}]}"#,
            ),
        ),
        (
            json!({"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}),
            "(a::Any {optional: true})==>(b::Any {optional: true})==>(`*`::Any)",
            &[],
            Some(r#"{"oneOf":[{"required":["a"]},{"required":["b"]}]}"#),
        ),
        (
            json!({"anyOf": [{"properties": a}, {"additionalProperties": {"type": "number"}}, {"type": "string"}]}),
            "(a::Double {optional: true})==>(`*`::Double)",
            &[],
            Some(
                r#"{"anyOf":[{"properties":{"a":{"type":"integer"}}},{"additionalProperties":{"type":"number"}},{"type":"string"}]}"#,
            ),
        ),
        (
            json!({"allOf": [{"properties": a, "additionalProperties": {"type": "integer"}}, {"properties": {"x": {"type": "integer"}}}]}),
            "(`*`::Any)",
            &[],
            Some(
                r#"{"allOf":[{"additionalProperties":{"type":"integer"},"properties":{"a":{"type":"integer"}}},{"properties":{"x":{"type":"integer"}}}]}"#,
            ),
        ),
        (
            json!({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "properties": a, "minProperties": 1}}}),
            "(a::Int {optional: true})",
            &["x", "y-1"],
            Some(
                r##"{"$defs":{"A":{"minProperties":1,"properties":{"a":{"type":"integer"}},"type":"object"}},"$ref":"#/$defs/A"}"##,
            ),
        ),
    ] {
        let read = read(&schema);
        let gram = read.signature.to_string();
        assert_eq!(gram, format!("{signature}==>(::Any)"), "{schema}");
        assert_eq!(read.conditions.as_deref(), conditions, "{schema}");
        let mut arriving = given.clone();
        for name in dropped {
            arriving.as_object_mut().expect("an object").remove(*name);
        }
        check_arrival(&read.signature, &given, &arriving);
    }
}

#[test]
fn further_arguments_have_their_type_and_no_other() {
    let read = read(
        &json!({"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "integer"}}),
    );
    let check = |arguments: Value| {
        let text = arguments.to_string();
        let checked = read.signature.check_arguments(&text, None);
        checked
            .map(|checked| checked.text().to_owned())
            .map_err(|error| error.to_string())
    };
    assert_eq!(
        check(json!({"x": 1.0, "y": 2})),
        Ok(r#"{"x":1,"y":2}"#.to_owned())
    );
    for (wrong, words) in [
        (json!({"x": "one"}), "`$.x`: expected Int"),
        (json!({"x": null}), "`$.x`: expected Int"),
    ] {
        let error = check(wrong).expect_err("a wrong argument");
        assert!(error.contains(words), "{error}");
    }
    assert_eq!(
        read.signature.schema().to_string(),
        r#"{"type":"object","properties":{"a":{}},"required":[],"additionalProperties":{"type":"integer"}}"#
    );
}

#[test]
fn a_format_is_a_note() {
    let read = read(&json!({"type": "object", "properties": {
        "id": {"type": "string", "format": "uuid", "description": "The user"},
        "bare": {"type": "string", "format": "date"},
        "list": {"type": "array", "items": {"type": "string", "format": "uri", "description": "An address"}},
        "map": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string", "format": "email"}}},
        "pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string", "format": "time"}], "items": false, "minItems": 2},
        "either": {"anyOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}]},
        "record": {"type": "object", "properties": {"at": {"type": "string", "format": "date"}}},
        "kept": {"type": "string", "format": "uuid", "not": {"const": "a"}},
    }}));
    for (name, notes) in [
        ("id", Some("The user\n- format: uuid")),
        ("bare", Some("- format: date")),
        ("list", Some("- each item: An address\n- format: uri")),
        ("map", Some("- each value: each item: format: email")),
        ("pair", Some("- item 2: format: time")),
        ("either", Some("- format: date\n- format: date-time")),
        ("record", None),
        ("kept", None),
    ] {
        let param = read.signature.param(name).expect("a parameter");
        assert_eq!(param.description(), notes, "{name}");
    }
    let gram = read.signature.to_string();
    assert!(!gram.contains("format: \""), "{gram}");
    assert!(
        gram.contains(
            r#"{name: "at", type: "Text", optional: true, description: "- format: date"}"#
        ),
        "{gram}"
    );
    let given =
        json!({"id": "6ba7b8109dad11d180b400c04fd430c8", "bare": "tomorrow", "list": ["x"]});
    check_arrival(&read.signature, &given, &given);
}

/// Regular expressions of JavaScript that cannot be used here.
const FOREIGN_PATTERNS: [&str; 9] = [
    r"^(?=.*\d).+$",
    r"^(?!-)",
    r"(?<=a)b",
    r"(?<!a)b",
    r"(a)\1",
    r"\cJ",
    r"^[^]*$",
    r"\p{Script=Greek}",
    "(",
];

/// Returns the paths of the regular expressions that are lost.
fn lost_patterns(read: &ReadTool) -> Vec<&str> {
    let lost = read
        .losses
        .iter()
        .filter(|lost| lost.loss() == Some(Loss::Patterns));
    lost.map(|lost| lost.path()).collect()
}

#[test]
fn a_pattern_that_cannot_be_used_is_a_note() {
    for pattern in FOREIGN_PATTERNS {
        let text = json!({"type": "string", "pattern": pattern, "minLength": 2});
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "string", "pattern": pattern, "description": "The code"},
            "b": {"type": "array", "items": text},
            "c": {"type": "object", "properties": {"in": {"$ref": "#/$defs/Code"}}},
            "d": {"anyOf": [text, {"type": "null"}]},
            "e": {"type": "string", "pattern": "^a+$"},
        }, "additionalProperties": text, "$defs": {"Code": text}});
        let read = read(&schema);
        let note = format!("- pattern: {pattern}");
        let param = |name: &str| read.signature.param(name).expect("a parameter");
        let description = |name: &str| param(name).description().unwrap_or_default();
        assert_eq!(description("a"), format!("The code\n{note}"));
        assert_eq!(description("b"), format!("- each item: pattern: {pattern}"));
        assert_eq!(description("d"), note);
        assert_eq!(description("e"), "");
        let of_c = param("c").ty().schema().to_value();
        assert_eq!(
            of_c["properties"]["in"],
            json!({"type": "string", "minLength": 2, "description": note})
        );
        let further = read
            .signature
            .params()
            .last()
            .and_then(|param| param.description());
        assert_eq!(further, Some(&*format!("- each value: pattern: {pattern}")));
        assert_eq!(
            param("e").ty().schema().to_value(),
            json!({"type": ["string", "null"], "pattern": "^a+$"})
        );
        assert_eq!(
            lost_patterns(&read),
            [
                "$.properties.a.pattern",
                "$.properties.b.items.pattern",
                "$.$defs.Code.pattern",
                "$.properties.d.anyOf[0].pattern",
                "$.additionalProperties.pattern",
            ],
            "{pattern}"
        );
    }
}

#[test]
fn a_pattern_in_a_part_that_is_kept_stays_there_and_is_listed() {
    for pattern in FOREIGN_PATTERNS {
        for part in [
            json!({"type": "object", "minProperties": 1, "properties": {"a": {"type": "string", "pattern": pattern}}}),
            json!({"not": {"type": "string", "pattern": pattern}}),
            json!({"$ref": "#/$defs/Tree"}),
            json!({"type": "object", "patternProperties": {pattern: {"type": "integer"}, "^b": {"type": "string"}}, "minProperties": 1}),
        ] {
            let tree = json!({"type": "object", "properties": {
                "name": {"type": "string", "pattern": pattern},
                "all": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
            }});
            let schema =
                json!({"type": "object", "properties": {"of": part}, "$defs": {"Tree": tree}});
            let read = read(&schema);
            let ty = read.signature.param("of").expect("a parameter").ty();
            let kept = ty.constraints().schema.as_deref().expect("a schema");
            assert!(kept.contains(&json!(pattern).to_string()), "{kept}");
            assert_eq!(lost_patterns(&read), ["$.properties.of"], "{schema}");
            assert!(
                read.losses[0].message().contains("cannot be used"),
                "{:?}",
                read.losses
            );
        }
    }
}

#[test]
fn a_part_that_no_validator_can_use_is_any_value() {
    let loop_of_two = json!({"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}});
    for (part, definitions, reason) in [
        (
            json!({"$ref": "#/$defs/a"}),
            json!({"a": {"$ref": "#/$defs/a"}}),
            "\"#/$defs/a\" refers to itself alone",
        ),
        (
            json!({"$ref": "#/$defs/a"}),
            loop_of_two,
            "refers to itself alone",
        ),
        (
            json!({"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "string"}]}}),
            json!({"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "integer"}]}}),
            "refers to itself alone",
        ),
        (
            json!({"type": "string", "minLength": "3"}),
            json!({}),
            "`minLength` must be a whole number",
        ),
        (
            json!({"type": "text"}),
            json!({}),
            "`type` must be one of the seven types",
        ),
        (
            json!({"$ref": "https://example.com/a.json"}),
            json!({}),
            "leads out of the schema",
        ),
    ] {
        let schema = json!({"type": "object", "properties": {"of": part, "n": {"type": "integer"}}, "$defs": definitions});
        let read = read(&schema);
        let of = read.signature.param("of").expect("a parameter");
        assert_eq!(of.ty().schema().to_value(), json!({}), "{schema}");
        assert_eq!(
            of.description(),
            Some(&*format!("- JSON Schema: {part}")),
            "{schema}"
        );
        let [lost] = read.losses.as_slice() else {
            panic!("{schema}: {:?}", read.losses);
        };
        assert_eq!((lost.loss(), lost.path()), (None, "$.properties.of"));
        assert!(lost.message().contains(reason), "{lost}");
        assert_eq!(
            read.signature.param("n").map(|n| n.ty().label()),
            Some("Int")
        );
    }
    // Further arguments have no part around them that could be shown in their place.
    let schema = json!({"additionalProperties": {"$ref": "#/$defs/a"}, "$defs": {"a": {"$ref": "#/$defs/a"}}});
    let read = read(&schema);
    let further = read.signature.param("*").expect("further arguments");
    let note = r##"- each value: JSON Schema: {"$ref":"#/$defs/a"}"##;
    assert_eq!(further.description(), Some(note));
    assert_eq!(
        (read.losses.len(), read.losses[0].path()),
        (1, "$.additionalProperties")
    );
}

#[test]
fn what_unfolds_far_keeps_its_definitions() {
    let doubled = |levels: usize, properties: &Value| {
        let mut definitions =
            json!({"D0": {"type": "object", "properties": {"n": {"type": "integer"}}}});
        for at in 1..=levels {
            let next = json!({"$ref": format!("#/$defs/D{}", at - 1)});
            definitions[format!("D{at}")] =
                json!({"type": "object", "properties": {"left": next, "right": next}});
        }
        json!({"type": "object", "properties": properties, "$defs": definitions})
    };
    for levels in [9, 12, 40] {
        let last = json!({"$ref": format!("#/$defs/D{levels}")});
        let properties = json!({
            "one": last, "other": {"type": "array", "items": last}, "plain": {"type": "integer"},
            "small": {"$ref": "#/$defs/D2"},
        });
        let schema = doubled(levels, &properties);
        let read = read(&schema);
        let gram = read.signature.to_string();
        assert!(
            gram.len() < 12 * schema.to_string().len(),
            "{levels}: {}",
            gram.len()
        );
        for name in ["one", "other"] {
            let param = read.signature.param(name).expect("a parameter");
            assert!(param.ty().constraints().schema.is_some(), "{gram}");
        }
        for (name, label) in [("plain", "Int"), ("small", "Object")] {
            assert_eq!(
                read.signature
                    .param(name)
                    .expect("a parameter")
                    .ty()
                    .label(),
                label
            );
        }
        let given = json!({"one": {"left": {"right": {}}, "x": [1]}, "plain": 1});
        check_arrival(&read.signature, &given, &given);
    }
    // The whole document may be behind a reference, and definitions may be used several times.
    let properties: Value = (0..12)
        .map(|at| (format!("p{at}"), json!({"$ref": "#/$defs/D1"})))
        .collect();
    let mut schema =
        json!({"$ref": "#/definitions/root", "definitions": {"root": doubled(1, &properties)}});
    schema["$defs"] = schema["definitions"]["root"]["$defs"].take();
    let gram = read(&schema).signature.to_string();
    assert!(!gram.contains("schema:"), "{gram}");
}

#[test]
fn arms_and_parts_do_not_vanish() {
    let read = read(&json!({"type": "object", "properties": {
        "colour": {"anyOf": [{"enum": ["red", "green"]}, {"type": "string"}]},
        "elsewhere": {"$ref": "https://example.com/schema.json", "description": "Whatever"},
        "same": {"anyOf": [{"type": "integer", "description": "A count"}, {"type": "integer"}]},
    }}));
    let gram = read.signature.to_string();
    for words in [
        r#"anyOf: [{type: "Text", enum: ["red", "green"]}, "Text"]"#,
        r#"JSON Schema: {\"$ref\":\"https://example.com/schema.json\",\"description\":\"Whatever\"}"#,
        "A count",
    ] {
        assert!(gram.contains(words), "{words}\n{gram}");
    }
}

#[test]
fn names_that_a_provider_refuses_are_replaced() {
    let read = read(&json!({"type": "object", "properties": {
        "$top": {"type": "integer"},
        "_top": {"type": "integer"},
        "filter[x]": {"type": "object", "properties": {"@id": {"type": "string"}, "a b": {}}, "required": ["@id", "größe"]},
    }, "required": ["$top"]}));
    let gram = read.signature.to_string();
    assert_eq!(
        gram,
        r#"(_top_2::Int {remote: "$top"})==>(_top::Int {optional: true})==>(filter_x::Object {optional: true, remote: "filter[x]", fields: [{name: "_id", type: "Text", remote: "@id"}, {name: "a_b", type: "Any", optional: true, remote: "a b"}, {name: "gr_e", type: "Any", remote: "größe"}]})==>(::Any)"#
    );
    let written = parse_signature(&gram);
    assert_eq!(written.as_ref(), Ok(&read.signature));
    // Descriptions and conditions of the server have its own names, and so have the calls of some models.
    let own = r#"{"$top": 1, "_top": 2, "filter[x]": {"@id": "i", "größe": 3}}"#;
    let shown = json!({"_top_2": 1, "_top": 2, "filter_x": {"_id": "i", "gr_e": 3}});
    for signature in [&read.signature, &written.expect("a signature")] {
        let checked = signature
            .check_arguments(own, None)
            .expect("valid arguments");
        assert_eq!(checked.into_value(), shown);
        let twice = signature.check_arguments(
            r#"{"$top": 1, "_top_2": 1, "filter_x": {"_id": "", "gr_e": 1}}"#,
            None,
        );
        let twice = twice.expect_err("two names of one parameter").to_string();
        assert!(
            twice.contains("`_top_2` and `$top`, two names of it"),
            "{twice}"
        );
    }
    let without_names = parse_signature("(_top_2::Int)==>(_top::Int {optional: true})==>(::Any)");
    let checked = without_names.expect("a signature");
    let checked = checked.check_arguments(r#"{"$top": 1}"#, Some(&read.signature));
    assert_eq!(
        checked.expect("valid arguments").into_value(),
        json!({"_top_2": 1})
    );
    let error = read.signature.check_arguments(r#"{"_top_2": "x"}"#, None);
    assert!(
        error
            .expect_err("a wrong type")
            .to_string()
            .contains("`$._top_2`")
    );
}

#[test]
fn names_of_a_known_signature_are_kept_in_any_order() {
    let known = parse_signature(
        r#"(a::Int {remote: "a$"})==>(a_2::Text {remote: "a["})==>(most::Int {remote: "limit"})==>(::Any)"#,
    );
    let reader = SchemaReader::new()
        .keeping_the_rest()
        .renaming_as(&known.expect("a signature"));
    let schema = json!({"type": "object", "properties": {
        "limit": {"type": "integer"}, "a!": {"type": "integer"}, "a[": {"type": "string"}, "a$": {"type": "integer"},
    }, "required": ["limit", "a!", "a[", "a$"]});
    assert_eq!(
        reader
            .read_signature(&schema, None)
            .expect("a signature")
            .to_string(),
        r#"(a_3::Int {remote: "a!"})==>(a::Int {remote: "a$"})==>(a_2::Text {remote: "a["})==>(most::Int {remote: "limit"})==>(::Any)"#
    );
}

/// Each row has the schema of a property, whether it is required, a value, and what arrives of it.
#[test]
fn null_arrives_where_the_schema_allows_it() {
    let nullable = json!({"type": ["string", "null"], "default": "x"});
    let missing = || None::<Value>;
    for (schema, given, expected) in [
        (nullable.clone(), Some(json!(null)), Some(json!(null))),
        (nullable.clone(), missing(), Some(json!("x"))),
        (
            json!({"type": "string", "default": "x"}),
            Some(json!(null)),
            Some(json!("x")),
        ),
        (json!({"type": "string"}), Some(json!(null)), missing()),
        (
            json!({"type": ["string", "null"]}),
            Some(json!(null)),
            Some(json!(null)),
        ),
        (
            json!({"enum": ["a", null], "default": "a"}),
            Some(json!(null)),
            Some(json!(null)),
        ),
        (
            json!({"enum": ["a", "b"], "default": "a"}),
            Some(json!(null)),
            Some(json!("a")),
        ),
        (
            json!({"anyOf": [{"type": "integer"}, {"const": null}], "default": 1}),
            Some(json!(null)),
            Some(json!(null)),
        ),
        (
            json!({"type": "integer", "nullable": true, "default": 1}),
            Some(json!(null)),
            Some(json!(null)),
        ),
        (json!({"default": 1}), Some(json!(null)), Some(json!(null))),
        (
            json!({"$ref": "#/$defs/text"}),
            Some(json!(null)),
            Some(json!(null)),
        ),
        (
            json!({"allOf": [nullable, {"type": ["string", "null"], "maxLength": 9}]}),
            Some(json!(null)),
            Some(json!(null)),
        ),
        // A part that is kept as its schema.
        (
            json!({"type": ["object", "null"], "minProperties": 1, "default": {"a": 1}}),
            Some(json!(null)),
            Some(json!(null)),
        ),
        (
            json!({"type": "object", "minProperties": 1}),
            Some(json!(null)),
            missing(),
        ),
    ] {
        let object = |value: Option<Value>| value.map_or(json!({}), |value| json!({"p": value}));
        let record = json!({"type": "object", "properties": {"p": schema}});
        let tagged = |tag: &str| json!({"type": "object", "properties": {"t": {"const": tag}, "p": schema}, "required": ["t"]});
        let with_tag = |value: Option<Value>| {
            let mut object = object(value);
            object["t"] = "two".into();
            object
        };
        let wrapped = |schema: &Value| json!({"type": "object", "properties": {"v": schema}, "$defs": {"text": nullable}});
        let list = json!({"type": "array", "items": record});
        let union = json!({"oneOf": [tagged("one"), tagged("two")]});
        let mut whole = record.clone();
        whole["$defs"] = json!({"text": nullable});
        for (schema, given, expected) in [
            (whole, object(given.clone()), object(expected.clone())),
            (
                wrapped(&record),
                json!({"v": object(given.clone())}),
                json!({"v": object(expected.clone())}),
            ),
            (
                wrapped(&list),
                json!({"v": [object(given.clone())]}),
                json!({"v": [object(expected.clone())]}),
            ),
            (
                wrapped(&union),
                json!({"v": with_tag(given)}),
                json!({"v": with_tag(expected)}),
            ),
        ] {
            let read = read(&schema).signature;
            // A document has the signature as text, and the server's schema says where `null` is a value.
            let written = parse_signature(&read.to_string()).expect("a signature");
            for (signature, implementation) in [
                (&read, None),
                (&written, Some(&read)),
                (&written.with_known_of(&read), None),
            ] {
                let text = given.to_string();
                let checked = signature.check_arguments(&text, implementation);
                let checked = checked.expect("valid arguments").into_value();
                assert_eq!(checked, expected, "{schema}");
            }
        }
    }
}

#[test]
fn a_default_beside_null_is_shown_with_null() {
    let read = read(&json!({"type": "object", "properties": {
        "a": {"type": ["string", "null"], "default": "x"},
        "b": {"type": "string", "default": "x"},
        "c": {"type": ["string", "null"]},
    }}));
    let shown = read.signature.schema().to_value();
    let null = json!({"type": ["string", "null"], "default": "x"});
    assert_eq!(shown["properties"]["a"], null);
    assert_eq!(
        shown["properties"]["b"],
        json!({"type": "string", "default": "x"})
    );
    assert_eq!(shown["properties"]["c"], json!({"type": "string"}));
}
