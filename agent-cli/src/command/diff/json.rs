//! The changes for programs.

use super::comparison::{Comparison, ContractSide};
use agent_diff::{Change, DocumentPart, Evidence, Stage, Verdict, Version, Witness};
use agent_gram::LineIndex;
use agent_project::source::Source;
use agent_spec::secret::redacted;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// All changes as one document. Scripts depend on its members.
#[derive(Serialize)]
pub(crate) struct ChangesDocument<'a> {
    changes: Vec<Entry<'a>>,
    breaking: Breaking,
}

#[derive(Serialize)]
struct Breaking {
    implementation: Option<usize>,
    caller: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    rule: &'static str,
    agent: Option<&'a str>,
    tool: Option<&'a str>,
    parameter: Option<&'a str>,
    renamed_to: Option<&'a str>,
    old: Option<PartEntry<'a>>,
    new: Option<PartEntry<'a>>,
    implementation: Option<VerdictEntry<'a>>,
    caller: Option<VerdictEntry<'a>>,
    note: Option<Cow<'a, str>>,
}

#[derive(Serialize)]
struct PartEntry<'a> {
    text: Cow<'a, str>,
    file: &'a str,
    line: Option<usize>,
    column: Option<usize>,
}

#[derive(Serialize)]
struct VerdictEntry<'a> {
    verdict: &'static str,
    witness: Option<WitnessEntry<'a>>,
    remark: Option<Cow<'a, str>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WitnessEntry<'a> {
    tool: &'a str,
    args: Cow<'a, Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Cow<'a, Value>>,
    accepted_by: &'static str,
    refused_by: &'static str,
    refused_at: &'static str,
    refusal: Cow<'a, str>,
}

impl<'a> ChangesDocument<'a> {
    /// Creates the document of a comparison.
    pub(super) fn of(comparison: &Comparison<'a>) -> Self {
        let (old, new) = (File::of(comparison.old), File::of(comparison.new));
        let broken = |side: ContractSide| {
            let is_judged = ContractSide::judged(comparison.side).any(|judged| judged == side);
            is_judged.then(|| side.broken_by(comparison.changes))
        };
        let entry = |change| Entry::of(change, comparison.side, &old, &new);
        Self {
            changes: comparison.changes.iter().map(entry).collect(),
            breaking: Breaking {
                implementation: broken(ContractSide::Implementation),
                caller: broken(ContractSide::Caller),
            },
        }
    }
}

/// A document with its line index.
struct File<'a> {
    name: &'a str,
    index: LineIndex<'a>,
}

impl<'a> File<'a> {
    fn of(source: &'a Source) -> Self {
        Self {
            name: &source.name,
            index: LineIndex::new(&source.text),
        }
    }

    fn part_entry(&self, stated: &'a DocumentPart) -> PartEntry<'a> {
        let place = stated.span.map(|span| self.index.position(span.start));
        PartEntry {
            text: redacted(&stated.text),
            file: self.name,
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
        }
    }
}

impl<'a> Entry<'a> {
    fn of(change: &'a Change, asked: Option<ContractSide>, old: &File<'a>, new: &File<'a>) -> Self {
        let judged = |side: ContractSide| {
            let is_judged = ContractSide::judged(asked).any(|judged| judged == side);
            is_judged.then(|| VerdictEntry::of(side.verdict(change)))
        };
        Self {
            rule: change.rule.name(),
            agent: change.agent.as_deref(),
            tool: change.tool.as_deref(),
            parameter: change.parameter.as_deref(),
            renamed_to: change.renamed_to.as_deref(),
            old: change.old.as_ref().map(|stated| old.part_entry(stated)),
            new: change.new.as_ref().map(|stated| new.part_entry(stated)),
            implementation: judged(ContractSide::Implementation),
            caller: judged(ContractSide::Caller),
            note: change.note.as_deref().map(redacted),
        }
    }
}

impl<'a> VerdictEntry<'a> {
    fn of(verdict: &'a Verdict) -> Self {
        let (witness, remark) = match verdict {
            Verdict::Breaking(Evidence::Witness(witness)) => {
                (Some(WitnessEntry::of(witness)), None)
            }
            Verdict::Breaking(Evidence::Missing(reason)) => (None, Some(redacted(reason))),
            Verdict::Compatible => (None, None),
        };
        Self {
            verdict: if verdict.is_breaking() {
                "breaking"
            } else {
                "compatible"
            },
            witness,
            remark,
        }
    }
}

impl<'a> WitnessEntry<'a> {
    fn of(witness: &'a Witness) -> Self {
        let name = |version| match version {
            Version::Old => "old",
            Version::New => "new",
        };
        Self {
            tool: &witness.tool,
            args: without_secrets(&witness.args),
            result: witness.result.as_ref().map(without_secrets),
            accepted_by: name(witness.accepted_by),
            refused_by: name(witness.accepted_by.other()),
            refused_at: match witness.refused_at {
                Stage::Binding => "binding",
                Stage::Lookup => "lookup",
                Stage::Arguments => "arguments",
                Stage::Result => "result",
            },
            refusal: redacted(&witness.refusal),
        }
    }
}

/// Redacts the secrets in a value. A value without secrets is not parsed again, so that its numbers keep their
/// digits.
fn without_secrets<T>(value: &T) -> Cow<'_, T>
where
    T: Clone + Default + Serialize + DeserializeOwned,
{
    let text = match serde_json::to_string(value) {
        Ok(text) => text,
        Err(_) => return Cow::Owned(T::default()),
    };
    match redacted(&text) {
        Cow::Borrowed(_) => Cow::Borrowed(value),
        // A redacted text is still JSON. If it is not, the value is left out.
        Cow::Owned(text) => Cow::Owned(serde_json::from_str(&text).unwrap_or_default()),
    }
}
