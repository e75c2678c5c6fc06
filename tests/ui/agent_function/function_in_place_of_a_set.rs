use agent_runtime::{Error, Runtime, agent_fn, tool};

/// Looks a word up
#[tool]
fn look_up(word: &str) -> String {
    word.to_owned()
}

/// Translates a text
#[agent_fn(model = "OpenAI/gpt-6-luna", instruction = "Translate.", tools = look_up)]
async fn translate(runtime: &Runtime, text: &str) -> Result<String, Error>;

fn main() {}
