use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
#[serde(tag = "type")]
enum Message {
    Text(String),
    Nothing,
}

fn main() {}
