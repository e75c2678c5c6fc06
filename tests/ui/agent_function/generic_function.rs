use agent_runtime::{Error, Runtime, agent_fn};

/// Translates a text
#[agent_fn(model = "OpenAI/gpt-6-luna", instruction = "Translate.")]
async fn translate<T: ToString>(runtime: &Runtime, text: T) -> Result<String, Error>;

fn main() {}
