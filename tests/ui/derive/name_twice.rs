#![allow(unreachable_patterns)]

use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Fields {
    #[serde(rename = "b")]
    a: u8,
    b: u8,
}

#[derive(Deserialize, GramType)]
enum Words {
    A,
    #[serde(rename = "A")]
    B,
}

fn main() {}
