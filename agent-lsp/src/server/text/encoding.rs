//! The unit in which the client counts columns.

use agent_gram::Span;
use gen_lsp_types::PositionEncodingKind;

/// The unit of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::server) enum Encoding {
    /// Bytes.
    Utf8,
    /// Code units of UTF-16, the default of the protocol.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// Chooses one of the encodings that a client offers by their names in the protocol. UTF-8 comes first,
    /// because its columns need no conversion.
    pub(in crate::server) fn negotiate<'a>(offered: impl IntoIterator<Item = &'a str>) -> Self {
        let offered = offered.into_iter().filter_map(|name| match name {
            "utf-8" => Some(Self::Utf8),
            "utf-16" => Some(Self::Utf16),
            "utf-32" => Some(Self::Utf32),
            _ => None,
        });
        let rank = |encoding: &Self| match encoding {
            Self::Utf8 => 0,
            Self::Utf16 => 1,
            Self::Utf32 => 2,
        };
        offered.min_by_key(rank).unwrap_or_default()
    }

    /// Returns the name in the protocol.
    pub(in crate::server) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// Returns the number of units of the character that starts with a byte of UTF-8, or 0 if the byte
    /// continues a character.
    const fn units(self, byte: u8) -> usize {
        match self {
            Self::Utf8 => 1,
            _ if byte & 0xc0 == 0x80 => 0,
            Self::Utf16 if byte >= 0xf0 => 2,
            Self::Utf16 | Self::Utf32 => 1,
        }
    }

    /// Returns the number of units of all characters that start in these bytes.
    pub(super) fn count(self, bytes: &[u8]) -> usize {
        bytes.iter().map(|byte| self.units(*byte)).sum()
    }

    /// Returns the offset that is `units` units after the start of a span, rounded down to the start of a
    /// character, or the end of the span if it has fewer units.
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
