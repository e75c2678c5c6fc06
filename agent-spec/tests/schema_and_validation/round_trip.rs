//! Signatures to schemas and back, and schemas that others might write, held against the crate
//! `jsonschema`.
//!
//! A schema carries all that a signature says, except: that an `Any` inside a list or map is
//! optional, since `{}` allows `null` anyway; that an `Any` is narrowed to values of one plain
//! type, which is then that type; and the tag of a tagged text.

use crate::schema_and_validation::against_jsonschema::{validator, value_for, without_absent};
use crate::schema_and_validation::making::*;
use agent_spec::schema::{SchemaReader, same_schema};
use agent_spec::{Field, Kind, MediaKind, Returns, Signature, Type};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        max_shrink_iters: 500,
        ..ProptestConfig::with_cases(cases)
    }
}

/// Some of the members.
fn some_of<const N: usize>(all: [(&'static str, Value); N]) -> BoxedStrategy<Value> {
    subsequence(all.to_vec(), 0..=N)
        .prop_map(|chosen| {
            let members = chosen.into_iter();
            Value::Object(
                members
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect(),
            )
        })
        .boxed()
}

fn leaf() -> BoxedStrategy<Type> {
    let texts = some_of([
        ("minLength", json!(0)),
        ("maxLength", json!(4)),
        ("format", json!("date")),
        ("pattern", json!("^[a-z]*\"\\\\")),
    ]);
    let numbers = some_of([("minimum", json!(-2.5)), ("maximum", json!(i64::MAX))]);
    let integers = some_of([("minimum", json!(-3)), ("maximum", json!(7.5))]);
    prop_oneof![
        Just(anything()),
        Just(Type::new(Kind::Bool)),
        Just(open()),
        Just(list(anything())),
        texts.prop_map(|keywords| narrowed(text(), keywords)),
        integers.prop_map(|keywords| narrowed(int(), keywords)),
        numbers.prop_map(|keywords| narrowed(double(), keywords)),
        vec(select(&["", "a", "é\n", "\"q\""][..]), 1..4)
            .prop_map(|values| narrowed(text(), json!({"enum": values}))),
        vec(-2_i64..9, 1..3).prop_map(|values| narrowed(int(), json!({"enum": values}))),
        Just(narrowed(double(), json!({"enum": [1, 2.5]}))),
        Just(narrowed(Type::new(Kind::Bool), json!({"enum": [false]}))),
        Just(narrowed(
            anything(),
            json!({"enum": ["a", 1, [true, {"k": "v"}]]})
        )),
        Just(narrowed(list(int()), json!({"enum": [[1, 2], []]}))),
    ]
    .boxed()
}

/// A type that a field can have.
fn any_type() -> BoxedStrategy<Type> {
    leaf()
        .prop_recursive(4, 20, 4, |inner| {
            let nested = inner.clone().prop_flat_map(|ty| {
                // An optional `Any` is not different from `Any` there.
                let may_be_optional = !matches!(ty.kind(), Kind::Any);
                (Just(ty), any::<bool>())
                    .prop_map(move |(ty, optional)| ty.with_optional(optional && may_be_optional))
            });
            let counts = some_of([("minItems", json!(1)), ("maxItems", json!(3))]);
            prop_oneof![
                (nested.clone(), counts).prop_map(|(ty, counts)| narrowed(list(ty), counts)),
                // A map of any values is read as any object, which is equal.
                nested.prop_map(|ty| if ty == *Type::ANY { open() } else { map(ty) }),
                fields(inner).prop_map(record),
            ]
        })
        .boxed()
}

fn fields(ty: impl Strategy<Value = Type> + Clone + 'static) -> BoxedStrategy<Vec<Field>> {
    named(&["a", "city", "é f", "1", "type", "$ref", "\"`\\"], ty)
}

fn params(ty: impl Strategy<Value = Type> + Clone + 'static) -> BoxedStrategy<Vec<Field>> {
    named(&["a", "city", "e.f-g", "1", "type", "-", "e2e"], ty)
}

fn named(
    names: &[&'static str],
    ty: impl Strategy<Value = Type> + Clone + 'static,
) -> BoxedStrategy<Vec<Field>> {
    subsequence(names.to_vec(), 0..=4)
        .prop_shuffle()
        .prop_flat_map(move |names| {
            let fields: Vec<_> = names
                .into_iter()
                .map(|name| one_field(name, ty.clone()))
                .collect();
            fields
        })
        .boxed()
}

fn one_field(
    name: &'static str,
    ty: impl Strategy<Value = Type> + 'static,
) -> BoxedStrategy<Field> {
    let description = proptest::option::of(select(&["", "What it is.", "two\nlines"][..]));
    (ty, any::<bool>(), description)
        .prop_flat_map(|(ty, optional, description)| {
            let default = proptest::option::weighted(0.3, value_for(&ty));
            (Just(ty.with_optional(optional)), default, Just(description))
        })
        .prop_map(move |(ty, default, description)| {
            let default = default.filter(|value| ty.validate(value).is_ok());
            let default = default.and_then(|value| agent_spec::json::json_to_value(&value));
            let mut field = match default {
                // A default makes it optional already.
                Some(default) => field(name, ty.with_optional(false)).with_default(default),
                None => field(name, ty),
            };
            if let Some(description) = description {
                field = field.with_description(description);
            }
            field
        })
        .boxed()
}

fn any_signature() -> BoxedStrategy<Signature> {
    let result = prop_oneof![
        8 => (any_type(), any::<bool>()).prop_map(|(ty, optional)| {
            let optional = optional && !matches!(ty.kind(), Kind::Any);
            ty.with_optional(optional)
        }),
        1 => Just(Type::new(Kind::Null)),
        1 => (select(&MediaKind::ALL[..]), any::<bool>())
            .prop_map(|(kind, optional)| Type::new(Kind::Media(kind)).with_optional(optional)),
    ];
    (params(any_type()), result, any::<bool>())
        .prop_map(|(params, result, described)| {
            let returns = Returns::new(result);
            let returns = if described {
                returns.with_description("What comes back.")
            } else {
                returns
            };
            Signature::new(params, returns)
        })
        .boxed()
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn signatures_round_trip_through_schemas(signature in any_signature()) {
        let (schema, returns) = (signature.schema(), signature.return_schema());
        let reader = SchemaReader::exact();
        let read = reader.read_signature(&schema, Some(&returns));
        let read = read.map_err(|error| TestCaseError::fail(format!("{schema}\n{error}")))?;
        prop_assert_eq!(&read, &signature, "{}", schema);
        // In order, too, and so to the letter.
        prop_assert_eq!(read.to_string(), signature.to_string());
        prop_assert_eq!(read.schema().to_string(), schema.to_string());
        let text = read.to_string();
        let parsed = agent_spec::parse_signature(&text);
        prop_assert!(parsed.as_ref() == Ok(&signature), "{}\n{:?}", text, parsed);

        let (sorted, returns) = (schema.to_value(), returns.to_value());
        let read = reader.read_signature(&sorted, Some(&returns));
        let read = read.map_err(|error| TestCaseError::fail(format!("{sorted}\n{error}")))?;
        prop_assert!(same_schema(&read.schema().to_value(), &sorted), "{}", sorted);
        prop_assert!(same_schema(&read.return_schema().to_value(), &returns), "{}", returns);
        for param in signature.params() {
            prop_assert_eq!(read.param(param.name()), Some(param));
        }
    }

    #[test]
    fn read_types_round_trip(
        (schema, values) in foreign_schema().prop_flat_map(|schema| {
            let values = match SchemaReader::exact().read_type(&schema) {
                Ok(ty) => vec(value_for(&ty), 4).boxed(),
                Err(_) => Just(Vec::new()).boxed(),
            };
            (Just(schema), values)
        }),
    ) {
        let Ok(ty) = SchemaReader::exact().read_type(&schema) else {
            return Ok(());
        };
        let signature = Signature::new(vec![], Returns::new(ty.clone()));
        let text = signature.to_string();
        let parsed = agent_spec::parse_signature(&text);
        prop_assert!(parsed.as_ref() == Ok(&signature), "{}\n{}\n{:?}", schema, text, parsed);
        let validator = validator(&schema);
        for value in values {
            let theirs = validator.is_valid(&without_absent(&ty, &value));
            let ours = ty.validate(&value);
            prop_assert_eq!(ours.is_ok(), theirs, "{}\n{}\n{}", schema, text, value);
        }
    }
}

/// Schemas as people and generators write them, not all of them readable.
fn foreign_schema() -> BoxedStrategy<Value> {
    let values = subsequence(
        vec![
            json!("a"),
            json!("äö"),
            json!(1),
            json!(2.5),
            json!(null),
            json!([1]),
        ],
        1..=3,
    );
    let leaf = prop_oneof![
        3 => select(&["string", "integer", "number", "boolean", "array", "object"][..])
            .prop_map(|word| json!({"type": word})),
        1 => select(&["string", "integer"][..]).prop_map(|word| json!({"type": [word, "null"]})),
        1 => Just(json!(true)),
        1 => Just(json!({"type": "null"})),
        2 => values.clone().prop_map(|values| json!({"enum": values})),
        1 => values.clone().prop_map(|values| json!({"type": ["string", "null"], "enum": values})),
        1 => values.clone().prop_map(|values| json!({"const": values[0]})),
        1 => values.prop_map(|values| {
            let arms: Vec<_> = values.iter().map(|value| json!({"const": value})).collect();
            json!({"oneOf": arms})
        }),
        1 => Just(json!({"type": "string", "minLength": 2, "pattern": "^[a-c]"})),
        1 => Just(json!({"type": "integer", "exclusiveMinimum": -1.5, "maximum": 9, "format": "int32"})),
        1 => select(&["#/$defs/A", "#/$defs/B", "#/$defs/C"][..])
            .prop_map(|reference| json!({"$ref": reference})),
    ];
    let schema = leaf.prop_recursive(3, 12, 3, |inner| {
        let properties = proptest::collection::btree_map(
            select(&["a", "city", "tags"][..]),
            inner.clone(),
            0..3,
        );
        let required = subsequence(vec!["a", "city", "other"], 0..=2);
        prop_oneof![
            inner
                .clone()
                .prop_map(|items| json!({"type": "array", "items": items, "maxItems": 3})),
            inner
                .clone()
                .prop_map(|of| json!({"type": "object", "additionalProperties": of})),
            (properties, required).prop_map(|(properties, required)| {
                json!({"type": "object", "properties": properties, "required": required})
            }),
            inner
                .clone()
                .prop_map(|arm| json!({"anyOf": [arm, {"type": "null"}]})),
            inner
                .clone()
                .prop_map(|arm| json!({"oneOf": [{"type": "null"}, arm]})),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| json!({"anyOf": [a, b]})),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| json!({"allOf": [a, b]})),
            inner
                .clone()
                .prop_map(|arm| json!({"description": "d", "allOf": [arm]})),
            inner.prop_map(|arm| json!({"type": ["string", "null"], "anyOf": [arm]})),
        ]
    });
    let defs = json!({
        "A": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
        "B": {"type": ["string", "null"], "maxLength": 3},
        "C": {"oneOf": [{"const": "a", "description": "first"}, {"const": "b"}]},
    });
    schema
        .prop_map(move |schema| match schema {
            Value::Object(mut members) => {
                members.insert("$defs".to_owned(), defs.clone());
                Value::Object(members)
            }
            other => other,
        })
        .boxed()
}

#[test]
fn reads_most_foreign_schemas() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let strategy = foreign_schema();
    let readable = (0..300).filter(|_| {
        let schema = strategy.new_tree(&mut runner).expect("a case").current();
        SchemaReader::exact().read_type(&schema).is_ok()
    });
    let readable = readable.count();
    assert!((100..290).contains(&readable), "{readable} of 300");
}

/// JSON of any form, with the words of schemas in it.
fn soup() -> BoxedStrategy<Value> {
    let words = select(
        &[
            "type",
            "properties",
            "$ref",
            "#",
            "#/a",
            "anyOf",
            "oneOf",
            "allOf",
            "enum",
            "const",
            "items",
            "required",
            "default",
            "string",
            "object",
            "array",
            "minimum",
            "null",
            "additionalProperties",
            "exclusiveMaximum",
            "pattern",
            "description",
            "format",
        ][..],
    );
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        words.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 40, 6, move |inner| {
        let members = proptest::collection::btree_map(words.clone(), inner.clone(), 0..6);
        prop_oneof![
            vec(inner, 0..4).prop_map(Value::Array),
            members.prop_map(|members| {
                let members = members.into_iter();
                Value::Object(
                    members
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect::<Map<_, _>>(),
                )
            }),
        ]
    })
    .boxed()
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn reading_never_panics(schema in soup()) {
        if let Err(error) = Type::from_schema(&schema) {
            prop_assert!(!error.problems().is_empty());
        }
        let _ = Signature::from_schemas(&schema, Some(&schema));
    }
}
