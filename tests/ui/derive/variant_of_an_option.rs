use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
enum Command {
    Title(Option<String>),
    Close,
}

fn main() {}
