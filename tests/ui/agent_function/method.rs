use agent_runtime::{Error, Runtime, agent_fn};

struct Desk;

impl Desk {
    /// Translates a text
    #[agent_fn(model = "OpenAI/gpt-6-luna", instruction = "Translate.")]
    async fn translate(&self, runtime: &Runtime, text: &str) -> Result<String, Error>;
}

fn main() {}
