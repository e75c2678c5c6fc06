use agent_runtime::{Error, Runtime, agent_fn};

/// Translates a text
#[agent_fn(
    gram = {
        [first:Agent {instruction: "Help.", model: "OpenAI/gpt-6-luna"}]
        [second:Agent {instruction: "Help.", model: "OpenAI/gpt-6-luna"}]
    }
)]
async fn translate(runtime: &Runtime, message: &str) -> Result<String, Error>;

fn main() {}
