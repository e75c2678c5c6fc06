use agent_runtime::{GramType, tool};
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Key<'a> {
    text: &'a str,
}

/// Finds a row
#[tool]
fn find(key: Key<'_>) -> usize {
    key.text.len()
}

fn main() {}
