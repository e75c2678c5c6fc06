use agent_runtime::GramType;
use serde::Deserialize;
use std::time::Duration;

#[derive(Deserialize, GramType)]
struct Page {
    #[gram(minimum = 1)]
    size: u8,
}

#[derive(Deserialize, GramType)]
#[gram(maximum = 100)]
struct Percent(u8);

#[derive(Deserialize, GramType)]
#[serde(tag = "t")]
enum Held {
    Paged(Page),
    Plain { size: u8 },
}

#[derive(Deserialize, GramType)]
#[serde(tag = "t")]
enum Flattened {
    Plain {
        size: u8,
    },
    Paged {
        #[serde(flatten)]
        page: Page,
    },
}

#[derive(Deserialize, GramType)]
#[serde(tag = "t")]
enum Nested {
    Pages { of: Vec<Page> },
    Texts { of: Vec<String> },
}

#[derive(Deserialize, GramType)]
#[serde(tag = "t", content = "c")]
enum Newtypes {
    Share { value: Percent },
    Other { value: u8 },
}

#[derive(Deserialize, GramType)]
#[serde(tag = "t")]
enum ReadInAFormOfItsOwn {
    Every { span: Duration },
    Until { span: String },
}

fn main() {}
