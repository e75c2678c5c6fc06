//! Calls of tools and long texts, formatted for a terminal.

use crate::output::warning_to_stderr;
use agent_runtime::AgentResponse;
use agent_runtime::model::FinishReason;
use agent_runtime::redact::{Redactor, StreamRedactor};
use agent_runtime::response::ToolInvocation;
use agent_spec::terminal;
use agent_spec::vocabulary::Setting;
use serde_json::Value;
use unicode_width::UnicodeWidthChar;

/// The maximum number of characters of arguments and of results. The JSON form has all of them.
const MAX_CHARS: usize = 500;

/// The maximum number of characters of a name. Names in documents are shorter; a model can write any.
const MAX_NAME: usize = 100;

/// The characters that begin the lines of a transcript: 💬, 🤖 and 🛠️.
const MARKS: [char; 3] = ['💬', '🤖', '🛠'];

/// Returns the text of an answer; a note in its place for one without text, which may follow calls of tools.
pub(crate) fn answer_text(response: &AgentResponse) -> &str {
    match response.content.trim().is_empty() {
        true => "(no text)",
        false => &response.content,
    }
}

/// Formats a call of a tool on one line: name, arguments, and the result or the error.
pub(crate) fn call_line(invocation: &ToolInvocation) -> String {
    let args = json_line(&invocation.args.to_string());
    let outcome = match &invocation.result {
        Ok(Value::String(text)) => shortened(text),
        Ok(value) => json_line(&value.to_string()),
        Err(error) => {
            let text = invocation
                .error_text
                .clone()
                .unwrap_or_else(|| error.to_string());
            format!("error: {}", shortened(&text))
        }
    };
    format!("🛠️ {} {args} → {outcome}", name(&invocation.tool))
}

/// Writes a name that a model or a document chose, on one line.
pub(crate) fn name(name: &str) -> String {
    terminal::line(name, MAX_NAME)
}

/// Writes JSON on one line, cut if it is too long.
pub(crate) fn json_line(json: &str) -> String {
    shortened(&terminal::json(json))
}

/// Writes a text on one line, cut if it is too long.
pub(crate) fn shortened(text: &str) -> String {
    terminal::line(text, MAX_CHARS)
}

/// Writes a complete text of a model or a user after its mark.
pub(crate) fn marked_text(text: &str) -> String {
    let mut at_start = false;
    indent_marks(&terminal::text(text), &mut at_start)
}

/// The text of a model, which arrives in parts.
pub(crate) struct ModelText {
    redacted: StreamRedactor,
    /// Whether the current line has nothing to see yet. The first line begins with the mark of the transcript.
    at_start: bool,
}

impl ModelText {
    /// Creates the text of a model whose secrets are redacted.
    pub(crate) fn new(redactor: &Redactor) -> Self {
        Self {
            redacted: redactor.stream(),
            at_start: false,
        }
    }

    /// Returns the next part in the form for a terminal.
    pub(crate) fn push(&mut self, part: &str) -> String {
        let part = self.redacted.push(part);
        indent_marks(&terminal::text(&part), &mut self.at_start)
    }

    /// Returns the rest of the text, after which another text begins.
    pub(crate) fn finish(&mut self) -> String {
        let rest = self.redacted.finish();
        let rest = indent_marks(&terminal::text(&rest), &mut self.at_start);
        self.at_start = false;
        rest
    }
}

/// Indents the lines of a text that begin with a mark, so that they do not look like lines of the transcript.
fn indent_marks(text: &str, at_start: &mut bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if *at_start && MARKS.contains(&c) {
            shown.push_str("  ");
        }
        *at_start = match c {
            '\n' => true,
            // Characters without a width do not move a mark away from the beginning of the line.
            c => *at_start && c.width().unwrap_or(0) == 0,
        };
        shown.push(c);
    }
    shown
}

/// Warns if an answer was cut off because it reached the maximum length.
pub(crate) fn warn_about_length(response: &AgentResponse) {
    if response.finish_reason == FinishReason::Length {
        let key = Setting::MaxTokens.key();
        warning_to_stderr(&format!(
            "the answer is cut off: it reached the maximum length (see `{key}`)"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indents_lines_that_look_like_the_transcript() {
        for (text, shown) in [
            ("a\n🛠️ rm {} → ok\n🤖", "a\n  🛠️ rm {} → ok\n  🤖"),
            ("🤖 a\n\u{200d}💬 b", "🤖 a\n\u{200d}  💬 b"),
            ("a\nb 🤖", "a\nb 🤖"),
        ] {
            assert_eq!(marked_text(text), shown);
            let mut parts = ModelText::new(&Redactor::new());
            let parts: String = text
                .chars()
                .map(|c| parts.push(c.encode_utf8(&mut [0; 4])))
                .collect();
            assert_eq!(parts, shown);
        }
    }

    #[test]
    fn cuts_long_texts_between_characters() {
        assert_eq!(shortened("é"), "é");
        assert_eq!(
            shortened(&"é".repeat(MAX_CHARS + 1)).chars().count(),
            MAX_CHARS + 1
        );
    }
}
