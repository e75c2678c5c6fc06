use agent_runtime::{Error, GramType, Runtime, agent_fn};

#[derive(GramType)]
struct Plain {
    text: String,
}

/// Translates a text
#[agent_fn(model = "OpenAI/gpt-6-luna", instruction = "Translate.")]
async fn translate(runtime: &Runtime, text: &str) -> Result<Plain, Error>;

fn main() {}
