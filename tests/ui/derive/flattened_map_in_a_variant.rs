use agent_runtime::GramType;
use serde::Deserialize;

use std::collections::HashMap;

#[derive(Deserialize, GramType)]
#[serde(tag = "type")]
enum Event {
    Opened {
        #[serde(flatten)]
        more: HashMap<String, String>,
    },
    Closed,
}

fn main() {}
