//! What changed between the contracts of two documents, and whom it breaks.
//!
//! Two sides depend on a contract. An *implementation* was written for the older spec and must now serve
//! the newer one: it does when the binding rule says so. A *caller* calls by the older schema and meets the
//! newer tool: it is served when every call that was taken is taken, and every result that may come is one
//! that it knows. All of it is a comparison of specs; nothing is read, and nothing is run.

mod agent;
mod call;
mod change;
mod decide;
mod inner;
mod parameter;
mod rename;
mod result;
mod rule;
mod scope;
mod tool;
mod words;

pub use change::{Change, Evidence, Stage, Stated, Verdict, Version, Witness};
pub use rule::Rule;
pub use scope::Contracts;

/// The changes from one document to another: those of tools, then those of agents.
pub fn compare(old: &Contracts<'_>, new: &Contracts<'_>) -> Vec<Change> {
    let renames = tool::Renames::of(old, new);
    let mut changes = tool::changes(old, new, &renames);
    changes.extend(agent::changes(old, new, &renames));
    changes
}

#[cfg(test)]
mod tests;
