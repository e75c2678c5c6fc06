use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Page {
    #[gram(default = 10)]
    size: u8,
}

#[derive(Deserialize, GramType)]
#[serde(tag = "t")]
enum Flattened {
    Paged {
        #[serde(flatten)]
        page: Page,
    },
    All,
}

#[derive(Deserialize, GramType)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Paged(Page),
    Named { name: String },
}

fn main() {}
