use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Query {
    text: String,
    #[serde(flatten)]
    count: u8,
}

fn main() {}
