use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
#[serde(tag = "kind")]
enum Shape {
    Circle {
        #[serde(alias = "r")]
        size: f64,
    },
    Square {
        #[serde(alias = "side")]
        size: f64,
    },
    Nothing,
}

fn main() {}
