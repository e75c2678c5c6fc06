//! A run as people read it, while it goes on.

use super::document::Format;
use crate::display::call;
use crate::outcome::warn;
use crate::output::{end_line, line_to_stdout, part_to_stdout};
use agent_lsp::terminal::sanitize;
use agent_runtime::model::FinishReason;
use agent_runtime::redact::{Redactor, StreamRedactor};
use agent_runtime::{AgentResponse, Event};
use std::io;

/// Shows a run on standard output.
pub(super) struct Transcript {
    format: Format,
    redactor: Redactor,
    /// The model's text, which arrives in parts.
    parts: StreamRedactor,
    /// Whether a line with a part of the model's text was begun and not ended.
    in_text: bool,
    /// Whether parts of the text of this turn were shown.
    has_shown: bool,
    /// The first failure to write. The run goes on, since the agent may be doing useful work.
    written: io::Result<()>,
}

impl Transcript {
    /// A transcript; it shows nothing in the formats for programs.
    pub(super) fn new(format: Format, redactor: Redactor) -> Self {
        Self {
            format,
            parts: redactor.stream(),
            redactor,
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
            Event::ToolFinished { invocation, .. } => {
                // Redacted before the line is cut, because a part of a key is not recognised.
                self.line(&call(&invocation.redacted(&self.redactor)));
            }
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
        let text = format!("{mark}{}", sanitize(&self.parts.push(text)));
        self.written = part_to_stdout(&text);
    }

    fn end_text(&mut self) {
        if std::mem::take(&mut self.in_text) && self.written.is_ok() {
            let rest = self.parts.finish();
            if !rest.is_empty() {
                self.written = part_to_stdout(&sanitize(&rest));
            }
            if self.written.is_ok() {
                self.written = end_line();
            }
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
            self.written = line_to_stdout(&sanitize(&self.redactor.text(line)));
        }
    }
}
