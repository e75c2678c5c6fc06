use agent_runtime::GramType;
use serde::Deserialize;

use std::collections::HashMap;

#[derive(Deserialize, GramType)]
#[serde(deny_unknown_fields)]
struct Request {
    id: u64,
    #[serde(flatten)]
    more: HashMap<String, String>,
}

fn main() {}
