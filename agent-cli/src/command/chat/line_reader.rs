//! Reading of lines that are typed or arrive through a pipe.
//!
//! Reading blocks, so a thread reads each line, and only when the line is requested. A line that is typed
//! while the agent answers stays in the terminal until then.

use super::interrupt::Interrupt;
use super::slash_command;
use super::terminal::{Input, Terminal};
use crate::echo::EchoOff;
use crate::input::discard_typed;
use crate::output::{to_stderr, to_stdout, warning_to_stderr};
use agent_runtime::redact::Redactor;
use agent_spec::file::{MAX_BYTES, is_virtual};
use agent_spec::terminal;
use rustyline::completion::Completer;
use rustyline::config::{ColorMode, CompletionType, Config};
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::history::{FileHistory, History as _};
use rustyline::validate::Validator;
use rustyline::{
    Cmd, ConditionalEventHandler, Context, Event, EventContext, EventHandler, Helper, KeyEvent,
    RepeatCount,
};
use std::borrow::Cow;
use std::io::{self, BufRead as _, ErrorKind, IsTerminal, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use tokio::sync::mpsc as async_mpsc;
use unicode_width::UnicodeWidthChar as _;

/// The result of reading a line.
#[derive(Debug)]
pub(super) enum Line {
    /// A line without its line end.
    Text(String),
    /// Ctrl-C.
    Interrupted {
        /// Whether the line was empty, or its contents are unknown.
        was_empty: bool,
    },
    /// Ctrl-D, or the end of a file.
    End,
}

/// A request for a line.
struct Request {
    prompt: String,
    /// The initial contents of the line.
    initial: String,
    /// Whether the line is a message, which can be recalled later, and not an answer to a question.
    is_message: bool,
}

/// The lines of standard input, read one at a time.
pub(super) struct LineReader {
    input: Input,
    requests: mpsc::Sender<Request>,
    lines: async_mpsc::UnboundedReceiver<io::Result<Line>>,
    /// Whether a request is pending. A request cannot be withdrawn, so the next one waits for its line.
    is_pending: bool,
    /// Keeps the terminal from showing what is typed while no line is read.
    echo: EchoOff,
}

impl LineReader {
    /// Starts the thread that reads standard input.
    pub(super) fn new(terminal: Terminal, options: EditorOptions) -> Self {
        let (requests, requested) = mpsc::channel();
        let (sender, lines) = async_mpsc::unbounded_channel();
        std::thread::spawn(move || match terminal.input {
            Input::Editor => serve(&requested, &sender, LineEditor::new(options)),
            input => serve(&requested, &sender, PlainLines(input)),
        });
        Self {
            input: terminal.input,
            requests,
            lines,
            is_pending: false,
            echo: EchoOff::new(),
        }
    }

    /// Reads the next message.
    ///
    /// # Errors
    /// Returns an error if standard input cannot be read.
    pub(super) async fn message(&mut self, prompt: &str) -> io::Result<Line> {
        self.read(prompt, "", true).await
    }

    /// Reads the answer to a question. The user can edit the initial text, if lines can be edited.
    ///
    /// # Errors
    /// Returns an error if standard input cannot be read.
    pub(super) async fn answer(&mut self, prompt: &str, initial: &str) -> io::Result<Line> {
        self.read(prompt, initial, false).await
    }

    async fn read(&mut self, prompt: &str, initial: &str, is_message: bool) -> io::Result<Line> {
        let mut interrupt = Interrupt::new().await;
        let _shown = self.echo.pause();
        if self.is_pending {
            if self.input == Input::PlainTerminal {
                write_prompt(prompt)?;
            }
        } else {
            let request = Request {
                prompt: prompt.to_owned(),
                initial: initial.to_owned(),
                is_message,
            };
            // If the thread has ended, `next` finds that its channel is closed.
            let _ = self.requests.send(request);
            self.is_pending = true;
        }
        let next = next(&mut self.lines, &mut self.is_pending);
        if self.input == Input::Editor {
            // The editor receives Ctrl-C as a key.
            return next.await;
        }
        tokio::select! {
            line = next => line,
            () = interrupt.received() => Ok(Line::Interrupted { was_empty: true }),
        }
    }
}

/// Waits for the line that was requested.
async fn next(
    lines: &mut async_mpsc::UnboundedReceiver<io::Result<Line>>,
    is_pending: &mut bool,
) -> io::Result<Line> {
    let line = lines.recv().await;
    *is_pending = false;
    line.unwrap_or(Ok(Line::End))
}

/// Writes a prompt to the terminal.
fn write_prompt(prompt: &str) -> io::Result<()> {
    if io::stdout().is_terminal() {
        to_stdout(prompt)
    } else {
        to_stderr(prompt);
        Ok(())
    }
}

/// A blocking reader of lines.
trait ReadLine {
    /// Reads one line.
    fn read_line(&mut self, request: &Request) -> io::Result<Line>;
}

/// Reads a line for each request.
fn serve(
    requests: &mpsc::Receiver<Request>,
    lines: &async_mpsc::UnboundedSender<io::Result<Line>>,
    mut reader: impl ReadLine,
) {
    while let Ok(request) = requests.recv() {
        if !request.is_message {
            discard_typed();
        }
        if lines.send(reader.read_line(&request)).is_err() {
            return;
        }
    }
}

/// Reads lines that cannot be edited.
struct PlainLines(Input);

impl ReadLine for PlainLines {
    fn read_line(&mut self, request: &Request) -> io::Result<Line> {
        if self.0 == Input::PlainTerminal {
            write_prompt(&request.prompt)?;
        }
        let mut line = String::new();
        let mut input = io::stdin().lock().take(MAX_BYTES + 1);
        let length = input.read_line(&mut line)?;
        if length == 0 {
            return Ok(Line::End);
        }
        if length as u64 > MAX_BYTES {
            let text = format!("a line has more than {} MiB", MAX_BYTES >> 20);
            return Err(io::Error::new(ErrorKind::FileTooLarge, text));
        }
        let end = line.trim_end_matches(['\r', '\n']).len();
        line.truncate(end);
        Ok(Line::Text(line))
    }
}

/// The maximum number of lines that can be recalled.
const HISTORY_LINES: usize = 1000;

/// The options of line editing.
pub(super) struct EditorOptions {
    /// The file that keeps lines from one chat to the next.
    pub(super) history: Option<PathBuf>,
    /// The redactor of lines that can be recalled.
    pub(super) redactor: Redactor,
}

/// Reads lines that can be edited.
struct LineEditor {
    editor: rustyline::Result<rustyline::Editor<CommandCompleter, FileHistory>>,
    options: EditorOptions,
    /// Whether the line was empty at the last Ctrl-C.
    was_empty: Arc<AtomicBool>,
}

impl LineEditor {
    /// Creates an editor that can recall the lines of earlier chats.
    fn new(mut options: EditorOptions) -> Self {
        let was_empty = Arc::new(AtomicBool::new(true));
        let mut editor = create_editor(Arc::clone(&was_empty));
        if let (Ok(editor), Some(path)) = (&mut editor, &options.history)
            && path.exists()
            && let Err(error) = load_lines(editor, path)
        {
            let path = path.display();
            warning_to_stderr(&format!(
                "the lines of earlier chats in `{path}` cannot be read, so those of this chat are \
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

/// Loads the lines of earlier chats. The editor shows a recalled line as it is, so if some of them have
/// characters that control the terminal, these are replaced, in the file, too.
fn load_lines<H: Helper>(
    editor: &mut rustyline::Editor<H, FileHistory>,
    path: &Path,
) -> rustyline::Result<()> {
    // The editor reads a file of any kind and size, and `/proc/kmsg` without an end.
    if is_virtual(path) {
        let text = "it is no ordinary file";
        return Err(io::Error::new(ErrorKind::InvalidInput, text).into());
    }
    agent_spec::file::read(path)?;
    editor.load_history(path)?;
    let lines: Vec<String> = editor.history().iter().cloned().collect();
    if !lines
        .iter()
        .any(|line| line.contains(terminal::controls_terminal))
    {
        return Ok(());
    }
    editor.clear_history()?;
    for line in lines {
        editor.history_mut().add_owned(terminal::text(&line))?;
    }
    editor.save_history(path)
}

fn create_editor(
    was_empty: Arc<AtomicBool>,
) -> rustyline::Result<rustyline::Editor<CommandCompleter, FileHistory>> {
    let config = Config::builder()
        .max_history_size(HISTORY_LINES)?
        .history_ignore_dups(true)?
        .history_ignore_space(true)
        .auto_add_history(false)
        // Tab lists the candidates, as in a shell.
        .completion_type(CompletionType::List)
        // There are no colours; lines are shown by `CommandCompleter::highlight`.
        .color_mode(ColorMode::Forced)
        .build();
    let mut editor = rustyline::Editor::with_config(config)?;
    editor.set_helper(Some(CommandCompleter));
    let interrupt = EventHandler::Conditional(Box::new(InterruptKey(was_empty)));
    editor.bind_sequence(KeyEvent::ctrl('C'), interrupt);
    Ok(editor)
}

impl ReadLine for LineEditor {
    fn read_line(&mut self, request: &Request) -> io::Result<Line> {
        let editor = match &mut self.editor {
            Ok(editor) => editor,
            Err(error) => return Err(io::Error::other(error.to_string())),
        };
        let initial = (request.initial.as_str(), "");
        let read = if request.is_message {
            editor.readline_with_initial(&request.prompt, initial)
        } else {
            // A new editor, because this one may hold lines that were typed before the question.
            let mut editor = create_editor(Arc::clone(&self.was_empty))
                .map_err(|error| io::Error::other(error.to_string()))?;
            editor.readline_with_initial(&request.prompt, initial)
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

impl LineEditor {
    /// Adds a line to those that can be recalled. The line is written at once, because a chat can be
    /// killed.
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
            warning_to_stderr(&format!("lines are not kept in `{path}`: {error}"));
            self.options.history = None;
        }
    }
}

/// Completes commands at Tab.
struct CommandCompleter;

impl Completer for CommandCompleter {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..at).unwrap_or_default();
        Ok((0, slash_command::completions(typed)))
    }
}

impl Hinter for CommandCompleter {
    type Hint = String;
}

impl Highlighter for CommandCompleter {
    /// Shows a line without the characters that control the terminal, which a pasted text may have. The message keeps
    /// them.
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        match line.contains(terminal::controls_terminal) {
            true => Cow::Owned(shown(line)),
            false => Cow::Borrowed(line),
        }
    }

    /// Whether the line must be drawn as a whole.
    fn highlight_char(&self, line: &str, _: usize, _: CmdKind) -> bool {
        line.contains(terminal::controls_terminal)
    }
}

/// Returns a line in the form for the editor. The editor places the cursor as if the line was shown
/// unchanged, so characters and escape sequences without a width are left out, and other characters that
/// control the terminal are replaced.
fn shown(line: &str) -> String {
    let mut shown = String::new();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            // The editor parses this as an escape sequence: one character, or digits after a bracket and one
            // more.
            if chars.next() == Some('[') {
                while chars.next_if(|c| c.is_ascii_digit() || *c == ';').is_some() {}
                chars.next();
            }
        } else if terminal::controls_terminal(c) {
            let width = c.width().unwrap_or(0);
            shown.extend(std::iter::repeat_n('\u{fffd}', width));
        } else {
            shown.push(c);
        }
    }
    shown
}
impl Validator for CommandCompleter {}
impl Helper for CommandCompleter {}

/// The handler of the key Ctrl-C. It notes whether the line was empty.
struct InterruptKey(Arc<AtomicBool>);

impl ConditionalEventHandler for InterruptKey {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        self.0.store(context.line().is_empty(), Ordering::Relaxed);
        Some(Cmd::Interrupt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pasted_line_does_not_control_the_terminal() {
        for (line, expected) in [
            ("plain é 数\tb\nc", "plain é 数\tb\nc"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("a\u{1b}]0;t\u{7}b", "a0;tb"),
            ("a\u{9b}31m\u{202e}\u{200b}b", "a31mb"),
            ("a\u{115f}b\u{1b}", "a\u{fffd}\u{fffd}b"),
        ] {
            let found = CommandCompleter.highlight(line, 0);
            assert_eq!(found, expected);
            assert!(!found.contains(terminal::controls_terminal));
            let is_drawn = CommandCompleter.highlight_char(line, 0, CmdKind::Other);
            assert_eq!(is_drawn, line != expected);
        }
    }
}
