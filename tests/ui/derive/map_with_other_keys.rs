use agent_runtime::GramType;
use serde::Deserialize;

use std::collections::HashMap;

#[derive(Deserialize, GramType)]
struct Order {
    counts: HashMap<u8, u8>,
}

fn main() {}
