//! The events of a run for those who poll.

use crate::media::Text;
use crate::step::Commit;
use serde_json::{Value, json};

/// The maximum number of events of one step. A step has up to 32 calls, each with a beginning and an end.
const EVENTS: usize = 64;

/// The maximum number of characters of the texts in an event, and of one of them.
const EVENT_TEXTS: usize = 1_000;
const EVENT_TEXT: usize = 500;

/// The maximum number of values in an event.
const EVENT_VALUES: usize = 50;

/// Returns the events of a step, without long texts.
pub(crate) fn events(commit: &Commit) -> Vec<Value> {
    commit
        .records
        .iter()
        .filter_map(event)
        .take(EVENTS)
        .collect()
}

fn event(record: &Text) -> Option<Value> {
    let record: Value = serde_json::from_str(record.without_large()).ok()?;
    let kind = record["kind"].as_str()?;
    let members: &[&str] = match kind {
        "replied" => &["run", "content", "toolCalls", "model"],
        "requestFailed" => &["run", "error"],
        "callBegun" | "agentBegun" => &["run", "call", "tool", "arguments"],
        "callFinished" | "agentEnded" => &["run", "call", "outcome"],
        "callInDoubt" | "decisionMade" => &["run", "call", "decision"],
        "ended" => &["cost", "error"],
        _ => return None,
    };
    let mut event = json!({"event": kind, "at": record["at"]});
    let mut left = Left {
        characters: EVENT_TEXTS,
        values: EVENT_VALUES,
    };
    for member in members {
        if let Some(value) = record.get(member).filter(|value| !value.is_null()) {
            event[*member] = left.shortened(value);
        }
    }
    Some(event)
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
        let event = event(&text).expect("an event");
        assert_eq!(event["event"], "callFinished");
        assert_eq!(event["call"], "c");
        assert!(
            event.to_string().len() < 8_000,
            "{}",
            event.to_string().len()
        );
    }
}
