use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    A(#[gram(description = "How many")] u8),
    B(u8),
}

fn main() {}
