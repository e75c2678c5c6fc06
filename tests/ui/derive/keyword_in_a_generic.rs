use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Page<T> {
    #[gram(minimum = 1)]
    items: Vec<T>,
}

#[derive(Deserialize, GramType)]
struct Pages {
    all: Page<u8>,
}

/// Counts
#[agent_runtime::tool]
fn count(pages: Pages) -> usize {
    pages.all.items.len()
}

fn main() {}
