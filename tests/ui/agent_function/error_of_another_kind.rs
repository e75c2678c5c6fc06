use agent_runtime::{Runtime, agent_fn};

struct Other;

/// Translates a text
#[agent_fn(model = "OpenAI/gpt-6-luna", instruction = "Translate.")]
async fn translate(runtime: &Runtime, text: &str) -> Result<String, Other>;

fn main() {}
