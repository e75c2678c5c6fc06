//! JSON that is nearly of a type.

use agent_runtime::serde_json::{Map, Number, Value, json};
use agent_runtime::spec::types::{Shape, fields_of, types_of};
use agent_runtime::spec::{Kind, Signature, Type};
use proptest::collection::vec;
use proptest::prelude::*;

/// Arguments of a tool: most of them are of its type, or nearly so.
pub(super) fn arguments(signature: &Signature) -> BoxedStrategy<Value> {
    fields(signature.params())
}

/// A value of the type, or, now and then, of any.
fn value(ty: &Type) -> BoxedStrategy<Value> {
    let null = if ty.is_optional() { 4 } else { 0 };
    prop_oneof![40 => of_type(ty), null => Just(Value::Null), 1 => anything()].boxed()
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
            2 => border(ty),
            1 => Just(json!(3.0)),
            1 => Just(json!(2.5)),
        ]
        .boxed(),
        Kind::Double => prop_oneof![
            6 => (0.5f64..2.5).prop_map(Value::from),
            1 => (-2i64..4).prop_map(Value::from),
            1 => proptest::sample::select(vec![json!(1e39), json!(-1e39), json!(u64::MAX), json!(0.0)]),
        ]
        .boxed(),
        Kind::Bool => any::<bool>().prop_map(Value::from).boxed(),
        Kind::Array(element) => vec(value(element), 0..4).prop_map(Value::from).boxed(),
        Kind::Object(Shape::Map(of)) => vec(("[a-c1]", value(of)), 0..3)
            .prop_map(|entries| Value::Object(entries.into_iter().collect()))
            .boxed(),
        Kind::Object(Shape::Fields(of)) => fields(fields_of(of)),
        Kind::Object(Shape::Extended(of, further)) => {
            let further = vec(("[a-c]", value(further)), 0..3);
            (fields(fields_of(of)), further)
                .prop_map(|(mut members, further)| {
                    for (key, value) in further {
                        members[key] = value;
                    }
                    members
                })
                .boxed()
        }
        Kind::Tuple(types) => {
            let mut items = Just(Vec::new()).boxed();
            for ty in types_of(types) {
                items = (items, value(ty))
                    .prop_map(|(mut items, item)| {
                        items.push(item);
                        items
                    })
                    .boxed();
            }
            let items = (items, 0..30u8).prop_map(|(mut items, more)| {
                if more == 0 {
                    items.push(Value::Null);
                }
                Value::from(items)
            });
            items.boxed()
        }
        Kind::Union(types) => {
            let types = types_of(types).iter().map(of_type);
            proptest::strategy::Union::new(types.collect::<Vec<_>>()).boxed()
        }
        _ => anything(),
    }
}

/// An integer at a border of the Rust type's range, just inside or just outside, as far as 64 bits
/// hold it.
fn border(ty: &Type) -> BoxedStrategy<Value> {
    let &(lowest, highest) = ty.host_range().unwrap_or(&(-1_000, 1_000));
    let around = [lowest, highest].map(|border| {
        let around = [border.checked_sub(1), Some(border), border.checked_add(1)];
        around.into_iter().flatten().filter_map(Number::from_i128)
    });
    let mut all: Vec<Value> = around.into_iter().flatten().map(Value::Number).collect();
    all.push(json!(u64::MAX));
    proptest::sample::select(all).boxed()
}

fn text(ty: &Type) -> BoxedStrategy<Value> {
    let texts: &[&str] = match ty.constraints().format.as_deref() {
        Some("duration") => &["5s", "1.5 h", "PT1M", "P1DT0.25S", "500ms", "soon", "P1Y"],
        Some("ipv4") => &["127.0.0.1", "0.0.0.0", "256.0.0.1", "1.2.3"],
        Some("ipv6") => &["::1", "2001:db8::1", "1::2::3", "127.0.0.1"],
        Some("email") => &["ada@example.org", "a.b@c.de", "a@b", "ada", "@b.org"],
        Some("decimal") => &["0", "-12.50", "79228162514264337593543950336", "12,5", "a"],
        Some("uuid") => &[
            "67e55044-10b1-426f-9247-bb680e5fe0c8",
            "67E55044-10B1-426F-9247-BB680E5FE0C8",
            "67e5504410b1426f9247bb680e5fe0c8",
            "{67e55044-10b1-426f-9247-bb680e5fe0c8}",
            "67e55044",
        ],
        Some("uri") => &[
            "https://example.org/",
            "mailto:ada@example.org",
            "/a",
            "a b",
            "http://",
        ],
        Some("date") => &[
            "2024-02-29",
            "2023-02-29",
            "2024-2-9",
            "20240229",
            "0000-01-01",
        ],
        Some("date-time") => &[
            "2024-02-29T12:30:00Z",
            "2024-02-29T12:30:00.25+01:00",
            "2024-02-29T12:30:00",
            "2024-02-29 12:30:00Z",
            "2024-02-29",
        ],
        Some("time-local") => &["12:30:00", "12:30:00.5", "25:00:00", "12:30:00Z"],
        Some("date-time-local") => &["2024-02-29T12:30:00", "2024-02-30T12:30:00", "12:30:00"],
        None if ty.constraints().pattern.is_some() => {
            &["a1", "b22", "c333", "a0", "b1", "c2", "A1", "", "xa1"]
        }
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
