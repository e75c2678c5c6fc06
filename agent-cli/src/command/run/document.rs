//! The results of a run as one document, in JSON or gram.

use crate::gram_value::gram_value;
use crate::outcome::Outcome;
use crate::output::{document_to_stdout, error_to_stderr, json_to_stdout};
use agent_gram::{Pattern, Subject, Value, ValueError, print};
use agent_runtime::redact::Redactor;
use agent_runtime::response::ToolInvocation;
use agent_runtime::run::PendingCall;
use agent_runtime::{AgentResponse, Conversation};
use agent_spec::json::parse_json;
use clap::ValueEnum;
use serde::Serialize;
use serde_json::json;
use std::io;

/// The answer to a message.
pub(super) struct Answered {
    pub(super) response: AgentResponse,
    /// The calls of the agents that were called.
    pub(super) nested: Vec<NestedCall>,
}

/// A call by an agent that was called.
pub(super) struct NestedCall {
    /// The names of the agents that lead to the tool, and its own, joined by `/`.
    pub(super) path: String,
    /// The call; its id begins with those of the calls of the agents.
    pub(super) invocation: ToolInvocation,
}

impl Answered {
    fn to_json(&self, redactor: &Redactor, with_data: bool) -> serde_json::Value {
        let response = self.response.redacted(redactor);
        let mut json = match with_data {
            false => response.to_json(),
            true => response.to_json_with_data(),
        };
        let nested = self.nested.iter().map(|call| {
            let mut json = call.invocation.redacted(redactor).to_json();
            json["path"] = redactor.text(&call.path).into();
            json["callId"] = redactor.text(&call.invocation.call_id).into();
            json
        });
        if !self.nested.is_empty() {
            json["nestedCalls"] = nested.collect();
        }
        json
    }
}

/// A run in a journal that waits for decisions on calls.
pub(super) struct Waiting {
    pub(super) run: String,
    pub(super) calls: Vec<PendingCall>,
}

impl Waiting {
    fn to_json(&self, redactor: &Redactor) -> serde_json::Value {
        let calls = self.calls.iter().map(|call| {
            let arguments = redactor.text(&call.arguments);
            let arguments = parse_json(&arguments).unwrap_or_else(|_| arguments.into());
            let mut json = json!({
                "callId": call.id,
                "tool": call.tool,
                "path": call.path,
                "args": arguments,
                "inDoubt": call.in_doubt,
            });
            if let Some(guarded) = &call.guarded {
                json["guarded"] = json!(guarded);
            }
            json
        });
        json!({"run": self.run, "calls": calls.collect::<Vec<_>>()})
    }

    /// Returns the pattern: the calls as elements, each with its tool as its element.
    fn to_pattern(&self, redactor: &Redactor) -> Result<Pattern, ValueError> {
        let json = self.to_json(redactor);
        let mut elements = Vec::with_capacity(self.calls.len());
        for (call, json) in self
            .calls
            .iter()
            .zip(json["calls"].as_array().into_iter().flatten())
        {
            let mut subject = Subject::default().with_label("PendingCall");
            for key in ["callId", "path", "args", "inDoubt", "guarded"] {
                if let Some(value) = json.get(key) {
                    subject.properties.insert(key, gram_value(value)?)?;
                }
            }
            let tool = Pattern::new(Subject::new(call.tool.clone()), Vec::new())?;
            elements.push(Pattern::new(subject, vec![tool])?);
        }
        let mut subject = Subject::default().with_label("WaitingRun");
        subject
            .properties
            .insert("run", gram_value(&json["run"])?)?;
        Pattern::new(subject, elements)
    }
}

/// The results of a run.
pub(super) struct RunDocument<'a> {
    /// The answers, one for each message.
    pub(super) responses: &'a [Answered],
    /// The partial turn of a message that was not answered.
    pub(super) unfinished: Option<AgentResponse>,
    /// The run that waits for decisions, in place of an answer.
    pub(super) waiting: Option<Waiting>,
    /// The run whose end could not be recorded in the journal.
    pub(super) unended: Option<String>,
    /// All messages, with calls of tools and their results.
    pub(super) conversation: &'a Conversation,
    /// Whether JSON has the bytes of media in base64, and not their digests.
    pub(super) with_data: bool,
}

/// `{"responses": […], "waiting"?, "unendedRun"?, "conversation": […]}`. Scripts depend on these members.
#[derive(Serialize)]
struct Json {
    responses: Vec<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<serde_json::Value>,
    #[serde(rename = "unendedRun", skip_serializing_if = "Option::is_none")]
    unended: Option<String>,
    conversation: serde_json::Value,
}

impl RunDocument<'_> {
    /// Writes the redacted document to standard output. In the format for people there is no document.
    ///
    /// # Errors
    /// Returns an error if standard output cannot be written to.
    pub(super) fn to_stdout(&self, format: Format, redactor: &Redactor) -> io::Result<Outcome> {
        let redacted = |response: &AgentResponse| response.redacted(redactor);
        match format {
            Format::Human => Ok(Outcome::Fine),
            // The conversation contains the partial turn.
            Format::Json => {
                let conversation = self.conversation.redacted(redactor);
                let answers = self.responses.iter();
                json_to_stdout(&Json {
                    responses: answers
                        .map(|answered| answered.to_json(redactor, self.with_data))
                        .collect(),
                    waiting: self.waiting.as_ref().map(|run| run.to_json(redactor)),
                    unended: self.unended.clone(),
                    conversation: match self.with_data {
                        false => conversation.to_json(),
                        true => conversation.to_json_with_data(),
                    },
                })?;
                Ok(Outcome::Fine)
            }
            Format::Gram => {
                let responses = self
                    .responses
                    .iter()
                    .map(|answered| redacted(&answered.response));
                let responses: Vec<_> = responses.collect();
                let unfinished = self.unfinished.as_ref().map(redacted);
                let waiting = self.waiting.as_ref();
                let waiting = waiting.map(|run| run.to_pattern(redactor));
                let unended = self.unended.as_deref().map(unended_pattern);
                gram_to_stdout(&responses, unfinished.as_ref(), waiting.or(unended))
            }
        }
    }
}

/// The format of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people, while the run goes on.
    #[default]
    Human,
    /// For programs: one JSON document on standard output, and nothing else there.
    Json,
    /// For storing: a gram document on standard output, and nothing else there.
    Gram,
}

/// The label of a partial turn. It differs from the label of answers, so that a search for answers does not
/// find it.
const UNFINISHED: &str = "UnfinishedResponse";

/// Creates the pattern of a run whose end could not be recorded in the journal.
fn unended_pattern(run: &str) -> Result<Pattern, ValueError> {
    let mut subject = Subject::default().with_label("UnendedRun");
    let id = Value::String(run.to_owned().into());
    subject.properties.insert("run", id)?;
    Pattern::new(subject, Vec::new())
}

/// Writes a document with a pattern for each response, one for a partial turn, and one for a run that waits or has no end.
///
/// Gram has no escapes for most control characters, so only a terminal gets the text without them.
fn gram_to_stdout(
    responses: &[AgentResponse],
    unfinished: Option<&AgentResponse>,
    run: Option<Result<Pattern, ValueError>>,
) -> io::Result<Outcome> {
    let answers = responses.iter().map(AgentResponse::to_pattern);
    let patterns: Result<Vec<Pattern>, ValueError> = answers
        .chain(unfinished.map(unfinished_pattern))
        .chain(run)
        .collect();
    let text = match patterns {
        Ok(patterns) => print(&patterns),
        Err(error) => {
            let message =
                format!("an answer cannot be written as gram; use --format json: {error}");
            error_to_stderr(&message);
            return Ok(Outcome::Failed);
        }
    };
    document_to_stdout(&text)?;
    Ok(Outcome::Fine)
}

/// Creates the pattern of a partial turn: its calls as elements, its usage and text as properties.
fn unfinished_pattern(response: &AgentResponse) -> Result<Pattern, ValueError> {
    let complete = response.to_pattern()?;
    let mut subject = Subject::default().with_label(UNFINISHED);
    let record = &mut subject.properties;
    if !response.content.is_empty() {
        let text = Value::String(response.content.clone().into());
        record.insert("content", text)?;
    }
    if let Some(usage) = complete.subject().properties.get("usage") {
        record.insert("usage", usage.clone())?;
    }
    Pattern::new(subject, complete.elements().to_vec())
}
