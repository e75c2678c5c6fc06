use agent_runtime::{Error, Runtime, agent_fn};

/// Translates a text
#[agent_fn(
    gram = [translate:Agent {
        description: "Translates a text",
        instruction: "Translate.",
        model: "OpenAI/gpt-6-luna"
    } |
        (text::Text {description: "A text"})==>(::String)
    ]
)]
async fn translate(runtime: &Runtime, #[agent_fn(description = "The text")] text: &str) -> Result<String, Error>;

fn main() {}
