use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Page {
    #[gram(default = 10)]
    size: u8,
}

#[derive(Deserialize, GramType)]
#[serde(tag = "t")]
enum Query {
    Paged(Page),
    All,
}

fn main() {}
