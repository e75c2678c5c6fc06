use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
#[serde(tag = "t")]
enum Tagged {
    A {
        #[gram(default = 5)]
        x: u8,
    },
    B {
        #[serde(default)]
        x: u8,
    },
}

#[derive(Deserialize, GramType)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    A {
        #[gram(description = "How many", default = 5)]
        x: u8,
    },
    B,
}

fn main() {}
