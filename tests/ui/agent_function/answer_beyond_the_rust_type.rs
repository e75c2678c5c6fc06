use agent_runtime::{Error, GramType, Runtime, agent_fn};

#[derive(serde::Deserialize, GramType)]
struct Answer {
    text: String,
    words: u8,
}

/// Translates a text
#[agent_fn(
    gram = [translate:Agent {
        description: "Translates a text",
        instruction: "Translate.",
        model: "OpenAI/gpt-6-luna"
    } |
        (text::Text)==>(::Object {fields: {text: "Text", words: {type: "Int", minimum: 0, maximum: 1000}}})
    ]
)]
async fn translate(runtime: &Runtime, text: &str) -> Result<Answer, Error>;

fn main() {}
