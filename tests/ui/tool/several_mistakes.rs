use agent_runtime::tool;

#[tool(name = "say hello", colour = "red")]
fn greet((first, last): (String, String)) -> String {
    first + &last
}

fn main() {}
