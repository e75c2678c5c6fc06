use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize)]
struct Inner;

#[derive(Deserialize, GramType)]
struct Outer {
    name: String,
    inner: Inner,
    list: Vec<Inner>,
}

fn main() {}
