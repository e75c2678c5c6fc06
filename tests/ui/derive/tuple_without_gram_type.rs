use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Pair(u8, std::cell::Cell<u8>);

fn main() {}
