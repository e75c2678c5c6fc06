//! The types of the JSON objects that stand for media.

use crate::constraints::Constraints;
use crate::media::MediaKind;
use crate::types::{Field, Kind, Shape, Type};
use agent_gram::Value;
use agent_gram::value::{Nest, Text};
use std::borrow::Cow;

impl MediaKind {
    /// The type of the JSON that stands for the media.
    #[must_use]
    pub const fn form(self) -> &'static Type {
        match self {
            Self::Image => IMAGE,
            Self::Audio => AUDIO,
            Self::Document => DOCUMENT,
            Self::Part => PART,
            Self::Parts => PARTS,
        }
    }
}

const IMAGE: &Type = &object(const { &fields(IMAGE_WORD) });
const AUDIO: &Type = &object(const { &fields(AUDIO_WORD) });
const DOCUMENT: &Type = &object(const { &fields(DOCUMENT_WORD) });
const PARTS: &Type = &Type::new(Kind::Array(Nest::from_static(PART)));
const PART: &Type = &object(
    const {
        &[
            kind(PART_WORD),
            field("text", "The text of a part of the type `text`."),
            MEDIA_TYPE,
            NAME,
            DATA,
            URL,
            SHA256,
            FILE_ID,
            PROVIDER,
        ]
    },
);

const IMAGE_WORD: &Type = &one_of(const { &Constraints::one_of(const { &[word("image")] }) });
const AUDIO_WORD: &Type = &one_of(const { &Constraints::one_of(const { &[word("audio")] }) });
const DOCUMENT_WORD: &Type = &one_of(const { &Constraints::one_of(const { &[word("document")] }) });
const PART_WORD: &Type = &one_of(
    const {
        &Constraints::one_of(
            const { &[word("text"), word("image"), word("audio"), word("document")] },
        )
    },
);

const MEDIA_TYPE: Field = field("mediaType", "The media type, such as `image/png`.");
const NAME: Field = field("name", "The name of the file.");
const DATA: Field = field("data", "The bytes in base64.");
const URL: Field = field(
    "url",
    "The address at which the provider of the model fetches the bytes.",
);
const SHA256: Field = field("sha256", "The digest of bytes that are kept elsewhere.");
const FILE_ID: Field = field("fileId", "The id that a provider gave to an uploaded file.");
const PROVIDER: Field = field("provider", "The provider of the `fileId`.");

const OPTIONAL_TEXT: &Type = &Type::new(Kind::Text).with_optional(true);

const fn word(text: &'static str) -> Value {
    Value::String(Text::from_static(text))
}

const fn one_of(words: &'static Constraints) -> Type {
    Type::from_static(Kind::Text, false, words)
}

const fn object(fields: &'static [Field]) -> Type {
    Type::new(Kind::Object(Shape::Fields(Cow::Borrowed(fields))))
}

/// The fields of a part that holds media.
const fn fields(word: &'static Type) -> [Field; 8] {
    [
        kind(word),
        MEDIA_TYPE,
        NAME,
        DATA,
        URL,
        SHA256,
        FILE_ID,
        PROVIDER,
    ]
}

const fn kind(word: &'static Type) -> Field {
    Field::from_static("type", word, None, None)
}

const fn field(name: &'static str, description: &'static str) -> Field {
    Field::from_static(name, OPTIONAL_TEXT, None, Some(description))
}
