use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Order {
    #[gram(default = 5, maximum = 3)]
    size: u8,
    #[gram(default = "b", pattern = "^a")]
    name: String,
    #[gram(default = "5 apples", type = "Int")]
    count: u8,
}

fn main() {}
