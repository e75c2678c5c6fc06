use agent_runtime::conversation::Image;
use agent_runtime::{Error, Runtime, agent_fn};

/// Describes a photo
#[agent_fn(model = "OpenAI/gpt-6-luna", instruction = "Describe {{photo}}.")]
async fn describe(runtime: &Runtime, text: &str, photo: Image) -> Result<String, Error>;

fn main() {}
