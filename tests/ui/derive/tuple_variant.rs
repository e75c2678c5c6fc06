use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
enum Shape {
    Point(f64, f64),
    Circle(f64),
}

fn main() {}
