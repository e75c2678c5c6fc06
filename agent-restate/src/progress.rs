//! The events of a run for those who poll.

use crate::media::Text;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The maximum number of events of one step. A step has up to 32 calls, each with a beginning and an end.
const EVENTS: usize = 64;

/// The maximum number of characters of the texts in an event, and of one text.
const EVENT_TEXTS: usize = 1_000;
const EVENT_TEXT: usize = 500;

/// The maximum number of values in an event.
const EVENT_VALUES: usize = 50;

/// The kinds of records that are shown.
const KINDS: [&str; 9] = [
    "replied",
    "requestFailed",
    "callBegun",
    "agentBegun",
    "callFinished",
    "agentEnded",
    "callInDoubt",
    "decisionMade",
    "ended",
];

/// An event: the members of a record that are shown, as the record has them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Event {
    #[serde(rename(serialize = "event"), alias = "event")]
    kind: String,
    at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arguments: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool_calls: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outcome: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decision: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cost: Option<Value>,
}

impl Event {
    /// Reads a record. `None` if it is not shown.
    pub(crate) fn of(record: &Text) -> Option<Self> {
        let event: Self = serde_json::from_str(record.without_large()).ok()?;
        KINDS.contains(&event.kind.as_str()).then_some(event)
    }

    /// Whether the event is a reply to the agent itself, and not to an agent that it called.
    pub(crate) fn is_reply(&self) -> bool {
        self.kind == "replied" && self.run.as_deref() == Some("")
    }

    /// Whether a call was begun.
    pub(crate) fn is_begun_call(&self) -> bool {
        matches!(self.kind.as_str(), "callBegun" | "agentBegun")
    }

    fn shortened(mut self) -> Self {
        let mut left = Left {
            characters: EVENT_TEXTS,
            values: EVENT_VALUES,
        };
        for text in [&mut self.run, &mut self.call].into_iter().flatten() {
            *text = left.text(text);
        }
        let values = [
            &mut self.tool,
            &mut self.arguments,
            &mut self.content,
            &mut self.tool_calls,
            &mut self.model,
            &mut self.outcome,
            &mut self.decision,
            &mut self.error,
            &mut self.cost,
        ];
        for value in values.into_iter().flatten() {
            *value = left.shortened(value);
        }
        self
    }
}

/// Returns the events of a step for those who poll, without long texts.
pub(crate) fn shortened(events: Vec<Event>) -> Vec<Event> {
    let events = events.into_iter().take(EVENTS);
    events.map(Event::shortened).collect()
}

/// The part of an event that may still be filled.
struct Left {
    characters: usize,
    values: usize,
}

impl Left {
    fn text(&mut self, text: &str) -> String {
        let most = self.characters.min(EVENT_TEXT);
        match text.char_indices().nth(most) {
            Some((end, _)) => {
                self.characters -= most;
                format!("{}…", &text[..end])
            }
            None => {
                self.characters -= text.chars().count();
                text.to_owned()
            }
        }
    }

    fn shortened(&mut self, value: &Value) -> Value {
        let Some(values) = self.values.checked_sub(1) else {
            return "…".into();
        };
        self.values = values;
        match value {
            Value::String(text) => self.text(text).into(),
            Value::Array(items) => {
                let most = self.values;
                items
                    .iter()
                    .take(most)
                    .map(|item| self.shortened(item))
                    .collect()
            }
            Value::Object(members) => {
                let most = self.values;
                let members = members.iter().take(most);
                members
                    .map(|(key, value)| (self.text(key), self.shortened(value)))
                    .collect()
            }
            plain => plain.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[tokio::test]
    async fn an_event_is_small_however_large_its_record() {
        let many: Value = (0..10_000).map(|item| json!({"item": item})).collect();
        let record = json!({
            "kind": "callFinished",
            "at": 7,
            "run": "",
            "call": "c",
            "outcome": {"text": "é".repeat(100_000), "many": many, "key".repeat(9_000): [[["deep"]]]},
        });
        let text = Text::keep(record.to_string(), None).await.expect("a text");
        let event = Event::of(&text).expect("an event").shortened();
        let event = json!(event);
        assert_eq!(event["event"], "callFinished");
        assert_eq!(event["call"], "c");
        assert!(
            event.to_string().len() < 8_000,
            "{}",
            event.to_string().len()
        );
    }
}
