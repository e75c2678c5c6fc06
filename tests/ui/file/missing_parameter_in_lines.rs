use agent_runtime::{agent, tool};

use std::collections::HashMap;

/// Saves people
#[tool]
fn save(people: Vec<HashMap<String, Vec<f64>>>, loud: bool) -> Vec<Option<i64>> {
    let _ = (people, loud);
    Vec::new()
}

fn main() {
    let _ = agent! { tools: [save], file: "missing_parameter_in_lines.gram" };
}
