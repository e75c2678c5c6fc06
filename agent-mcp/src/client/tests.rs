//! Arguments that a schema allows arrive at the server.

use super::argument_map::{ArgumentMap, renamed};
use super::contract::read_contract;
use super::tool_list::ListedTool;
use agent_runtime::serde_json::{Value, json};
use agent_spec::parse_signature;
use agent_spec::schema::ReadTool;
use agent_spec::types::{Kind, Shape, Type};
use agent_spec::{Param, Signature};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

fn listed(input: &Value) -> ListedTool {
    ListedTool {
        name: "find".to_owned(),
        title: None,
        description: None,
        input: input.to_string(),
        output: None,
        annotations: None,
    }
}

/// Returns what the server gets of the arguments that a model sends: of a tool without a document, and with one.
fn arriving(input: &Value, arguments: &Value) -> Result<[Value; 2], String> {
    let read = read_contract(&listed(input), None)?;
    let written = read.signature.to_string();
    let written = parse_signature(&written).map_err(|error| format!("{written}\n{error}"))?;
    let again = read_contract(&listed(input), Some(&written))?;
    let locked = written.with_known_of(&again.signature);
    Ok([
        arriving_by(&read.signature, &read, input, arguments)?,
        arriving_by(&locked, &again, input, arguments)?,
    ])
}

fn arriving_by(
    signature: &Signature,
    read: &ReadTool,
    input: &Value,
    arguments: &Value,
) -> Result<Value, String> {
    let text = arguments.to_string();
    let checked = signature.check_arguments(&text, None);
    let checked = checked.map_err(|error| format!("{signature}\n{error}"))?;
    let Value::Object(arguments) = checked.into_value() else {
        return Err("arguments are no object".to_owned());
    };
    let map = ArgumentMap::new(signature, read, &input.to_string());
    Ok(Value::Object(map.apply(&arguments).into_owned()))
}

/// Returns arguments with the names that the model sees, as a model would write them.
fn as_shown(input: &Value, arguments: &Value) -> Value {
    let read = read_contract(&listed(input), None).expect("a schema that can be read");
    let members = arguments.as_object().expect("an object").clone();
    Value::Object(renamed(&with_names_swapped(&read.signature), members))
}

/// Returns a signature whose names are those of the server, and whose names at the server are those of the signature.
fn with_names_swapped(signature: &Signature) -> Signature {
    fn swapped(fields: &[Param]) -> Vec<Param> {
        let fields = fields.iter().map(|field| {
            let name = field.remote().unwrap_or(field.name());
            let swapped = Param::new(name.to_owned(), swapped_type(field.ty()));
            match field.remote() {
                Some(_) => swapped.with_remote(field.name().to_owned()),
                None => swapped,
            }
        });
        fields.collect()
    }
    fn swapped_type(ty: &Type) -> Type {
        let all = |types: &[Type]| types.iter().map(swapped_type).collect();
        let nest = |ty: &Type| agent_spec::Nest::new(swapped_type(ty));
        Type::new(match ty.kind() {
            Kind::Array(of) => Kind::Array(nest(of)),
            Kind::Tuple(types) => Kind::Tuple(all(types)),
            Kind::Union(types) => Kind::Union(all(types)),
            Kind::Object(Shape::Fields(fields)) => {
                Kind::Object(Shape::Fields(swapped(fields).into()))
            }
            Kind::Object(Shape::Extended(fields, of)) => {
                Kind::Object(Shape::Extended(swapped(fields).into(), nest(of)))
            }
            Kind::Object(Shape::Map(of)) => Kind::Object(Shape::Map(nest(of))),
            kind => kind.clone(),
        })
    }
    Signature::new(swapped(signature.params()), signature.returns().clone())
}

/// A schema, and a value that it allows. An object that is closed has none but its properties.
type Case = (Value, Value);

fn texts() -> impl Strategy<Value = Value> {
    select(&["", "green", "6ba7b8109dad11d180b400c04fd430c8"][..]).prop_map(Value::from)
}

/// Regular expressions, each with a text that it matches. The first ones can be used here.
const PATTERNS: [(&str, &str); 6] = [
    ("^a", "ab"),
    ("^[a-z]{2}$", "ab"),
    ("^(?=.*b)a", "ab"),
    (r"(a)\1", "aa"),
    (r"^[^]*$", "a"),
    (r"\cJ|a", "a"),
];

fn leaf() -> BoxedStrategy<Case> {
    let formats = select(&["uuid", "date-time", "uri", "email"][..]);
    // A free key that is a name which the model sees, such as `_top`, would mean the property `$top`.
    let open = json!({"$top": 1, "filter[x]": {"p": [2, "q"]}, "_free": true});
    let deep = json!({"l": {"l": {"r": {}}}, "r": {}});
    prop_oneof![
        texts().prop_map(|text| (json!({"type": "string"}), text)),
        (formats, texts())
            .prop_map(|(format, text)| { (json!({"type": "string", "format": format}), text) }),
        (-3_i64..9).prop_map(|whole| (json!({"type": "integer"}), whole.into())),
        Just((json!({"type": "number"}), json!(2.5))),
        select(vec![json!("red"), json!(3), json!(true)])
            .prop_map(|value| (json!({"enum": ["red", 3, true]}), value)),
        texts().prop_map(|text| {
            (
                json!({"anyOf": [{"enum": ["green"]}, {"type": "string"}]}),
                text,
            )
        }),
        nullable(),
        Just((json!({"type": "object"}), open.clone())),
        Just((json!({"type": "array"}), json!([1, open.clone()]))),
        Just((json!({}), open.clone())),
        Just((json!(true), open)),
        Just((json!({"$ref": "#/$defs/D0"}), deep)),
        Just((
            json!({"$ref": "#/$defs/Node"}),
            json!({"$of": {"$of": {}}, "n": 1})
        )),
        select(&PATTERNS[..]).prop_map(|(pattern, text)| {
            (json!({"type": "string", "pattern": pattern}), json!(text))
        }),
        select(&PATTERNS[..]).prop_map(|(pattern, text)| {
            let schema = json!({"not": {"type": "object"}, "type": "string", "pattern": pattern});
            (schema, json!(text))
        }),
        (select(&["Shared", "Tree"][..]), select(&PATTERNS[..])).prop_map(|(name, (_, text))| {
            let schema = json!({"$ref": format!("#/$defs/{name}")});
            (schema, json!({"code": text, "$of": [{"code": "b"}]}))
        }),
        select(&["Loop", "One", "Either"][..]).prop_map(|name| {
            let of = json!({"$ref": format!("#/$defs/{name}")});
            let schema = json!({"type": "object", "properties": {"in": of}});
            (schema, json!({"in": {"$top": [1]}}))
        }),
    ]
    .boxed()
}

/// A schema that allows `null` and other values, with or without a default.
fn nullable() -> impl Strategy<Value = Case> {
    let values = select(vec![json!(null), json!("a")]);
    let schemas = select(vec![
        json!({"enum": ["a", null]}),
        json!({"enum": ["a", "b", null], "default": "b"}),
        json!({"type": ["string", "null"]}),
        json!({"type": ["string", "null"], "default": "b"}),
        json!({"type": "string", "nullable": true, "default": "b"}),
        json!({"anyOf": [{"const": null}, {"type": "string"}]}),
        json!({"anyOf": [{"type": "string", "default": "b"}, {"type": "null"}]}),
        json!({"type": ["string", "null"], "not": {"const": "b"}, "default": "c"}),
        json!({"default": "b"}),
    ]);
    (schemas, values)
}

const NAMES: [&str; 7] = ["a", "b", "$top", "_top", "filter[x]", "größe", "x y"];

/// The keywords of an object about further keys, with some of these.
fn further(of: BoxedStrategy<Case>) -> BoxedStrategy<(Value, Value)> {
    prop_oneof![
        Just((json!({}), json!({}))),
        Just((json!({"additionalProperties": false}), json!({}))),
        Just((
            json!({"additionalProperties": true}),
            json!({"more": 1, "_top_3": 2})
        )),
        Just((json!({"unevaluatedProperties": {}}), json!({"more": [1]}))),
        of.clone().prop_map(|(schema, value)| (
            json!({"additionalProperties": schema}),
            json!({"more": value})
        )),
        of.clone().prop_map(|(schema, value)| {
            let patterns = json!({"patternProperties": {"^x-": schema}});
            (patterns, json!({"x-1": value, "more": 1}))
        }),
        of.prop_map(|(schema, value)| {
            let patterns = json!({"^x-": schema, "^y-": {"type": "integer"}});
            let patterns = json!({"patternProperties": patterns, "additionalProperties": false});
            (patterns, json!({"x-1": value, "y-1": 1}))
        }),
        Just((json!({"dependentRequired": {"p": ["q"]}}), json!({}))),
        Just((
            json!({"if": {"required": ["a"]}, "else": {"properties": {"else": {}}}}),
            json!({"else": [1]})
        )),
    ]
    .boxed()
}

fn merged(mut into: Value, from: Value) -> Value {
    if let (Some(into), Value::Object(from)) = (into.as_object_mut(), from) {
        into.extend(from);
    }
    into
}

fn record(of: BoxedStrategy<Case>) -> BoxedStrategy<Case> {
    let property = (select(&NAMES[..]), of.clone(), any::<bool>(), any::<bool>());
    (vec(property, 0..4), further(of), any::<bool>())
        .prop_map(|(properties, (words, more), is_described)| {
            let (mut schemas, mut value, mut required) = (json!({}), json!({}), Vec::new());
            for (name, (schema, own), is_required, is_there) in properties {
                if schemas.get(name).is_none() {
                    schemas[name] = schema;
                    required.extend(is_required.then_some(name));
                    // A default would arrive in the place of a missing value.
                    let has_default = schemas[name].to_string().contains("\"default\":");
                    let is_free = !is_described && words == json!({}) && name == "_top";
                    if is_required || (is_there || has_default) && !is_free {
                        value[name] = own;
                    }
                }
            }
            let mut schema = json!({"type": "object", "required": &required});
            if is_described || words != json!({}) {
                schema["properties"] = schemas;
            } else if !required.contains(&"_top") {
                // No schema names it, so the model has it as the name of `$top`.
                value.as_object_mut().map(|members| members.remove("_top"));
            }
            (merged(schema, words), merged(value, more))
        })
        .boxed()
}

fn case() -> BoxedStrategy<Case> {
    leaf()
        .prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                3 => record(inner.clone()),
                1 => inner.clone().prop_map(|(schema, value)| {
                    (json!({"type": "array", "items": schema}), json!([value, value]))
                }),
                1 => (inner.clone(), inner.clone()).prop_map(|(one, other)| {
                    let schema = json!({"type": "array", "prefixItems": [one.0, other.0], "items": false, "minItems": 2});
                    (schema, json!([one.1, other.1]))
                }),
                1 => inner.clone().prop_map(|(schema, value)| {
                    (json!({"anyOf": [schema, {"type": "null"}]}), value)
                }),
                1 => (inner.clone(), inner).prop_map(|(one, other)| {
                    let arm = |tag: &str, of: Value| json!({
                        "type": "object",
                        "properties": {"kind": {"const": tag}, "@of": of},
                        "required": ["kind", "@of"],
                    });
                    let schema = json!({"oneOf": [arm("one", one.0), arm("other", other.0)]});
                    (schema, json!({"kind": "other", "@of": other.1}))
                }),
            ]
        })
        .boxed()
}

/// The schema of the arguments of a tool.
fn root() -> BoxedStrategy<Case> {
    let arm = |(schema, mut value): Case, tag: &str| {
        // The properties of one part of `allOf` close a part that describes none.
        if let (None, Some(members)) = (schema.get("properties"), value.as_object_mut()) {
            let required = schema["required"].as_array();
            members.retain(|name, _| {
                required.is_some_and(|names| names.iter().any(|required| required == name))
            });
        }
        let tag = json!({"type": "object", "properties": {"tag": {"const": tag}}});
        (json!({"allOf": [schema, tag]}), value)
    };
    prop_oneof![
        4 => record(case()),
        1 => (record(case()), record(case())).prop_map(move |(one, other)| {
            let (one, other) = (arm(one, "one"), arm(other, "other"));
            (json!({"oneOf": [one.0, other.0]}), merged(one.1, json!({"tag": "one"})))
        }),
        1 => record(case()).prop_map(|(schema, value)| {
            (json!({"$ref": "#/$defs/Root", "Root": schema}), value)
        }),
    ]
    .prop_map(|(mut schema, value)| {
        let mut definitions = json!({
            "D8": {"type": "object", "properties": {"n": {"type": "integer"}}},
            "Node": {"type": "object", "properties": {"$of": {"$ref": "#/$defs/Node"}, "n": {"type": "integer"}}},
        });
        let code = json!({"type": "string", "pattern": "^(?!x)"});
        definitions["Shared"] = json!({
            "type": "object", "minProperties": 1,
            "properties": {"code": code, "$of": {"type": "array", "items": {"$ref": "#/$defs/Code"}}},
        });
        definitions["Code"] = json!({"type": "object", "properties": {"code": {"type": "string"}}});
        definitions["Tree"] = json!({
            "type": "object",
            "properties": {"code": code, "$of": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
        });
        // Definitions that say nothing about a value.
        definitions["Loop"] = json!({"$ref": "#/$defs/Loop"});
        definitions["One"] = json!({"allOf": [{"$ref": "#/$defs/Other"}]});
        definitions["Other"] = json!({"$ref": "#/$defs/One"});
        definitions["Either"] = json!({"anyOf": [{"$ref": "#/$defs/Either"}, {"type": "object"}]});
        for at in 0..8 {
            let next = json!({"$ref": format!("#/$defs/D{}", at + 1)});
            definitions[format!("D{at}")] =
                json!({"type": "object", "properties": {"l": next, "r": next}});
        }
        if let Some(root) = schema.as_object_mut().and_then(|root| root.remove("Root")) {
            definitions["Root"] = root;
        }
        schema["$defs"] = definitions;
        (schema, value)
    })
    .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(512)
    })]

    #[test]
    fn what_a_schema_allows_arrives_at_the_server((schema, value) in root()) {
        // A model writes the names that it sees, or those of the server, which its descriptions have.
        for given in [as_shown(&schema, &value), value.clone()] {
            let arrived = arriving(&schema, &given);
            let both = Ok([value.clone(), value.clone()]);
            prop_assert_eq!(arrived, both, "{}\n{}", schema, given);
        }
    }
}

/// Each row has the schema of the arguments, what a model sends, and what arrives.
#[test]
fn null_arrives_where_the_server_requires_or_allows_it() {
    let nullable = json!({"enum": ["a", null]});
    let record = json!({"type": "object", "properties": {"n": nullable, "z": {"const": null}}, "required": ["n", "z"]});
    let arm = |tag: &str, of: &Value| {
        json!({
            "type": "object",
            "properties": {"kind": {"const": tag}, "@of": of},
            "required": ["kind", "@of"],
            "additionalProperties": false,
        })
    };
    let text = json!({"type": "string"});
    let union =
        json!({"oneOf": [arm("text", &text), arm("none", &nullable), arm("record", &record)]});
    let none = json!({"kind": "none", "@of": null});
    let filled = json!({"n": null, "z": null});
    let list = json!({"type": "array", "items": union});
    for (schema, given, expected) in [
        (&nullable, None, json!({"p": null})),
        (&nullable, Some(json!(null)), json!({"p": null})),
        (&json!({"const": null}), None, json!({"p": null})),
        (&record, Some(json!({})), json!({"p": filled})),
        (&union, Some(json!({"kind": "none"})), json!({"p": none})),
        (&union, Some(none.clone()), json!({"p": none})),
        (
            &union,
            Some(json!({"kind": "text", "_of": "t"})),
            json!({"p": {"kind": "text", "@of": "t"}}),
        ),
        (
            &union,
            Some(json!({"kind": "record", "_of": {"n": "a"}})),
            json!({"p": {"kind": "record", "@of": {"n": "a", "z": null}}}),
        ),
        (
            &list,
            Some(json!([{"kind": "none"}, {"kind": "record", "_of": {}}])),
            json!({"p": [none, {"kind": "record", "@of": filled}]}),
        ),
    ] {
        let input = json!({"type": "object", "properties": {"p": schema}, "required": ["p"]});
        let given = given.map_or(json!({}), |given| json!({"p": given}));
        let arrived = arriving(&input, &given);
        assert_eq!(
            arrived,
            Ok([expected.clone(), expected]),
            "{schema} {given}"
        );
    }
}
