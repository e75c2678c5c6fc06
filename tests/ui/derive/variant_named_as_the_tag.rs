use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Page {
    kind: String,
}

#[derive(Deserialize, GramType)]
#[serde(tag = "kind")]
enum Held {
    Paged(Page),
    All,
}

#[derive(Deserialize, GramType)]
#[serde(tag = "kind")]
enum Flattened {
    Paged {
        #[serde(flatten)]
        page: Page,
    },
    All,
}

fn main() {}
