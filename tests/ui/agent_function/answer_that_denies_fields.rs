use agent_runtime::{Error, GramType, Runtime, agent_fn};

#[derive(serde::Deserialize, GramType)]
#[serde(deny_unknown_fields)]
struct Strict {
    text: String,
}

/// Translates a text
#[agent_fn(
    gram = [translate:Agent {
        description: "Translates a text",
        instruction: "Translate.",
        model: "OpenAI/gpt-6-luna"
    } |
        (text::Text)==>(::Object {fields: {text: "Text", words: "Int"}})
    ]
)]
async fn translate(runtime: &Runtime, text: &str) -> Result<Strict, Error>;

fn main() {}
