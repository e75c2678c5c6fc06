//! Writing to standard output and standard error.
//!
//! The printing macros are not used, because they panic when the reader of a pipe has exited, as in `agent
//! parse big.gram | head`.

use crate::echo::was_stopped;
use crate::rows::{broken, columns};
use agent_project::report::counted;
use agent_spec::terminal;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, StdoutLock, Write};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use unicode_width::UnicodeWidthChar;

/// Writes to standard output. A closed pipe is not an error.
///
/// # Errors
/// Returns an error if writing fails for another reason, such as a full disk.
pub(crate) fn to_stdout(
    write: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            // Dropping the writer would try to write the rest of the buffer.
            let _ = out.into_parts();
            Ok(())
        }
        written => written,
    }
}

/// Writes whole lines of a text for people to standard output. On a terminal, long lines are broken into rows.
///
/// # Errors
/// Returns an error if writing fails, as [`to_stdout`] does.
pub(crate) fn text_to_stdout(text: &str) -> io::Result<()> {
    match columns(&io::stdout()) {
        Some(columns) => {
            let (rows, _) = broken(text, columns, 0);
            to_stdout(|out| out.write_all(rows.as_bytes()))
        }
        None => to_stdout(|out| out.write_all(text.as_bytes())),
    }
}

/// Writes a text for people to standard output part by part. It is shown as [`text_to_stdout`] shows it.
///
/// # Errors
/// Returns an error if writing fails, as [`to_stdout`] does.
pub(crate) fn written_to_stdout(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if !io::stdout().is_terminal() {
        return to_stdout(|out| write(out));
    }
    let mut text = Vec::new();
    write(&mut text)?;
    text_to_stdout(&String::from_utf8_lossy(&text))
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
        true => to_stdout(|out| out.write_all(terminal::text(document).as_bytes())),
        false => to_stdout(|out| out.write_all(document.as_bytes())),
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
        false => to_stdout(|out| out.write_all(diff.as_bytes())),
    }
}

/// Writes one JSON document to standard output, indented, with a line end. Characters that control a terminal
/// are escaped.
///
/// # Errors
/// Returns an error if writing fails, as [`to_stdout`] does.
pub(crate) fn json_to_stdout(document: &impl Serialize) -> io::Result<()> {
    to_stdout(|out| write_json(out, document))
}

/// Writes one JSON document, indented, with a line end. Characters that control a terminal are escaped.
///
/// # Errors
/// Returns an error if writing fails.
pub(crate) fn write_json(out: impl Write, document: &impl Serialize) -> io::Result<()> {
    write_escaped(out, document, PrettyFormatter::new())
}

/// Writes one JSON document on a line, with a line end. Characters that control a terminal are escaped.
///
/// # Errors
/// Returns an error if writing fails.
pub(crate) fn write_json_line(out: impl Write, document: &impl Serialize) -> io::Result<()> {
    write_escaped(out, document, CompactFormatter)
}

fn write_escaped(
    mut out: impl Write,
    document: &impl Serialize,
    formatter: impl Formatter,
) -> io::Result<()> {
    let formatter = EscapingFormatter(formatter);
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
    document.serialize(&mut serializer)?;
    out.write_all(b"\n")
}

/// Formats JSON whose strings have escapes for the characters that control a terminal.
struct EscapingFormatter<F>(F);

impl<F: Formatter> Formatter for EscapingFormatter<F> {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if fragment.contains(terminal::controls_terminal) {
            return out.write_all(terminal::json(fragment).as_bytes());
        }
        out.write_all(fragment.as_bytes())
    }

    fn write_raw_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        self.write_string_fragment(out, fragment)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
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

/// Writes errors as [`error_to_stderr`] does. After the first ones, and for the `more` errors without a message, it
/// writes how many there are.
pub(crate) fn errors_to_stderr(messages: &[impl AsRef<str>], more: usize) {
    for message in messages.iter().take(MAX_ERRORS) {
        error_to_stderr(message.as_ref());
    }
    let more = more + messages.len().saturating_sub(MAX_ERRORS);
    if more > 0 {
        error_to_stderr(&counted(more, "more error"));
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
    // The pattern of Braille without dots is no whitespace in Unicode.
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

/// The state of the last line of standard output. It is global, because everything that writes to standard
/// error must know it, tracing included.
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
    // Locked, so that nothing is written to standard error between the answer and the part.
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
    to_stdout(|out| out.write_all(rows.as_bytes()))
}

/// Ends a line that was begun, unless a write to standard error has ended it.
///
/// # Errors
/// Returns an error if writing fails, as [`to_stdout`] does.
pub(crate) fn end_line() -> io::Result<()> {
    match LINE.swap(ENDED, Ordering::Relaxed) {
        ENDED => Ok(()),
        _ => to_stdout(|out| out.write_all(b"\n")),
    }
}

/// Draws a line that is redrawn later. [`clear_line`] removes the line.
///
/// # Errors
/// Returns an error if writing fails, as [`to_stdout`] does.
pub(crate) fn redrawn_to_stdout(text: &str) -> io::Result<()> {
    LINE.store(REDRAWN, Ordering::Relaxed);
    to_stdout(|out| out.write_all(text.as_bytes()))
}

/// Removes a line that was drawn with [`redrawn_to_stdout`].
///
/// # Errors
/// Returns an error if writing fails, as [`to_stdout`] does.
pub(crate) fn clear_line() -> io::Result<()> {
    LINE.store(ENDED, Ordering::Relaxed);
    to_stdout(|out| out.write_all(CLEAR.as_bytes()))
}

/// Returns the text that ends the last line of standard output before a text on standard error. When both
/// are terminals, they are the same one.
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
