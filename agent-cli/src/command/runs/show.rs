//! `agent runs show`: prints the steps of a run.

use super::gram::pattern;
use super::{info_json, line};
use crate::display::{arguments_line, indented_text, json_line, media_line, name, shortened};
use crate::outcome::{CommandError, Outcome};
use crate::output::{document_to_stdout, error_to_stderr, json_to_stdout, line_to_stdout};
use crate::session::{ModelPrice, all_prices, redactor};
use agent_gram::print;
use agent_project::report::counted;
use agent_runtime::Environment;
use agent_runtime::conversation::{Part, Taint};
use agent_runtime::journal::StoredRun;
use agent_runtime::redact::Redactor;
use agent_spec::terminal;
use agent_studio::steps::{
    Decided, Entry, Outcome as CallOutcome, RecordedCall, Reply, Step, Steps, text_of,
};
use clap::ValueEnum;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// The format of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ShowFormat {
    /// For people
    #[default]
    Human,
    /// For programs: the records as they are in the journal
    Json,
    /// For storing: a gram document with the steps
    Gram,
}

/// Prints a run.
///
/// # Errors
/// Returns an error if a record was changed, lost or moved, or if a model has two prices.
pub(super) fn show(
    stored: &StoredRun,
    environment: &Environment,
    prices: &[ModelPrice],
    format: ShowFormat,
) -> Result<Outcome, CommandError> {
    let prices = all_prices(prices)?;
    let redactor = redactor(environment);
    if format == ShowFormat::Json {
        // A damaged record is found before anything is printed.
        for record in records(stored, &redactor)? {
            record?;
        }
        json_to_stdout(&RunDocument {
            info: info_json(&stored.info),
            records: RecordList {
                stored,
                redactor: &redactor,
            },
        })?;
        return Ok(Outcome::Fine);
    }
    let steps = Steps::new(records(stored, &redactor)?, prices)?;
    if format == ShowFormat::Gram {
        return match pattern(&stored.info, &steps) {
            Ok(pattern) => {
                document_to_stdout(&print(&[pattern]))?;
                Ok(Outcome::Fine)
            }
            Err(error) => {
                let text = "the run cannot be written as gram; use --format json";
                error_to_stderr(&format!("{text}: {error}"));
                Ok(Outcome::Failed)
            }
        };
    }
    line_to_stdout(&line(&stored.info))?;
    for entry in &steps.entries {
        for line in lines(entry, &steps) {
            line_to_stdout(&line)?;
        }
    }
    for call in steps.unfinished() {
        line_to_stdout(&unfinished_line(call))?;
    }
    Ok(Outcome::Fine)
}

/// The JSON document of a run.
#[derive(Serialize)]
struct RunDocument<'a> {
    #[serde(flatten)]
    info: Value,
    records: RecordList<'a>,
}

/// The records of a run. They are read one after another, because values take far more memory than their texts.
struct RecordList<'a> {
    stored: &'a StoredRun,
    redactor: &'a Redactor,
}

impl Serialize for RecordList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let records = parsed(self.stored, self.redactor);
        // All records were parsed before without an error.
        serializer.collect_seq(records.filter_map(Result::ok))
    }
}

/// Returns the records of a run as JSON, without the keys of the environment. Each record is parsed when the
/// iterator reaches it.
///
/// # Errors
/// Returns an error if a record was changed, lost or moved.
pub(super) fn records<'a>(
    stored: &'a StoredRun,
    redactor: &'a Redactor,
) -> Result<impl Iterator<Item = Result<Value, CommandError>> + 'a, CommandError> {
    stored.verify()?;
    Ok(parsed(stored, redactor))
}

fn parsed<'a>(
    stored: &'a StoredRun,
    redactor: &'a Redactor,
) -> impl Iterator<Item = Result<Value, CommandError>> + 'a {
    stored.records.iter().map(|record| {
        let record = agent_spec::json::parse_json(&record.json())
            .map_err(|error| CommandError::new(format!("a record cannot be read: {error}")))?;
        Ok(redactor.value(&record))
    })
}

/// Writes a step: its time and its text. Further lines are indented by more blanks than precede any time, so
/// that no further line looks like a step.
fn lines(entry: &Entry, steps: &Steps) -> Vec<String> {
    let seconds = entry.at.saturating_sub(steps.start) as f64 / 1000.0;
    // The blanks are after the time and not before it, so that no row that continues a long line looks like a
    // step.
    let time = format!("{:<10}  ", format!("{seconds:.1} s"));
    let further = " ".repeat(TIME_WIDTH);
    // The path of an agent that was called is shown as in the transcript of `agent run`.
    let path = match entry.place.as_str() {
        "" => None,
        place => Some(shortened(&steps.path(place))),
    };
    let under = path
        .as_ref()
        .map_or_else(String::new, |path| format!("{path}: "));
    let (first, parts): (String, &[Part]) = match &entry.step {
        Step::Said(parts) => {
            let text = indented_text(&text_of(parts), TEXT_INDENT);
            (format!("💬 {under}{text}"), parts)
        }
        Step::Replied(reply) => (format!("🤖 {under}{}", reply_text(reply)), &reply.parts),
        Step::Called(index) => {
            let call = &steps.calls[*index];
            let parts: &[Part] = match &call.outcome {
                Some(CallOutcome::Result(_, parts)) => parts,
                _ => &[],
            };
            (call_line(call, path.as_deref()), parts)
        }
        Step::Decided(decided) => (decision_line(decided, steps), &[]),
        Step::Interrupted(id) => (format!("   {} was interrupted", name(id)), &[]),
        Step::Failed(failure) => (format!("{under}error: {}", shortened(&failure.text)), &[]),
    };
    let media = parts.iter().filter_map(media_line);
    let media = media.map(|line| format!("{further}{line}"));
    std::iter::once(time + &first).chain(media).collect()
}

/// The number of characters before the mark of a step: the time and its unit.
const TIME_WIDTH: usize = 12;

/// The number of blanks before further lines of a text: more than before the marks of media.
const TEXT_INDENT: usize = TIME_WIDTH + 3;

fn reply_text(reply: &Reply) -> String {
    let tokens = usize::try_from(reply.usage.input_tokens).unwrap_or(usize::MAX);
    let dollars = match reply.dollars {
        Some(dollars) => format!(", ${dollars:.4}"),
        None => String::new(),
    };
    let used = format!(
        "({} → {}{dollars})",
        counted(tokens, "token"),
        reply.usage.output_tokens
    );
    match indented_text(&text_of(&reply.parts), TEXT_INDENT) {
        text if text.trim().is_empty() => used,
        text => format!("{text} {used}"),
    }
}

fn call_line(call: &RecordedCall, path: Option<&str>) -> String {
    let called = called(call, path);
    let line = match &call.outcome {
        Some(CallOutcome::Result(json, _)) => match serde_json::from_str::<String>(json) {
            Ok(text) => format!("{called} → {}", shortened(&text)),
            Err(_) => format!("{called} → {}", json_line(json)),
        },
        Some(CallOutcome::Error(_, text)) => format!("{called} → error: {}", shortened(text)),
        Some(CallOutcome::Ended) | None => format!("{called} → ended"),
    };
    match call.taint {
        Taint::Clean => line,
        Taint::Touched => format!("{line}\n   ⚠ values that a stranger may have chosen"),
        Taint::Tainted => format!("{line}\n   ⚠ words of strangers"),
    }
}

fn called(call: &RecordedCall, path: Option<&str>) -> String {
    let arguments = arguments_line(&call.arguments);
    let above = path.map_or_else(String::new, |path| format!("{path}/"));
    format!("🛠️ {above}{} {arguments}", name(&call.tool))
}

fn decision_line(decided: &Decided, steps: &Steps) -> String {
    let Decided {
        call,
        decision,
        detail,
        of,
    } = decided;
    let detail = match detail {
        Some(detail) => format!(": {}", shortened(detail)),
        None => String::new(),
    };
    let of = match of {
        Some(index) => format!(" of {}", called(&steps.calls[*index], None)),
        None => String::new(),
    };
    format!(
        "   decision on {}: {}{detail}{of}",
        name(call),
        name(decision)
    )
}

fn unfinished_line(call: &RecordedCall) -> String {
    // The arguments are not shortened, because the user must see all that is approved.
    let arguments = call.arguments.replace(['\n', '\r', '\t'], " ");
    let (tool, id) = (name(&call.tool), name(&call.id));
    let arguments = terminal::json(&arguments);
    let line = format!("🛠️ {tool} {arguments} {} ({id})", call.state);
    match &call.guarded {
        Some(reason) => format!("{line}\n   ⚠ {}", shortened(reason)),
        None => line,
    }
}
