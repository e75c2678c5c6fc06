use agent_runtime::{Extension, tool};
use std::rc::Rc;

/// Finds a row
#[tool]
fn find(rows: Extension<Rc<str>>) -> usize {
    rows.len()
}

/// Finds all rows
#[tool]
fn find_all(rows: &Extension<Rc<str>>) -> usize {
    rows.len()
}

fn main() {}
