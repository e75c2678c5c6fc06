use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Order {
    #[gram(minimum = 5, maximum = 1)]
    count: u8,
    #[gram(min_length = 2, max_length = 1)]
    name: String,
    #[gram(pattern = "(")]
    code: String,
}

fn main() {}
