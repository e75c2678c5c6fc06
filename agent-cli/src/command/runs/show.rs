//! The steps of a run, as its records tell them.

use super::resume::{INTERRUPTED, NEEDS_APPROVAL};
use super::{info_json, line};
use crate::display::{json_line, marked_text, name, shortened};
use crate::outcome::{CommandError, Outcome};
use crate::output::{json_to_stdout, line_to_stdout};
use crate::output_format::Format;
use crate::session::redactor;
use agent_lsp::report::counted;
use agent_runtime::Environment;
use agent_runtime::journal::StoredRun;
use agent_spec::terminal;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Prints a run.
///
/// # Errors
/// When a record was changed, lost or moved.
pub(super) fn show(
    stored: &StoredRun,
    environment: &Environment,
    format: Format,
) -> Result<Outcome, CommandError> {
    stored.verify()?;
    let redactor = redactor(environment);
    let records = stored.records.iter().map(|record| {
        let record = agent_spec::json::parse_json(record.json())
            .map_err(|error| CommandError::new(format!("a record cannot be read: {error}")))?;
        Ok(redactor.value(&record))
    });
    let records: Vec<Value> = records.collect::<Result<_, CommandError>>()?;
    if format == Format::Json {
        let mut json = info_json(&stored.info);
        json["records"] = json!(records);
        json_to_stdout(&json)?;
        return Ok(Outcome::Fine);
    }
    line_to_stdout(&line(&stored.info))?;
    let mut steps = Steps::default();
    for record in &records {
        if let Some(line) = steps.line(record) {
            line_to_stdout(&line)?;
        }
    }
    for line in steps.unfinished() {
        line_to_stdout(&line)?;
    }
    Ok(Outcome::Fine)
}

/// The steps of a run while its records are read.
#[derive(Default)]
struct Steps {
    /// The time of the first record, in milliseconds.
    start: Option<u64>,
    /// The calls without results, by the place of the run and their ids: in the order in which the model asked for them.
    calls: Vec<Call>,
    places: HashMap<String, usize>,
}

/// A call that a model asked for.
struct Call {
    /// Its id, after those of the calls that lead to its run.
    id: String,
    tool: String,
    arguments: String,
    state: &'static str,
}

impl Steps {
    /// Writes a record for people. Records that tell nothing new have no line.
    fn line(&mut self, record: &Value) -> Option<String> {
        let text = |key: &str| record[key].as_str().unwrap_or_default();
        let at = record["at"].as_u64().unwrap_or_default();
        let start = *self.start.get_or_insert(at);
        let time = format!("{:>8.1} s  ", at.saturating_sub(start) as f64 / 1000.0);
        let place = text("run");
        let id = || id_from(place, text("call"));
        let under = match place {
            "" => String::new(),
            place => format!("{} ", name(place)),
        };
        let line = match text("kind") {
            "started" => {
                let history = record["run"]["state"]["history"].as_array();
                let said = history.into_iter().flatten().rev();
                let mut said = said.filter(|message| message["role"] == "user");
                self.calls.clear();
                self.places.clear();
                said.next()
                    .map(|message| format!("💬 {}", text_of(&message["content"])))
            }
            "replied" => {
                let calls = record["toolCalls"].as_array().into_iter().flatten();
                for call in calls {
                    self.asked(place, call);
                }
                let tokens = &record["usage"];
                let tokens = ["inputTokens", "outputTokens"]
                    .map(|key| tokens[key].as_u64().unwrap_or_default());
                let tokens = format!("({} → {})", counted_tokens(tokens[0]), tokens[1]);
                let content = text_of(&record["content"]);
                Some(match content.is_empty() {
                    true => format!("🤖 {under}{tokens}"),
                    false => format!("🤖 {under}{content} {tokens}"),
                })
            }
            "callBegun" => {
                let (id, arguments) = (id(), text("arguments").to_owned());
                if let Some(call) = self.call(&id) {
                    call.state = "was begun, and has no result";
                    call.arguments = arguments;
                }
                None
            }
            "agentBegun" => {
                if let Some(call) = self.call(&id()) {
                    call.state = "was begun, and has no result";
                }
                None
            }
            "callFinished" => {
                let outcome = &record["outcome"]["result"];
                let result = match &outcome["value"] {
                    Value::Null if outcome["error"].is_object() => {
                        let text = outcome["error"]["text"].as_str().unwrap_or_default();
                        format!("error: {}", shortened(text))
                    }
                    Value::String(text) => shortened(text),
                    value => json_line(&value.to_string()),
                };
                let call = self.take(&id());
                call.map(|call| format!("{} → {result}", call.line()))
            }
            "agentEnded" => {
                let call = self.take(place);
                call.map(|call| format!("{} → ended", call.line()))
            }
            "decisionMade" => {
                let decision = text("decision");
                let call = match decision {
                    "deny" | "done" => self.take(text("call")),
                    _ => None,
                };
                if let Some(call) = self.call(text("call")) {
                    call.state = "was decided on, without a result";
                }
                let tool = call.map_or_else(String::new, |call| format!(" of {}", call.line()));
                let detail = match record["detail"].as_str() {
                    Some(detail) => format!(": {}", shortened(detail)),
                    None => String::new(),
                };
                Some(format!(
                    "   decision on {}: {}{detail}{tool}",
                    name(text("call")),
                    name(decision)
                ))
            }
            "decisionAsked" => {
                let calls = record["calls"].as_array().into_iter().flatten();
                for id in calls.filter_map(Value::as_str) {
                    if let Some(call) = self.call(id)
                        && call.state != INTERRUPTED
                    {
                        call.state = NEEDS_APPROVAL;
                    }
                }
                None
            }
            "callInDoubt" => {
                let id = id();
                if let Some(call) = self.call(&id) {
                    call.state = INTERRUPTED;
                }
                Some(format!("   {} was interrupted", name(&id)))
            }
            "said" => {
                let messages = record["messages"].as_array().into_iter().flatten();
                messages
                    .map(|message| format!("💬 {}", text_of(&message["content"])))
                    .next()
            }
            "requestFailed" | "stopped" => Some(error_line(&record["error"])),
            "ended" if record["error"].is_object() => Some(error_line(&record["error"])),
            _ => None,
        };
        Some(time + &line?)
    }

    /// Writes the calls that have no results.
    fn unfinished(&self) -> Vec<String> {
        let calls = self.calls.iter().filter(|call| !call.tool.is_empty());
        calls
            .map(|call| {
                // Not shortened, because the user must see all that is approved.
                let arguments = call.arguments.replace(['\n', '\r', '\t'], " ");
                let (tool, id) = (name(&call.tool), name(&call.id));
                let arguments = terminal::json(&arguments);
                format!("🛠️ {tool} {arguments} {} ({id})", call.state)
            })
            .collect()
    }

    fn asked(&mut self, place: &str, call: &Value) {
        let text = |key: &str| call[key].as_str().unwrap_or_default().to_owned();
        let id = id_from(place, &text("id"));
        self.places.insert(id.clone(), self.calls.len());
        self.calls.push(Call {
            id,
            tool: text("tool"),
            arguments: text("argsText"),
            state: "was not begun",
        });
    }

    fn call(&mut self, id: &str) -> Option<&mut Call> {
        self.calls.get_mut(*self.places.get(id)?)
    }

    /// Takes a call that has its result.
    fn take(&mut self, id: &str) -> Option<Call> {
        let place = self.places.remove(id)?;
        let call = self.calls.get_mut(place)?;
        let nothing = Call {
            id: String::new(),
            tool: String::new(),
            arguments: String::new(),
            state: "",
        };
        Some(std::mem::replace(call, nothing))
    }
}

/// Returns the id of a call from the first run on: the ids that lead to its run, and its own.
fn id_from(place: &str, id: &str) -> String {
    match place {
        "" => id.to_owned(),
        place => format!("{place}/{id}"),
    }
}

/// Writes the texts of a content.
fn text_of(content: &Value) -> String {
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect()
        }
        _ => String::new(),
    };
    marked_text(&text)
}

impl Call {
    fn line(&self) -> String {
        let arguments = self.arguments.replace(['\n', '\r', '\t'], " ");
        format!("🛠️ {} {}", name(&self.tool), json_line(&arguments))
    }
}

fn counted_tokens(count: u64) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), "token")
}

fn error_line(error: &Value) -> String {
    format!(
        "error: {}",
        shortened(error["text"].as_str().unwrap_or_default())
    )
}
