//! Our validation held against the crate `jsonschema` on the schemas we generate.
//!
//! The two may differ in what is documented and in nothing else. `null` for an optional field is
//! taken out before `jsonschema` sees the value. The other differences cannot come up here: no two
//! names of [`NAMES`] nearly spell each other, no type has a range of the implementation, and a
//! `serde_json::Value` has no duplicate keys.

use crate::schema_and_validation::making::*;
use agent_gram::Value as Gram;
use agent_spec::types::fields_of;
use agent_spec::{Field, Kind, Shape, Type};
use jsonschema::Validator;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

const NAMES: [&str; 4] = ["a", "city", "tags", "x-y z"];
const TEXTS: [&str; 10] = [
    "",
    "a",
    "äö",
    "äöü",
    "abc",
    "2026-11-21",
    "a@b.org",
    "https://a.org/",
    "192.0.2.1",
    "09:30:00Z",
];

pub(crate) fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::options()
        .should_validate_formats(true)
        .build(schema)
        .expect("our schemas are schemas")
}

fn plain_value() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-3_i64..12).prop_map(Value::from),
        select(&[0.0, -0.0, 2.0, 5.0, 2.5, -1.5, 1e20][..]).prop_map(Value::from),
        select(&TEXTS[..]).prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::Array),
            members(inner).prop_map(Value::Object),
        ]
    })
    .boxed()
}

fn members(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    let name = select(&NAMES[..]).prop_map(str::to_owned);
    btree_map(name, value, 0..4).prop_map(|members| members.into_iter().collect())
}

/// A value that has a fair chance of being of the type.
pub(crate) fn value_for(ty: &Type) -> BoxedStrategy<Value> {
    let right = match ty.kind() {
        Kind::Null => Just(Value::Null).boxed(),
        Kind::Text => select(&TEXTS[..]).prop_map(Value::from).boxed(),
        Kind::Int => prop_oneof![
            4 => (-3_i64..12).prop_map(Value::from),
            1 => Just(json!(5.0)),
        ]
        .boxed(),
        Kind::Double => (-6_i64..24).prop_map(|n| json!(n as f64 / 2.0)).boxed(),
        Kind::Bool => any::<bool>().prop_map(Value::from).boxed(),
        Kind::Array(element) => vec(value_for(element), 0..4).prop_map(Value::Array).boxed(),
        Kind::Object(Shape::Map(value)) => {
            members(value_for(value)).prop_map(Value::Object).boxed()
        }
        Kind::Object(Shape::Fields(fields)) => record_for(fields_of(fields)),
        Kind::Object(Shape::Extended(fields, values)) => {
            let further = members(value_for(values));
            (record_for(fields_of(fields)), further)
                .prop_map(|(record, mut further)| {
                    further.extend(record.as_object().expect("a record").clone());
                    Value::Object(further)
                })
                .boxed()
        }
        Kind::Tuple(types) => {
            let items: Vec<_> = types.iter().map(value_for).collect();
            let more = prop_oneof![6 => Just(0_usize), 1 => Just(1)];
            (items, more.clone(), more)
                .prop_map(|(mut items, more, less)| {
                    items.extend(vec![json!(1); more]);
                    items.truncate(items.len() - less.min(items.len()));
                    Value::Array(items)
                })
                .boxed()
        }
        Kind::Union(types) => {
            proptest::strategy::Union::new(types.iter().map(value_for).collect::<Vec<_>>()).boxed()
        }
        Kind::Object(_) => members(plain_value()).prop_map(Value::Object).boxed(),
        _ => plain_value(),
    };
    let items = ty.constraints().enumeration().iter();
    let listed: Vec<_> = items.filter_map(agent_spec::json::value_to_json).collect();
    let right = if listed.is_empty() {
        right
    } else {
        prop_oneof![right, select(listed)].boxed()
    };
    prop_oneof![12 => right, 1 => Just(Value::Null), 1 => plain_value()].boxed()
}

fn record_for(fields: &[Field]) -> BoxedStrategy<Value> {
    let strategies: Vec<_> = fields
        .iter()
        .map(|field| {
            let name = field.name().to_owned();
            let value = prop_oneof![6 => value_for(field.ty()).prop_map(Some), 1 => Just(None)];
            value.prop_map(move |value| value.map(|value| (name.clone(), value)))
        })
        .collect();
    let unknown = prop_oneof![4 => Just(None), 1 => Just(Some(("unknown".to_owned(), json!(1))))];
    (strategies, unknown)
        .prop_map(|(members, unknown)| {
            Value::Object(members.into_iter().flatten().chain(unknown).collect())
        })
        .boxed()
}

fn text_keywords() -> impl Strategy<Value = Value> {
    let format = select(&["date", "email", "uri", "ipv4", "time", "colour"][..]);
    let pattern = select(&["^a", "b|ö", r"\d", "^[^a]*$"][..]);
    // Mostly one keyword or the two lengths: a text that has to satisfy all seldom does.
    let chosen = select(&[0, 1, 2, 3, 4, 8, 15][..]);
    (0_u64..4, 1_u64..5, format, pattern, chosen).prop_map(
        |(least, most, format, pattern, chosen)| {
            let all = [
                ("minLength", json!(least)),
                ("maxLength", json!(most)),
                ("format", json!(format)),
                ("pattern", json!(pattern)),
            ];
            chosen_of(all, chosen)
        },
    )
}

/// The members whose bits are set.
fn chosen_of<const N: usize>(all: [(&str, Value); N], bits: u8) -> Value {
    let chosen = all.into_iter().enumerate();
    let chosen = chosen.filter(|(at, _)| bits & (1 << at) != 0);
    Value::Object(
        chosen
            .map(|(_, (key, value))| (key.to_owned(), value))
            .collect(),
    )
}

fn number_keywords() -> impl Strategy<Value = Value> {
    let multiples = select(vec![json!(2), json!(3), json!(0.5), json!(2.5)]);
    let chosen = select(&[0_u8, 1, 2, 3, 4, 8, 12, 16, 17][..]);
    let numbers = (-2_i64..4, 3_i64..20, any::<bool>(), chosen, multiples);
    numbers.prop_map(|(least, most, halves, chosen, multiple)| {
        let least = if halves {
            json!(least as f64 + 0.5)
        } else {
            json!(least)
        };
        let all = [
            ("minimum", least.clone()),
            ("maximum", json!(most)),
            ("exclusiveMinimum", least),
            ("exclusiveMaximum", json!(most)),
            ("multipleOf", multiple),
        ];
        chosen_of(all, chosen)
    })
}

fn with_enum(ty: Type) -> BoxedStrategy<Type> {
    let items = prop_oneof![
        select(&TEXTS[..]).prop_map(Value::from),
        (-3_i64..12).prop_map(Value::from),
        Just(json!(5.0)),
        Just(json!([1, {"a": "x"}])),
    ];
    vec(items, 1..4)
        .prop_map(move |items| narrowed(ty.clone(), json!({"enum": items})))
        .boxed()
}

fn any_type() -> BoxedStrategy<Type> {
    let leaf = prop_oneof![
        Just(anything()),
        Just(Type::new(Kind::Null)),
        Just(Type::new(Kind::Bool)),
        Just(open()),
        text_keywords().prop_map(|keywords| narrowed(text(), keywords)),
        text_keywords().prop_map(|keywords| narrowed(anything(), keywords)),
        number_keywords().prop_map(|keywords| narrowed(int(), keywords)),
        number_keywords().prop_map(|keywords| narrowed(double(), keywords)),
        number_keywords().prop_map(|keywords| narrowed(anything(), keywords)),
        with_enum(text()),
        with_enum(int()),
        with_enum(anything()),
    ];
    let leaf = (leaf, any::<bool>()).prop_map(|(ty, optional)| ty.with_optional(optional));
    leaf.prop_recursive(3, 12, 3, |inner| {
        let nested = prop_oneof![
            (inner.clone(), 0_u64..3, 1_u64..5, 0_u8..4).prop_map(
                |(element, least, most, bits)| {
                    let all = [("minItems", json!(least)), ("maxItems", json!(most))];
                    narrowed(list(element), chosen_of(all, bits))
                }
            ),
            inner.clone().prop_map(map),
            fields(inner.clone()).prop_map(record),
            (fields(inner.clone()), inner.clone())
                .prop_map(|(fields, values)| extended(fields, values)),
            vec(inner.clone(), 1..4).prop_map(tuple),
            vec(inner, 1..5).prop_map(any_of),
        ];
        (nested, any::<bool>()).prop_map(|(ty, optional)| ty.with_optional(optional))
    })
    .boxed()
}

fn fields(ty: impl Strategy<Value = Type> + Clone + 'static) -> BoxedStrategy<Vec<Field>> {
    subsequence(&NAMES[..], 0..=NAMES.len())
        .prop_flat_map(move |names| {
            let fields: Vec<_> = names
                .into_iter()
                .map(|name| one_field(name, ty.clone()))
                .collect();
            fields
        })
        .boxed()
}

/// A field, with a default where the value that was drawn for it fits.
fn one_field(
    name: &'static str,
    ty: impl Strategy<Value = Type> + 'static,
) -> BoxedStrategy<Field> {
    ty.prop_flat_map(|ty| {
        let default = prop_oneof![Just(None), value_for(&ty).prop_map(Some)];
        (Just(ty), default)
    })
    .prop_map(move |(ty, default)| {
        let default = default.filter(|value| ty.validate(value).is_ok());
        let default: Option<Gram> =
            default.and_then(|value| agent_spec::json::json_to_value(&value));
        match default {
            Some(default) => field(name, ty).with_default(default),
            None => field(name, ty),
        }
    })
    .boxed()
}

/// Takes out `null` for optional fields, the one documented difference that can come up.
pub(crate) fn without_absent(ty: &Type, value: &Value) -> Value {
    match (ty.kind(), value) {
        (Kind::Array(element), Value::Array(items)) => {
            let items = items.iter().map(|item| without_absent(element, item));
            Value::Array(items.collect())
        }
        (Kind::Object(Shape::Map(of)), Value::Object(members)) => {
            let members = members.iter();
            Value::Object(
                members
                    .map(|(key, value)| (key.clone(), without_absent(of, value)))
                    .collect(),
            )
        }
        (Kind::Object(Shape::Fields(fields)), Value::Object(members)) => {
            let mut kept = Map::new();
            for (key, value) in members {
                let field = fields_of(fields).iter().find(|field| field.name() == key);
                let value = match field {
                    Some(field) if field.is_optional() && value.is_null() => continue,
                    Some(field) => without_absent(field.ty(), value),
                    None => value.clone(),
                };
                kept.insert(key.clone(), value);
            }
            Value::Object(kept)
        }
        (Kind::Object(Shape::Extended(fields, values)), Value::Object(members)) => {
            let declared = |key: &str| fields_of(fields).iter().any(|field| field.name() == key);
            let (declared, further): (Map<_, _>, Map<_, _>) = members
                .clone()
                .into_iter()
                .partition(|(key, _)| declared(key));
            let record = record(fields.to_vec());
            let mut kept = without_absent(&record, &Value::Object(declared));
            let further = without_absent(&map(values.get().clone()), &Value::Object(further));
            let further = further.as_object().expect("an object").clone();
            kept.as_object_mut().expect("an object").extend(further);
            kept
        }
        (Kind::Tuple(types), Value::Array(items)) => {
            let items = items.iter().enumerate();
            let items = items.map(|(at, item)| match types.get(at) {
                Some(ty) => without_absent(ty, item),
                None => item.clone(),
            });
            Value::Array(items.collect())
        }
        (Kind::Union(types), value) => match types.iter().find(|ty| ty.validate(value).is_ok()) {
            Some(ty) => without_absent(ty, value),
            None => value.clone(),
        },
        _ => value.clone(),
    }
}

fn type_and_value() -> impl Strategy<Value = (Type, Value)> {
    any_type().prop_flat_map(|ty| {
        let value = value_for(&ty);
        (Just(ty), value)
    })
}

fn fields_and_value() -> impl Strategy<Value = (Vec<Field>, Value)> {
    fields(any_type()).prop_flat_map(|fields| {
        let value = record_for(&fields);
        (Just(fields), value)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, max_shrink_iters: 300, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn validation_agrees_with_jsonschema((ty, value) in type_and_value()) {
        let schema = ty.schema().to_value();
        let theirs = validator(&schema).is_valid(&without_absent(&ty, &value));
        let ours = ty.validate(&value);
        prop_assert_eq!(ours.is_ok(), theirs, "{}\n{}\n{:?}", schema, value, ours);
    }

    #[test]
    fn normalised_arguments_satisfy_the_schema((fields, value) in fields_and_value()) {
        let ty = record(fields.clone());
        let signature = signature(fields);
        let schema = validator(&signature.schema().to_value());
        let text = value.to_string();
        let result = signature.check_arguments(&text, None);
        prop_assert_eq!(result.is_ok(), schema.is_valid(&without_absent(&ty, &value)));
        if let Ok(arguments) = result {
            let parsed: Value = serde_json::from_str(arguments.text()).expect("JSON");
            prop_assert!(schema.is_valid(&parsed), "{}", arguments.text());
            prop_assert_eq!(parsed, arguments.clone().into_value());
            let again = signature.check_arguments(arguments.text(), None).expect("valid");
            prop_assert_eq!(again.text(), arguments.text());
            prop_assert!(again.dropped().is_empty());
        }
    }
}

#[test]
fn the_generator_makes_values_of_both_kinds() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut valid = 0;
    for _ in 0..300 {
        let (ty, value) = type_and_value()
            .new_tree(&mut runner)
            .expect("a case")
            .current();
        valid += usize::from(ty.validate(&value).is_ok());
    }
    assert!((60..240).contains(&valid), "{valid} of 300 are valid");
}
