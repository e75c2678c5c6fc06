use agent_runtime::tool;

#[tool]
fn greet(name: String) -> String {
    name
}

fn main() {
    let _ = greet {};
    let _ = greet("Ada".to_owned());
}
