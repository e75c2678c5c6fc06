use agent_runtime::{Error, Runtime, agent_fn};

#[agent_fn(gram = [translate:Agent {instruction: "Help.", model: "OpenAI/gpt-6-luna"} | lookUp])]
async fn translate(runtime: &Runtime, message: &str) -> Result<String, Error>;

fn main() {}
