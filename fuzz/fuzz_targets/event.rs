//! Texts that journals and clients send back: events, cursors, mail, entries of runs, names of conversations.
//!
//! The input is a text in each of these forms.

#![no_main]

use agent_runtime::Event;
use agent_runtime::conversation::{ConversationName, Sha256};
use agent_runtime::event::{EventCollector, EventId};
use agent_runtime::journal::{Mail, RunInfo};
use libfuzzer_sys::fuzz_target;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt::{Debug, Display};
use std::str::FromStr;

fuzz_target!(|text: &str| {
    word::<EventId>(text);
    word::<ConversationName>(text);
    word::<Sha256>(text);
    if let Some(event) = json::<Event>(text) {
        let mut collector = EventCollector::new();
        collector.push(&event);
        collector.push(&event);
        let _ = (collector.response().to_json(), event.is_last());
    }
    json::<RunInfo>(text);
    if let Ok(value) = serde_json::from_str::<Value>(text)
        && let Ok(mail) = Mail::from_json(&value)
    {
        assert_eq!(Mail::from_json(&mail.to_json()).expect("our mail"), mail);
    }
});

fn word<T: FromStr<Err: Display> + Display + PartialEq + Debug>(text: &str) {
    match text.parse::<T>() {
        Ok(value) => {
            let again = value.to_string().parse::<T>();
            let again = again.unwrap_or_else(|error| panic!("{error}: {value}"));
            assert_eq!(again, value);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn json<T: Serialize + DeserializeOwned + PartialEq + Debug>(text: &str) -> Option<T> {
    let value: T = serde_json::from_str(text).ok()?;
    let written = serde_json::to_string(&value).expect("JSON");
    let again: T =
        serde_json::from_str(&written).unwrap_or_else(|error| panic!("{error}: {written}"));
    assert_eq!(again, value, "{written}");
    Some(value)
}
