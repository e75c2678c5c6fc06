//! The output of a turn while it runs.

use super::call_timer::CallTimer;
use super::spinner::Spinner;
use super::terminal::Terminal;
use crate::display::{
    ModelText, answer_text, call_line, nested_call_line, shortened, summary_line, warn_about_end,
};
use crate::output::{clear_line, end_line, part_to_stdout, redrawn_to_stdout, text_to_stdout};
use crate::saved_media::MediaFolder;
use agent_runtime::conversation::Part;
use agent_runtime::redact::Redactor;
use agent_runtime::response::ToolInvocation;
use agent_runtime::run::PendingCall;
use agent_runtime::{AgentResponse, Event, ToolError};
use agent_spec::terminal;
use serde_json::Value;
use std::collections::HashMap;
use std::io;
use std::time::{Duration, Instant};

/// Prints turns to standard output.
pub(super) struct TurnView {
    terminal: Terminal,
    timer: CallTimer,
    spinner: Spinner,
    redactor: Redactor,
    /// The model's text, which arrives in parts.
    parts: ModelText,
    /// Whether the current line is a part of the model's text.
    in_text: bool,
    /// Whether parts of this answer have been printed.
    is_streamed: bool,
    /// The arguments of the calls that the user was asked about, by call id.
    questioned: HashMap<String, Value>,
    media: MediaFolder,
    /// The first failure to write. The turn continues, because its calls may still be useful.
    written: io::Result<()>,
}

impl TurnView {
    /// Creates a view. `timer` has the durations of calls.
    pub(super) fn new(
        terminal: Terminal,
        timer: CallTimer,
        redactor: Redactor,
        media: MediaFolder,
    ) -> Self {
        Self {
            terminal,
            timer,
            parts: ModelText::new(&redactor),
            redactor,
            spinner: Spinner::default(),
            in_text: false,
            is_streamed: false,
            questioned: HashMap::new(),
            media,
            written: Ok(()),
        }
    }

    /// Returns the redactor of the output.
    pub(super) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Prints an event.
    pub(super) fn event(&mut self, event: &Event) {
        match event {
            Event::ModelCalled { model, .. } | Event::CompactionStarted { model, .. } => {
                self.end_text();
                self.is_streamed = false;
                self.begin(None, &model.to_string());
            }
            Event::TextDelta { text, .. } => self.text(text),
            Event::CallStarted { tool, .. } => {
                self.end_text();
                self.begin(None, tool);
            }
            Event::ModelReplied { parts, calls, .. } => {
                self.end_text();
                self.spinner.end(None);
                // Text beside calls is printed here; the answer is printed at the end.
                let content: String = parts.iter().filter_map(Part::as_text).collect();
                if !calls.is_empty() && !content.trim().is_empty() && !self.is_streamed {
                    self.answer_line(&content);
                }
                if !calls.is_empty() {
                    self.media(parts);
                }
            }
            Event::Compacted { summary, .. } => {
                self.spinner.end(None);
                self.line(&summary_line(summary));
            }
            Event::ToolStarted { call, .. } => self.begin(Some(&call.id), &call.tool),
            Event::ToolProgress { call_id, text, .. } => {
                self.spinner.note(call_id, &self.redactor.text(text));
                self.draw();
            }
            Event::ToolFinished { invocation, .. } => self.finished(None, invocation),
            Event::Finished { response, .. } => self.answer(response),
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
                    let text = self.parts.complete(&content);
                    self.line(&format!("🤖 {}: {text}", shortened(path)));
                }
            }
            Event::ToolStarted { call, .. } => self.begin(Some(&call.id), &call.path),
            Event::ToolProgress { .. } => self.event(event),
            Event::ToolFinished { invocation, .. } => self.finished(Some(path), invocation),
            _ => {}
        }
    }

    /// Draws the next frame of the spinner.
    pub(super) fn tick(&mut self) {
        // There is no spinner while text arrives.
        if !self.in_text {
            self.draw();
        }
    }

    /// Returns the interval between calls of [`tick`](Self::tick).
    pub(super) fn period(&self) -> Duration {
        // Without redrawing, a tick does nothing.
        if self.terminal.can_redraw {
            Duration::from_millis(100)
        } else {
            Duration::from_secs(3600)
        }
    }

    /// Keeps the arguments of a call that the user is asked about.
    pub(super) fn question(&mut self, call: &PendingCall) {
        if let Ok(args) = serde_json::from_str(&call.arguments) {
            self.questioned.insert(call.id.clone(), args);
        }
    }

    /// Ends the current line, so that other output begins a line.
    pub(super) fn pause(&mut self) {
        self.end_text();
        self.clear();
    }

    /// Ends the turn.
    pub(super) fn end(&mut self) {
        self.pause();
        self.spinner.end_all();
        self.timer.clear();
        self.questioned.clear();
        self.is_streamed = false;
    }

    /// Returns the first failure to write, once.
    ///
    /// # Errors
    /// Returns that failure.
    pub(super) fn take_result(&mut self) -> io::Result<()> {
        std::mem::replace(&mut self.written, Ok(()))
    }

    /// Prints a line of the chat itself.
    pub(super) fn line(&mut self, line: &str) {
        self.clear();
        let line = self.redactor.text(line);
        self.write(&format!("{}\n", terminal::text(&line)));
    }

    /// Prints a complete text of the model.
    fn answer_line(&mut self, text: &str) {
        let text = self.parts.complete(text);
        self.line(&format!("🤖 {text}"));
    }

    fn begin(&mut self, id: Option<&str>, label: &str) {
        self.spinner.begin(id, label, Instant::now());
        self.draw();
    }

    fn draw(&mut self) {
        if self.terminal.can_redraw
            && !self.in_text
            && let Some(line) = self.spinner.draw(Instant::now())
        {
            let line = self.terminal.dim(&line);
            self.attempt(|| redrawn_to_stdout(&line));
        }
    }

    fn clear(&mut self) {
        if self.spinner.clear() {
            self.attempt(clear_line);
        }
    }

    /// Prints the next part of the model's text.
    fn text(&mut self, text: &str) {
        self.clear();
        let mark = if self.in_text { "" } else { "🤖 " };
        self.is_streamed = true;
        let continues = std::mem::replace(&mut self.in_text, true);
        if self.written.is_ok() {
            self.written = part_to_stdout(|is_interrupted| {
                let begins_line = is_interrupted && continues;
                format!("{mark}{}", self.parts.push(text, begins_line))
            });
        }
    }

    fn end_text(&mut self) {
        if std::mem::take(&mut self.in_text) {
            if self.written.is_ok() {
                self.written = part_to_stdout(|is_interrupted| self.parts.finish(is_interrupted));
            }
            self.attempt(end_line);
        }
    }

    /// Prints a call. `path` leads to the agent that made it, if that agent was called.
    fn finished(&mut self, path: Option<&str>, invocation: &ToolInvocation) {
        self.pause();
        let questioned = self.questioned.remove(&invocation.call_id);
        let mut invocation = invocation.clone();
        // A denied call is shown with the arguments of the question, because a model can leave out arguments
        // that have defaults.
        if let (Some(args), Err(ToolError::Authorization(_))) = (questioned, &invocation.result) {
            invocation.args = args;
        }
        self.spinner.end(Some(&invocation.call_id));
        let time = self.timer.take(&invocation.call_id);
        let time = match time {
            // Output to a file has no times, so that it is the same for each run.
            Some(time) if self.terminal.is_interactive() => {
                self.terminal.dim(&format!(" ({})", seconds(time)))
            }
            _ => String::new(),
        };
        // Redacted before the line is cut, because a part of a key is not recognized.
        let invocation = invocation.redacted(&self.redactor);
        let line = match path {
            Some(path) => nested_call_line(path, &invocation),
            None => call_line(&invocation),
        };
        self.write(&format!("{line}{time}\n"));
        self.draw();
    }

    /// Prints the answer, unless its parts have been printed.
    fn answer(&mut self, response: &AgentResponse) {
        if !std::mem::take(&mut self.is_streamed) {
            self.answer_line(answer_text(response));
        }
        self.media(&response.parts);
        warn_about_end(response, &self.redactor);
    }

    /// Saves the media of an answer, and prints a line about each.
    fn media(&mut self, parts: &[Part]) {
        for line in self.media.save(parts) {
            self.line(&line);
        }
    }

    fn write(&mut self, text: &str) {
        self.attempt(|| text_to_stdout(text));
    }

    fn attempt(&mut self, write: impl FnOnce() -> io::Result<()>) {
        if self.written.is_ok() {
            self.written = write();
        }
    }
}

/// Formats a duration.
fn seconds(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        format!("{} ms", time.as_millis())
    } else {
        format!("{:.1} s", time.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_durations() {
        for (time, expected) in [
            (Duration::ZERO, "0 ms"),
            (Duration::from_micros(999_999), "999 ms"),
            (Duration::from_millis(1250), "1.2 s"),
            (Duration::from_secs(75), "75.0 s"),
        ] {
            assert_eq!(seconds(time), expected);
        }
    }
}
