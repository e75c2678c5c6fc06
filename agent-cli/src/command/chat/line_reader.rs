//! Lines that are typed or come through a pipe.
//!
//! Reading blocks, so a thread of its own reads each line when it is asked for, and not before: a line that
//! is typed while the agent answers stays in the terminal until then.

use super::interrupt::Interrupt;
use super::slash;
use super::terminal::{Input, Look};
use crate::outcome::warn;
use crate::output::{to_stderr, to_stdout};
use agent_runtime::redact::Redactor;
use rustyline::completion::Completer;
use rustyline::config::{ColorMode, CompletionType, Config};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{
    Cmd, ConditionalEventHandler, Context, Event, EventContext, EventHandler, Helper, KeyEvent,
    RepeatCount,
};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
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

/// How many lines can be recalled.
const REMEMBERED: usize = 1000;

/// How lines are edited.
pub(super) struct EditorOptions {
    /// Where lines are kept from one chat to the next, if they are.
    pub(super) history: Option<PathBuf>,
    /// The redactor of lines that can be recalled.
    pub(super) redactor: Redactor,
}

/// Reads lines that can be edited.
pub(super) struct Editor {
    editor: rustyline::Result<rustyline::Editor<Commands, FileHistory>>,
    options: EditorOptions,
    /// Whether nothing was typed when Ctrl-C was.
    was_empty: Arc<AtomicBool>,
}

impl Editor {
    /// An editor that can recall what was said in earlier chats.
    pub(super) fn new(mut options: EditorOptions) -> Self {
        let was_empty = Arc::new(AtomicBool::new(true));
        let mut editor = make(Arc::clone(&was_empty));
        if let (Ok(editor), Some(path)) = (&mut editor, &options.history)
            && path.exists()
            && let Err(error) = editor.load_history(path)
        {
            let path = path.display();
            warn(&format!(
                "the lines of earlier chats in `{path}` cannot be read, and those of this one are \
                 not kept: {error}"
            ));
            options.history = None;
        }
        Self {
            editor,
            options,
            was_empty,
        }
    }
}

fn make(was_empty: Arc<AtomicBool>) -> rustyline::Result<rustyline::Editor<Commands, FileHistory>> {
    let config = Config::builder()
        .max_history_size(REMEMBERED)?
        .history_ignore_dups(true)?
        .history_ignore_space(true)
        .auto_add_history(false)
        // The list of what fits, as shells show it.
        .completion_type(CompletionType::List)
        .color_mode(ColorMode::Disabled)
        .build();
    let mut editor = rustyline::Editor::with_config(config)?;
    editor.set_helper(Some(Commands));
    let interrupt = EventHandler::Conditional(Box::new(InterruptKey(was_empty)));
    editor.bind_sequence(KeyEvent::ctrl('C'), interrupt);
    Ok(editor)
}

impl Read for Editor {
    fn read(&mut self, request: &Request) -> io::Result<Line> {
        let editor = match &mut self.editor {
            Ok(editor) => editor,
            Err(error) => return Err(io::Error::other(error.to_string())),
        };
        let initial = (request.initial.as_str(), "");
        let read = if request.is_message {
            editor.readline_with_initial(&request.prompt, initial)
        } else {
            // Another editor, since this one may hold lines that were typed before the question.
            let mut asker = make(Arc::clone(&self.was_empty))
                .map_err(|error| io::Error::other(error.to_string()))?;
            asker.readline_with_initial(&request.prompt, initial)
        };
        match read {
            Ok(line) => {
                if request.is_message && !line.trim().is_empty() {
                    self.remember(&line);
                }
                Ok(Line::Text(line))
            }
            Err(ReadlineError::Interrupted) => Ok(Line::Interrupted {
                was_empty: self.was_empty.load(Ordering::Relaxed),
            }),
            Err(ReadlineError::Eof) => Ok(Line::End),
            Err(ReadlineError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error.to_string())),
        }
    }
}

impl Editor {
    /// Makes a line one that can be recalled. It is written at once: a chat may end in any way.
    fn remember(&mut self, line: &str) {
        let Ok(editor) = &mut self.editor else {
            return;
        };
        let added = editor.add_history_entry(self.options.redactor.text(line));
        let Some(path) = &self.options.history else {
            return;
        };
        if let Err(error) = added.and_then(|_| editor.append_history(path)) {
            let path = path.display();
            warn(&format!("lines are not kept in `{path}`: {error}"));
            self.options.history = None;
        }
    }
}

/// Completes commands with the key Tab.
struct Commands;

impl Completer for Commands {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..at).unwrap_or_default();
        Ok((0, slash::meant(typed)))
    }
}

impl Hinter for Commands {
    type Hint = String;
}

impl Highlighter for Commands {}
impl Validator for Commands {}
impl Helper for Commands {}

/// The handler of the key Ctrl-C. It notes whether the line was empty.
struct InterruptKey(Arc<AtomicBool>);

impl ConditionalEventHandler for InterruptKey {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        self.0.store(context.line().is_empty(), Ordering::Relaxed);
        Some(Cmd::Interrupt)
    }
}
