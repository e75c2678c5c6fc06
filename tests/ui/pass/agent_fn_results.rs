use agent_runtime::{GramType, Runtime, agent_fn};
use std::collections::HashMap;

/// An alias is a `Result`, too.
type Result<T, E = agent_runtime::Error> = std::result::Result<T, E>;

/// An error that is not displayed, which only a tool needs.
#[derive(Debug)]
struct Failure;

impl From<agent_runtime::Error> for Failure {
    fn from(_: agent_runtime::Error) -> Self {
        Self
    }
}

#[derive(serde::Deserialize, GramType)]
struct Answer {
    text: String,
    words: Option<u8>,
}

#[derive(serde::Deserialize, GramType)]
#[serde(rename_all = "lowercase")]
enum Mood {
    Good,
    Bad,
}

macro_rules! agents {
    ($($name:ident: $label:literal -> $ty:ty;)+) => {
        $(
            #[agent_fn(gram = $label)]
            async fn $name(runtime: &Runtime, message: &str) -> $ty;
        )+

        fn all(runtime: &Runtime) {
            $(drop($name(runtime, "x"));)+
        }
    };
}

agents! {
    text: "[a:Agent {instruction: \"Help.\", model: \"OpenAI/m\"}]" -> Result<String>;
    own_error: "[a:Agent {instruction: \"Help.\", model: \"OpenAI/m\"}]" -> Result<String, Failure>;
    narrower: "[a:Agent {instruction: \"Help.\", model: \"OpenAI/m\"} | (message::Text)==>(::Text {enum: [\"good\"]})]"
        -> Result<Mood>;
    text_of_an_enum: "[a:Agent {instruction: \"Help.\", model: \"OpenAI/m\"} | (message::Text)==>(::Text {enum: [\"good\"]})]"
        -> Result<String>;
    wider: "[a:Agent {instruction: \"Help.\", model: \"OpenAI/m\"} | (message::Text)==>(::Object {fields: {text: \"Text\", words: {type: \"Int\", maximum: 9}, more: \"Any\"}})]"
        -> Result<Answer>;
    silent: "[a:Agent {instruction: \"Help.\", model: \"OpenAI/m\"} | (message::Text)==>(::Object {fields: {text: \"Text\"}})]"
        -> Result<Answer>;
    list: "[a:Agent {instruction: \"Help.\", model: \"OpenAI/m\"} | (message::Text)==>(::Array {elementType: \"Int\"})]"
        -> Result<Vec<i8>>;
    map: "[a:Agent {instruction: \"Help.\", model: \"OpenAI/m\"} | (message::Text)==>(::Object {valueType: \"Bool\"})]"
        -> Result<HashMap<String, bool>>;
    optional: "[a:Agent {instruction: \"Help.\", model: \"OpenAI/m\"} | (message::Text)==>(::Int {optional: true})]"
        -> Result<Option<u64>>;
    always: "[a:Agent {instruction: \"Help.\", model: \"OpenAI/m\"} | (message::Text)==>(::Int)]"
        -> Result<Option<u64>>;
    any: "[a:Agent {instruction: \"Help.\", model: \"OpenAI/m\"} | (message::Text)==>(::Any)]"
        -> Result<serde_json::Value>;
}

pub fn main() {
    all(&Runtime::offline());
    assert!(matches!(Failure, Failure));
    let answer = Answer {
        text: String::new(),
        words: None,
    };
    drop((answer.text, answer.words, Mood::Good, Mood::Bad));
}
