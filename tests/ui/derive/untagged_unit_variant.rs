use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
#[serde(untagged)]
enum Id {
    Number(u64),
    None,
}

#[derive(Deserialize, GramType)]
enum Mode {
    Fast,
    #[serde(untagged)]
    None,
}

fn main() {}
