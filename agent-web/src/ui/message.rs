//! The bodies that a client of the AI SDK sends.

use crate::problem::Problem;
use agent_runtime::conversation::Part;
use agent_runtime::run::Decision;
use agent_runtime::runtime::Input;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The body of a POST. Its other members belong to the page.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Body {
    /// The name of the conversation.
    pub(super) id: String,
    /// The history as the page has it. Only the last message is read, and the number of those before.
    pub(super) messages: Vec<UiMessage>,
    pub(super) trigger: Trigger,
    /// The message that is edited, whose calls are answered, or that is asked for again.
    #[serde(default)]
    pub(super) message_id: Option<String>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Trigger {
    SubmitMessage,
    RegenerateMessage,
}

#[derive(Deserialize)]
pub(super) struct UiMessage {
    #[serde(default)]
    pub(super) id: String,
    pub(super) role: String,
    #[serde(default)]
    parts: Vec<UiPart>,
}

/// A part of a message. Parts of other types are not read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UiPart {
    r#type: String,
    text: Option<String>,
    url: Option<String>,
    filename: Option<String>,
    state: Option<String>,
    approval: Option<Value>,
}

impl UiMessage {
    /// Returns the message of a user as the input of a run.
    pub(super) fn input(&self) -> Result<Input, Problem> {
        let mut parts = Vec::new();
        for part in &self.parts {
            match (part.r#type.as_str(), &part.text, &part.url) {
                ("text", Some(text), _) => parts.push(Part::Text(text.clone())),
                ("file", _, Some(url)) => parts.push(file(url, part.filename.as_deref())?),
                _ => {}
            }
        }
        match parts.is_empty() {
            true => Err(Problem::bad_request(
                "the last message has no text and no file",
            )),
            false => Ok(parts.into()),
        }
    }

    /// Returns the answers to calls that wait, by the ids of the calls.
    pub(super) fn decisions(&self) -> BTreeMap<String, Decision> {
        let answered = self.parts.iter().filter_map(|part| {
            let approval = part.approval.as_ref()?;
            let is_answer = part.state.as_deref() == Some("approval-responded");
            let id = approval["id"].as_str().filter(|_| is_answer)?;
            let decision = match approval["approved"].as_bool()? {
                true => Decision::Approve,
                false => Decision::Deny {
                    reason: approval["reason"].as_str().map(str::to_owned),
                },
            };
            Some((id.to_owned(), decision))
        });
        answered.collect()
    }
}

/// Reads a file that the page sends. A URL of the network is given to the model as it is, and never fetched here.
fn file(url: &str, name: Option<&str>) -> Result<Part, Problem> {
    let wrong =
        |problem: &str| Problem::bad_request(format!("a file of the last message: {problem}"));
    let Some(data) = url.strip_prefix("data:") else {
        return Part::from_url(url).map_err(|error| wrong(&error.to_string()));
    };
    let data = data.split_once(";base64,").map(|(_, data)| data);
    let data = data.ok_or_else(|| wrong("its `url` is no data URL in base64"))?;
    let bytes = BASE64_STANDARD.decode(data);
    let bytes = bytes.map_err(|_| wrong("its data is not base64"))?;
    Part::from_file(name.unwrap_or_default(), bytes).map_err(|error| wrong(&error.to_string()))
}
