use agent_runtime::{Error, Runtime, agent_fn};

/// Translates a text
#[agent_fn(
    gram = [translate:Agent {
        description: "Translates a text",
        instruction: "Translate.",
        model: "OpenAI/gpt-6-luna"
    } |
        (text::Text)==>(::Int {optional: true})
    ]
)]
async fn translate(runtime: &Runtime, text: &str) -> Result<u32, Error>;

fn main() {}
