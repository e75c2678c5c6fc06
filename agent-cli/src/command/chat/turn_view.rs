//! The output of a turn while it runs.

use super::call_timer::CallTimer;
use super::spinner::Spinner;
use super::terminal::Terminal;
use crate::output::{clear_line, redrawn_to_stdout};
use crate::transcript::Transcript;
use agent_runtime::redact::Redactor;
use agent_runtime::response::ToolInvocation;
use agent_runtime::run::PendingCall;
use agent_runtime::{Event, ToolError};
use serde_json::Value;
use std::collections::HashMap;
use std::io;
use std::time::{Duration, Instant};

/// Prints turns to standard output: a transcript, with the durations of calls and a spinner.
pub(super) struct TurnView {
    terminal: Terminal,
    timer: CallTimer,
    spinner: Spinner,
    transcript: Transcript,
    /// The arguments of the calls that the user was asked about, by call id.
    questioned: HashMap<String, Value>,
}

impl TurnView {
    /// Creates a view. `timer` has the durations of calls.
    pub(super) fn new(terminal: Terminal, timer: CallTimer, transcript: Transcript) -> Self {
        Self {
            terminal,
            timer,
            spinner: Spinner::default(),
            transcript,
            questioned: HashMap::new(),
        }
    }

    /// Returns the redactor of the output.
    pub(super) fn redactor(&self) -> &Redactor {
        self.transcript.redactor()
    }

    /// Prints an event.
    pub(super) fn event(&mut self, event: &Event) {
        match event {
            Event::ModelCalled { model, .. } | Event::CompactionStarted { model, .. } => {
                self.transcript.event(event);
                self.begin(None, &model.to_string());
            }
            Event::CallStarted { tool, .. } => {
                self.transcript.end_text();
                self.begin(None, tool);
            }
            Event::ToolStarted { call, .. } => self.begin(Some(&call.id), &call.tool),
            Event::ToolProgress { call_id, text, .. } => {
                let text = self.redactor().text(text);
                self.spinner.note(call_id, &text);
                self.draw();
            }
            Event::ToolFinished { invocation, .. } => self.finished(None, invocation),
            Event::Finished { response, .. } => {
                self.clear();
                self.transcript.answer(response);
            }
            Event::Nested {
                path,
                event: nested,
                ..
            } => match &**nested {
                Event::ToolStarted { call, .. } => self.begin(Some(&call.id), &call.path),
                Event::ToolProgress { .. } => self.event(nested),
                Event::ToolFinished { invocation, .. } => self.finished(Some(path), invocation),
                Event::ModelReplied { .. } => self.print(event),
                _ => {}
            },
            Event::ModelReplied { .. } | Event::Compacted { .. } => {
                self.spinner.end(None);
                self.print(event);
            }
            Event::TextDelta { .. } => self.print(event),
            _ => {}
        }
    }

    /// Draws the next frame of the spinner.
    pub(super) fn tick(&mut self) {
        self.draw();
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
        self.transcript.end_text();
        self.clear();
    }

    /// Ends the turn.
    pub(super) fn end(&mut self) {
        self.pause();
        self.spinner.end_all();
        self.timer.clear();
        self.questioned.clear();
        self.transcript.end_answer();
    }

    /// Returns the first failure to write, once.
    ///
    /// # Errors
    /// Returns that failure.
    pub(super) fn take_result(&mut self) -> io::Result<()> {
        self.transcript.take_result()
    }

    /// Prints a line of the chat itself.
    pub(super) fn line(&mut self, line: &str) {
        self.clear();
        self.transcript.line(line);
    }

    /// Prints an event in place of the spinner.
    fn print(&mut self, event: &Event) {
        self.clear();
        self.transcript.event(event);
    }

    fn begin(&mut self, id: Option<&str>, label: &str) {
        self.spinner.begin(id, label, Instant::now());
        self.draw();
    }

    /// Draws the spinner, unless text arrives.
    fn draw(&mut self) {
        if self.terminal.can_redraw
            && !self.transcript.in_text()
            && let Some(line) = self.spinner.draw(Instant::now())
        {
            let line = self.terminal.dim(&line);
            self.transcript.attempt(|| redrawn_to_stdout(&line));
        }
    }

    fn clear(&mut self) {
        if self.spinner.clear() {
            self.transcript.attempt(clear_line);
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
        let time = match self.timer.take(&invocation.call_id) {
            // Output to a file has no times, so that it is the same for each run.
            Some(time) if self.terminal.is_interactive() => {
                self.terminal.dim(&format!(" ({})", seconds(time)))
            }
            _ => String::new(),
        };
        self.transcript.call(path, &invocation, &time);
        self.draw();
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
