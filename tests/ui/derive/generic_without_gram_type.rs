use agent_runtime::{GramType, tool};
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Page<T> {
    items: Vec<T>,
}

#[derive(Deserialize)]
struct Plain;

/// Counts
#[tool]
fn count(page: Page<Plain>) -> usize {
    page.items.len()
}

fn main() {}
