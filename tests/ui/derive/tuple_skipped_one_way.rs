use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Point(f64, #[serde(skip_serializing)] f64, f64);

fn main() {}
