use agent_runtime::{Error, Runtime, agent_fn};

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
async fn translate(runtime: &Runtime, text: &str, urgent: bool) -> Result<String, Error>;

fn main() {}
