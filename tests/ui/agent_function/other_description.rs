use agent_runtime::{Error, Runtime, agent_fn};

/// Translates any text
#[agent_fn(
    gram = [translate:Agent {
        description: "Translates a text",
        instruction: "Translate.",
        model: "OpenAI/gpt-6-luna"
    } |
        (text::Text)==>(::String)
    ]
)]
async fn translate(runtime: &Runtime, text: &str) -> Result<String, Error>;

fn main() {}
