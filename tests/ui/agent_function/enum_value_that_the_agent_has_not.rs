use agent_runtime::{Error, GramType, Runtime, agent_fn};

#[derive(serde::Serialize, GramType)]
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
        (text::Text)==>(language::Text {enum: ["de", "it"]})==>(::String)
    ]
)]
async fn translate(runtime: &Runtime, text: &str, language: Language) -> Result<String, Error>;

fn main() {}
