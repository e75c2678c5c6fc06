use agent_runtime::{Error, Runtime, agent_fn};

#[agent_fn(gram = [translate:Agent {instruction: "Help.", model: "OpenAI/m"} | (text::Text)==>(::String)])]
async fn translate(runtime: &Runtime, #[agent_fn(default = "x")] text: &str) -> Result<String, Error>;

fn main() {}
