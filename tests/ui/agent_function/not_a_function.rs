use agent_runtime::{agent_fn};

/// Translates a text
#[agent_fn(model = "OpenAI/gpt-4o-mini", instruction = "Translate.")]
struct Translate;

fn main() {}
