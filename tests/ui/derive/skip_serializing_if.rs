use agent_runtime::GramType;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, Serialize, GramType)]
struct Person {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
}

fn main() {}
