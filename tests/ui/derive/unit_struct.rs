use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Marker;

fn main() {}
