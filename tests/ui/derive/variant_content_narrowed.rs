use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
#[gram(maximum = 100)]
struct Percent(u8);

#[derive(Deserialize, GramType)]
struct Page {
    #[gram(default = 10)]
    size: u8,
}

#[derive(Deserialize, GramType)]
#[serde(tag = "t", content = "c")]
enum Values {
    Plain(u8),
    Share(Percent),
}

#[derive(Deserialize, GramType)]
#[serde(tag = "t", content = "c")]
enum FieldBesideAValue {
    A {
        #[gram(pattern = "^a")]
        x: String,
    },
    B(String),
}

#[derive(Deserialize, GramType)]
#[serde(tag = "t", content = "c")]
enum RecordBesideAValue {
    A(Page),
    B(String),
}

fn main() {}
