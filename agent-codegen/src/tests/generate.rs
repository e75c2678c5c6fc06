//! Strategies that generate tools.

use agent_gram::Value;
use agent_gram::value::{Array, Decimal, Record};
use agent_spec::types::{Bound, Constraint};
use agent_spec::vocabulary::{Keyword, KeywordValue};
use agent_spec::{Constraints, Field, Kind, Nest, Returns, Shape, Signature, ToolSpec, Type};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::HashSet;

const NAMES: [&str; 24] = [
    "name",
    "userName",
    "user_name",
    "UserName",
    "type",
    "self",
    "Self",
    "not_written",
    "2nd",
    "person name",
    "größe",
    "名前",
    "🙂",
    "_",
    "__",
    "a-b",
    "value",
    "string",
    "option",
    "str",
    "gen",
    "a_very_long_name_that_does_not_end_soon_at_all",
    "HTTPServer",
    "`",
];

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        select(&NAMES[..]).prop_map(str::to_owned),
        "[a-z]{1,8}([A-Z][a-z]{1,6}){0,2}",
        "[a-z]{1,9}([-_][a-z]{1,8}){0,5}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z][ -~]{0,30}",
        "([a-z]{1,12} ){0,40}[a-z]{1,3}",
        "[a-z#* ]{1,3}\n{1,3}[#*a-z`\"\\\\ ]{1,9}",
        "é[^a]{0,3}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let string = |text: String| Value::String(text.into());
    let number = |value| Value::Decimal(Decimal::new(value).expect("finite"));
    let leaf = prop_oneof![
        any::<i64>().prop_map(|value| Value::Integer(value.into())),
        any::<u64>().prop_map(|value| Value::Integer(value.into())),
        (-1e30..1e30).prop_map(number),
        any::<bool>().prop_map(Value::Boolean),
        text().prop_map(string),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        let record = |entries: Vec<(String, Value)>| {
            let entries = entries.into_iter().map(|(key, value)| (key.into(), value));
            Value::Map(Record::from_entries(entries).expect("not deep"))
        };
        prop_oneof![
            vec(inner.clone(), 0..6)
                .prop_map(|items| Value::Array(Array::new(items).expect("not deep"))),
            vec((name(), inner), 0..3).prop_map(record),
        ]
    })
}

/// The value of a keyword.
#[derive(Clone, Debug)]
enum KeywordData {
    Values(Vec<Value>),
    Text(String),
    Number(Bound),
    Count(u64),
}

impl KeywordData {
    fn constraint(&self) -> Constraint<'_> {
        match self {
            Self::Values(values) => Constraint::Values(values),
            Self::Text(text) => Constraint::Text(text),
            Self::Number(bound) => Constraint::Number(bound),
            Self::Count(count) => Constraint::Count(*count),
        }
    }
}

/// Generates values for a keyword.
fn keyword_data(kind: KeywordValue) -> BoxedStrategy<KeywordData> {
    let words = vec(
        select(&["red", "light-blue", "SI", "1", "Self", "self"][..]),
        1..4,
    )
    .prop_map(|words| {
        words
            .into_iter()
            .map(|word| Value::String(word.into()))
            .collect()
    });
    match kind {
        KeywordValue::Values => prop_oneof![2 => words, 1 => vec(value(), 1..8)]
            .prop_map(KeywordData::Values)
            .boxed(),
        KeywordValue::Number => prop_oneof![
            any::<i128>().prop_map(Bound::Int),
            (-9_i128..9).prop_map(Bound::Int),
            (-1e3..1e3).prop_map(|value| Bound::Double(Decimal::new(value).expect("finite"))),
        ]
        .prop_map(KeywordData::Number)
        .boxed(),
        KeywordValue::Count => any::<u64>().prop_map(KeywordData::Count).boxed(),
        KeywordValue::Pattern => text().prop_map(KeywordData::Text).boxed(),
        KeywordValue::Text => "[a-z]{1,20}".prop_map(KeywordData::Text).boxed(),
        KeywordValue::Schema => Just(KeywordData::Text(r#"{"not":{}}"#.to_owned())).boxed(),
        KeywordValue::Part => unreachable!("no constraint is a part of a type"),
    }
}

/// Generates constraints of all keywords, whether or not they fit the type.
fn constraints() -> impl Strategy<Value = Constraints> {
    let data = |keyword: &Keyword| {
        let probability = match keyword.value() {
            KeywordValue::Values => 0.4,
            _ => 0.2,
        };
        option::weighted(probability, keyword_data(keyword.value()))
    };
    let all: Vec<_> = Keyword::CONSTRAINTS.iter().map(data).collect();
    let all = all.prop_map(|all| {
        let mut constraints = Constraints::NONE;
        for (keyword, data) in Keyword::CONSTRAINTS.iter().zip(&all) {
            if let Some(data) = data {
                constraints.set(*keyword, data.constraint());
            }
        }
        constraints
    });
    prop_oneof![3 => Just(Constraints::NONE), 1 => all]
}

fn ty() -> impl Strategy<Value = Type> {
    let kinds = || {
        prop_oneof![
            3 => Just(Kind::Text),
            1 => Just(Kind::Int),
            1 => Just(Kind::Double),
            1 => Just(Kind::Bool),
            1 => Just(Kind::Any),
            1 => Just(Kind::Object(Shape::Open)),
        ]
    };
    let finish = |(kind, constraints, optional): (Kind, Constraints, bool)| {
        Type::new(kind)
            .with_constraints(constraints)
            .with_optional(optional)
    };
    let leaf = (kinds(), constraints(), any::<bool>()).prop_map(finish);
    leaf.prop_recursive(7, 12, 4, move |inner| {
        let kind = prop_oneof![
            inner.clone().prop_map(|ty| Kind::Array(Nest::new(ty))),
            inner
                .clone()
                .prop_map(|ty| Kind::Object(Shape::Map(Nest::new(ty)))),
            fields(inner.clone()).prop_map(|fields| Kind::Object(Shape::Fields(fields.into()))),
            (fields(inner.clone()), inner.clone()).prop_map(|(fields, further)| {
                Kind::Object(Shape::Extended(fields.into(), Nest::new(further)))
            }),
            vec(inner.clone(), 2..5).prop_map(union),
            vec(inner, 1..4).prop_map(|types| Kind::Tuple(types.into())),
        ];
        (kind, constraints(), any::<bool>()).prop_map(finish)
    })
}

/// The kind of a union. Equal types are one, so it may be a type alone.
fn union(types: Vec<Type>) -> Kind {
    let ty = Type::any_of(types).expect("a few types");
    ty.kind().clone()
}

fn fields(ty: impl Strategy<Value = Type>) -> impl Strategy<Value = Vec<Field>> {
    let described = option::weighted(0.3, text());
    let field = (name(), ty, option::weighted(0.3, value()), described);
    vec(field, 0..5).prop_map(|fields| {
        let mut names = HashSet::new();
        let unlike = fields
            .into_iter()
            .filter(|field| names.insert(field.0.clone()));
        let field = |(name, ty, default, description): (String, Type, _, Option<String>)| {
            let mut field = Field::new(name, ty);
            if let Some(default) = default {
                let required = field.ty().clone().with_optional(false);
                field = Field::new(field.name().to_owned(), required).with_default(default);
            }
            match description {
                Some(text) => field.with_description(text),
                None => field,
            }
        };
        unlike.map(field).collect()
    })
}

/// Generates tools with different names.
pub(super) fn tools() -> impl Strategy<Value = Vec<ToolSpec>> {
    let name = prop_oneof![
        "[a-z]{1,8}([A-Z][a-z]{1,6}){0,2}",
        "[a-zA-Z_][a-zA-Z0-9_-]{0,62}",
        select(
            &[
                "match",
                "Self",
                "std",
                "str",
                "_",
                "main",
                "getURL",
                "not-written"
            ][..]
        )
        .prop_map(str::to_owned),
    ];
    let tool = (name, text(), fields(ty()), ty(), option::of(text()));
    vec(tool, 1..5).prop_map(|tools| {
        let mut names = HashSet::new();
        let unlike = tools
            .into_iter()
            .filter(|tool| names.insert(tool.0.clone()));
        let tool = |(name, description, params, ty, about): (_, _, _, _, Option<String>)| {
            let returns = match about {
                Some(text) => Returns::new(ty).with_description(text),
                None => Returns::new(ty),
            };
            let signature = Signature::new(params, returns);
            ToolSpec::from_parts(
                Into::<String>::into(name).into(),
                Into::<String>::into(description).into(),
                signature,
            )
        };
        unlike.map(tool).collect()
    })
}
