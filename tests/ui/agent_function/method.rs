use agent_runtime::{Error, Runtime, agent_fn};

struct Desk;

impl Desk {
    /// Translates a text
    #[agent_fn(model = "OpenAI/gpt-4o-mini", instruction = "Translate.")]
    async fn translate(&self, runtime: &Runtime, text: &str) -> Result<String, Error>;
}

fn main() {}
