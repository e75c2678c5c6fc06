//! Every rule in both directions, and generated pairs of documents.

mod decided;
mod dice;
mod generate;
mod generated;
mod hostile;
mod page;
mod table;
mod told;
mod witnessed;

use super::{Change, compare};
use agent_spec::check::{Checked, Options, check};

/// What a document declares; it must be free of errors.
fn read(gram: &str) -> Checked {
    let checked = check(gram, Options::default());
    assert!(!checked.has_errors(), "{gram}\n{:#?}", checked.diagnostics);
    checked
}

/// The changes between two documents.
fn changes(old: &str, new: &str) -> Vec<Change> {
    let (old, new) = (read(old), read(new));
    compare(&old, &new)
}

/// A document of one tool.
fn tool(signature: &str) -> String {
    format!("[t:Tool {{description: \"Does it.\"}} | {signature}]")
}

/// A document of one agent.
fn agent(elements: &str) -> String {
    let bar = if elements.is_empty() { "" } else { " | " };
    format!("[a:Agent {{instruction: \"Help.\", model: \"OpenAI/x\"}}{bar}{elements}]")
}
