//! How wide texts are, as rustfmt counts it: letters of some scripts take the place of two.

use unicode_width::UnicodeWidthStr;

/// The widest line.
pub(super) const LINE: usize = 100;

/// The columns that a text takes.
pub(super) fn width_of(text: &str) -> usize {
    text.width()
}
