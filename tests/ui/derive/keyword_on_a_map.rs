use agent_runtime::GramType;
use serde::Deserialize;

use std::collections::HashMap;

#[derive(Deserialize, GramType)]
struct Order {
    #[gram(min_items = 1)]
    names: HashMap<String, u8>,
    #[gram(maximum = 5)]
    anything: serde_json::Value,
}

fn main() {}
