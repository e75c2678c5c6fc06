use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
#[serde(untagged)]
enum Size {
    Boxes { #[gram(maximum = 9)] size: u8, boxes: u8 },
    Named { size: String },
}

#[derive(Deserialize, GramType)]
struct Query {
    #[serde(flatten)]
    size: Size,
}

fn main() {}
