use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Event {
    #[serde(deserialize_with = "read")]
    at: u64,
}

fn read<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    u64::deserialize(deserializer)
}

fn main() {}
