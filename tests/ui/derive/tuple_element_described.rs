use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Point(#[gram(description = "To the east")] f64, f64);

#[derive(Deserialize, GramType)]
enum Shape {
    Point(f64, #[gram(default = 1.5)] f64),
}

fn main() {}
