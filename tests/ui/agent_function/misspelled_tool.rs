use agent_runtime::{Error, Runtime, agent_fn, tool};

/// Looks a word up
#[tool]
fn look_up(word: &str) -> String {
    word.to_owned()
}

#[agent_fn(tools = [look_up], gram = [translate:Agent {instruction: "Help.", model: "OpenAI/gpt-6-luna"} | lookup])]
async fn translate(runtime: &Runtime, message: &str) -> Result<String, Error>;

fn main() {}
