//! One exchange of a cassette: a request and its outcome, with their JSON.

use agent_core::__private::call_from_json;
use agent_core::conversation::{ReadError, ToolCall};
use agent_core::model::{FinishReason, ModelReply, ReplyPart, Usage};
use agent_spec::names::nearly_spells;
use agent_tool::__private::{
    ErrorKind, MediaForm, content_from_json, content_to_json, opt_text, text,
};
use agent_tool::Error;
use agent_tool::redact::Redactor;
use serde_json::{Map, Value, json};

/// A request and its outcome.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Exchange {
    /// The JSON of the request, because it is compared and shown but never sent.
    pub(super) request: Value,
    /// The parts of a streamed answer.
    pub(super) parts: Vec<ReplyPart>,
    pub(super) outcome: Result<ModelReply, RecordedError>,
}

/// The parts of an error that the file keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RecordedError {
    pub(super) kind: ErrorKind,
    text: String,
    /// An object with the marks of the error, such as that the provider is unavailable.
    marks: Value,
}

impl RecordedError {
    pub(super) fn of(error: &Error) -> Self {
        let mut marks = json!({});
        error.write_marks(&mut marks);
        Self {
            kind: error.kind(),
            text: error.to_string(),
            marks,
        }
    }

    pub(super) fn is_unavailable(&self) -> bool {
        self.marks.get("unavailable") == Some(&Value::Bool(true))
    }
}

impl Exchange {
    /// Returns the recorded answer.
    pub(super) fn into_answer(self) -> Result<ModelReply, Error> {
        self.outcome
            .map_err(|failed| Error::new(failed.kind, failed.text).with_marks(&failed.marks))
    }

    /// Returns the exchange with its secrets replaced.
    pub(super) fn redacted(self, redactor: &Redactor) -> Self {
        Self {
            request: redactor.value(&self.request),
            parts: redacted_parts(redactor, self.parts),
            outcome: match self.outcome {
                Ok(reply) => Ok(reply.redacted(redactor)),
                Err(failed) => Err(RecordedError {
                    text: redactor.text(&failed.text),
                    ..failed
                }),
            },
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let mut json = Map::new();
        json.insert("request".into(), self.request.clone());
        if !self.parts.is_empty() {
            let parts = self.parts.iter().map(ReplyPart::to_json);
            json.insert("parts".into(), parts.collect());
        }
        let (key, outcome) = match &self.outcome {
            Ok(reply) => ("reply", reply_to_json(reply)),
            Err(failed) => ("error", failed_to_json(failed)),
        };
        json.insert(key.into(), outcome);
        Value::Object(json)
    }

    pub(super) fn from_json(json: &Value) -> Result<Self, ReadError> {
        let request = json.get("request").filter(|request| request.is_object());
        let request = request.ok_or_else(|| ReadError::new("`request` is missing"))?;
        let parts = match json.get("parts") {
            None => Vec::new(),
            Some(Value::Array(parts)) => parts
                .iter()
                .map(ReplyPart::from_json)
                .collect::<Result<_, _>>()?,
            Some(_) => return Err(ReadError::new("`parts` is an array")),
        };
        let outcome = match (json.get("reply"), json.get("error")) {
            (Some(reply), None) => Ok(reply_from_json(reply)?),
            (None, Some(error)) => Err(failed_from_json(error)?),
            _ => return Err(ReadError::new("it has one of `reply` and `error`")),
        };
        Ok(Self {
            request: request.clone(),
            parts,
            outcome,
        })
    }
}

/// Replaces the secrets in the parts of an answer, also those that are divided between parts.
fn redacted_parts(redactor: &Redactor, mut parts: Vec<ReplyPart>) -> Vec<ReplyPart> {
    let mut streams: Vec<Stream> = Vec::new();
    for part in &mut parts {
        match part {
            ReplyPart::Call { tool, .. } => *tool = redactor.text(tool),
            ReplyPart::Part(_) => {}
            part => {
                let stream = Stream::of(part);
                if !streams.contains(&stream) {
                    streams.push(stream);
                }
            }
        }
    }
    for stream in streams {
        let same = parts.iter_mut().filter(|part| Stream::of(part) == stream);
        redact_pieces(redactor, same.filter_map(text_of).collect());
    }
    parts.retain_mut(|part| text_of(part).is_none_or(|text| !text.is_empty()));
    parts
}

fn redact_pieces(redactor: &Redactor, mut pieces: Vec<&mut String>) {
    let whole: String = pieces.iter().map(|piece| piece.as_str()).collect();
    let redacted = redactor.text(&whole);
    if redacted == whole {
        return;
    }
    let each: Vec<String> = pieces.iter().map(|piece| redactor.text(piece)).collect();
    // For a divided secret the first piece gets the whole text, because no piece has a mask of its own.
    let is_divided = each.concat() != redacted;
    for (number, (piece, each)) in pieces.iter_mut().zip(each).enumerate() {
        **piece = match (is_divided, number) {
            (false, _) => each,
            (true, 0) => redacted.clone(),
            (true, _) => String::new(),
        };
    }
}

/// The text that a part of an answer is a piece of.
#[derive(PartialEq, Eq)]
enum Stream {
    Text,
    Thought,
    Call,
    Part,
    Arguments(usize),
}

impl Stream {
    fn of(part: &ReplyPart) -> Self {
        match part {
            ReplyPart::Text(_) => Self::Text,
            ReplyPart::Thought(_) => Self::Thought,
            ReplyPart::Call { .. } => Self::Call,
            ReplyPart::Arguments { index, .. } => Self::Arguments(*index),
            _ => Self::Part,
        }
    }
}

fn text_of(part: &mut ReplyPart) -> Option<&mut String> {
    match part {
        ReplyPart::Text(text) | ReplyPart::Thought(text) | ReplyPart::Arguments { text, .. } => {
            Some(text)
        }
        _ => None,
    }
}

fn failed_to_json(failed: &RecordedError) -> Value {
    let mut json = failed.marks.clone();
    json["kind"] = failed.kind.word().into();
    json["text"] = failed.text.as_str().into();
    json
}

fn failed_from_json(json: &Value) -> Result<RecordedError, ReadError> {
    let word = text(json, "kind")?;
    let kind = ErrorKind::from_word(&word)
        .ok_or_else(|| ReadError::new(format!("`{word}` is not a kind of error")))?;
    let error = Error::new(kind, text(json, "text")?).with_marks(json);
    Ok(RecordedError::of(&error))
}

/// The members of a reply.
const MEMBERS: [&str; 7] = [
    "content",
    "toolCalls",
    "finishReason",
    "usage",
    "id",
    "model",
    "warnings",
];

fn reply_to_json(reply: &ModelReply) -> Value {
    let mut json = Map::new();
    let mut put = |key: &str, value: Value| drop(json.insert(key.to_owned(), value));
    if !reply.parts.is_empty() {
        put("content", content_to_json(&reply.parts, MediaForm::Data));
    }
    for (key, text) in [("id", &reply.id), ("model", &reply.model)] {
        if let Some(text) = text {
            put(key, text.as_str().into());
        }
    }
    if !reply.tool_calls.is_empty() {
        put(
            "toolCalls",
            reply.tool_calls.iter().map(call_to_json).collect(),
        );
    }
    put("finishReason", reply.finish_reason.as_str().into());
    put("usage", reply.usage.to_json());
    if !reply.warnings.is_empty() {
        put("warnings", reply.warnings.clone().into());
    }
    Value::Object(json)
}

/// Writes a call with the text of its arguments, which is exactly what the model sent.
fn call_to_json(call: &ToolCall) -> Value {
    json!({"id": call.id(), "tool": call.tool(), "argsText": call.args_text()})
}

fn reply_from_json(json: &Value) -> Result<ModelReply, ReadError> {
    check_members(json)?;
    let calls = match json.get("toolCalls") {
        None => Vec::new(),
        Some(Value::Array(calls)) => calls.iter().map(call_from_json).collect::<Result<_, _>>()?,
        Some(_) => return Err(ReadError::new("`toolCalls` is an array")),
    };
    let reason = opt_text(json, "finishReason")?;
    let mut reply = ModelReply::default();
    reply.parts = content_from_json(json)?;
    reply.tool_calls = calls;
    reply.finish_reason =
        reason.map_or_else(FinishReason::default, |word| FinishReason::from_word(&word));
    reply.usage = Usage::from_json(json.get("usage").unwrap_or(&Value::Null));
    reply.id = opt_text(json, "id")?;
    reply.model = opt_text(json, "model")?;
    reply.warnings = match json.get("warnings") {
        None => Vec::new(),
        Some(list) => serde_json::from_value(list.clone())
            .map_err(|_| ReadError::new("`warnings` is an array of texts"))?,
    };
    Ok(reply)
}

/// Rejects members that are misspelled, because people edit these files.
fn check_members(json: &Value) -> Result<(), ReadError> {
    let members = json
        .as_object()
        .ok_or_else(|| ReadError::new("`reply` is an object"))?;
    for found in members.keys() {
        if let Some(meant) = MEMBERS.iter().find(|known| nearly_spells(found, known)) {
            return Err(ReadError::new(format!(
                "`{found}` is unknown; did you mean `{meant}`?"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redacts_a_secret_that_is_divided_between_parts() {
        let redactor = Redactor::new();
        redactor.add("sk-1234");
        let parts = vec![
            ReplyPart::Text("It is sk-".into()),
            ReplyPart::call(0, "sk-1234"),
            ReplyPart::arguments(0, "{\"a\":\"sk-1234"),
            ReplyPart::Text("1234.".into()),
            ReplyPart::arguments(0, "\"}"),
        ];
        let expected = vec![
            ReplyPart::Text("It is [key].".into()),
            ReplyPart::call(0, "[key]"),
            ReplyPart::arguments(0, "{\"a\":\"[key]"),
            ReplyPart::arguments(0, "\"}"),
        ];
        assert_eq!(redacted_parts(&redactor, parts), expected);
    }
}
