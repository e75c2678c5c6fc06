use agent_runtime::{Error, Runtime, agent_fn};

#[agent_fn(gram = [shorten:Agent {
    description: "Shortens a text",
    instruction: "Shorten the text.",
    model: "Anthropic/claude-sonnet-5",
    temperature: 0.5
} | (text::Text)==>(::String)])]
async fn shorten(runtime: &Runtime, text: &str) -> Result<String, Error>;

/// Lengthens a text
#[agent_fn(
    model = "Anthropic/claude-sonnet-5",
    instruction = "Lengthen the text.",
    temperature = 0.5
)]
async fn lengthen(runtime: &Runtime, text: &str) -> Result<String, Error>;

fn main() {}
