//! Compares two versions of a gram document and reports whom each change breaks.
//!
//! Two sides depend on the tools and agents that a document declares:
//!
//! - An *implementation* was written for the older document and must now serve the newer one. A change
//!   breaks it when the binding rule of [`agent_spec::binding`] refuses it.
//! - A *caller* sends calls that fit the older schema to the newer tool. A change breaks it when the newer
//!   tool refuses such a call or drops one of its arguments, or when it may return a result that the older
//!   schema does not allow.
//!
//! [`compare`] finds the [`Change`]s. A breaking change has a [`Witness`], a call that one document accepts
//! and the other refuses, or a remark when none was found. `book/src/reference/contract-diff.md` lists every [`Rule`].
//!
//! The crate compares documents that were checked already. It reads no files, runs no tools and prints
//! nothing.
//!
//! ```
//! use agent_diff::{Rule, compare};
//! use agent_spec::check::{Options, check};
//!
//! let old = check("[t:Tool {description: \"d\"} | (a::Int)==>(::Null)]", Options::default());
//! let new = check("[t:Tool {description: \"d\"} | (a::Text)==>(::Null)]", Options::default());
//! let changes = compare(&old, &new);
//! assert_eq!(changes[0].rule, Rule::ParameterTypeChanged);
//! assert!(changes[0].caller.is_breaking());
//! ```

mod accept;
mod agent;
mod bound;
mod calls;
mod candidates;
mod change;
mod contracts;
mod gram_text;
mod inclusion;
mod nested;
mod opening;
mod parameter;
mod rename;
mod result;
mod rule;
mod tool;

pub use change::{Change, DocumentPart, Evidence, Stage, Verdict, Version, Witness};
pub use rule::Rule;

use agent_spec::check::Checked;
use calls::WitnessBudget;
use contracts::Contracts;

/// Compares two versions of a document: changes of tools first, then changes of agents, and what the
/// newer version opens.
///
/// Both documents must be free of errors. If a document has errors, only its agents and tools without errors
/// are compared.
#[must_use]
pub fn compare(old: &Checked, new: &Checked) -> Vec<Change> {
    let opened = opening::changes(old, new);
    let budget = WitnessBudget::new();
    let (old, new) = (Contracts::of(old, &budget), Contracts::of(new, &budget));
    let renames = rename::ToolRenames::of(&old, &new);
    let mut changes = tool::changes(&old, &new, &renames);
    changes.extend(agent::changes(&old, &new, &renames));
    changes.extend(opened);
    changes
}

#[cfg(test)]
mod tests;
