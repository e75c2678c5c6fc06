use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Order {
    #[gram(enum = ["small", 2])]
    size: String,
    #[gram(enum = [1, 300])]
    count: u8,
}

fn main() {}
