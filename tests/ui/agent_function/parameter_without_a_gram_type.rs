use agent_runtime::{Error, Runtime, agent_fn};

#[derive(serde::Serialize)]
struct Plain {
    text: String,
}

/// Translates a text
#[agent_fn(model = "OpenAI/gpt-6-luna", instruction = "Translate.")]
async fn translate(runtime: &Runtime, text: Plain) -> Result<String, Error>;

fn main() {}
