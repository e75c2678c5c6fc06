#![deny(dead_code)]
use agent_runtime::tool;

/// Greets
#[tool]
fn greet() {}

fn main() {}
