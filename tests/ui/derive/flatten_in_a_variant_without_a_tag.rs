use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Common {
    id: u8,
}

#[derive(Deserialize, GramType)]
enum Event {
    Opened {
        #[serde(flatten)]
        common: Common,
    },
}

#[derive(Deserialize, GramType)]
#[serde(untagged)]
enum Untagged {
    Opened {
        #[serde(flatten)]
        common: Common,
    },
}

fn main() {}
