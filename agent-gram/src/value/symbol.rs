//! Bare words and tagged text.

use super::Text;
use crate::error::ValueError;

/// A bare word: a letter or `_`, then letters, digits, `_`, `.`, `@`, `-`. ASCII only.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Symbol(Text);

impl Symbol {
    /// Creates a symbol. `true` and `false` are refused, because they would be read as booleans.
    ///
    /// # Errors
    /// If the text is not a symbol.
    pub fn new(text: impl Into<Text>) -> Result<Self, ValueError> {
        let text = text.into();
        if is_symbol(&text) && text != "true" && text != "false" {
            Ok(Self(text))
        } else {
            Err(ValueError::BadSymbol(text.into_string()))
        }
    }

    /// Creates a symbol in a `const`.
    ///
    /// # Panics
    /// If the text is not a symbol, or is `true` or `false`.
    #[must_use]
    pub const fn from_static(text: &'static str) -> Self {
        assert!(is_symbol(text), "not a gram symbol");
        assert!(
            !matches!(text.as_bytes(), b"true" | b"false"),
            "a boolean, not a symbol"
        );
        Self(Text::from_static(text))
    }

    /// Returns the symbol as a text.
    #[must_use]
    pub const fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// A text with a tag that names its notation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tagged {
    tag: Text,
    content: Text,
}

impl Tagged {
    /// Creates a tagged text.
    ///
    /// # Errors
    /// If the tag is not a symbol.
    pub fn new(tag: impl Into<Text>, content: impl Into<Text>) -> Result<Self, ValueError> {
        let tag = tag.into();
        if is_symbol(&tag) {
            Ok(Self {
                tag,
                content: content.into(),
            })
        } else {
            Err(ValueError::BadSymbol(tag.into_string()))
        }
    }

    /// Creates a tagged text in a `const`.
    ///
    /// # Panics
    /// If the tag is not a symbol.
    #[must_use]
    pub const fn from_static(tag: &'static str, content: &'static str) -> Self {
        assert!(is_symbol(tag), "not a gram symbol");
        Self {
            tag: Text::from_static(tag),
            content: Text::from_static(content),
        }
    }

    /// Returns the tag.
    #[must_use]
    pub const fn tag(&self) -> &str {
        self.tag.as_str()
    }

    /// Returns the text.
    #[must_use]
    pub const fn content(&self) -> &str {
        self.content.as_str()
    }
}

/// Whether a text can be written without quotes as a name, label or key.
#[must_use]
pub const fn is_symbol(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.is_empty() || !(bytes[0].is_ascii_alphabetic() || bytes[0] == b'_') {
        return false;
    }
    let mut at = 1;
    while at < bytes.len() {
        if !is_symbol_byte(bytes[at]) {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether a symbol can contain the byte.
pub(crate) const fn is_symbol_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'@' | b'-')
}
