//! The schema that a model gets has each long part once.

use agent_spec::json::Ordered;
use agent_spec::schema::SchemaReader;
use agent_spec::{Contract, Signature, ToolDescriptor, ToolSettings, parse_signature};
use serde_json::{Map, Value, json};

/// Reads the arguments of a server's tool.
fn read(schema: &Value) -> Signature {
    let ordered: Ordered = serde_json::from_str(&schema.to_string()).expect("JSON");
    let reader = SchemaReader::new().foreign().keeping_the_rest().renaming();
    let read = reader.read_tool(&ordered, None);
    read.unwrap_or_else(|error| panic!("{schema}\n{error}"))
        .signature
}

/// Returns a schema with the shared parts in the places of the references to them.
fn unshared(schema: &Value, shared: &Map<String, Value>) -> Value {
    match schema {
        Value::Array(items) => items.iter().map(|item| unshared(item, shared)).collect(),
        Value::Object(members) => {
            let mut all: Map<String, Value> = Map::new();
            for (key, value) in members {
                let name = value
                    .as_str()
                    .and_then(|text| text.strip_prefix("#/$defs/"));
                match name.and_then(|name| shared.get(name)) {
                    Some(part) if key == "$ref" => {
                        let part = unshared(part, shared);
                        all.extend(part.as_object().expect("an object").clone());
                    }
                    _ => {
                        all.insert(key.clone(), unshared(value, shared));
                    }
                }
            }
            Value::Object(all)
        }
        other => other.clone(),
    }
}

/// Checks that the schema for a model means what the signature's own schema means, and returns its text.
#[track_caller]
fn checked(signature: &Signature) -> String {
    let own = signature.schema();
    let contract = Contract::Signature(signature.clone());
    let tool = ToolDescriptor::new(
        "find".into(),
        "Finds".into(),
        contract,
        ToolSettings::DEFAULT,
    );
    let sent = tool.schema_for(signature);
    let mut whole = sent.to_value();
    let mut definitions = match whole.as_object_mut().and_then(|root| root.remove("$defs")) {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    let (shared, kept): (Map<String, Value>, Map<String, Value>) = std::mem::take(&mut definitions)
        .into_iter()
        .partition(|(name, _)| name.starts_with("shared"));
    let mut whole = unshared(&whole, &shared);
    if !kept.is_empty() {
        whole["$defs"] = Value::Object(kept);
    }
    assert_eq!(whole, own.to_value(), "{sent}");
    jsonschema::validator_for(&sent.to_value()).unwrap_or_else(|error| panic!("{sent}\n{error}"));
    sent.to_string()
}

/// Definitions of about six kilobytes, by what makes them long.
fn definitions() -> Vec<(&'static str, Value)> {
    let long = "a".repeat(5_000);
    let words = "one of the fields that there are";
    let fields = (0..60).map(|at| {
        let field = json!({"type": "string", "description": format!("The field {at}, {words}")});
        (format!("field{at}"), field)
    });
    let fields: Map<String, Value> = fields.collect();
    let mut tree = fields.clone();
    tree.insert(
        "all".to_owned(),
        json!({"type": "array", "items": {"$ref": "#/$defs/S"}}),
    );
    let values: Vec<String> = (0..500).map(|at| format!("value{at}")).collect();
    let cases = (0..60)
        .map(|at| json!({"const": format!("v{at}"), "description": format!("Case {at}, {words}")}));
    let arms = (0..20).map(|at| {
        let kind = json!({"const": format!("v{at}")});
        json!({"type": "object", "properties": {"kind": kind, "of": {"type": "string", "description": words}}, "required": ["kind"]})
    });
    vec![
        ("pattern", json!({"type": "string", "pattern": long})),
        (
            "description",
            json!({"type": "string", "description": long}),
        ),
        (
            "description inside",
            json!({"type": "object", "properties": {"a": {"type": "string", "description": long}}}),
        ),
        ("enum", json!({"type": "string", "enum": values})),
        ("const", json!({"const": long})),
        ("record", json!({"type": "object", "properties": fields})),
        (
            "record of records",
            json!({"type": "object", "properties": {"a": {"type": "object", "properties": fields}}}),
        ),
        (
            "list",
            json!({"type": "array", "items": {"type": "object", "properties": fields}}),
        ),
        (
            "map",
            json!({"type": "object", "additionalProperties": {"type": "object", "properties": fields}}),
        ),
        ("tree", json!({"type": "object", "properties": tree})),
        (
            "kept",
            json!({"type": "object", "minProperties": 1, "properties": fields}),
        ),
        ("cases", json!({"oneOf": cases.collect::<Vec<_>>()})),
        ("union", json!({"anyOf": arms.collect::<Vec<_>>()})),
    ]
}

#[test]
fn a_definition_that_many_properties_share_is_sent_a_few_times_at_most() {
    let reference = json!({"$ref": "#/$defs/S"});
    let uses: [(&str, Value); 4] = [
        ("itself", reference.clone()),
        ("or null", json!({"anyOf": [reference, {"type": "null"}]})),
        ("a list of it", json!({"type": "array", "items": reference})),
        (
            "a field",
            json!({"type": "object", "properties": {"in": reference}}),
        ),
    ];
    for (name, definition) in definitions() {
        for (how, used) in &uses {
            // The description of an element becomes a part of the property's own.
            if (name, *how) == ("description", "a list of it") {
                continue;
            }
            for is_described in [true, false] {
                let property = |at: usize| {
                    let mut schema = used.clone();
                    if is_described {
                        schema["description"] = json!(format!("The property {at}"));
                    }
                    (format!("p{at}"), schema)
                };
                let properties: Map<String, Value> = (0..100).map(property).collect();
                let schema =
                    json!({"type": "object", "properties": properties, "$defs": {"S": definition}});
                let sent = checked(&read(&schema)).len();
                let written = schema.to_string().len();
                assert!(
                    sent < written * 2 + 4_000,
                    "{name}, {how}: {written} bytes became {sent}"
                );
            }
        }
    }
}

#[test]
fn only_parts_that_take_much_text_are_shared() {
    let record = |fields: usize| {
        let fields: Vec<String> = (0..fields)
            .map(|at| format!("{{name: \"field{at}\", type: \"Text\"}}"))
            .collect();
        format!("Object {{fields: [{}]}}", fields.join(", "))
    };
    let parameters = |ty: &str, times: usize| {
        let parameters = (0..times).map(|at| format!("(p{at}::{ty})==>"));
        format!("{}(::Any)", parameters.collect::<String>())
    };
    for (signature, shared) in [
        (parameters("Text", 100), 0),
        (parameters(&record(1), 2), 0),
        (parameters(&record(4), 3), 0),
        (parameters(&record(40), 1), 0),
        (parameters(&record(40), 2), 1),
        (parameters(&record(2), 30), 1),
        (
            format!("(other::{})==>{}", record(30), parameters(&record(40), 3)),
            1,
        ),
        (
            format!(
                "(other::{0})==>(same::{0})==>{1}",
                record(30),
                parameters(&record(40), 2)
            ),
            2,
        ),
        // What is only inside of a part that is shared stays there.
        (
            parameters(
                &format!(
                    "Object {{fields: [{{name: \"in\", type: \"Object\", fields: [{}]}}]}}",
                    {
                        let fields =
                            (0..40).map(|at| format!("{{name: \"f{at}\", type: \"Text\"}}"));
                        fields.collect::<Vec<_>>().join(", ")
                    }
                ),
                3,
            ),
            1,
        ),
    ] {
        let signature =
            parse_signature(&signature).unwrap_or_else(|found| panic!("{signature}\n{found}"));
        let sent = checked(&signature);
        let written: Value = serde_json::from_str(&sent).expect("JSON");
        let found = written["$defs"].as_object().map_or(0, Map::len);
        assert_eq!(found, shared, "{sent}");
    }
}

#[test]
fn definitions_of_one_name_are_shared_if_they_mean_the_same() {
    let text = json!({"type": "string", "minLength": 2});
    let number = json!({"type": "integer"});
    let list = json!({"type": "array", "items": {"$ref": "#/$defs/U"}, "uniqueItems": true});
    let tree =
        |leaf: &Value| json!({"anyOf": [leaf, {"type": "array", "items": {"$ref": "#/$defs/T"}}]});
    let part = |definitions: Value| json!({"$ref": "#/$defs/T", "$defs": definitions});
    for (parts, count) in [
        (vec![part(json!({"T": text})), part(json!({"T": text}))], 1),
        (
            vec![part(json!({"T": text})), part(json!({"T": number}))],
            2,
        ),
        // The second part repeats what the first one says, in other words only.
        (
            vec![
                part(json!({"T": text})),
                part(json!({"T": number})),
                part(json!({"T": number})),
            ],
            2,
        ),
        // `T` is written in the same way and means something else, because `U` does.
        (
            vec![
                part(json!({"T": list, "U": text})),
                part(json!({"T": list, "U": number})),
            ],
            4,
        ),
        (
            vec![
                part(json!({"T": list, "U": text})),
                part(json!({"T": list, "U": number})),
                part(json!({"T": list, "U": number})),
                part(json!({"T": list, "U": text})),
            ],
            4,
        ),
        (
            vec![
                part(json!({"T": tree(&text)})),
                part(json!({"T": tree(&text)})),
            ],
            1,
        ),
        (
            vec![
                part(json!({"T": tree(&text)})),
                part(json!({"T": tree(&number)})),
                part(json!({"T": tree(&number)})),
            ],
            2,
        ),
        // Names that look like those which renaming gives.
        (
            vec![
                part(json!({"T": text})),
                part(json!({"T": {"not": {"$ref": "#/$defs/T2"}}, "T2": text})),
            ],
            3,
        ),
        (vec![part(json!({"T": number})); 100], 1),
        (
            [
                vec![part(json!({"T": text}))],
                vec![part(json!({"T": list, "U": number})); 99],
            ]
            .concat(),
            3,
        ),
    ] {
        let parameters = parts.iter().enumerate().map(|(at, part)| {
            format!(
                "(p{at}::Any {{schema: {}}})==>",
                serde_json::to_string(&part.to_string()).expect("JSON")
            )
        });
        let text = format!("{}(::Any)", parameters.collect::<String>());
        let signature = parse_signature(&text).unwrap_or_else(|found| panic!("{text}\n{found}"));
        let written = signature.schema().to_value();
        assert_eq!(
            written["$defs"].as_object().map(Map::len),
            Some(count),
            "{written}"
        );
        let together = jsonschema::validator_for(&written).expect("a schema");
        let alone: Vec<_> = parts
            .iter()
            .map(|part| jsonschema::validator_for(part).expect("a schema"))
            .collect();
        let usual: Map<String, Value> = (0..parts.len())
            .map(|at| (format!("p{at}"), valid(&alone[at])))
            .collect();
        for (at, validator) in alone.iter().enumerate() {
            for value in values() {
                let mut all = usual.clone();
                all.insert(format!("p{at}"), value.clone());
                assert_eq!(
                    together.is_valid(&Value::Object(all)),
                    validator.is_valid(&value),
                    "{at} {value} {written}"
                );
            }
        }
    }
}

fn values() -> [Value; 8] {
    [
        json!("ab"),
        json!("a"),
        json!(1),
        json!(["ab"]),
        json!([1]),
        json!([["ab"]]),
        json!([[1]]),
        json!(true),
    ]
}

/// Returns a value that a schema allows.
fn valid(validator: &jsonschema::Validator) -> Value {
    let found = values().into_iter().find(|value| validator.is_valid(value));
    found.expect("a value that is allowed")
}

#[test]
fn a_hostile_chain_of_definitions_ends() {
    let chain = |last: Value| {
        let mut definitions: Map<String, Value> = (0..200)
            .map(|at| {
                (
                    format!("d{at}"),
                    json!({"items": {"$ref": format!("#/$defs/d{}", at + 1)}}),
                )
            })
            .collect();
        definitions.insert("d200".to_owned(), last);
        json!({"$ref": "#/$defs/d0", "$defs": definitions})
    };
    let parameters = (0..20).map(|at| {
        let part = chain(json!({"minLength": at})).to_string();
        format!(
            "(p{at}::Any {{schema: {}}})==>",
            serde_json::to_string(&part).expect("JSON")
        )
    });
    let text = format!("{}(::Any)", parameters.collect::<String>());
    let written = parse_signature(&text)
        .expect("a signature")
        .schema()
        .to_value();
    let lengths: Vec<Value> = (0..20).map(|at| json!(at)).collect();
    let definitions = written["$defs"].as_object().expect("an object");
    for length in lengths {
        let mut last = definitions
            .values()
            .filter(|schema| schema.get("minLength") == Some(&length));
        assert!(last.next().is_some(), "{length}");
    }
}
