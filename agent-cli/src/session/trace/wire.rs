//! What is sent to models and what they answer, word for word.

use super::json_indent::indented;
use crate::output::to_stderr;
use serde::de::IgnoredAny;
use std::fmt::Debug;
use tracing_core::field::{Field, Visit};
use tracing_core::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// Under which the runtime tells what is said, without keys.
pub(super) const WIRE: &str = "agent_runtime::wire";

/// Shows requests and answers: JSON indented, otherwise as it came, and a piece of a streamed answer
/// on a line of its own.
pub(super) struct Wire;

impl<S: Subscriber> Layer<S> for Wire {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut said = Said::default();
        event.record(&mut said);
        // In one go, so that nothing else comes in between.
        to_stderr(&said.shown());
    }
}

/// What an event says.
#[derive(Default)]
struct Said {
    message: String,
    url: Option<String>,
    status: Option<String>,
    body: String,
    /// Of other events than these.
    others: Vec<(&'static str, String)>,
}

impl Said {
    fn shown(&self) -> String {
        let Self {
            message,
            url,
            status,
            body,
            ..
        } = self;
        match (message.as_str(), url, status) {
            ("request", Some(url), _) => format!("→ POST {}\n{}\n", visible(url), text(body)),
            ("response", _, Some(status)) => format!("← {status}\n{}\n", text(body)),
            ("response", ..) => format!("←\n{}\n", text(body)),
            ("response piece", ..) => format!("← {}\n", visible(body)),
            _ => {
                let others = self.others.iter();
                let others = others.map(|(name, value)| format!(", {name}: {}", visible(value)));
                format!("• {}{}\n", visible(message), others.collect::<String>())
            }
        }
    }

    fn put(&mut self, field: &Field, value: String) {
        match field.name() {
            "message" => self.message = value,
            "url" => self.url = Some(value),
            "status" => self.status = Some(value),
            "body" => self.body = value,
            name => self.others.push((name, value)),
        }
    }
}

impl Visit for Said {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.put(field, format!("{value:?}"));
    }
}

fn text(body: &str) -> String {
    match serde_json::from_str::<IgnoredAny>(body) {
        Ok(_) => visible(&indented(body)),
        Err(_) => visible(body),
    }
}

/// A text that does nothing to a terminal: characters that steer it are written as JSON writes them,
/// which in JSON changes nothing.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let steers = c.is_control() && c != '\n' && c != '\t'
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        match steers {
            true => shown.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(
            visible("a\u{1b}[2Jb\u{9b}c\u{202e}d\n"),
            "a\\u001b[2Jb\\u009bc\\u202ed\n"
        );
        let json = "{\"a\":\"\u{202e}\"}";
        assert_eq!(text(json), "{\n  \"a\": \"\\u202e\"\n}");
    }

    #[test]
    fn what_is_no_json_stays_as_it_is() {
        assert_eq!(text("<html>{\"a\":1}"), "<html>{\"a\":1}");
    }
}
