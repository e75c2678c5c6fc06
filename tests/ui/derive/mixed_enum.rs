use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
enum Shape {
    Nothing,
    Circle { radius: f64 },
}

fn main() {}
