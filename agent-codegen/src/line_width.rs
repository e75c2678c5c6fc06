//! Widths of lines in columns, as rustfmt counts them: letters of some scripts take two columns.

use unicode_width::UnicodeWidthStr;

/// The maximum width of a line.
pub(crate) const LINE: usize = 100;

/// Returns the width of a text.
pub(crate) fn width_of(text: &str) -> usize {
    text.width()
}
