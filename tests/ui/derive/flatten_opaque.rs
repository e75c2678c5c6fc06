use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Request {
    id: u64,
    #[serde(flatten)]
    #[gram(opaque)]
    more: serde_json::Value,
}

fn main() {}
