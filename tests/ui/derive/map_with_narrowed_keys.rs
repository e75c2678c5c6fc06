use agent_runtime::GramType;
use serde::Deserialize;

use std::collections::BTreeMap;

#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize, GramType)]
struct Hex(#[gram(pattern = "^[0-9a-f]*$")] String);

#[derive(Deserialize, GramType)]
struct Order {
    counts: BTreeMap<Hex, u8>,
}

fn main() {}
