use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Line {
    start: (f64, f64),
}

fn main() {}
