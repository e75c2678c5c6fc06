use agent_runtime::GramType;
use serde::Deserialize;

use std::collections::HashMap;

#[derive(Deserialize, GramType)]
struct Page {
    size: u8,
}

#[derive(Deserialize, GramType)]
struct Request {
    #[serde(flatten)]
    page: Page,
    #[serde(flatten)]
    more: HashMap<String, String>,
}

fn main() {}
