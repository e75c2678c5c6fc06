//! Writing to standard output and standard error.
//!
//! The printing macros panic when the reader has gone away, as in `agent parse big.gram | head`, so they
//! are not used here.

use agent_lsp::terminal::sanitize;
use serde::Serialize;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, StdoutLock, Write};
use std::sync::atomic::{AtomicU8, Ordering};

/// Writes to standard output; that the reader has gone away is no error.
///
/// # Errors
/// When writing fails for another reason, such as a full disk.
pub(crate) fn to_stdout(
    write: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            // What is left in the buffer would be written, and fail, when it is dropped.
            let _ = out.into_parts();
            Ok(())
        }
        written => written,
    }
}

/// Writes a line to standard output.
///
/// # Errors
/// As with [`to_stdout`].
pub(crate) fn line_to_stdout(line: &str) -> io::Result<()> {
    to_stdout(|out| writeln!(out, "{line}"))
}

/// Writes one JSON document to standard output, indented, with a line end.
///
/// # Errors
/// As with [`to_stdout`].
pub(crate) fn json_to_stdout(document: &impl Serialize) -> io::Result<()> {
    to_stdout(|out| {
        serde_json::to_writer_pretty(&mut *out, document)?;
        out.write_all(b"\n")
    })
}

/// Writes a text to standard error. When that fails there is nobody left to tell.
pub(crate) fn to_stderr(text: &str) {
    let _ = Stderr.write_all(text.as_bytes());
}

/// Standard error. What is written begins a line, also on a terminal where a line of standard output was
/// begun.
pub(crate) struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut stderr = io::stderr().lock();
        stderr.write_all(begin_line().as_bytes())?;
        stderr.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Writes `error: …` to standard error. Messages may quote what a server or a file says.
pub(crate) fn error_to_stderr(message: &str) {
    to_stderr(&format!("error: {}\n", sanitize(message)));
}

const ENDED: u8 = 0;
/// Something stands in the line, and more may come.
const BEGUN: u8 = 1;
/// More may come, and what came last ended with a line end.
const AT_START: u8 = 2;
/// What stands in the line is drawn anew all the time, and removed in the end.
const MOVING: u8 = 3;

/// Removes what stands in a line of a terminal.
const CLEAR: &str = "\r\u{1b}[K";

/// How the line stands. One for the program, as standard output is: what writes to standard error must
/// know of it, tracing included.
static LINE: AtomicU8 = AtomicU8::new(ENDED);

/// Writes a part of a line, to be ended with [`end_line`].
///
/// # Errors
/// As with [`to_stdout`].
pub(crate) fn part_to_stdout(text: &str) -> io::Result<()> {
    let line = if text.ends_with('\n') {
        AT_START
    } else {
        BEGUN
    };
    LINE.store(line, Ordering::Relaxed);
    to_stdout(|out| out.write_all(text.as_bytes()))
}

/// Ends a line of which parts were written, unless something on standard error has.
///
/// # Errors
/// As with [`to_stdout`].
pub(crate) fn end_line() -> io::Result<()> {
    match LINE.swap(ENDED, Ordering::Relaxed) {
        ENDED => Ok(()),
        _ => to_stdout(|out| out.write_all(b"\n")),
    }
}

/// Draws a line that moves, to be removed with [`clear_line`].
///
/// # Errors
/// As with [`to_stdout`].
pub(crate) fn moving_to_stdout(text: &str) -> io::Result<()> {
    LINE.store(MOVING, Ordering::Relaxed);
    to_stdout(|out| out.write_all(text.as_bytes()))
}

/// Removes a line that moves.
///
/// # Errors
/// As with [`to_stdout`].
pub(crate) fn clear_line() -> io::Result<()> {
    LINE.store(ENDED, Ordering::Relaxed);
    to_stdout(|out| out.write_all(CLEAR.as_bytes()))
}

/// What must come before a text on standard error so that it begins a line: when both are terminals,
/// they are the same one.
fn begin_line() -> &'static str {
    if LINE.load(Ordering::Relaxed) == ENDED
        || !io::stdout().is_terminal()
        || !io::stderr().is_terminal()
    {
        return "";
    }
    match LINE.swap(ENDED, Ordering::Relaxed) {
        BEGUN => "\n",
        MOVING => CLEAR,
        _ => "",
    }
}
