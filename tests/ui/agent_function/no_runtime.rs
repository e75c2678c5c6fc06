use agent_runtime::{Error, agent_fn};

/// Translates a text
#[agent_fn(model = "OpenAI/gpt-6-luna", instruction = "Translate.")]
async fn translate(text: &str) -> Result<String, Error>;

fn main() {}
