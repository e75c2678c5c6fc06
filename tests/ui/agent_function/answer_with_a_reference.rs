use agent_runtime::{Error, Runtime, agent_fn};

/// Translates a text
#[agent_fn(model = "OpenAI/gpt-6-luna", instruction = "Translate.")]
async fn translate(runtime: &Runtime, text: &str) -> Result<Vec<&'static [u8]>, Error>;

fn main() {}
