use agent_runtime::GramType;
use serde::Deserialize;

use std::collections::BTreeMap;

#[derive(Deserialize, GramType)]
struct Order {
    counts: BTreeMap<(u8, u8), u8>,
}

fn main() {}
