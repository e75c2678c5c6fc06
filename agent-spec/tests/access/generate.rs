//! Agents and tools of every kind, as patterns.

use agent_gram::value::{Array, Decimal, Measurement, Number, Range, Record, Symbol, Tagged, Text};
use agent_gram::{Pattern, Subject, Value};
use agent_spec::{
    AgentPattern, Grants, Model, PromptCache, ReasoningEffort, Signature, ToolPattern,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use std::time::Duration;

/// Text that is not blank and has no double braces, which are a mistake in an instruction unless a variable's name is
/// inside.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        "[a-zA-Z][ -~]{0,12}",
        "[a-z]{1,3}\n[a-z`\"\\\\ ]{0,5}",
        "é[^a]{0,3}"
    ];
    text.prop_map(|text| text.replace("{{", "{-"))
}

pub(crate) fn model() -> impl Strategy<Value = Model> {
    ("[A-Z][a-z]{1,6}", "[a-z][a-z0-9/.:-]{0,8}")
        .prop_map(|(provider, id)| Model::new(provider, id).expect("both parts are there"))
}

pub(crate) fn decimal(most: f64) -> impl Strategy<Value = Decimal> {
    prop_oneof![0.0..most, Just(0.0), Just(1.0)]
        .prop_map(|value| Decimal::new(value).expect("finite"))
}

/// A length of time of up to a week, to the nanosecond.
pub(crate) fn duration() -> impl Strategy<Value = Duration> {
    const WEEK: u64 = 7 * 24 * 3600 * 1_000_000_000;
    prop_oneof![
        (1_u64..600).prop_map(Duration::from_secs),
        (1_u64..=WEEK).prop_map(Duration::from_nanos),
    ]
}

pub(crate) fn signature() -> impl Strategy<Value = Signature> {
    let texts = [
        "()==>(::String)",
        "(name::Text)==>(::String)",
        "(name::Text {default: \"world\"})==>(age::Int {minimum: 0})==>(::Object)",
        "(user::Object {fields: [{name: \"id\", type: \"Text\"}]})==>(::Array {elementType: \"Int\"})",
    ];
    let parse = |text: &str| agent_spec::parse_signature(text).expect("a correct signature");
    select(texts.map(parse).to_vec())
}

fn string(text: String) -> Value {
    Value::String(text.into())
}

/// A text in one of its spellings.
fn text_value(text: impl Strategy<Value = String>) -> impl Strategy<Value = Value> {
    (text, any::<bool>()).prop_map(|(text, is_tagged)| {
        if is_tagged {
            Value::from(Tagged::new("md", text).expect("a tag"))
        } else {
            string(text)
        }
    })
}

/// A list in one of its spellings.
fn list_value(item: impl Strategy<Value = Value> + Clone) -> impl Strategy<Value = Value> {
    let list = vec(item.clone(), 0..3);
    prop_oneof![
        list.prop_map(|items| Value::Array(Array::new(items).expect("flat"))),
        item,
    ]
}

fn number_value(most: f64) -> impl Strategy<Value = Value> {
    prop_oneof![
        decimal(most).prop_map(Value::Decimal),
        (0_i128..2).prop_map(Value::Integer),
    ]
}

fn count_value() -> impl Strategy<Value = Value> {
    (1_i128..100).prop_map(Value::Integer)
}

fn duration_value() -> impl Strategy<Value = Value> {
    let units = select(&["ms", "s", "m", "min", "h"][..]);
    (1_u16..1000, units).prop_map(|(amount, unit)| {
        Value::from(Measurement::new(f64::from(amount) / 2.0, unit).expect("a unit"))
    })
}

fn model_value() -> impl Strategy<Value = Value> + Clone {
    text_value(model().prop_map(|model| model.to_string())).boxed()
}

/// A value of a property that means nothing.
fn unknown_value() -> impl Strategy<Value = Value> {
    let symbol = |text: String| Value::Symbol(Symbol::new(text).expect("a symbol"));
    let range = |lower| Range::new(Some(Number::Integer(lower)), None).expect("an end");
    let leaf = prop_oneof![
        any::<i128>().prop_map(Value::Integer),
        decimal(1e9).prop_map(Value::Decimal),
        any::<bool>().prop_map(Value::Boolean),
        text_value(text()),
        "s_[a-z]{0,4}".prop_map(symbol),
        any::<i128>().prop_map(move |lower| Value::from(range(lower))),
        duration_value(),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        let record = |entries: Vec<(String, Value)>| {
            let entries = entries.into_iter().map(|(key, value)| (key.into(), value));
            Value::Map(Record::from_entries(entries).expect("not deep"))
        };
        prop_oneof![
            vec(inner.clone(), 0..3)
                .prop_map(|items| Value::Array(Array::new(items).expect("not deep"))),
            vec((text(), inner), 0..3).prop_map(record),
        ]
    })
}

/// Values that a provider can be sent: values with a plain form in JSON.
pub(crate) fn extra() -> impl Strategy<Value = Record> {
    let leaf = prop_oneof![
        any::<i128>().prop_map(Value::Integer),
        decimal(1e9).prop_map(Value::Decimal),
        any::<bool>().prop_map(Value::Boolean),
        text_value(text()),
    ];
    let value = leaf.prop_recursive(2, 6, 3, |inner| {
        let items = vec(inner.clone(), 0..3);
        let items = items.prop_map(|items| Value::Array(Array::new(items).expect("not deep")));
        prop_oneof![
            items,
            vec(("m_[a-z]{0,3}", inner), 0..3).prop_map(|entries| Value::Map(record(entries)))
        ]
    });
    vec(("m_[a-z]{0,3}", value), 0..3).prop_map(record)
}

/// A record of entries; of equal keys the last counts.
fn record(entries: Entries) -> Record {
    let mut record = Record::new();
    for (key, value) in entries {
        record.insert(key, value).expect("not deep");
    }
    record
}

pub(crate) fn effort() -> impl Strategy<Value = ReasoningEffort> + Clone {
    select(ReasoningEffort::ALL.to_vec())
}

pub(crate) fn cache() -> impl Strategy<Value = PromptCache> + Clone {
    select(PromptCache::ALL.to_vec())
}

pub(crate) fn grants() -> impl Strategy<Value = Grants> + Clone {
    let hosts = [
        "*",
        "*.example.org",
        "10.0.0.0/8",
        "[::1]:8080",
        "localhost:80",
    ];
    let list = |texts: &[&'static str]| vec(select(texts.to_vec()), 0..3);
    let folders = || list(&["docs", "/tmp/a b", ".", "é"]);
    (folders(), folders(), list(&hosts), list(&["HOME", "a b"])).prop_map(
        |(read, write, network, environment)| {
            let grants = read.into_iter().fold(Grants::new(), Grants::read);
            let grants = write.into_iter().fold(grants, Grants::write);
            let grants = network.into_iter().fold(grants, Grants::network);
            environment.into_iter().fold(grants, Grants::environment)
        },
    )
}

/// Grants in one of their spellings.
fn grants_value() -> impl Strategy<Value = Value> {
    (grants(), any::<bool>()).prop_map(|(grants, is_short)| {
        let entries = grants.parts().into_iter().map(|(key, part)| {
            let value = match part {
                [only] if is_short => Value::String(only.clone()),
                part => {
                    let items = part.iter().cloned().map(Value::String).collect();
                    Value::Array(Array::new(items).expect("flat"))
                }
            };
            (key.to_owned(), value)
        });
        Value::Map(record(entries.collect()))
    })
}

/// A choice that any agent can keep.
fn choice_value() -> impl Strategy<Value = Value> {
    text_value(select(vec!["auto".to_owned(), "none".to_owned()]))
}

type Entries = Vec<(String, Value)>;

fn unknown() -> impl Strategy<Value = Entries> {
    vec(("x_[a-z]{1,4}", unknown_value()), 0..3)
}

/// An entry that may be missing.
fn maybe(key: &'static str, value: impl Strategy<Value = Value>) -> impl Strategy<Value = Entries> {
    option::of(value).prop_map(move |value| {
        let entry = value.map(|value| (key.to_owned(), value));
        entry.into_iter().collect()
    })
}

fn settings() -> impl Strategy<Value = Entries> {
    let url = "https?://[a-z]{1,6}(:8080)?(/v1)?";
    let all = (
        maybe("description", text_value(text())),
        maybe("temperature", number_value(2.0)),
        maybe("topP", number_value(1.0)),
        maybe(
            "seed",
            any::<i64>().prop_map(|seed| Value::Integer(seed.into())),
        ),
        maybe("maxTokens", count_value()),
        (
            maybe(
                "reasoningEffort",
                text_value(effort().prop_map(|effort| effort.to_string())),
            ),
            maybe(
                "cache",
                text_value(cache().prop_map(|cache| cache.to_string())),
            ),
            maybe("toolChoice", choice_value()),
            maybe("grants", grants_value()),
            maybe("extra", extra().prop_map(Value::Map)),
            maybe("thinkingBudget", count_value()),
            maybe("compactAbove", count_value()),
            maybe(
                "maxDepth",
                (1..=16_i64).prop_map(|depth| Value::Integer(depth.into())),
            ),
            maybe("toolSearch", any::<bool>().prop_map(Value::Boolean)),
        )
            .prop_map(|(a, b, c, d, e, f, g, h, i)| [a, b, c, d, e, f, g, h, i].concat()),
        maybe("stop", list_value(text_value(text()).boxed())),
        maybe("maxIterations", count_value()),
        maybe("toolTimeout", duration_value()),
        maybe("baseUrl", text_value(url)),
        maybe("fallback", list_value(model_value())),
    );
    all.prop_map(|(a, b, c, d, e, f, g, h, i, j, k)| [a, b, c, d, e, f, g, h, i, j, k].concat())
}

fn subject(
    name: &'static str,
    labels: &'static [&'static str],
    entries: impl Strategy<Value = Entries>,
) -> impl Strategy<Value = Subject> {
    let labels = (select(labels), vec("[A-Z][a-z]{1,4}_", 0..2), any::<bool>());
    let labels = labels.prop_map(|(label, mut labels, is_first)| {
        labels.insert(if is_first { 0 } else { labels.len() }, label.to_owned());
        labels
    });
    (name, labels, entries.prop_shuffle()).prop_map(|(name, labels, entries)| {
        let entries = entries.into_iter().map(|(key, value)| (key.into(), value));
        let subject = Subject {
            properties: Record::from_entries(entries).expect("not deep"),
            ..Subject::new(name)
        };
        labels.into_iter().fold(subject, Subject::with_label)
    })
}

/// A correct tool with properties that mean nothing, in any order and spelling.
pub(crate) fn tool() -> impl Strategy<Value = ToolPattern> {
    let settings = (
        text_value(text()),
        maybe("timeout", duration_value()),
        maybe("requiresApproval", any::<bool>().prop_map(Value::Boolean)),
        unknown(),
    );
    let entries = settings.prop_map(|(description, timeout, approval, unknown)| {
        let description = vec![("description".to_owned(), description)];
        [description, timeout, approval, unknown].concat()
    });
    let subject = subject("tool_[a-z]{1,4}", &["Tool", "ToolSpecification"], entries);
    let signatures = [
        "()==>(::String)",
        "(::Text {paramName: \"name\"})-->(:String)",
        "(::String)<--(name:Text)",
        "(name::String)~~>(age::Integer {default: 1})~~>(::Boolean)",
    ];
    (subject, select(signatures.to_vec())).prop_map(|(subject, signature)| {
        let signature = agent_gram::parse_patterns(signature).expect("gram");
        let pattern = Pattern::new(subject, signature).expect("not deep");
        ToolPattern::try_from(pattern).expect("it has the label")
    })
}

fn unique(tools: Vec<Pattern>) -> Vec<Pattern> {
    let mut unique: Vec<Pattern> = Vec::new();
    for tool in tools {
        let name = &tool.subject().identity;
        if unique.iter().all(|held| held.subject().identity != *name) {
            unique.push(tool);
        }
    }
    unique
}

fn agent_with(
    elements: impl Strategy<Value = Vec<Pattern>>,
) -> impl Strategy<Value = AgentPattern> {
    let entries = (text_value(text()), model_value(), settings(), unknown());
    let entries = entries.prop_map(|(instruction, model, settings, unknown)| {
        let required = vec![
            ("instruction".to_owned(), instruction),
            ("model".to_owned(), model),
        ];
        [required, settings, unknown].concat()
    });
    (subject("agent_[a-z]{1,4}", &["Agent"], entries), elements).prop_map(|(subject, elements)| {
        let pattern = Pattern::new(subject, elements).expect("not deep");
        AgentPattern::try_from(pattern).expect("it has the label")
    })
}

/// A correct agent with tools and references, with settings in any order and spelling, and with properties
/// that mean nothing.
pub(crate) fn agent() -> impl Strategy<Value = AgentPattern> {
    let element = prop_oneof![3 => tool().prop_map(Pattern::from), 1 => reference()];
    agent_with(vec(element, 0..4).prop_map(unique))
}

/// A reference to a tool of any name.
fn reference() -> impl Strategy<Value = Pattern> {
    "ref_[a-z]{1,4}|[0-9]{1,3}|é [^a]{0,3}".prop_map(|name| flat(Subject::new(name)))
}

/// The same with elements of any kind between the tools: references, and what is no tool at all.
pub(crate) fn agent_with_elements() -> impl Strategy<Value = AgentPattern> {
    let element = prop_oneof![
        tool().prop_map(Pattern::from),
        reference(),
        "[a-z]{1,4}".prop_map(|name| flat(Subject::new(name).with_label("Note"))),
    ];
    agent_with(vec(element, 0..4))
}

fn flat(subject: Subject) -> Pattern {
    Pattern::new(subject, Vec::new()).expect("flat")
}

pub(crate) fn texts() -> impl Strategy<Value = Vec<Text>> {
    vec(text().prop_map(Text::from), 0..3)
}
