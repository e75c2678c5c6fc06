//! Lines from whoever talks to the agent.
//!
//! Reading blocks, so a thread of its own does it, when it is asked to and not before: a line that
//! is typed while the agent answers is left to the terminal until then.

use super::editor::{Editor, EditorOptions};
use super::interrupt::Interrupt;
use super::look::{Input, Look};
use crate::output::{to_stderr, to_stdout};
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc;
use tokio::sync::mpsc as answers;

/// What came of asking for a line.
#[derive(Debug)]
pub(super) enum Line {
    /// A line, without its end.
    Text(String),
    /// Ctrl-C.
    Interrupted {
        /// Whether nothing was typed. When that cannot be known, it is taken to be so.
        was_empty: bool,
    },
    /// There are no more lines: Ctrl-D, or the end of a file.
    End,
}

/// What is asked for.
pub(super) struct Request {
    /// What stands before the line.
    pub(super) prompt: String,
    /// What stands in the line at first.
    pub(super) initial: String,
    /// Whether the line can be recalled later.
    pub(super) is_message: bool,
}

/// Where lines come from.
pub(super) struct Lines {
    input: Input,
    requests: mpsc::Sender<Request>,
    answers: answers::UnboundedReceiver<io::Result<Line>>,
    /// Whether a line was asked for and has not come yet: nothing takes a reading back.
    is_awaited: bool,
}

impl Lines {
    /// The lines of standard input.
    pub(super) fn new(look: Look, options: EditorOptions) -> Self {
        let (requests, asked) = mpsc::channel();
        let (answer, answers) = answers::unbounded_channel();
        std::thread::spawn(move || match look.input {
            Input::Editor => serve(&asked, &answer, Editor::new(options)),
            Input::Terminal | Input::Pipe => serve(&asked, &answer, Plain),
        });
        Self {
            input: look.input,
            requests,
            answers,
            is_awaited: false,
        }
    }

    /// The next message.
    ///
    /// # Errors
    /// When standard input cannot be read.
    pub(super) async fn message(&mut self, prompt: &str) -> io::Result<Line> {
        self.read(prompt, "", true).await
    }

    /// The answer to a question. What is given at first can be edited where lines can be.
    ///
    /// # Errors
    /// As [`message`](Self::message).
    pub(super) async fn answer(&mut self, prompt: &str, initial: &str) -> io::Result<Line> {
        self.read(prompt, initial, false).await
    }

    async fn read(&mut self, prompt: &str, initial: &str, is_message: bool) -> io::Result<Line> {
        let mut interrupt = Interrupt::new().await;
        if self.input == Input::Terminal {
            show(prompt)?;
        }
        if !self.is_awaited {
            let request = Request {
                prompt: prompt.to_owned(),
                initial: initial.to_owned(),
                is_message,
            };
            // When nobody takes it, nobody answers, which is found out below.
            let _ = self.requests.send(request);
            self.is_awaited = true;
        }
        if self.input == Input::Editor {
            // The terminal sends Ctrl-C as a key.
            return self.taken().await;
        }
        tokio::select! {
            line = self.taken() => line,
            () = interrupt.given() => Ok(Line::Interrupted { was_empty: true }),
        }
    }

    async fn taken(&mut self) -> io::Result<Line> {
        let line = self.answers.recv().await;
        self.is_awaited = false;
        line.unwrap_or(Ok(Line::End))
    }
}

/// Writes a prompt where whoever types sees it.
fn show(prompt: &str) -> io::Result<()> {
    if io::stdout().is_terminal() {
        to_stdout(|out| out.write_all(prompt.as_bytes()))
    } else {
        to_stderr(prompt);
        Ok(())
    }
}

/// What reads lines.
pub(super) trait Read {
    /// Reads one line.
    fn read(&mut self, request: &Request) -> io::Result<Line>;
}

fn serve(
    asked: &mpsc::Receiver<Request>,
    answer: &answers::UnboundedSender<io::Result<Line>>,
    mut read: impl Read,
) {
    while let Ok(request) = asked.recv() {
        if !request.is_message {
            forget_typed();
        }
        if answer.send(read.read(&request)).is_err() {
            return;
        }
    }
}

/// Forgets what was typed before a question was asked: it cannot be the answer.
fn forget_typed() {
    #[cfg(unix)]
    {
        use rustix::termios::{QueueSelector, tcflush};
        // What is no terminal holds nothing.
        let _ = tcflush(io::stdin(), QueueSelector::IFlush);
    }
}

/// Lines as they come.
struct Plain;

impl Read for Plain {
    fn read(&mut self, _: &Request) -> io::Result<Line> {
        let mut line = String::new();
        if io::stdin().read_line(&mut line)? == 0 {
            return Ok(Line::End);
        }
        let end = line.trim_end_matches(['\r', '\n']).len();
        line.truncate(end);
        Ok(Line::Text(line))
    }
}
