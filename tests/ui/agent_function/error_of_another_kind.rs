use agent_runtime::{Runtime, agent_fn};

struct Other;

/// Translates a text
#[agent_fn(model = "OpenAI/gpt-4o-mini", instruction = "Translate.")]
async fn translate(runtime: &Runtime, text: &str) -> Result<String, Other>;

fn main() {}
