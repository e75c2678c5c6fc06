use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
#[serde(untagged)]
enum Id {
    Short(#[gram(max_length = 8)] String),
    Number(u64),
    Name(String),
}

fn main() {}
