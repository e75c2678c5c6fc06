use agent_runtime::{agent_fn};

/// Translates a text
#[agent_fn(model = "OpenAI/gpt-6-luna", instruction = "Translate.")]
struct Translate;

fn main() {}
