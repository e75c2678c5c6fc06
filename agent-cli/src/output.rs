//! Writing to standard output and standard error.
//!
//! The printing macros are not used, because they panic when the reader of a pipe has exited, as in `agent
//! parse big.gram | head`.

use crate::echo::was_stopped;
use crate::rows::{broken, columns};
use agent_project::report::counted;
use agent_spec::terminal;
use serde::Serialize;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use unicode_width::UnicodeWidthChar;

/// Writes a text to standard output as it is. A closed pipe is not an error.
///
/// # Errors
/// Returns an error if writing fails for another reason, such as a full disk.
pub(crate) fn to_stdout(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes whole lines of a text for people to standard output. On a terminal, long lines are broken into rows.
///
/// # Errors
/// Returns an error if writing fails, as [`to_stdout`] does.
pub(crate) fn text_to_stdout(text: &str) -> io::Result<()> {
    match columns(&io::stdout()) {
        Some(columns) => to_stdout(&broken(text, columns, 0).0),
        None => to_stdout(text),
    }
}

/// Writes a line to standard output, as [`text_to_stdout`] does.
///
/// # Errors
/// Returns an error if writing fails, as [`to_stdout`] does.
pub(crate) fn line_to_stdout(line: &str) -> io::Result<()> {
    text_to_stdout(&format!("{line}\n"))
}

/// Writes a document, such as gram, to standard output: unchanged to a file or pipe, because programs read it there. On
/// a terminal, characters that control it are replaced; lines are not broken, because a document is copied from there.
///
/// # Errors
/// Returns an error if writing fails, as [`to_stdout`] does.
pub(crate) fn document_to_stdout(document: &str) -> io::Result<()> {
    match io::stdout().is_terminal() {
        true => to_stdout(&terminal::text(document)),
        false => to_stdout(document),
    }
}

/// Writes a diff to standard output, as [`document_to_stdout`] does. On a terminal, long lines are broken, too, so that
/// each row begins with a mark of the diff or is indented.
///
/// # Errors
/// Returns an error if writing fails, as [`to_stdout`] does.
pub(crate) fn diff_to_stdout(diff: &str) -> io::Result<()> {
    match io::stdout().is_terminal() {
        true => text_to_stdout(&terminal::text(diff)),
        false => to_stdout(diff),
    }
}

/// Writes one JSON document to standard output, as [`json_text`] formats it.
///
/// # Errors
/// Returns an error if writing fails, as [`to_stdout`] does.
pub(crate) fn json_to_stdout(document: &impl Serialize) -> io::Result<()> {
    to_stdout(&json_text(document)?)
}

/// Formats one JSON document, indented, with a line end. Characters that control a terminal are escaped.
///
/// # Errors
/// Returns an error if the document cannot be serialized.
pub(crate) fn json_text(document: &impl Serialize) -> io::Result<String> {
    Ok(terminal::json(&serde_json::to_string_pretty(document)?) + "\n")
}

/// Writes a text to standard error. Failures are ignored, because they cannot be reported anywhere.
pub(crate) fn to_stderr(text: &str) {
    let _ = Stderr.write_all(text.as_bytes());
}

/// Standard error. Each write begins a new line if standard output has begun one on the same terminal.
pub(crate) struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut stderr = io::stderr().lock();
        if IS_REDRAWN.swap(false, Ordering::Relaxed) {
            stderr.write_all(CLEAR.as_bytes())?;
        }
        stderr.write_all(end_of_last_line().as_bytes())?;
        IS_INTERRUPTED.store(true, Ordering::Relaxed);
        match (columns(&stderr), std::str::from_utf8(bytes)) {
            (Some(columns), Ok(text)) => {
                let (rows, _) = broken(text, columns, 0);
                stderr.write_all(rows.as_bytes())?;
                Ok(bytes.len())
            }
            _ => stderr.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Whether the last line of standard error is one that is redrawn.
static IS_REDRAWN: AtomicBool = AtomicBool::new(false);

/// Draws a line on standard error, which is a terminal, in place of the last such line. The next write to
/// standard error removes it.
pub(crate) fn redrawn_to_stderr(line: &str) {
    to_stderr(line);
    IS_REDRAWN.store(true, Ordering::Relaxed);
}

/// Writes `error: …` to standard error. The message may quote a server or a file, so characters that control
/// the terminal are replaced, further lines are indented, and the length is limited.
pub(crate) fn error_to_stderr(message: &str) {
    to_stderr(&format!("error: {}\n", shown_message(message)));
}

/// The maximum number of errors of a list that are written.
const MAX_ERRORS: usize = 100;

/// Writes errors as [`error_to_stderr`] does. After [`MAX_ERRORS`] errors, writes the number of further
/// errors.
pub(crate) fn errors_to_stderr(messages: &[String]) {
    for message in messages.iter().take(MAX_ERRORS) {
        error_to_stderr(message);
    }
    if messages.len() > MAX_ERRORS {
        error_to_stderr(&counted(messages.len() - MAX_ERRORS, "more error"));
    }
}

/// Writes `warning: …` to standard error, in the same way as [`error_to_stderr`].
pub(crate) fn warning_to_stderr(message: &str) {
    to_stderr(&format!("warning: {}\n", shown_message(message)));
}

/// The maximum number of characters of an error or a warning.
const MAX_MESSAGE: usize = 8000;

/// Returns the form of a message for a terminal. Its further lines are indented, so that none of them looks like
/// a line of the command itself: by two blanks, as causes are, or by four and more. The question about a call is
/// indented by three.
fn shown_message(message: &str) -> String {
    let (kept, cut) = match message.char_indices().nth(MAX_MESSAGE) {
        Some((at, _)) => (&message[..at], "…"),
        None => (message, ""),
    };
    let lines = terminal::text(kept);
    let lines: Vec<String> = lines
        .split('\n')
        .enumerate()
        .map(|(at, line)| match line {
            line if at == 0 || line.is_empty() || has_two_blanks(line) => line.to_owned(),
            line if line.starts_with(is_blank) => format!("    {line}"),
            line => format!("  {line}"),
        })
        .collect();
    lines.join("\n") + cut
}

/// Whether a line is indented by two blanks, as a cause is.
fn has_two_blanks(line: &str) -> bool {
    line.strip_prefix("  ")
        .is_some_and(|rest| !rest.starts_with(is_blank))
}

/// Whether a character looks like a blank on a terminal, or like nothing.
pub(crate) fn is_blank(c: char) -> bool {
    // Unicode does not count the Braille pattern without dots as whitespace.
    c.is_whitespace() || c == '\u{2800}' || c.width().unwrap_or(0) == 0
}

/// No part of a line was written.
const ENDED: u8 = 0;
/// A part of a line was written.
const BEGUN: u8 = 1;
/// A part was written that ended with a line end.
const AT_START: u8 = 2;
/// A line that is redrawn was written.
const REDRAWN: u8 = 3;

/// The escape sequence that removes the current line of a terminal.
const CLEAR: &str = "\r\u{1b}[K";

/// The state of the last line of standard output. The state is global, because all code that writes to
/// standard error needs it, including tracing.
static LINE: AtomicU8 = AtomicU8::new(ENDED);

/// The column where the last part of a line ended, on a terminal.
static COLUMN: AtomicUsize = AtomicUsize::new(0);

/// Whether something was written to standard error since the last part of a line.
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Writes a part of a line. [`end_line`] ends the line. `part` gets whether the last part may have been followed by
/// lines on standard error or of a shell, so that this part begins a line.
///
/// # Errors
/// Returns an error if writing fails, as [`to_stdout`] does.
pub(crate) fn part_to_stdout(part: impl FnOnce(bool) -> String) -> io::Result<()> {
    // Standard error is locked, so that nothing is written there between the check and the part.
    let stderr = io::stderr().lock();
    // A terminal and a pipe are not the same place; two terminals or two pipes may be.
    let is_one_place = io::stdout().is_terminal() == stderr.is_terminal();
    let is_interrupted = IS_INTERRUPTED.swap(false, Ordering::Relaxed) && is_one_place;
    let begins_line = was_stopped() || is_interrupted;
    if begins_line || LINE.load(Ordering::Relaxed) == ENDED {
        COLUMN.store(0, Ordering::Relaxed);
    }
    let text = part(begins_line);
    if text.is_empty() {
        return Ok(());
    }
    let line = if text.ends_with('\n') {
        AT_START
    } else {
        BEGUN
    };
    LINE.store(line, Ordering::Relaxed);
    let rows = match columns(&io::stdout()) {
        Some(columns) => {
            let (rows, column) = broken(&text, columns, COLUMN.load(Ordering::Relaxed));
            COLUMN.store(column, Ordering::Relaxed);
            rows
        }
        None => text,
    };
    to_stdout(&rows)
}

/// Ends a line that was begun, unless a write to standard error has ended it.
///
/// # Errors
/// Returns an error if writing fails, as [`to_stdout`] does.
pub(crate) fn end_line() -> io::Result<()> {
    match LINE.swap(ENDED, Ordering::Relaxed) {
        ENDED => Ok(()),
        _ => to_stdout("\n"),
    }
}

/// Draws a line that is redrawn later. [`clear_line`] removes the line.
///
/// # Errors
/// Returns an error if writing fails, as [`to_stdout`] does.
pub(crate) fn redrawn_to_stdout(text: &str) -> io::Result<()> {
    LINE.store(REDRAWN, Ordering::Relaxed);
    to_stdout(text)
}

/// Removes a line that was drawn with [`redrawn_to_stdout`].
///
/// # Errors
/// Returns an error if writing fails, as [`to_stdout`] does.
pub(crate) fn clear_line() -> io::Result<()> {
    LINE.store(ENDED, Ordering::Relaxed);
    to_stdout(CLEAR)
}

/// Returns the text that ends the last line of standard output before a text on standard error. Two outputs
/// that are terminals are treated as the same terminal.
fn end_of_last_line() -> &'static str {
    if LINE.load(Ordering::Relaxed) == ENDED
        || !io::stdout().is_terminal()
        || !io::stderr().is_terminal()
    {
        return "";
    }
    match LINE.swap(ENDED, Ordering::Relaxed) {
        BEGUN => "\n",
        REDRAWN => CLEAR,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_further_line_of_a_message_looks_like_a_question() {
        let question = crate::display::APPROVAL.trim_ascii();
        let blanks = [" ", "\t", "\u{a0}", "\u{2800}", "\u{3000}", "\u{200d}", ""];
        for first in blanks {
            for second in blanks {
                for third in blanks {
                    let line = format!("{first}{second}{third}{question}");
                    let shown = shown_message(&format!("no\n{line}"));
                    let shown = shown.strip_prefix("no\n").expect("two lines");
                    let (indent, _) = shown.split_once(question).expect("the text");
                    let width: usize = indent.chars().map(|c| c.width().unwrap_or(4)).sum();
                    assert!(width == 2 || width >= 4, "{shown:?}");
                }
            }
        }
    }

    #[test]
    fn indents_further_lines_of_messages() {
        for (message, shown) in [
            ("a", "a"),
            ("a\nb\n\nc", "a\n  b\n\n  c"),
            ("a\n  caused by: b", "a\n  caused by: b"),
            ("a\n🤖 b\n   c\n c", "a\n  🤖 b\n       c\n     c"),
        ] {
            assert_eq!(shown_message(message), shown);
        }
    }
}
