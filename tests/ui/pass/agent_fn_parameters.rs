use agent_runtime::{Error, GramType, Runtime, agent_fn};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(serde::Serialize, GramType)]
struct Page {
    title: String,
    number: Option<u32>,
}

type Rt = Runtime;

#[agent_fn(gram = [every:Agent {instruction: "Help.", model: "OpenAI/m"} |
    (text::Text)==>(owned::Text)==>(count::Int {minimum: 1, maximum: 3})==>(ratio::Double)==>(flag::Bool)
    ==>(list::Array {elementType: "Text"})==>(map::Object {valueType: "Int"})
    ==>(page::Object {fields: {title: "Text", number: {type: "Int", optional: true}}})
    ==>(pages::Array {elementType: {type: "Object", fields: {title: "Text", number: {type: "Int", optional: true}, more: {type: "Text", optional: true}}}})
    ==>(maybe::Text {optional: true})==>(given::Text {default: "x"})==>(leftOut::Text {default: "y"})
    ==>(any::Any)==>(id::Text {format: "uuid"})==>(shared::Text {pattern: "^a"})==>(stated::Object {fields: {a: "Int"}})
    ==>(::String)
])]
#[allow(clippy::too_many_arguments)]
async fn every(
    text: &str,
    owned: String,
    count: u64,
    ratio: f32,
    flag: bool,
    list: &[String],
    map: &BTreeMap<String, u8>,
    page: &Page,
    runtime: &Rt,
    pages: Vec<Page>,
    maybe: Option<&str>,
    given: Option<Cow<'_, str>>,
    any: serde_json::Value,
    id: &'static str,
    shared: Arc<str>,
    #[agent_fn(type = "{a: Int}")] stated: serde_json::Value,
) -> Result<String, Error>;

#[agent_fn(
    rename_all = "snake_case",
    gram = [renamed:Agent {instruction: "Help.", model: "OpenAI/m"} | (first_word::Text)==>(::String)]
)]
async fn renamed(runtime: Runtime, first_word: &str) -> Result<String, Error>;

#[agent_fn(gram = [named:Agent {instruction: "Help.", model: "OpenAI/m"} | (theText::Text)==>(::String)])]
async fn named(
    runtime: &Runtime,
    #[agent_fn(name = "theText")] r#type: &str,
    #[cfg(any())] absent: &str,
) -> Result<String, Error>;

pub fn main() {
    assert_eq!(every::AGENT.signature().params().len(), 16);
    let page = Page {
        title: "t".to_owned(),
        number: None,
    };
    let runtime = Runtime::offline();
    drop(every(
        "a",
        "b".to_owned(),
        1,
        0.5,
        true,
        &[],
        &BTreeMap::new(),
        &page,
        &runtime,
        Vec::new(),
        None,
        None,
        serde_json::Value::Null,
        "",
        "a".into(),
        serde_json::json!({"a": 1}),
    ));
    drop((renamed(runtime.clone(), "x"), named(&runtime, "x")));
}
