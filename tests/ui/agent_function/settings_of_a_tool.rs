use agent_runtime::{Error, Runtime, agent_fn};

/// Translates a text
#[agent_fn(model = "OpenAI/gpt-4o-mini", instruction = "Translate.")]
async fn translate(runtime: &Runtime, #[tool(default = "Hi")] text: &str) -> Result<String, Error>;

fn main() {}
