use agent_runtime::{Error, Runtime, agent_fn};

/// Translates a text
#[agent_fn(model = "OpenAI/gpt-6-luna", instruction = "Translate.")]
async fn translate(one: &Runtime, two: &Runtime, text: &str) -> Result<String, Error>;

fn main() {}
