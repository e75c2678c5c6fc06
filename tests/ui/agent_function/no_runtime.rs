use agent_runtime::{Error, agent_fn};

/// Translates a text
#[agent_fn(model = "OpenAI/gpt-4o-mini", instruction = "Translate.")]
async fn translate(text: &str) -> Result<String, Error>;

fn main() {}
