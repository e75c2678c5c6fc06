use agent_runtime::{tool, tools};

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".to_owned()
}

fn main() {
    let _ = tools![..7];
}
