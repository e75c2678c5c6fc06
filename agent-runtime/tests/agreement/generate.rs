//! JSON that is nearly of a type.

use agent_runtime::serde_json::{Map, Value, json};
use agent_runtime::spec::types::{Shape, fields_of};
use agent_runtime::spec::{Kind, Signature, Type};
use proptest::collection::vec;
use proptest::prelude::*;

/// Arguments of a tool: most of them are of its type, or nearly so.
pub(super) fn arguments(signature: &Signature) -> BoxedStrategy<Value> {
    fields(signature.params())
}

/// A value of the type, or, now and then, of any.
fn value(ty: &Type) -> BoxedStrategy<Value> {
    prop_oneof![40 => of_type(ty), 1 => anything()].boxed()
}

fn anything() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(json!(true)),
        Just(json!("text")),
        Just(json!(7)),
        Just(json!(-1.5)),
        Just(json!([])),
        Just(json!([1, "a"])),
        Just(json!({})),
        Just(json!({"radius": 1})),
        Just(Value::Null),
    ]
    .boxed()
}

fn of_type(ty: &Type) -> BoxedStrategy<Value> {
    let allowed = ty.constraints().enumeration();
    if !allowed.is_empty() {
        let allowed: Vec<Value> = allowed
            .iter()
            .filter_map(agent_runtime::spec::json::value_to_json)
            .collect();
        return proptest::sample::select(allowed).boxed();
    }
    match ty.kind() {
        Kind::Text => text(ty),
        Kind::Int => prop_oneof![
            20 => (1i64..6).prop_map(Value::from),
            4 => (-2i64..12).prop_map(Value::from),
            1 => Just(json!(255)),
            1 => Just(json!(256)),
            1 => Just(json!(4_000_000_000u64)),
            1 => Just(json!(3.0)),
            1 => Just(json!(2.5)),
        ]
        .boxed(),
        Kind::Double => prop_oneof![
            6 => (0.5f64..2.5).prop_map(Value::from),
            1 => (-2i64..4).prop_map(Value::from),
        ]
        .boxed(),
        Kind::Bool => any::<bool>().prop_map(Value::from).boxed(),
        Kind::Array(element) => vec(value(element), 0..4).prop_map(Value::from).boxed(),
        Kind::Object(Shape::Map(of)) => vec(("[a-c]", value(of)), 0..3)
            .prop_map(|entries| Value::Object(entries.into_iter().collect()))
            .boxed(),
        Kind::Object(Shape::Fields(of)) => fields(fields_of(of)),
        _ => anything(),
    }
}

fn text(ty: &Type) -> BoxedStrategy<Value> {
    let texts: &[&str] = match ty.constraints().format.as_deref() {
        Some("duration") => &["5s", "1.5 h", "PT1M", "P1DT0.25S", "500ms", "soon", "P1Y"],
        Some("ipv4") => &["127.0.0.1", "0.0.0.0", "256.0.0.1", "1.2.3"],
        None if ty.constraints().max_length == Some(1) => &["a", "ä", "1", "", "ab"],
        None if ty.constraints().max_length == Some(2) => &["en", "de", "äö", "", "deu"],
        _ => &["", "a", "de", "ä", "#00ff00", "a longer text"],
    };
    proptest::sample::select(texts)
        .prop_map(Value::from)
        .boxed()
}

/// A record with most of its fields, and now and then one more.
fn fields(of: &[agent_runtime::spec::Field]) -> BoxedStrategy<Value> {
    let mut members = Just(Map::new()).boxed();
    for field in of {
        let name = field.name().to_owned();
        let absent = if field.is_optional() { 10 } else { 1 };
        let field = prop_oneof![absent => Just(None), 40 => value(field.ty()).prop_map(Some)];
        members = (members, field)
            .prop_map(move |(mut members, value)| {
                members.extend(value.map(|value| (name.clone(), value)));
                members
            })
            .boxed();
    }
    (members, 0..20u8)
        .prop_map(|(mut members, more)| {
            if more == 0 {
                members.insert("quite unknown".to_owned(), json!(1));
            }
            Value::Object(members)
        })
        .boxed()
}
