use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
#[serde(untagged)]
enum Id {
    Number(#[gram(description = "The number")] u64),
    Name(String),
}

fn main() {}
