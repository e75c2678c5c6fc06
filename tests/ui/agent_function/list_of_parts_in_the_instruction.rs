use agent_runtime::conversation::Part;
use agent_runtime::{Error, Runtime, agent_fn};

/// Describes photos
#[agent_fn(model = "OpenAI/gpt-6-luna", instruction = "Describe {{photos}} and {{photos}}.")]
async fn describe(runtime: &Runtime, text: &str, photos: Vec<Part>) -> Result<String, Error>;

fn main() {}
