use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
#[serde(tag = "t")]
enum Tagged {
    A {
        #[gram(minimum = 1)]
        x: u8,
        #[gram(pattern = "^a")]
        only_here: String,
    },
    B {
        x: u8,
    },
}

#[derive(Deserialize, GramType)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    A(#[gram(maximum = 9)] u8),
    B(u8),
}

fn main() {}
