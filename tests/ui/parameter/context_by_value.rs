use agent_runtime::tool;

use agent_runtime::ToolContext;

/// Greets somebody
#[tool]
fn greet(context: ToolContext) -> String {
    context.call_id().to_owned()
}

fn main() {}
