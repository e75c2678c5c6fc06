use agent_runtime::GramType;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, Serialize, GramType)]
struct Person {
    #[serde(rename(serialize = "name", deserialize = "fullName"))]
    name: String,
    #[serde(rename(deserialize = "years"))]
    age: u8,
}

fn main() {}
