//! The output of a run in the format for people, while it runs.

use super::document::Format;
use crate::display::{
    ModelText, answer_text, call_line, media_line, nested_call_line, shortened, summary_line,
    warn_about_end,
};
use crate::output::{end_line, line_to_stdout, part_to_stdout};
use crate::saved_media::MediaFolder;
use agent_runtime::conversation::Part;
use agent_runtime::redact::Redactor;
use agent_runtime::{AgentResponse, Event};
use std::io;

/// Prints a run to standard output.
pub(super) struct Transcript {
    format: Format,
    redactor: Redactor,
    /// The model's text, which arrives in parts.
    parts: ModelText,
    /// Whether the current line is a part of the model's text.
    in_text: bool,
    /// Whether parts of this answer have been printed.
    is_streamed: bool,
    media: MediaFolder,
    /// The first failure to write. The run continues, because its calls may still be useful.
    written: io::Result<()>,
}

impl Transcript {
    /// Creates a transcript. It prints nothing in the formats for programs.
    pub(super) fn new(format: Format, redactor: Redactor, media: MediaFolder) -> Self {
        Self {
            format,
            parts: ModelText::new(&redactor),
            redactor,
            in_text: false,
            is_streamed: false,
            media,
            written: Ok(()),
        }
    }

    /// Prints a message of the user.
    pub(super) fn message(&mut self, message: &str, attached: &[Part]) {
        self.text_line("💬", message);
        for line in attached.iter().filter_map(media_line) {
            self.line(&self.redactor.text(&line));
        }
    }

    /// Prints an event.
    pub(super) fn event(&mut self, event: &Event) {
        match event {
            Event::ModelCalled { .. } => {
                self.end_text();
                self.is_streamed = false;
            }
            Event::TextDelta { text, .. } => self.text(text),
            Event::ModelReplied { parts, calls, .. } => {
                self.end_text();
                // Text beside calls is printed here; the answer is printed at the end.
                let content: String = parts.iter().filter_map(Part::as_text).collect();
                if !calls.is_empty() && !content.trim().is_empty() && !self.is_streamed {
                    self.text_line("🤖", &content);
                }
                if !calls.is_empty() {
                    self.media(parts);
                }
            }
            Event::Compacted { summary, .. } => self.line(&summary_line(summary)),
            Event::ToolFinished { invocation, .. } => {
                // Redacted before the line is cut, because a part of a key is not recognized.
                self.line(&call_line(&invocation.redacted(&self.redactor)));
            }
            Event::Nested { path, event, .. } => self.nested(path, event),
            _ => {}
        }
    }

    /// Prints an event of an agent that was called. Its answer is the result of its call; the parts of answers are left
    /// out, because those of several agents arrive at the same time.
    fn nested(&mut self, path: &str, event: &Event) {
        match event {
            Event::ModelReplied { parts, calls, .. } if !calls.is_empty() => {
                let content: String = parts.iter().filter_map(Part::as_text).collect();
                if !content.trim().is_empty() {
                    self.text_line(&format!("🤖 {}:", shortened(path)), &content);
                }
            }
            Event::ToolFinished { invocation, .. } => {
                let invocation = invocation.redacted(&self.redactor);
                self.line(&nested_call_line(path, &invocation));
            }
            _ => {}
        }
    }

    /// Prints the next part of the model's text.
    fn text(&mut self, text: &str) {
        if self.format != Format::Human || self.written.is_err() {
            return;
        }
        let mark = if self.in_text { "" } else { "🤖 " };
        self.is_streamed = true;
        let continues = std::mem::replace(&mut self.in_text, true);
        self.written = part_to_stdout(|is_interrupted| {
            let begins_line = is_interrupted && continues;
            format!("{mark}{}", self.parts.push(text, begins_line))
        });
    }

    fn end_text(&mut self) {
        if std::mem::take(&mut self.in_text) && self.written.is_ok() {
            self.written = part_to_stdout(|is_interrupted| self.parts.finish(is_interrupted));
            if self.written.is_ok() {
                self.written = end_line();
            }
        }
    }

    /// Prints the answer, unless its parts have been printed.
    pub(super) fn answer(&mut self, response: &AgentResponse) {
        if !std::mem::take(&mut self.is_streamed) {
            self.text_line("🤖", answer_text(response));
        }
        self.media(&response.parts);
        warn_about_end(response, &self.redactor);
    }

    /// Saves the media of an answer, and prints a line about each.
    fn media(&mut self, parts: &[Part]) {
        for line in self.media.save(parts) {
            self.line(&self.redactor.text(&line));
        }
    }

    /// Ends the line that a failed run did not end.
    pub(super) fn failed(&mut self) {
        self.end_text();
    }

    /// Ends the transcript. Returns whether all media of answers could be saved.
    ///
    /// # Errors
    /// Returns the first failure to write.
    pub(super) fn finish(self) -> io::Result<bool> {
        self.written.map(|()| !self.media.has_failed())
    }

    /// Prints a text of one or more lines after its mark.
    fn text_line(&mut self, mark: &str, text: &str) {
        let text = self.parts.complete(text);
        self.line(&format!("{mark} {text}"));
    }

    fn line(&mut self, line: &str) {
        if self.format == Format::Human && self.written.is_ok() {
            self.written = line_to_stdout(line);
        }
    }
}
