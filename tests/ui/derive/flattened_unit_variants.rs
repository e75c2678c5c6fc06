use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
enum Order {
    By { key: String },
    None,
}

#[derive(Deserialize, GramType)]
struct Query {
    text: String,
    #[serde(flatten)]
    order: Order,
}

fn main() {}
