use agent_runtime::tool;

use std::rc::Rc;

async fn wait() {}

/// Greets somebody
#[tool]
async fn greet(name: &str) -> String {
    let name = Rc::new(name.to_owned());
    wait().await;
    name.to_string()
}

fn main() {}
