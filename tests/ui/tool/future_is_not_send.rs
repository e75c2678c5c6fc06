use agent_runtime::tool;

use std::rc::Rc;

/// Greets somebody
#[tool]
fn greet(name: String) -> impl Future<Output = String> {
    let name = Rc::new(name);
    async move { name.to_string() }
}

fn main() {}
