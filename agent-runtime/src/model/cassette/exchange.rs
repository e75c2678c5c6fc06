//! One request and what came of it, as it stands in the file.

use super::reply;
use crate::conversation::{ReadError, ToolCall, text};
use crate::error::{Error, Kind};
use crate::model::{FinishReason, ModelReply, ReplyPart};
use crate::redact::Redactor;
use serde_json::{Map, Value, json};

/// One request and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Exchange {
    /// In JSON, since it is compared and shown, and never sent.
    pub(super) request: Value,
    /// The parts of a streamed answer.
    pub(super) parts: Vec<ReplyPart>,
    pub(super) outcome: Result<ModelReply, Failed>,
}

/// An error, as far as a file can hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failed {
    pub(super) kind: Kind,
    text: String,
    pub(super) unavailable: bool,
}

impl Failed {
    pub(super) fn of(error: &Error) -> Self {
        Self {
            kind: error.kind(),
            text: error.to_string(),
            unavailable: error.is_unavailable(),
        }
    }
}

impl Exchange {
    /// What the model answered.
    pub(super) fn into_answer(self) -> Result<ModelReply, Error> {
        self.outcome.map_err(|failed| {
            let error = Error::new(failed.kind, failed.text);
            match failed.unavailable {
                true => error.into_unavailable(),
                false => error,
            }
        })
    }

    /// Returns the exchange with its secrets replaced.
    pub(super) fn redacted(self, redactor: &Redactor) -> Self {
        Self {
            request: redactor.value(&self.request),
            parts: redacted_parts(redactor, self.parts),
            outcome: match self.outcome {
                Ok(reply) => Ok(redacted_reply(redactor, reply)),
                Err(failed) => Err(Failed {
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
            let parts = self.parts.iter().map(reply::part_to_json);
            json.insert("parts".into(), parts.collect());
        }
        let (key, outcome) = match &self.outcome {
            Ok(reply) => ("reply", reply::to_json(reply)),
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
                .map(reply::part_from_json)
                .collect::<Result<_, _>>()?,
            Some(_) => return Err(ReadError::new("`parts` is an array")),
        };
        let outcome = match (json.get("reply"), json.get("error")) {
            (Some(reply), None) => Ok(reply::from_json(reply)?),
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

fn redacted_reply(redactor: &Redactor, mut reply: ModelReply) -> ModelReply {
    for text in [&mut reply.content, &mut reply.id, &mut reply.model] {
        *text = text.as_ref().map(|text| redactor.text(text));
    }
    for call in &mut reply.tool_calls {
        *call = ToolCall::new(
            redactor.text(call.id()),
            redactor.text(call.tool()),
            redactor.text(call.args_text()),
        );
    }
    if let FinishReason::Other(word) = &mut reply.finish_reason {
        *word = redactor.text(word);
    }
    let data = reply.provider_data.as_ref();
    reply.provider_data = data.map(|data| redactor.value(data));
    reply
}

/// Replaces the secrets in the parts of an answer, also where several parts hold one together.
fn redacted_parts(redactor: &Redactor, mut parts: Vec<ReplyPart>) -> Vec<ReplyPart> {
    let mut streams: Vec<Stream> = Vec::new();
    for part in &mut parts {
        match part {
            ReplyPart::Call { tool, .. } => *tool = redactor.text(tool),
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
    // A secret that is divided between pieces moves the whole text into the first of them.
    let is_divided = each.concat() != redacted;
    for (number, (piece, each)) in pieces.iter_mut().zip(each).enumerate() {
        **piece = match (is_divided, number) {
            (false, _) => each,
            (true, 0) => redacted.clone(),
            (true, _) => String::new(),
        };
    }
}

/// The texts of which the parts of an answer are pieces.
#[derive(PartialEq, Eq)]
enum Stream {
    Text,
    Thought,
    Call,
    Arguments(usize),
}

impl Stream {
    fn of(part: &ReplyPart) -> Self {
        match part {
            ReplyPart::Text(_) => Self::Text,
            ReplyPart::Thought(_) => Self::Thought,
            ReplyPart::Call { .. } => Self::Call,
            ReplyPart::Arguments { index, .. } => Self::Arguments(*index),
        }
    }
}

fn text_of(part: &mut ReplyPart) -> Option<&mut String> {
    match part {
        ReplyPart::Text(text) | ReplyPart::Thought(text) | ReplyPart::Arguments { text, .. } => {
            Some(text)
        }
        ReplyPart::Call { .. } => None,
    }
}

fn failed_to_json(failed: &Failed) -> Value {
    let mut json = json!({"kind": failed.kind.word(), "text": failed.text});
    if failed.unavailable {
        json["unavailable"] = true.into();
    }
    json
}

fn failed_from_json(json: &Value) -> Result<Failed, ReadError> {
    let word = text(json, "kind")?;
    let kind = Kind::from_word(&word)
        .ok_or_else(|| ReadError::new(format!("`{word}` is not a kind of error")))?;
    Ok(Failed {
        kind,
        text: text(json, "text")?,
        unavailable: json.get("unavailable") == Some(&Value::Bool(true)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_parts_divide_is_found() {
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
