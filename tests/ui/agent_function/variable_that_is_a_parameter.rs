use agent_runtime::{Error, Runtime, agent_fn};

/// Translates a text
#[agent_fn(model = "OpenAI/gpt-4o-mini", instruction = "Translate {{text}}.", variables = ["text"])]
async fn translate(runtime: &Runtime, text: &str) -> Result<String, Error>;

fn main() {}
