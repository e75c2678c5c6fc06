use agent_runtime::{Error, Runtime, agent_fn, tool};

/// Counts words
#[tool]
fn count(text: &str) -> u64 {
    text.len() as u64
}

#[agent_fn(tools = [count], gram = [translate:Agent {instruction: "Help.", model: "OpenAI/gpt-6-luna"} | count, lookUp])]
async fn translate(runtime: &Runtime, message: &str) -> Result<String, Error>;

fn main() {}
