//! In what the client counts columns.

use agent_gram::Span;
use gen_lsp_types::PositionEncodingKind;

/// What a column counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::server) enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of UTF-16, two for what lies beyond the first 65,536 characters. Every client knows these.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The one to use with a client that offers these, by the names that the protocol has for them:
    /// that which costs us nothing, if we may choose.
    pub(in crate::server) fn chosen_of<'a>(offered: impl IntoIterator<Item = &'a str>) -> Self {
        let offered = offered.into_iter().filter_map(|name| match name {
            "utf-8" => Some(Self::Utf8),
            "utf-16" => Some(Self::Utf16),
            "utf-32" => Some(Self::Utf32),
            _ => None,
        });
        let ours = |encoding: &Self| match encoding {
            Self::Utf8 => 0,
            Self::Utf16 => 1,
            Self::Utf32 => 2,
        };
        offered.min_by_key(ours).unwrap_or_default()
    }

    /// What the protocol calls it.
    pub(in crate::server) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// How many units the character has that starts with this byte of UTF-8; none, when none does.
    const fn units(self, byte: u8) -> usize {
        match self {
            Self::Utf8 => 1,
            _ if byte & 0xc0 == 0x80 => 0,
            Self::Utf16 if byte >= 0xf0 => 2,
            Self::Utf16 | Self::Utf32 => 1,
        }
    }

    /// How many units the characters have that start in these bytes of UTF-8.
    pub(super) fn count(self, bytes: &[u8]) -> usize {
        bytes.iter().map(|byte| self.units(*byte)).sum()
    }

    /// How far this many units reach within a span, to the beginning of a character.
    pub(super) fn advance(self, text: &[u8], span: Span, units: usize) -> usize {
        let mut seen = 0;
        for (at, byte) in text[span.start..span.end].iter().enumerate() {
            let width = self.units(*byte);
            if width > 0 && seen + width > units {
                return span.start + at;
            }
            seen += width;
        }
        span.end
    }
}
