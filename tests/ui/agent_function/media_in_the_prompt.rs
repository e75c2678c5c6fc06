use agent_runtime::conversation::Image;
use agent_runtime::{Error, Runtime, agent_fn};

/// Describes a photo
#[agent_fn(model = "OpenAI/gpt-6-luna", instruction = "Describe.", prompt = "See {{photo}}.")]
async fn describe(runtime: &Runtime, photo: Option<Image>) -> Result<String, Error>;

fn main() {}
