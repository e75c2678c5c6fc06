//! The printed events of a run: the text of the model and its calls.

use crate::display::{
    ModelText, answer_text, call_line, media_line, nested_call_line, shortened, summary_line,
    warn_about_end,
};
use crate::output::{end_line, part_to_stdout, text_to_stdout};
use crate::saved_media::MediaFolder;
use agent_runtime::conversation::Part;
use agent_runtime::redact::Redactor;
use agent_runtime::response::ToolInvocation;
use agent_runtime::{AgentResponse, Event};
use agent_spec::terminal;
use std::io;

/// Prints a run to standard output, while it runs.
pub(crate) struct Transcript {
    /// Whether nothing is printed. Media are saved and warnings are printed in any case.
    is_silent: bool,
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
    pub(crate) fn new(redactor: Redactor, media: MediaFolder) -> Self {
        Self {
            is_silent: false,
            parts: ModelText::new(&redactor),
            redactor,
            in_text: false,
            is_streamed: false,
            media,
            written: Ok(()),
        }
    }

    /// Creates a transcript that prints nothing if `is_silent`.
    pub(crate) fn silent_if(is_silent: bool, redactor: Redactor, media: MediaFolder) -> Self {
        Self {
            is_silent,
            ..Self::new(redactor, media)
        }
    }

    /// Returns the redactor of the output.
    pub(crate) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Whether the current line is a part of the model's text.
    pub(crate) fn in_text(&self) -> bool {
        self.in_text
    }

    /// Prints a message of the user.
    pub(crate) fn message(&mut self, message: &str, attached: &[Part]) {
        self.text_line("💬", message);
        for line in attached.iter().filter_map(media_line) {
            self.line(&line);
        }
    }

    /// Prints an event. The caller passes the answer to [`answer`](Self::answer).
    pub(crate) fn event(&mut self, event: &Event) {
        match event {
            Event::ModelCalled { .. } | Event::CompactionStarted { .. } => self.end_answer(),
            Event::TextDelta { text, .. } => self.text(text),
            Event::ModelReplied { parts, calls, .. } => {
                self.end_text();
                // Text beside calls is printed here; the answer is printed at the end.
                if !calls.is_empty() {
                    if !self.is_streamed {
                        self.text_beside_calls("🤖", parts);
                    }
                    self.media(parts);
                }
            }
            Event::Compacted { summary, .. } => self.line(&summary_line(summary)),
            Event::ToolFinished { invocation, .. } => self.call(None, invocation, ""),
            // The answer of an agent that was called is the result of its call. Parts of answers are left out, because
            // those of several agents arrive at the same time.
            Event::Nested { path, event, .. } => match &**event {
                Event::ModelReplied { parts, calls, .. } if !calls.is_empty() => {
                    self.text_beside_calls(&format!("🤖 {}:", shortened(path)), parts);
                }
                Event::ToolFinished { invocation, .. } => self.call(Some(path), invocation, ""),
                _ => {}
            },
            _ => {}
        }
    }

    /// Prints a call, and `suffix` as it is. `path` leads to the agent that made the call, if that agent was called.
    pub(crate) fn call(&mut self, path: Option<&str>, invocation: &ToolInvocation, suffix: &str) {
        // The call is redacted before its line is cut, because a part of a key is not recognized.
        let invocation = invocation.redacted(&self.redactor);
        let line = match path {
            Some(path) => nested_call_line(path, &invocation),
            None => call_line(&invocation),
        };
        self.attempt(|| text_to_stdout(&format!("{line}{suffix}\n")));
    }

    /// Prints the answer, unless its parts have been printed.
    pub(crate) fn answer(&mut self, response: &AgentResponse) {
        if !std::mem::take(&mut self.is_streamed) {
            self.text_line("🤖", answer_text(response));
        }
        self.media(&response.parts);
        warn_about_end(response, &self.redactor);
    }

    /// Prints a line. Keys in it are redacted, and characters that control a terminal are replaced.
    pub(crate) fn line(&mut self, line: &str) {
        let line = terminal::text(&self.redactor.text(line));
        self.attempt(|| text_to_stdout(&format!("{line}\n")));
    }

    /// Ends the line that the model's text began.
    pub(crate) fn end_text(&mut self) {
        if std::mem::take(&mut self.in_text) {
            if self.can_write() {
                self.written = part_to_stdout(|is_interrupted| self.parts.finish(is_interrupted));
            }
            self.attempt(end_line);
        }
    }

    /// Ends the model's text, so that the next text belongs to another answer.
    pub(crate) fn end_answer(&mut self) {
        self.end_text();
        self.is_streamed = false;
    }

    /// Writes, unless nothing is printed or an earlier write failed.
    pub(crate) fn attempt(&mut self, write: impl FnOnce() -> io::Result<()>) {
        if self.can_write() {
            self.written = write();
        }
    }

    /// Returns the first failure to write, once.
    ///
    /// # Errors
    /// Returns that failure.
    pub(crate) fn take_result(&mut self) -> io::Result<()> {
        std::mem::replace(&mut self.written, Ok(()))
    }

    /// Whether all media of answers could be saved.
    pub(crate) fn has_saved_media(&self) -> bool {
        !self.media.has_failed()
    }

    fn can_write(&self) -> bool {
        !self.is_silent && self.written.is_ok()
    }

    /// Prints the next part of the model's text.
    fn text(&mut self, text: &str) {
        let mark = if self.in_text { "" } else { "🤖 " };
        self.is_streamed = true;
        let continues = std::mem::replace(&mut self.in_text, true);
        if self.can_write() {
            self.written = part_to_stdout(|is_interrupted| {
                let begins_line = is_interrupted && continues;
                format!("{mark}{}", self.parts.push(text, begins_line))
            });
        }
    }

    /// Prints the text of a reply that has calls.
    fn text_beside_calls(&mut self, mark: &str, parts: &[Part]) {
        let text: String = parts.iter().filter_map(Part::as_text).collect();
        if !text.trim().is_empty() {
            self.text_line(mark, &text);
        }
    }

    /// Prints a text of one or more lines after its mark.
    fn text_line(&mut self, mark: &str, text: &str) {
        let text = self.parts.complete(text);
        self.line(&format!("{mark} {text}"));
    }

    /// Saves the media of an answer, and prints a line about each.
    fn media(&mut self, parts: &[Part]) {
        for line in self.media.save(parts) {
            self.line(&line);
        }
    }
}
