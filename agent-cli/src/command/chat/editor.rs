//! Lines that can be edited, and recalled.

use super::lines::{Line, Read, Request};
use super::slash;
use crate::outcome::warn;
use agent_runtime::Redactor;
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
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    let interrupt = EventHandler::Conditional(Box::new(Interrupt(was_empty)));
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

/// Looks, at Ctrl-C, whether something was typed.
struct Interrupt(Arc<AtomicBool>);

impl ConditionalEventHandler for Interrupt {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        self.0.store(context.line().is_empty(), Ordering::Relaxed);
        Some(Cmd::Interrupt)
    }
}
