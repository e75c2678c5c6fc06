use agent_runtime::{Error, Runtime, agent_fn, tools};

struct Hidden;

impl From<Error> for Hidden {
    fn from(_: Error) -> Self {
        Self
    }
}

/// Translates a text
#[agent_fn(model = "OpenAI/gpt-6-luna", instruction = "Translate.")]
async fn translate(runtime: &Runtime, text: &str) -> Result<String, Hidden>;

fn main() {
    let _ = tools![translate];
}
