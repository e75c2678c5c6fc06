//! Tests of every rule in both directions, and of generated pairs of documents.

mod agents;
mod generate;
mod generated;
mod hostile;
mod opening;
mod page;
mod remarks;
mod table;
mod witness_check;

use super::{Change, compare};
use agent_spec::check::{Checked, Options, check};

/// Checks a document, which must be free of errors.
fn read(gram: &str) -> Checked {
    let checked = check(gram, Options::default());
    assert!(!checked.has_errors(), "{gram}\n{:#?}", checked.diagnostics);
    checked
}

/// Returns the changes between two documents.
fn changes(old: &str, new: &str) -> Vec<Change> {
    let (old, new) = (read(old), read(new));
    compare(&old, &new)
}

/// Returns a document with one tool.
fn tool(signature: &str) -> String {
    format!("[t:Tool {{description: \"Does it.\"}} | {signature}]")
}

/// Returns a document with one agent.
fn agent(elements: &str) -> String {
    let bar = if elements.is_empty() { "" } else { " | " };
    format!("[a:Agent {{instruction: \"Help.\", model: \"OpenAI/x\"}}{bar}{elements}]")
}
