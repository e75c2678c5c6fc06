//! Places in texts, counted anew each time, character by character.

use serde_json::{Value, json};

/// In what columns are counted.
#[derive(Clone, Copy, Debug)]
pub enum Encoding {
    Utf8,
    Utf16,
    Utf32,
}

impl Encoding {
    pub const ALL: [Self; 3] = [Self::Utf8, Self::Utf16, Self::Utf32];

    /// What the protocol calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    fn units(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// The place of an offset. One between CR and LF is where the line ends.
pub fn position(text: &str, offset: usize, encoding: Encoding) -> Value {
    let (mut line, mut column) = (0, 0);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if at >= offset {
            break;
        }
        match c {
            '\r' if chars.peek().is_some_and(|(_, next)| *next == '\n') => {}
            '\r' | '\n' => (line, column) = (line + 1, 0),
            c => column += encoding.units(c),
        }
    }
    json!({"line": line, "character": column})
}
