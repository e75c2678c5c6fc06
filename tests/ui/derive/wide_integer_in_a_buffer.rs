use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
#[serde(tag = "kind")]
enum Internal {
    Small { of: i64 },
    Large { of: i128 },
}

#[derive(Deserialize, GramType)]
#[serde(tag = "kind", content = "of")]
enum Adjacent {
    Small(i64),
    Large(Vec<u128>),
}

#[derive(Deserialize, GramType)]
#[serde(untagged)]
enum Untagged {
    Large(i128),
    Text(String),
}

#[derive(Deserialize, GramType)]
struct Amount {
    cents: i128,
}

#[derive(Deserialize, GramType)]
struct Flattened {
    beside: i128,
    #[serde(flatten)]
    amount: Amount,
}

fn main() {}
