use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
enum Mode {
    Fast,
    #[serde(other)]
    Unknown,
}

fn main() {}
