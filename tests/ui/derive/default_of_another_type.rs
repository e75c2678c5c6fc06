use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Order {
    #[gram(default = "two")]
    count: u8,
    #[gram(default = "huge")]
    kind: Kind,
    #[gram(default = [1, "x"])]
    list: Vec<u8>,
}

#[derive(Deserialize, GramType)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Small,
    Large,
}

fn main() {}
