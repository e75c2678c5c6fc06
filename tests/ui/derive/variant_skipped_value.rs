use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    A(#[serde(skip)] u8),
    B(u8),
}

#[derive(Deserialize, GramType)]
struct Newtype(#[serde(skip)] u8);

fn main() {}
