//! Labels: what a pattern is, and types.

use super::{Proposal, ProposalKind};
use crate::language::cursor_context::Labelled;
use crate::language::hover::word_markdown;
use crate::language::type_words::LABELS;

/// The labels that may stand at what is labelled.
pub(super) fn proposals(of: Labelled) -> Vec<Proposal> {
    match of {
        Labelled::Declaration => vec![
            declaration("Agent", "an agent"),
            declaration("Tool", "a tool"),
            declaration("ToolSpecification", "a tool; the same as Tool"),
        ],
        Labelled::Member => vec![
            declaration("Tool", "a tool"),
            declaration("ToolSpecification", "a tool; the same as Tool"),
        ],
        Labelled::Parameter => types(false),
        Labelled::Result => types(true),
    }
}

fn declaration(label: &str, detail: &str) -> Proposal {
    Proposal {
        label: label.to_owned(),
        kind: ProposalKind::Label,
        detail: Some(detail.to_owned()),
        meaning: None,
        insert: label.to_owned(),
        behind: 0,
    }
}

/// The type labels, those that are written first. A result can be nothing, and a text result is
/// written `String`.
fn types(result: bool) -> Vec<Proposal> {
    let text = if result { "String" } else { "Text" };
    let order = |name: &str, written: bool| match name {
        _ if name == text => 0,
        "Text" | "String" => 2,
        _ if written => 1,
        _ => 2,
    };
    let labels = LABELS.iter().filter(|word| result || word.name != "Null");
    let mut labels: Vec<_> = labels.collect();
    labels.sort_by_key(|word| order(word.name, word.written));
    let names = labels.into_iter().map(|word| word.name);
    names.map(|name| type_word(name, name)).collect()
}

/// A word of types, and what is written for it.
pub(super) fn type_word(name: &str, insert: &str) -> Proposal {
    Proposal {
        label: name.to_owned(),
        kind: ProposalKind::Type,
        detail: None,
        meaning: word_markdown(name),
        insert: insert.to_owned(),
        behind: 0,
    }
}
