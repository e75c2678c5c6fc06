//! The changes for people.

use super::comparison::{Comparison, ContractSide};
use crate::display::shortened;
use agent_diff::{Change, DocumentPart, Evidence, Stage, Verdict, Version, Witness};
use agent_gram::LineIndex;
use agent_project::report::counted;
use agent_project::source::Source;
use agent_spec::secret::redacted;
use agent_spec::terminal::{self, line};
use serde::Serialize;
use std::fmt;

/// A comparison, which is displayed as each change, then their number.
pub(super) struct Human<'a> {
    comparison: &'a Comparison<'a>,
    has_colour: bool,
    old: LineIndex<'a>,
    new: LineIndex<'a>,
}

impl<'a> Human<'a> {
    /// Creates the text of a comparison.
    pub(super) fn new(comparison: &'a Comparison<'a>, has_colour: bool) -> Self {
        Self {
            comparison,
            has_colour,
            old: LineIndex::new(&comparison.old.text),
            new: LineIndex::new(&comparison.new.text),
        }
    }

    fn change(&self, out: &mut fmt::Formatter<'_>, change: &Change) -> fmt::Result {
        let breaks = |side: &ContractSide| side.verdict(change).is_breaking();
        let broken: Vec<ContractSide> = ContractSide::judged(self.comparison.side)
            .filter(breaks)
            .collect();
        let verdict = self.verdict(!broken.is_empty());
        writeln!(
            out,
            "{verdict}: {}: {}",
            change.rule.name(),
            subject(change)
        )?;
        self.document_part(out, Version::Old, change.old.as_ref())?;
        self.document_part(out, Version::New, change.new.as_ref())?;
        for side in broken {
            let whom = match side {
                ContractSide::Implementation => "implementations of OLD",
                ContractSide::Caller => "callers of OLD",
            };
            match side.verdict(change) {
                Verdict::Compatible => {}
                Verdict::Breaking(Evidence::Missing(reason)) => {
                    writeln!(out, "  breaks {whom}: {}", plain(reason))?;
                }
                Verdict::Breaking(Evidence::Witness(witness)) => {
                    writeln!(out, "  breaks {whom}; witness:")?;
                    write_witness(out, witness)?;
                }
            }
        }
        match &change.note {
            Some(note) => writeln!(out, "  note: {}", plain(note)),
            None => Ok(()),
        }
    }

    fn document_part(
        &self,
        out: &mut fmt::Formatter<'_>,
        version: Version,
        stated: Option<&DocumentPart>,
    ) -> fmt::Result {
        let Some(stated) = stated else {
            return Ok(());
        };
        let (name, source, index) = match version {
            Version::Old => ("OLD", self.comparison.old, &self.old),
            Version::New => ("NEW", self.comparison.new, &self.new),
        };
        let place = place(source, index, stated);
        writeln!(
            out,
            "  {name} {place}  {}",
            shortened(&redacted(&stated.text).replace('\n', " "))
        )
    }

    fn verdict(&self, breaks: bool) -> String {
        let (word, colour) = if breaks {
            ("breaking", "\u{1b}[1;31m")
        } else {
            ("compatible", "\u{1b}[1;32m")
        };
        if self.has_colour {
            format!("{colour}{word}\u{1b}[0m")
        } else {
            word.to_owned()
        }
    }

    fn summary(&self) -> String {
        let Comparison {
            old,
            new,
            changes,
            hidden,
            side,
        } = self.comparison;
        let names = format!("{} → {}", old.display_name(), new.display_name());
        if changes.is_empty() && *hidden == 0 {
            return format!("{names}: the contracts are the same");
        }
        let mut parts = vec![counted(changes.len() + hidden, "change")];
        parts.extend(ContractSide::judged(*side).map(|side| {
            let count = side.broken_by(changes);
            let verb = if count == 1 { "breaks" } else { "break" };
            let whom = match side {
                ContractSide::Implementation => "implementations",
                ContractSide::Caller => "callers",
            };
            let count = if count == 0 {
                "none".to_owned()
            } else {
                count.to_string()
            };
            format!("{count} {verb} {whom}")
        }));
        format!("{names}: {}", parts.join(", "))
    }
}

impl fmt::Display for Human<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for change in self.comparison.changes {
            self.change(out, change)?;
            writeln!(out)?;
        }
        writeln!(out, "{}", self.summary())
    }
}

fn place(source: &Source, index: &LineIndex<'_>, stated: &DocumentPart) -> String {
    let name = source.display_name();
    match stated.span {
        Some(span) => {
            let place = index.position(span.start);
            format!("{name}:{}:{}", place.line, place.column)
        }
        None => name.to_owned(),
    }
}

/// Formats the agent, tool and parameter of a change.
fn subject(change: &Change) -> String {
    let parts = [
        ("agent", &change.agent),
        ("tool", &change.tool),
        ("parameter", &change.parameter),
    ];
    let named = parts.into_iter().filter_map(|(what, name)| {
        let name = name.as_ref()?;
        Some(format!("{what} {name}"))
    });
    plain(&named.collect::<Vec<_>>().join(", "))
}

fn write_witness(out: &mut fmt::Formatter<'_>, witness: &Witness) -> fmt::Result {
    let args = json(&witness.args);
    writeln!(out, "    {} {args}", plain(&witness.tool))?;
    let name = |version| match version {
        Version::Old => "OLD",
        Version::New => "NEW",
    };
    let (takes, refuses) = (name(witness.accepted_by), name(witness.accepted_by.other()));
    let refusal = plain(&witness.refusal);
    match (witness.refused_at, &witness.result) {
        (Stage::Result, Some(result)) => {
            writeln!(out, "    gives {}", json(result))?;
            writeln!(
                out,
                "    {takes} allows this result, {refuses} refuses it: {refusal}"
            )
        }
        (Stage::Binding, _) => writeln!(
            out,
            "    {takes} takes this call; a library for {refuses} is refused before any call: {refusal}"
        ),
        (Stage::Lookup, _) => writeln!(out, "    {takes} takes this call; {refusal}"),
        _ => writeln!(
            out,
            "    {takes} takes this call, {refuses} refuses it: {refusal}"
        ),
    }
}

/// The maximum number of bytes of arguments and of results. The JSON form has all of them.
const MAX_BYTES: usize = 2_000;

/// Formats a value as JSON, cut if it is very long.
fn json(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).unwrap_or_default();
    let shown = &text[..text.floor_char_boundary(MAX_BYTES)];
    let cut = if shown.len() < text.len() { "…" } else { "" };
    format!("{}{cut}", redacted(&terminal::json(shown)))
}

/// The maximum number of characters of a name or a reason.
const MAX_CHARS: usize = 2_000;

/// Formats a text on one line, without secrets.
fn plain(text: &str) -> String {
    line(&redacted(text).replace('\n', " "), MAX_CHARS)
}
