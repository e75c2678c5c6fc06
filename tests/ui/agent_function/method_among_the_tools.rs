use agent_runtime::{Error, Runtime, agent_fn};

struct Store;

/// Translates a text
#[agent_fn(model = "OpenAI/gpt-6-luna", instruction = "Translate.", tools = [Store::find])]
async fn translate(runtime: &Runtime, text: &str) -> Result<String, Error>;

fn main() {}
