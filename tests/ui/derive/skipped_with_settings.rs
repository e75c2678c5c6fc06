use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Person {
    #[serde(skip)]
    #[gram(description = "Never sent")]
    cache: u8,
    name: String,
}

fn main() {}
