//! One request and what came of it, as it stands in the file.

use super::reply;
use super::secrets::Secrets;
use crate::conversation::{ReadError, text};
use crate::error::{Error, Kind};
use crate::model::{ModelReply, ReplyPart};
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

    /// The same exchange without secrets.
    pub(super) fn masked(self, secrets: &Secrets) -> Self {
        Self {
            request: secrets.mask_value(&self.request),
            parts: secrets.mask_parts(self.parts),
            outcome: match self.outcome {
                Ok(reply) => Ok(secrets.mask_reply(reply)),
                Err(failed) => Err(Failed {
                    text: secrets.mask(&failed.text),
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
