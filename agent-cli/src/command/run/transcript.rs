//! A run as people read it, while it goes on.

use super::format::Format;
use crate::outcome::warn;
use crate::output::{line_to_stdout, to_stdout};
use agent_runtime::{AgentResponse, Event, FinishReason, ToolInvocation};
use serde_json::Value;
use std::io::{self, Write};

/// How many characters of arguments, and of a result, are shown; the JSON form has them all.
const SHOWN: usize = 500;

/// Shows a run on standard output.
pub(super) struct Transcript {
    format: Format,
    /// Whether a line with a part of the model's text was begun and not ended.
    in_text: bool,
    /// Whether parts of the text of this turn were shown.
    has_shown: bool,
    /// The first failure to write. The run goes on, since the agent may be doing useful work.
    written: io::Result<()>,
}

impl Transcript {
    /// A transcript; it shows nothing in the formats for programs.
    pub(super) fn new(format: Format) -> Self {
        Self {
            format,
            in_text: false,
            has_shown: false,
            written: Ok(()),
        }
    }

    /// Shows what the user says.
    pub(super) fn message(&mut self, message: &str) {
        self.line(&format!("💬 {message}"));
    }

    /// Shows what happens in the run.
    pub(super) fn event(&mut self, event: &Event) {
        match event {
            Event::ModelCalled { .. } => {
                self.end_text();
                self.has_shown = false;
            }
            Event::TextDelta { text, .. } => self.text(text),
            Event::ModelReplied { content, calls, .. } => {
                self.end_text();
                // Text that comes with calls is said on the way; the answer is shown at the end.
                if let Some(content) = content
                    && !calls.is_empty()
                    && !content.trim().is_empty()
                    && !self.has_shown
                {
                    self.line(&format!("🤖 {content}"));
                }
            }
            Event::ToolFinished { invocation, .. } => self.line(&call(invocation)),
            _ => {}
        }
    }

    /// Shows a part of the model's text, after what is there of it already.
    fn text(&mut self, text: &str) {
        if self.format != Format::Human || self.written.is_err() {
            return;
        }
        let mark = if self.in_text { "" } else { "🤖 " };
        self.in_text = true;
        self.has_shown = true;
        let text = format!("{mark}{}", harmless(text));
        self.written = to_stdout(|out| out.write_all(text.as_bytes()));
    }

    fn end_text(&mut self) {
        if std::mem::take(&mut self.in_text) {
            self.line("");
        }
    }

    /// Shows the answer, unless its parts were.
    pub(super) fn answer(&mut self, response: &AgentResponse) {
        if !std::mem::take(&mut self.has_shown) {
            self.line(&format!("🤖 {}", response.content));
        }
        if response.finish_reason == FinishReason::Length {
            warn("the answer is cut off: it reached the greatest length (see `maxTokens`)");
        }
    }

    /// Ends a line that a failed run left in the middle.
    pub(super) fn failed(&mut self) {
        self.end_text();
    }

    /// Ends the transcript.
    ///
    /// # Errors
    /// When something could not be written.
    pub(super) fn finish(self) -> io::Result<()> {
        self.written
    }

    fn line(&mut self, line: &str) {
        if self.format == Format::Human && self.written.is_ok() {
            self.written = line_to_stdout(&harmless(line));
        }
    }
}

/// A call in a line: name, arguments, and the result or what went wrong.
fn call(invocation: &ToolInvocation) -> String {
    let args = shortened(&invocation.args.to_string());
    let came = match &invocation.result {
        Ok(Value::String(text)) => shortened(text),
        Ok(value) => shortened(&value.to_string()),
        Err(error) => {
            let text = invocation
                .error_text
                .clone()
                .unwrap_or_else(|| error.to_string());
            format!("error: {}", shortened(&text))
        }
    };
    format!("🛠️ {} {args} → {came}", invocation.tool)
}

/// A text, cut when it is long.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The text without control characters, and without those that turn the direction of writing around:
/// what models and tools say must not be able to steer the terminal, nor to look like other text. The
/// marks U+200E and U+200F turn nothing around, and stand in texts of languages written to the left.
pub(crate) fn harmless(text: &str) -> String {
    text.chars()
        .map(|c| {
            let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            if turns || (c.is_control() && !matches!(c, '\n' | '\t')) {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_do_not_reach_the_terminal() {
        assert_eq!(harmless("a\u{1b}[2Jb\r\n\tc"), "a\u{fffd}[2Jb\u{fffd}\n\tc");
        assert_eq!(
            harmless("a\u{202e}b\u{2066}c\u{200f}"),
            "a\u{fffd}b\u{fffd}c\u{200f}"
        );
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(shortened("é"), "é");
        assert_eq!(shortened(&"é".repeat(SHOWN + 1)).chars().count(), SHOWN + 1);
    }
}
