use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
enum Never {}

fn main() {}
