use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Tree {
    name: String,
    children: Vec<Tree>,
}

#[derive(Deserialize, GramType)]
struct List {
    next: Option<Box<Self>>,
}

fn main() {}
