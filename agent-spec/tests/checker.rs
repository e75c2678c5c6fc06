//! The checker: tables of documents and what is said of them.

mod agent_functions;
mod binding;
mod binding_messages;
mod binding_ranges;
mod binding_rules;
mod choices_and_extras;
mod documents;
mod effects;
mod grants;
mod keys;
mod mcp;
mod media;
mod mistakes;
mod models;
mod outlines;
mod projects;
mod signatures;
mod texts;

use agent_spec::check::{Options, check};

/// The findings of a document as `line:column code message`, one a line.
fn findings(source: &str) -> Vec<String> {
    let index = agent_gram::LineIndex::new(source);
    check(source, Options::default())
        .diagnostics
        .iter()
        .map(|found| {
            let at = index.position(found.span().start);
            format!(
                "{}:{} {} {}",
                at.line,
                at.column,
                found.code(),
                found.message()
            )
        })
        .collect()
}
