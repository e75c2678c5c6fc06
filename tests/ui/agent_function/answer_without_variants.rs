use agent_runtime::{Error, GramType, Runtime, agent_fn};

#[derive(serde::Deserialize, GramType)]
#[serde(rename_all = "lowercase")]
enum Language {
    De,
    Fr,
}

/// Translates a text
#[agent_fn(
    gram = [translate:Agent {
        description: "Translates a text",
        instruction: "Translate.",
        model: "OpenAI/gpt-6-luna"
    } |
        (text::Text)==>(::String)
    ]
)]
async fn translate(runtime: &Runtime, text: &str) -> Result<Language, Error>;

fn main() {}
