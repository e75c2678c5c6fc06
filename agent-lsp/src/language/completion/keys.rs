//! Keys of records.

use super::{Proposal, ProposalKind};
use crate::language::cursor_context::Holder;
use crate::language::hover::key_markdown;
use crate::language::keys::{self, Key};
use agent_spec::check::goes_with;

/// What is written after the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `: `, for the value to follow.
    Entry,
    /// Nothing, since there is a colon or a parenthesis already.
    Name,
    /// The value in parentheses, as annotations have it.
    Annotation,
}

impl Style {
    /// What is written after a key that ends here.
    pub(super) fn of(text: &str, end: usize, annotation: bool) -> Self {
        let rest = text.get(end..).unwrap_or_default();
        match annotation {
            // A parenthesis further on is rather that of the signature.
            true if rest.starts_with('(') => Style::Name,
            true => Style::Annotation,
            false if rest.trim_start().starts_with(':') => Style::Name,
            false => Style::Entry,
        }
    }
}

/// The keys that can stand in a record, without those that are there.
pub(super) fn proposals(of: &Holder<'_>, others: &[&str], style: Style) -> Vec<Proposal> {
    let place = of.place;
    place
        .keys()
        .filter(|key| !is_said(key, others) && fits(key, of))
        .map(|key| {
            let known = keys::key(place, key);
            let (insert, behind) = written(key, known, style);
            Proposal {
                label: key.to_owned(),
                kind: ProposalKind::Key,
                detail: known.map(|known| known.value.replace('`', "")),
                meaning: known.map(key_markdown),
                insert,
                behind,
            }
        })
        .collect()
}

/// Whether a key, or the one that excludes it, is there.
fn is_said(key: &str, others: &[&str]) -> bool {
    let excluding = match key {
        "fields" => "valueType",
        "valueType" => "fields",
        _ => key,
    };
    others.contains(&key) || others.contains(&excluding)
}

fn fits(key: &str, of: &Holder<'_>) -> bool {
    let is_named = of.is_named && key == "paramName";
    let fits_type = of.ty.as_ref().is_none_or(|ty| goes_with(key, ty));
    fits_type && !is_named
}

/// What is written for a key, and how much of it stands behind the cursor.
fn written(key: &str, known: Option<&Key>, style: Style) -> (String, usize) {
    match style {
        Style::Entry => (format!("{key}: "), 0),
        Style::Name => (key.to_owned(), 0),
        Style::Annotation => {
            let is_text = known.is_some_and(Key::is_text);
            let value = if is_text { "(\"\")" } else { "()" };
            (format!("{key}{value}"), value.len() / 2)
        }
    }
}
