use agent_runtime::{Error, Runtime, agent_fn, tools};

#[agent_fn(model = "OpenAI/gpt-6-luna", instruction = "Translate.")]
async fn translate(runtime: &Runtime, text: &str) -> Result<String, Error>;

fn main() {
    let _ = tools![translate];
}
