use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Person {
    #[gram(minimum = 1)]
    name: String,
    #[gram(max_items = 3, pattern = "^a")]
    tags: Vec<String>,
    #[gram(min_length = 1)]
    ready: Option<bool>,
}

fn main() {}
