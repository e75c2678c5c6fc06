//! Writing to standard output and standard error.
//!
//! The printing macros panic when nobody reads any more, as in `agent parse big.gram | head`, so
//! they are not used here: a reader that went away has all that it wanted.

mod line;

pub(crate) use line::{clear_line, end_line, moving_to_stdout, part_to_stdout};

use agent_lsp::terminal::sanitize;
use serde::Serialize;
use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};

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
        stderr.write_all(line::begins_line().as_bytes())?;
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
