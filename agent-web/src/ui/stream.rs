//! The events of a run as chunks of a UI message stream.

use crate::events::EventWriter;
use agent_runtime::Event;
use agent_runtime::ToolError;
use agent_runtime::conversation::Part;
use agent_runtime::event::FollowedEvent;
use agent_runtime::model::FinishReason;
use agent_runtime::response::ToolInvocation;
use agent_runtime::run::PendingCall;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Writes the events of a run as chunks of the message that it is in the client.
pub(super) struct UiEvents {
    run: String,
    chunks: String,
    /// The number of the last text or thought.
    last_id: usize,
    open: Option<Open>,
    /// The step of the message: the answer of a model and its calls. `None` before the first.
    step: Option<Step>,
    /// The calls that the client knows, and whether they have a result.
    calls: BTreeMap<String, bool>,
    /// Whether the message was begun by an earlier answer, which the client keeps.
    is_continued: bool,
    /// The calls that the client itself has decided on.
    answered: BTreeSet<String>,
    /// The calls for which this stream has asked.
    asked: BTreeSet<String>,
}

/// A text or a thought that is open.
struct Open {
    id: String,
    is_thought: bool,
}

/// The parts of a step that were sent.
#[derive(Default)]
struct Step {
    /// The step of the journal in which the answer is.
    at: u64,
    text: String,
    thought: String,
    files: usize,
    /// The calls that were announced.
    calls: Vec<String>,
    is_replied: bool,
}

impl UiEvents {
    /// Creates the writer. `is_continued` is whether the client has the beginning of the message, and
    /// `answered` has the calls that the client has decided on.
    pub(super) fn new(run: &str, is_continued: bool, answered: BTreeSet<String>) -> Self {
        Self {
            run: run.to_owned(),
            chunks: String::new(),
            last_id: 0,
            open: None,
            step: None,
            calls: answered.iter().map(|call| (call.clone(), false)).collect(),
            is_continued,
            answered,
            asked: BTreeSet::new(),
        }
    }

    fn push(&mut self, chunk: &Value) {
        let _ = write!(self.chunks, "data: {chunk}\n\n");
    }

    fn end_open(&mut self) {
        if let Some(Open { id, is_thought }) = self.open.take() {
            let kind = if is_thought {
                "reasoning-end"
            } else {
                "text-end"
            };
            self.push(&json!({"type": kind, "id": id}));
        }
    }

    fn push_text(&mut self, is_thought: bool, text: &str) {
        if text.is_empty() {
            return;
        }
        let kind = if is_thought { "reasoning" } else { "text" };
        let known = self
            .open
            .as_ref()
            .filter(|open| open.is_thought == is_thought);
        let id = match known {
            Some(open) => open.id.clone(),
            None => {
                self.end_open();
                self.last_id += 1;
                let id = format!("{kind}-{}", self.last_id);
                self.push(&json!({"type": format!("{kind}-start"), "id": id}));
                self.open = Some(Open {
                    id: id.clone(),
                    is_thought,
                });
                id
            }
        };
        self.push(&json!({"type": format!("{kind}-delta"), "id": id, "delta": text}));
        if let Some(step) = &mut self.step {
            let sent = if is_thought {
                &mut step.thought
            } else {
                &mut step.text
            };
            sent.push_str(text);
        }
    }

    fn push_file(&mut self, part: &Part) {
        let Some(media) = part.media() else {
            return;
        };
        let url = match (media.url(), media.media_type(), media.bytes()) {
            (Some(url), ..) => url.to_owned(),
            (None, Some(media_type), Some(bytes)) => data_url(media_type, bytes),
            _ => return,
        };
        let media_type = media.media_type().unwrap_or("application/octet-stream");
        self.end_open();
        self.push(&json!({"type": "file", "url": url, "mediaType": media_type}));
        if let Some(step) = &mut self.step {
            step.files += 1;
        }
    }

    /// Begins a step for the answer of a model, or begins the step again if its answer is requested again.
    fn begin_step(&mut self, at: u64) {
        match &self.step {
            Some(step) if !step.is_replied => self.reset_step(),
            Some(_) => {
                self.end_open();
                self.push(&json!({"type": "finish-step"}));
                self.push(&json!({"type": "start-step"}));
            }
            None => self.push(&json!({"type": "start-step"})),
        }
        self.step = Some(Step {
            at,
            ..Step::default()
        });
    }

    fn reset_step(&mut self) {
        // The client forgets what is open, and the calls.
        self.open = None;
        for call in self.step.take().unwrap_or_default().calls {
            self.calls.remove(&call);
        }
        self.push(&json!({"type": "reset-step"}));
    }

    /// Announces a call with its arguments. The calls of agents that were called are dynamic: the client's types have the
    /// agent's own tools only.
    fn announce(&mut self, id: &str, tool: &str, args: &Value, path: Option<&str>) {
        self.end_open();
        let mut chunk = json!({
            "type": "tool-input-available",
            "toolCallId": id,
            "toolName": tool,
            "input": readable(args),
        });
        if let Some(path) = path {
            chunk["dynamic"] = true.into();
            chunk["title"] = path.into();
        }
        self.push(&chunk);
        self.register_call(id);
    }

    fn register_call(&mut self, id: &str) {
        if !self.calls.contains_key(id) {
            self.calls.insert(id.to_owned(), false);
            if let Some(step) = &mut self.step {
                step.calls.push(id.to_owned());
            }
        }
    }

    fn announce_pending(&mut self, call: &PendingCall, is_nested: bool) {
        if !self.calls.contains_key(&call.id) {
            let path = is_nested.then_some(call.path.as_str());
            self.announce(&call.id, &call.tool, &call.args(), path);
        }
    }

    fn started(&mut self, call: &PendingCall, is_nested: bool) {
        self.announce_pending(call, is_nested);
        if self.asked.remove(&call.id) {
            let id = &call.id;
            self.push(
                &json!({"type": "tool-approval-response", "approvalId": id, "approved": true}),
            );
        }
    }

    fn finished(&mut self, invocation: &ToolInvocation, is_nested: bool) {
        let id = &invocation.call_id;
        if !self.calls.contains_key(id) {
            let path = is_nested.then_some(invocation.tool.as_str());
            self.announce(id, &invocation.tool, &invocation.args, path);
        }
        let was_asked = self.asked.remove(id) || self.answered.contains(id);
        let chunk = match &invocation.result {
            Ok(result) => json!({
                "type": "tool-output-available",
                "toolCallId": id,
                "output": readable(result),
            }),
            Err(ToolError::Authorization(_)) if was_asked => {
                json!({"type": "tool-output-denied", "toolCallId": id})
            }
            Err(error) => {
                let text = invocation.error_text.clone();
                let text = text.unwrap_or_else(|| error.to_string());
                json!({"type": "tool-output-error", "toolCallId": id, "errorText": text})
            }
        };
        self.push(&chunk);
        self.calls.insert(id.clone(), true);
    }

    fn replied(&mut self, parts: &[Part]) {
        let texts = |is_thought: bool| -> String {
            let texts = parts.iter().filter_map(|part| match part {
                Part::Text(text) if !is_thought => Some(text.as_str()),
                Part::Thinking(thinking) if is_thought => Some(thinking.text()),
                _ => None,
            });
            texts.collect()
        };
        // Sends parts that a follower did not get, or that a model did not stream.
        for is_thought in [true, false] {
            let whole = texts(is_thought);
            let sent = self.step.as_ref().map_or("", |step| match is_thought {
                true => step.thought.as_str(),
                false => step.text.as_str(),
            });
            let rest = whole.strip_prefix(sent).unwrap_or_default().to_owned();
            self.push_text(is_thought, &rest);
        }
        let sent = self.step.as_ref().map_or(0, |step| step.files);
        for part in parts
            .iter()
            .filter(|part| part.media().is_some())
            .skip(sent)
        {
            self.push_file(part);
        }
        self.end_open();
        if let Some(step) = &mut self.step {
            step.is_replied = true;
        }
    }

    /// Ends the message.
    fn finish(&mut self, reason: &str, metadata: Option<Value>) {
        self.end_open();
        if self.step.take().is_some() {
            self.push(&json!({"type": "finish-step"}));
        }
        let mut chunk = json!({"type": "finish", "finishReason": reason});
        if let Some(metadata) = metadata {
            chunk["messageMetadata"] = metadata;
        }
        self.push(&chunk);
        self.chunks.push_str("data: [DONE]\n\n");
    }

    fn event(&mut self, step: u64, event: &Event) {
        match event {
            Event::ModelCalled { .. } => self.begin_step(step),
            Event::TextDelta { text, .. } => self.push_text(false, text),
            Event::ThoughtDelta { text, .. } => self.push_text(true, text),
            Event::CallStarted { call_id, tool, .. } => {
                self.end_open();
                self.push(
                    &json!({"type": "tool-input-start", "toolCallId": call_id, "toolName": tool}),
                );
                self.register_call(call_id);
            }
            Event::ArgumentsDelta { call_id, text, .. } => {
                self.push(&json!({"type": "tool-input-delta", "toolCallId": call_id, "inputTextDelta": text}));
            }
            Event::PartReceived { part, .. } => self.push_file(part),
            Event::ModelReplied { parts, calls, .. } => {
                self.replied(parts);
                for call in calls {
                    self.announce(call.id(), call.tool(), &call.args(), None);
                }
            }
            Event::ToolStarted { call, .. } => self.started(call, false),
            Event::ToolProgress { call_id, text, .. } => {
                let data = json!({"toolCallId": call_id, "text": text});
                self.push(&json!({"type": "data-progress", "data": data, "transient": true}));
            }
            Event::ToolFinished { invocation, .. } => self.finished(invocation, false),
            Event::Steered { message, .. } => {
                self.last_id += 1;
                let parts = message.parts().iter().filter_map(Part::as_text);
                let parts: Vec<_> = parts
                    .map(|text| json!({"type": "text", "text": text}))
                    .collect();
                let id = format!("{}-said-{}", self.run, self.last_id);
                self.push(&json!({"type": "steering-message", "id": id, "parts": parts}));
            }
            Event::Nested { event, .. } => match &**event {
                Event::ToolStarted { call, .. } => self.started(call, true),
                Event::ToolFinished { invocation, .. } => self.finished(invocation, true),
                _ => {}
            },
            // The client keeps the calls that it has, because their results are sent again. The answer of the
            // step is withdrawn.
            Event::StepReset { step: reset, .. } => {
                if let Some(step) = &mut self.step
                    && *reset <= step.at
                {
                    step.is_replied = false;
                }
            }
            Event::Waiting { calls, .. } => {
                for call in calls {
                    self.announce_pending(call, call.id.contains('/'));
                    let id = &call.id;
                    if let Some(guarded) = &call.guarded {
                        let data = json!({"toolCallId": id, "reason": guarded.reason});
                        self.push(&json!({"type": "data-guarded", "data": data}));
                    }
                    self.push(&json!({"type": "tool-approval-request", "approvalId": id, "toolCallId": id}));
                    self.asked.insert(id.clone());
                }
                self.finish("tool-calls", None);
            }
            Event::Finished { response, .. } => {
                let mut metadata = json!({"run": self.run, "usage": response.usage.to_json()});
                if let Some(cost) = response.cost {
                    metadata["cost"] = cost.into();
                }
                self.finish(finish_word(&response.finish_reason), Some(metadata));
            }
            Event::Failed { message, .. } => {
                self.end_open();
                self.push(&json!({"type": "error", "errorText": message}));
                self.chunks.push_str("data: [DONE]\n\n");
            }
            Event::Cancelled => {
                self.end_open();
                let open = self.calls.iter().filter(|(_, has_result)| !**has_result);
                let open: Vec<_> = open.map(|(id, _)| id.clone()).collect();
                for id in open {
                    let text = "the run was stopped";
                    self.push(
                        &json!({"type": "tool-output-error", "toolCallId": id, "errorText": text}),
                    );
                }
                self.push(&json!({"type": "abort", "reason": "the run was stopped"}));
                self.finish("interrupted", None);
            }
            // A later program may have further events, and the client breaks at chunks that it does not know.
            _ => {}
        }
    }
}

impl EventWriter for UiEvents {
    fn begin(&mut self) -> String {
        let metadata = json!({"run": self.run});
        self.push(&json!({"type": "start", "messageId": self.run, "messageMetadata": metadata}));
        std::mem::take(&mut self.chunks)
    }

    fn write(&mut self, followed: FollowedEvent) -> String {
        // The client has the calls of the pause, and cannot undo them.
        let is_of_pause = self.is_continued && self.step.is_none();
        if !(is_of_pause && matches!(followed.event, Event::StepReset { .. })) {
            self.event(followed.id.step, &followed.event);
        }
        std::mem::take(&mut self.chunks)
    }
}

/// The client's word for the reason for which a model stopped. The client knows no other words.
fn finish_word(reason: &FinishReason) -> &'static str {
    match reason {
        FinishReason::Stop => "stop",
        FinishReason::Length => "length",
        FinishReason::ContentFilter => "content-filter",
        FinishReason::ToolCalls => "tool-calls",
        _ => "other",
    }
}

pub(super) fn data_url(media_type: &str, bytes: &[u8]) -> String {
    use base64::Engine;
    let data = base64::prelude::BASE64_STANDARD.encode(bytes);
    format!("data:{media_type};base64,{data}")
}

/// Returns a value without the keys at which the client's reader of JSON breaks, because they are used to attack programs in
/// JavaScript.
pub(super) fn readable(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(readable).collect(),
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| {
                let key = match key.as_str() {
                    "__proto__" | "constructor" | "prototype" => format!("_{key}"),
                    _ => key.clone(),
                };
                (key, readable(value))
            });
            Value::Object(members.collect::<Map<_, _>>())
        }
        value => value.clone(),
    }
}
