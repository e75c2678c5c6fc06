//! A turn, shown while it goes on.

use super::call_timer::Timing;
use super::spinner::Spinner;
use super::terminal::Look;
use crate::display::call;
use crate::outcome::warn;
use crate::output::{clear_line, end_line, part_to_stdout, redrawn_to_stdout, to_stdout};
use agent_lsp::terminal::sanitize;
use agent_runtime::model::FinishReason;
use agent_runtime::redact::{Redactor, StreamRedactor};
use agent_runtime::response::ToolInvocation;
use agent_runtime::run::PendingCall;
use agent_runtime::{AgentResponse, Event, ToolError};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Shows turns on standard output.
pub(super) struct Display {
    look: Look,
    timing: Timing,
    spinner: Spinner,
    redactor: Redactor,
    /// The model's text, which arrives in parts.
    parts: StreamRedactor,
    /// Whether a line with a part of the model's text was begun and not ended.
    in_text: bool,
    /// Whether parts of the text of this answer were shown.
    has_shown: bool,
    /// The arguments of calls that somebody was asked about.
    asked: HashMap<String, Value>,
    /// The first failure to write. The turn goes on, since the agent may be doing useful work.
    written: io::Result<()>,
}

impl Display {
    /// Nothing is shown yet. The times of calls come from `timing`.
    pub(super) fn new(look: Look, timing: Timing, redactor: Redactor) -> Self {
        Self {
            look,
            timing,
            parts: redactor.stream(),
            redactor,
            spinner: Spinner::default(),
            in_text: false,
            has_shown: false,
            asked: HashMap::new(),
            written: Ok(()),
        }
    }

    /// Returns the redactor of all that is shown.
    pub(super) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Shows what happens.
    pub(super) fn event(&mut self, event: &Event) {
        match event {
            Event::ModelCalled { model, .. } => {
                self.end_text();
                self.has_shown = false;
                self.begin(None, &model.to_string());
            }
            Event::TextDelta { text, .. } => self.text(text),
            Event::CallStarted { tool, .. } => {
                self.end_text();
                self.begin(None, tool);
            }
            Event::ModelReplied { content, calls, .. } => {
                self.end_text();
                self.spinner.end(None);
                // Text that comes with calls is said on the way; the answer is shown at the end.
                if let Some(content) = content
                    && !calls.is_empty()
                    && !content.trim().is_empty()
                    && !self.has_shown
                {
                    self.line(&format!("🤖 {content}"));
                }
            }
            Event::ToolStarted { call, .. } => self.begin(Some(&call.id), &call.tool),
            Event::ToolProgress { call_id, text, .. } => {
                self.spinner.note(call_id, &self.redactor.text(text));
                self.draw();
            }
            Event::ToolFinished { invocation, .. } => self.finished(invocation),
            Event::Finished { response, .. } => self.answer(response),
            _ => {}
        }
    }

    /// Shows that time goes by.
    pub(super) fn tick(&mut self) {
        // While text comes, that it comes is seen.
        if !self.in_text {
            self.draw();
        }
    }

    /// How often [`tick`](Self::tick) should be called.
    pub(super) fn period(&self) -> Duration {
        // Where nothing moves there is nothing to do.
        if self.look.moves {
            Duration::from_millis(100)
        } else {
            Duration::from_secs(3600)
        }
    }

    /// Notes that somebody is asked about a call.
    pub(super) fn asks(&mut self, call: &PendingCall) {
        if let Ok(args) = serde_json::from_str(&call.arguments) {
            self.asked.insert(call.id.clone(), args);
        }
    }

    /// Leaves the terminal to somebody else, at the beginning of a line.
    pub(super) fn pause(&mut self) {
        self.end_text();
        self.clear();
    }

    /// Ends the turn, however it went.
    pub(super) fn end(&mut self) {
        self.pause();
        self.spinner.end_all();
        self.timing.clear();
        self.asked.clear();
        self.has_shown = false;
    }

    /// The first failure to write, told once.
    ///
    /// # Errors
    /// That failure.
    pub(super) fn written(&mut self) -> io::Result<()> {
        std::mem::replace(&mut self.written, Ok(()))
    }

    /// Shows a line of the chat itself.
    pub(super) fn line(&mut self, line: &str) {
        self.clear();
        let line = self.redactor.text(line);
        self.write(&format!("{}\n", sanitize(&line)));
    }

    fn begin(&mut self, id: Option<&str>, label: &str) {
        self.spinner.begin(id, label, Instant::now());
        self.draw();
    }

    fn draw(&mut self) {
        if self.look.moves
            && !self.in_text
            && let Some(line) = self.spinner.draw(Instant::now())
        {
            let line = self.look.dim(&line);
            self.attempt(|| redrawn_to_stdout(&line));
        }
    }

    fn clear(&mut self) {
        if self.spinner.clear() {
            self.attempt(clear_line);
        }
    }

    /// Shows a part of the model's text, after what is there of it already.
    fn text(&mut self, text: &str) {
        self.clear();
        let mark = if self.in_text { "" } else { "🤖 " };
        self.in_text = true;
        self.has_shown = true;
        let text = self.parts.push(text);
        let text = format!("{mark}{}", sanitize(&text));
        self.attempt(|| part_to_stdout(&text));
    }

    fn end_text(&mut self) {
        if std::mem::take(&mut self.in_text) {
            let rest = self.parts.finish();
            if !rest.is_empty() {
                let rest = sanitize(&rest);
                self.attempt(|| part_to_stdout(&rest));
            }
            self.attempt(end_line);
        }
    }

    fn finished(&mut self, invocation: &ToolInvocation) {
        self.pause();
        let asked = self.asked.remove(&invocation.call_id);
        let mut invocation = invocation.clone();
        // What was not allowed is what somebody was asked about; the model may have left out arguments.
        if let (Some(args), Err(ToolError::Authorization(_))) = (asked, &invocation.result) {
            invocation.args = args;
        }
        self.spinner.end(Some(&invocation.call_id));
        let time = self.timing.take(&invocation.call_id);
        let time = match time {
            // What goes into a file is the same each time.
            Some(time) if self.look.is_interactive() => {
                self.look.dim(&format!(" ({})", seconds(time)))
            }
            _ => String::new(),
        };
        // Redacted before the line is cut, because a part of a key is not recognised.
        let line = call(&invocation.redacted(&self.redactor));
        self.write(&format!("{}{time}\n", sanitize(&line)));
        self.draw();
    }

    /// Shows the answer, unless its parts were.
    fn answer(&mut self, response: &AgentResponse) {
        if !std::mem::take(&mut self.has_shown) {
            self.line(&format!("🤖 {}", response.content));
        }
        if response.finish_reason == FinishReason::Length {
            warn("the answer is cut off: it reached the greatest length (see `maxTokens`)");
        }
    }

    fn write(&mut self, text: &str) {
        self.attempt(|| to_stdout(|out| out.write_all(text.as_bytes())));
    }

    fn attempt(&mut self, write: impl FnOnce() -> io::Result<()>) {
        if self.written.is_ok() {
            self.written = write();
        }
    }
}

/// A time as people read it.
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
    fn times_are_short() {
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
