use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
#[gram(minimum = 1)]
struct Person {
    name: String,
}

fn main() {}
