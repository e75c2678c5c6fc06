//! The line that standard output stands in.

use super::to_stdout;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU8, Ordering};

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
pub(super) fn begins_line() -> &'static str {
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
