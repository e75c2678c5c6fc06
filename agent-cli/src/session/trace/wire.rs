//! Requests to models and their answers, printed verbatim, except for long base64.

use super::json_indent::indented;
use crate::output::to_stderr;
use agent_spec::terminal::json;
use serde::de::IgnoredAny;
use std::fmt::Debug;
use tracing_core::field::{Field, Visit};
use tracing_core::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// The target of the runtime's trace events about requests and answers. Their keys are redacted.
pub(super) const WIRE: &str = "agent_runtime::wire";

/// Prints requests and answers. JSON is printed with a member or item on each line, other text is indented as a whole,
/// and each piece of a streamed answer is printed on a line of its own.
pub(super) struct WireLayer;

impl<S: Subscriber> Layer<S> for WireLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut wire_event = WireEvent::default();
        event.record(&mut wire_event);
        // One write, so that no other output comes in between.
        to_stderr(&wire_event.render());
    }
}

/// The fields of a trace event.
#[derive(Default)]
struct WireEvent {
    message: String,
    url: Option<String>,
    status: Option<String>,
    body: String,
    /// The fields with other names.
    others: Vec<(&'static str, String)>,
}

impl WireEvent {
    fn render(&self) -> String {
        let Self {
            message,
            url,
            status,
            body,
            ..
        } = self;
        match (message.as_str(), url, status) {
            ("request", Some(url), _) => {
                format!("→ POST {}\n{}\n", json(url), render_body(body))
            }
            ("response", _, Some(status)) => format!("← {status}\n{}\n", render_body(body)),
            ("response", ..) => format!("←\n{}\n", render_body(body)),
            ("response piece", ..) => format!("← {}\n", lines(body)),
            _ => {
                let others = self.others.iter();
                let others = others.map(|(name, value)| format!(", {name}: {}", lines(value)));
                format!("• {}{}\n", lines(message), others.collect::<String>())
            }
        }
    }

    fn set(&mut self, field: &Field, value: String) {
        match field.name() {
            "message" => self.message = value,
            "url" => self.url = Some(value),
            "status" => self.status = Some(value),
            "body" => self.body = without_long_base64(&value),
            name => self.others.push((name, value)),
        }
    }
}

impl Visit for WireEvent {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.set(field, value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.set(field, format!("{value:?}"));
    }
}

/// The minimum number of characters of base64 that are cut.
const LONG: usize = 1000;

/// The number of characters that are left of base64 that is cut.
const SHOWN: usize = 32;

/// Cuts long base64, such as that of an image, which would fill the terminal for minutes.
fn without_long_base64(body: &str) -> String {
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let mut shown = String::new();
    let mut rest = body;
    while let Some(start) = rest.find(is_base64) {
        let (before, run) = rest.split_at(start);
        let end = run.find(|c| !is_base64(c)).unwrap_or(run.len());
        let (run, behind) = run.split_at(end);
        shown.push_str(before);
        match run.len() {
            0..LONG => shown.push_str(run),
            length => shown.push_str(&format!("{}… ({length} characters)", &run[..SHOWN])),
        }
        rest = behind;
    }
    shown.push_str(rest);
    shown
}

/// Writes a text that is not JSON. Its further lines are indented, as in all texts that others wrote, so that
/// no line looks like a line of the command itself. Tabs are replaced by blanks, because tabs fill the row of
/// any terminal.
fn lines(text: &str) -> String {
    let text = json(text).replace('\t', "    ");
    text.replace('\n', "\n    ")
}

/// Writes a body: JSON with a member or item on each line, and other text indented, its first line, too.
fn render_body(body: &str) -> String {
    match serde_json::from_str::<IgnoredAny>(body) {
        Ok(_) => json(&indented(body)),
        Err(_) if body.is_empty() => String::new(),
        Err(_) => format!("    {}", lines(body)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_controls_a_terminal() {
        assert_eq!(
            json("a\u{1b}[2Jb\u{9b}c\u{202e}d\n"),
            "a\\u001b[2Jb\\u009bc\\u202ed\n"
        );
        let json = "{\"a\":\"\u{202e}\"}";
        assert_eq!(render_body(json), "{\n  \"a\": \"\\u202e\"\n}");
    }

    #[test]
    fn cuts_long_base64() {
        let short = format!("{{\"data\": \"{}\"}}", "A".repeat(LONG - 1));
        assert_eq!(without_long_base64(&short), short);
        let body = format!(
            "{{\"url\": \"data:image/png;base64,{}==\", \"é\": 1}}",
            "A".repeat(9_998)
        );
        assert_eq!(
            without_long_base64(&body),
            format!(
                "{{\"url\": \"data:image/png;base64,{}… (10000 characters)\", \"é\": 1}}",
                "A".repeat(SHOWN)
            )
        );
    }

    #[test]
    fn keeps_other_text_than_json() {
        assert_eq!(render_body("<html>{\"a\":1}"), "    <html>{\"a\":1}");
        assert_eq!(render_body(""), "");
    }

    #[test]
    fn indents_each_line_of_a_body_that_is_not_json() {
        for body in [
            "🤖 All done, nothing was deleted.",
            "error: your key is wrong",
            "💬 Hi",
            "\n\n🛠️ writeFile {} → ok",
            "{}\n🤖 All done\r\n💬 Hi",
            "\u{feff}error: x",
        ] {
            let event = WireEvent {
                message: "response".to_owned(),
                status: Some("500".to_owned()),
                body: body.to_owned(),
                ..WireEvent::default()
            };
            let text = event.render();
            let mut lines = text.lines();
            assert_eq!(lines.next(), Some("← 500"));
            assert!(lines.all(|line| line.starts_with("  ")), "{text}");
        }
    }
}
