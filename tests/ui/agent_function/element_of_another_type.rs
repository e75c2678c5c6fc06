use agent_runtime::{Error, Runtime, agent_fn};

/// Translates a text
#[agent_fn(
    gram = [translate:Agent {
        description: "Translates a text",
        instruction: "Translate.",
        model: "OpenAI/gpt-6-luna"
    } |
        (texts::Array {elementType: "Text"})==>(::String)
    ]
)]
async fn translate(runtime: &Runtime, texts: &[u32]) -> Result<String, Error>;

fn main() {}
