use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Order {
    #[gram(minimum = 0)]
    size: std::num::NonZeroU8,
    #[gram(minimum = 256)]
    weight: u8,
    #[gram(max_length = 2)]
    letter: char,
    #[gram(min_items = 4)]
    point: [f64; 3],
}

fn main() {}
