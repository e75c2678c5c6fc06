use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Maybe(Option<u8>);

fn main() {}
