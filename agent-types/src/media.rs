//! The types of media that a tool returns.

/// A type of media. It is allowed only as the whole result of a tool, because a model reads media beside the
/// text of a result and never inside of it.
///
/// In JSON an image, audio or a document is an object such as
/// `{"type": "image", "mediaType": "image/png", "data": "…"}`. It has one of `data` (base64), `url`, `sha256`, or
/// `fileId` with `provider`. `Parts` is an array of such objects and of `{"type": "text", "text": "…"}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MediaKind {
    /// An image.
    Image,
    /// Audio.
    Audio,
    /// A document: a PDF or a text file.
    Document,
    /// Texts, images, audio and documents, in order.
    Parts,
    /// One element of `Parts`. It has no label in gram.
    #[doc(hidden)]
    Part,
}

impl MediaKind {
    /// The kinds that gram has labels for.
    pub const ALL: [MediaKind; 4] = [Self::Image, Self::Audio, Self::Document, Self::Parts];

    /// The label in gram.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Image => "Image",
            Self::Audio => "Audio",
            Self::Document => "Document",
            Self::Parts => "Parts",
            Self::Part => "Part",
        }
    }

    /// The error of media in a place other than a whole result.
    pub fn misplaced(self) -> String {
        format!("`{}` stands only as a whole result", self.label())
    }

    /// The help for [`misplaced`](Self::misplaced).
    pub fn misplaced_help(self) -> String {
        match self {
            Self::Parts | Self::Part => "let a tool return it, `==>(::Parts)`".to_owned(),
            _ => format!(
                "let a tool return it, `==>(::{})`, or beside texts and other media, `==>(::Parts)`",
                self.label()
            ),
        }
    }

    pub(crate) const fn is_same(self, other: Self) -> bool {
        self as u8 == other as u8
    }
}
