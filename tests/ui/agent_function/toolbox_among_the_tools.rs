use agent_runtime::{Error, Runtime, agent_fn, toolbox};

struct Store;

#[toolbox]
impl Store {
    /// Finds a thing
    #[tool]
    fn find(&self, name: &str) -> String {
        name.to_owned()
    }
}

/// Translates a text
#[agent_fn(model = "OpenAI/gpt-6-luna", instruction = "Translate.", tools = [..Store])]
async fn translate(runtime: &Runtime, text: &str) -> Result<String, Error>;

fn main() {}
