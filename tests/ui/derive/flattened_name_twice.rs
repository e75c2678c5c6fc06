#![allow(unreachable_patterns)]

use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Inner {
    id: u8,
}

#[derive(Deserialize, GramType)]
struct Outer {
    #[serde(flatten)]
    inner: Inner,
    id: u8,
}

#[derive(Deserialize, GramType)]
struct Both {
    #[serde(flatten)]
    one: Inner,
    #[serde(flatten)]
    two: Inner,
}

fn main() {}
