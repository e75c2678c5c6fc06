//! Agents whose tools have signatures of every kind, and properties of every kind beside them.

use agent_gram::value::{Array, Measurement, Number, Range, Record, Symbol, Tagged, Text};
use agent_gram::{Pattern, Subject, Value};
use agent_spec::names::is_parameter_name;
use agent_spec::types::Bound;
use agent_spec::vocabulary::Keyword;
use agent_spec::{
    Agent, Constraints, Field, Kind, Nest, Returns, Shape, Signature, Style, ToolSpec, Type,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Texts that one of the parsers could stumble over.
const TEXTS: &[&str] = &[
    "a",
    "two words",
    "//cdn",
    " \t// x",
    "/** doc */",
    "x // y",
    "a\nb",
    "\n// b",
    "it's \"quoted\" `so`\\",
    "é😀",
    "[{a: 1}]",
    "true",
];

fn texts() -> impl Strategy<Value = &'static str> + Clone {
    // Most texts are no trouble, or every document would be.
    prop_oneof![40 => Just("plain"), 1 => select(TEXTS)]
}

fn names() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        40 => select(&["a", "b", "c", "name", "Maybe", "x_1", "0"]),
        1 => select(&["two words", "a-b", "a.b", "//"]),
    ]
}

fn string(text: &str) -> Value {
    Value::String(text.to_owned().into())
}

fn array(items: Vec<Value>) -> Value {
    Value::Array(Array::new(items).expect("not deep"))
}

fn map(entries: Vec<(&str, Value)>) -> Value {
    let entries = entries.into_iter();
    let entries = entries.map(|(key, value)| (Text::from(key.to_owned()), value));
    Value::Map(Record::from_entries(entries).expect("not deep"))
}

/// A value that fits the type, simple or not.
fn fitting(ty: &Type, text: &str, is_empty: bool) -> Value {
    if let Some(allowed) = ty.constraints().enumeration().first() {
        return allowed.clone();
    }
    let inner = |ty: &Type| fitting(ty, text, false);
    match ty.kind() {
        Kind::Int => Value::Integer(3),
        Kind::Double => Value::Integer(-1),
        Kind::Bool => Value::Boolean(true),
        Kind::Array(_) if is_empty => array(Vec::new()),
        Kind::Array(element) => array(vec![inner(element.get())]),
        Kind::Object(Shape::Map(value)) => map(vec![("k", inner(value.get()))]),
        Kind::Tuple(types) => array(types.iter().map(inner).collect()),
        Kind::Union(types) => inner(&types[0]),
        Kind::Object(Shape::Fields(fields) | Shape::Extended(fields, _)) => {
            let fields = fields.iter().map(|field| (field.name(), inner(field.ty())));
            map(fields.collect())
        }
        Kind::Object(_) if !is_empty => map(vec![("k", array(Vec::new()))]),
        Kind::Object(_) => map(Vec::new()),
        _ => string(text),
    }
}

/// Narrows a type in one of the ways that go with it. The value of [`fitting`] fits it still.
fn narrowed(ty: Type, way: u8, text: &str) -> Type {
    let decimal = |value| {
        let value = agent_gram::value::Decimal::new(value).expect("finite");
        Some(Bound::Double(value))
    };
    let mut constraints = Constraints::NONE;
    match (ty.kind(), way) {
        (Kind::Any, 1..) => constraints.schema = Some("{\"minLength\":0}".to_owned().into()),
        (_, 0) => constraints.enumeration = vec![fitting(&ty, text, way == 0)].into(),
        (Kind::Text, 1) => constraints.format = Some(text.to_owned().into()),
        (Kind::Text, 2) => {
            constraints.min_length = Some(1);
            constraints.max_length = Some(99);
        }
        (Kind::Text, _) => constraints.pattern = Some("/*".to_owned().into()),
        (Kind::Int, 1) => constraints.minimum = Some(Bound::Int(-5)),
        (Kind::Int, 2) => {
            constraints.exclusive_minimum = Some(Bound::Int(-5));
            constraints.exclusive_maximum = Some(Bound::Int(99));
        }
        (Kind::Int, _) => constraints.multiple_of = Some(Bound::Int(3)),
        (Kind::Double, 1) => constraints.maximum = decimal(2.5),
        (Kind::Double, 2) => {
            constraints.exclusive_minimum = decimal(-1.5);
            constraints.exclusive_maximum = decimal(2.5);
        }
        (Kind::Double, _) => constraints.multiple_of = decimal(0.25),
        (Kind::Array(_), _) => {
            constraints.min_items = Some(0);
            constraints.max_items = Some(9);
        }
        _ => {}
    }
    ty.with_constraints(constraints)
}

fn types() -> BoxedStrategy<Type> {
    let leaf = || {
        select(vec![
            Kind::Any,
            Kind::Text,
            Kind::Int,
            Kind::Double,
            Kind::Bool,
            Kind::Object(Shape::Open),
        ])
    };
    let finish = (any::<bool>(), option::weighted(0.06, 0_u8..4), texts());
    let leaf = (leaf(), finish.clone()).prop_map(finished);
    let nested = leaf.prop_recursive(3, 12, 3, move |inner| {
        let kind = prop_oneof![
            inner.clone().prop_map(|ty| Kind::Array(Nest::new(ty))),
            inner
                .clone()
                .prop_map(|ty| Kind::Object(Shape::Map(Nest::new(ty)))),
            vec(field(inner.clone()), 0..4)
                .prop_map(|fields| { Kind::Object(Shape::Fields(unique(fields).into())) }),
            (vec(field(inner.clone()), 1..3), inner.clone()).prop_map(|(fields, values)| {
                Kind::Object(Shape::Extended(unique(fields).into(), Nest::new(values)))
            }),
            vec(inner.clone(), 1..4).prop_map(|types| Kind::Tuple(types.into())),
            vec(inner, 2..5).prop_map(|types| {
                let union = Type::any_of(types).expect("few types");
                union.kind().clone()
            }),
        ];
        (kind, finish.clone()).prop_map(finished)
    });
    nested.boxed()
}

fn finished((kind, (is_optional, way, text)): (Kind, (bool, Option<u8>, &'static str))) -> Type {
    let ty = Type::new(kind);
    let ty = match way {
        Some(way) => narrowed(ty, way, text),
        None => ty,
    };
    ty.with_optional(is_optional)
}

fn field(ty: impl Strategy<Value = Type>) -> impl Strategy<Value = Field> {
    let default = option::weighted(0.06, (texts(), any::<bool>()));
    let description = option::weighted(0.03, texts());
    let remote = option::weighted(0.03, Just("$"));
    let parts = (names(), ty, default, description, remote);
    parts.prop_map(|(name, ty, default, description, remote)| {
        let value = default.map(|(text, is_empty)| fitting(&ty, text, is_empty));
        let mut field = Field::new(name, ty);
        if let Some(value) = value {
            field = Field::new(name, field.ty().clone().with_optional(false)).with_default(value);
        }
        // No other field has this name at its server.
        if let Some(mark) = remote {
            field = field.with_remote(format!("{mark}{name}"));
        }
        match description {
            Some(description) => field.with_description(description),
            None => field,
        }
    })
}

fn unique(fields: Vec<Field>) -> Vec<Field> {
    let mut unique: Vec<Field> = Vec::new();
    for field in fields {
        if unique.iter().all(|held| held.name() != field.name()) {
            unique.push(field);
        }
    }
    unique
}

/// Any signature.
pub(crate) fn signature() -> impl Strategy<Value = Signature> {
    let returns = (types(), option::weighted(0.1, texts()));
    (vec(field(types()), 0..3), returns).prop_map(|(params, (returns, description))| {
        let returns = Returns::new(returns);
        let returns = match description {
            Some(description) => returns.with_description(description),
            None => returns,
        };
        let params = params
            .into_iter()
            .filter(|param| is_parameter_name(param.name()));
        Signature::new(unique(params.collect()), returns)
    })
}

#[test]
fn signatures_of_every_keyword_are_generated() {
    let keywords = Keyword::ALL.iter();
    let mut missing: Vec<String> = keywords
        .map(|keyword| format!("{}: ", keyword.name()))
        .collect();
    // A record with further keys.
    missing.push("}], valueType: ".to_owned());
    let (signatures, mut runner) = (signature(), TestRunner::deterministic());
    for _ in 0..2_000 {
        let tree = signatures.new_tree(&mut runner);
        let signature = tree.expect("nothing is rejected").current();
        let text = agent_spec::style::signature_text(&signature, Style::List);
        missing.retain(|part| !text.contains(part));
    }
    assert_eq!(missing, [""; 0]);
}

/// Any agent of up to two tools.
pub(crate) fn agent() -> impl Strategy<Value = Agent> {
    (vec((signature(), texts()), 1..3), texts()).prop_map(|(tools, instruction)| {
        let agent = Agent::new("a", "Offline/any", instruction).expect("an agent");
        let tools = tools.into_iter().enumerate();
        tools.fold(agent, |agent, (at, (signature, description))| {
            let tool = ToolSpec::with_signature(format!("t{at}"), description, signature);
            let tool = tool.expect("the signature is right");
            agent.with_tool(tool).expect("names differ")
        })
    })
}

/// A pattern that is no agent and no tool, with a property of any kind.
pub(crate) fn note() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        20 => any::<i64>().prop_map(|value| Value::Integer(value.into())),
        5 => texts().prop_map(string),
        1 => select(&[1.0, 1.5, -0.25]).prop_map(|value| {
            Value::from(Measurement::new(value, "s").expect("a unit"))
        }),
        1 => select(&["t", "true"]).prop_map(|tag| {
            Value::from(Tagged::new(tag, "x").expect("a tag"))
        }),
        1 => select(&[1.0, 1.5]).prop_map(|lower| {
            let lower = Measurement::new(lower, "s").expect("a unit");
            let range = Range::new(Some(Number::Measurement(lower)), None);
            Value::from(range.expect("an end"))
        }),
        1 => Just(Value::Symbol(Symbol::new("s").expect("a symbol"))),
    ];
    let value = leaf.prop_recursive(2, 4, 2, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(array),
            (names(), inner).prop_map(|(key, value)| map(vec![(key, value)])),
        ]
    });
    (names(), names(), value).prop_map(|(name, key, value)| {
        let mut subject = Subject::new(name);
        subject.properties.insert(key, value).expect("not deep");
        let pattern = Pattern::new(subject, Vec::new()).expect("flat");
        pattern.to_string()
    })
}
