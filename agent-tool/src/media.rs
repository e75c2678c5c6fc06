//! Images, documents and audio, and the parts of messages that hold them.

pub(crate) mod check;
pub(crate) mod dimensions;
pub(crate) mod kept;
mod media_type;
pub(crate) mod noting;
pub(crate) mod part;
pub(crate) mod result;
pub(crate) mod url;

pub use crate::read_json::ReadError;
pub(crate) use dimensions::dimensions;
pub(crate) use kept::KeptMedia;
pub(crate) use noting::Noting;
pub(crate) use part::{MediaForm, checked_part_from_json, part_from_json, part_to_json};
pub use part::{Part, ProviderPart, Thinking};
pub(crate) use result::read_media_result;

use agent_spec::{GramType, Kind, MediaKind, Type};
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use media_type::{by_extension, family, plain_media_type, sniff, text_of_utf16};
use serde_core::de::{self, Deserialize, Deserializer};
use serde_core::ser::{Serialize, Serializer};
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

/// Base64 as providers and MCP write it. The padding may be missing when it is read.
pub const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The bytes of an image, a document or audio, or the place where a provider finds them. Cloning is cheap.
///
/// [`Image`], [`Document`] and [`Audio`] each hold one `Media` and have its methods.
#[derive(Clone, PartialEq, Eq)]
pub struct Media {
    media_type: Option<String>,
    name: Option<String>,
    source: Source,
}

#[derive(Clone, PartialEq, Eq)]
enum Source {
    Bytes(Arc<Bytes>),
    Url(String),
    Sha256(Sha256),
    File { provider: String, id: String },
}

/// Bytes, and their digest once it was computed.
struct Bytes {
    bytes: Vec<u8>,
    sha256: OnceLock<Sha256>,
}

impl Bytes {
    fn new(bytes: Vec<u8>) -> Arc<Self> {
        Arc::new(Self {
            bytes,
            sha256: OnceLock::new(),
        })
    }

    fn sha256(&self) -> Sha256 {
        *self.sha256.get_or_init(|| Sha256::of(&self.bytes))
    }
}

/// The digest is left out, because the bytes determine it.
impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Bytes {}

impl Media {
    fn new(source: Source, media_type: Option<&str>) -> Self {
        Self {
            media_type: media_type.map(str::to_owned),
            name: None,
            source,
        }
    }

    /// Creates media from bytes. The media type is detected from the first bytes. A text in UTF-16 is
    /// converted to UTF-8.
    #[doc(hidden)]
    pub fn of_bytes(bytes: Vec<u8>) -> Self {
        let bytes = text_of_utf16(&bytes).map_or(bytes, String::into_bytes);
        let media_type = sniff(&bytes);
        Self::new(Source::Bytes(Bytes::new(bytes)), media_type)
    }

    /// Creates media from a URL. The media type is determined by the file extension.
    pub(crate) fn of_url(url: String) -> Self {
        let media_type = by_extension(&url);
        Self::new(Source::Url(url), media_type)
    }

    /// Creates media from the digest of bytes that are kept elsewhere.
    #[doc(hidden)]
    pub fn of_sha256(sha256: Sha256) -> Self {
        Self::new(Source::Sha256(sha256), None)
    }

    /// Creates media from a file that was uploaded to a provider.
    pub(crate) fn of_file(provider: String, id: String) -> Self {
        Self::new(Source::File { provider, id }, None)
    }

    #[doc(hidden)]
    pub fn set_media_type(&mut self, media_type: Option<String>) {
        self.media_type = media_type;
    }

    pub(crate) fn set_name(&mut self, name: Option<String>) {
        self.name = name;
    }

    /// Replaces the digest, or earlier bytes, by these bytes.
    #[doc(hidden)]
    pub fn fill(&mut self, bytes: Vec<u8>) {
        self.source = Source::Bytes(Bytes::new(bytes));
    }

    /// Replaces the digest by the bytes of `kept`.
    #[doc(hidden)]
    #[must_use]
    pub fn with_kept_bytes(mut self, kept: &Self) -> Self {
        self.source = kept.source.clone();
        self.media_type = self.media_type.or_else(|| kept.media_type.clone());
        self
    }

    /// Replaces the bytes, which are kept elsewhere, by their digest.
    #[doc(hidden)]
    #[must_use]
    pub fn with_digest_only(mut self, sha256: Sha256) -> Self {
        self.source = Source::Sha256(sha256);
        self
    }

    /// Returns the media with the bytes of `fetched` in the place of the URL. The media type is detected from
    /// the bytes. The declared type is kept if both types are texts, or if none is detected.
    #[doc(hidden)]
    #[must_use]
    pub fn with_bytes_of(&self, fetched: &Self) -> Self {
        let is_text =
            |media_type: &str| media_type.starts_with("text/") || media_type == "application/json";
        let media_type = match fetched.media_type() {
            None => &self.media_type,
            Some("text/plain") if self.media_type().is_some_and(is_text) => &self.media_type,
            Some(_) => &fetched.media_type,
        };
        Self {
            media_type: media_type.clone(),
            name: self.name.clone(),
            source: fetched.source.clone(),
        }
    }

    pub(crate) fn with_url(mut self, url: String) -> Self {
        self.source = Source::Url(url);
        self
    }

    /// The media type, such as `image/png`, in lowercase letters and without parameters. `None` when it is
    /// neither set nor detected.
    #[must_use]
    pub fn media_type(&self) -> Option<&str> {
        self.media_type.as_deref()
    }

    /// The name of the file, if it has one. Some providers show it to the model.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The bytes, if they are in memory.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.source {
            Source::Bytes(held) => Some(&held.bytes),
            _ => None,
        }
    }

    /// The text of a text document, if its bytes are in memory.
    fn text(&self) -> Option<&str> {
        let is_text = family(self.media_type()?) == Some("text");
        let bytes = self.bytes().filter(|_| is_text)?;
        std::str::from_utf8(bytes).ok()
    }

    /// The URL, if the provider is to fetch the bytes.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        match &self.source {
            Source::Url(url) => Some(url),
            _ => None,
        }
    }

    /// The provider to which the file was uploaded, and the id that the provider gave it.
    #[must_use]
    pub fn file_id(&self) -> Option<(&str, &str)> {
        match &self.source {
            Source::File { provider, id } => Some((provider, id)),
            _ => None,
        }
    }

    /// The digest of the bytes that are in memory, or the digest under which a store keeps them.
    #[must_use]
    pub fn sha256(&self) -> Option<Sha256> {
        match &self.source {
            Source::Bytes(held) => Some(held.sha256()),
            Source::Sha256(sha256) => Some(*sha256),
            _ => None,
        }
    }

    /// Whether only the digest of the bytes is known, so that the media cannot be sent.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self.source, Source::Sha256(_))
    }

    /// The bytes in base64, if they are in memory. Requests contain marks instead of the text, so that the
    /// text is not copied.
    pub(crate) fn base64(&self) -> Option<String> {
        self.bytes().map(|bytes| BASE64.encode(bytes))
    }
}

/// Prints the number of bytes and not the bytes.
impl fmt::Debug for Media {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = out.debug_struct("Media");
        shown.field("media_type", &self.media_type);
        if let Some(name) = &self.name {
            shown.field("name", name);
        }
        match &self.source {
            Source::Bytes(held) => shown.field("bytes", &held.bytes.len()),
            Source::Url(url) => shown.field("url", url),
            Source::Sha256(sha256) => shown.field("sha256", sha256),
            Source::File { provider, id } => shown.field("file", &(provider, id)),
        };
        shown.finish()
    }
}

/// Defines a type that holds media of one kind.
macro_rules! kind_of_media {
    ($(#[$doc:meta])* $Kind:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $Kind(Media);

        impl $Kind {
            /// Creates the media from the bytes of a file. The media type is detected from the first bytes. A
            /// run checks before a request that the provider accepts the type.
            #[must_use]
            pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
                Self(Media::of_bytes(bytes.into()))
            }

            /// Creates the media from a URL, which the provider fetches. In the input of a run, a URL that
            /// the provider does not fetch is an error before the request, unless the run may fetch it.
            #[must_use]
            pub fn from_url(url: impl Into<String>) -> Self {
                Self(Media::of_url(url.into()))
            }

            /// Creates the media from a file that was uploaded to a provider, such as `OpenAI`, by the id
            /// that the provider gave it. In the input of a run with another provider, the file is an error
            /// before the request.
            #[must_use]
            pub fn from_file_id(provider: impl Into<String>, id: impl Into<String>) -> Self {
                Self(Media::of_file(provider.into(), id.into()))
            }

            /// Sets the media type, such as `image/png`.
            #[must_use]
            pub fn with_media_type(mut self, media_type: impl AsRef<str>) -> Self {
                self.0.set_media_type(plain_media_type(media_type.as_ref()));
                self
            }

            /// Sets the name of the file.
            #[must_use]
            pub fn with_name(mut self, name: impl Into<String>) -> Self {
                self.0.set_name(Some(name.into()));
                self
            }

            #[doc(hidden)]
            pub fn of(media: Media) -> Self {
                Self(media)
            }
        }

        #[diagnostic::do_not_recommend]
        impl GramType for $Kind {
            const TYPE: &'static Type = &Type::new(Kind::Media(MediaKind::$Kind));
        }

        /// Writes the documented JSON of a part, with the digest of the bytes.
        impl Serialize for $Kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                Part::$Kind(self.clone()).serialize(serializer)
            }
        }

        /// Reads the documented JSON of a part.
        impl<'de> Deserialize<'de> for $Kind {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                match Part::deserialize(deserializer)? {
                    Part::$Kind(media) => Ok(media),
                    other => Err(de::Error::custom(format_args!(
                        "expected a part of the type `{}`, found `{}`",
                        stringify!($Kind).to_ascii_lowercase(),
                        other.kind()
                    ))),
                }
            }
        }

        impl From<Vec<u8>> for $Kind {
            fn from(bytes: Vec<u8>) -> Self {
                Self::new(bytes)
            }
        }

        impl From<&[u8]> for $Kind {
            fn from(bytes: &[u8]) -> Self {
                Self::new(bytes)
            }
        }

        impl Deref for $Kind {
            type Target = Media;

            fn deref(&self) -> &Media {
                &self.0
            }
        }
    };
}

kind_of_media! {
    /// An image in a message.
    ///
    /// ```
    /// use agent_runtime::media::Image;
    ///
    /// let image = Image::new(*b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01").with_name("photo.png");
    /// assert_eq!(image.media_type(), Some("image/png"));
    /// ```
    Image
}

kind_of_media! {
    /// A document in a message: a PDF or a text file.
    Document
}

kind_of_media! {
    /// Audio in a message.
    Audio
}

/// A SHA-256 digest of bytes. Its text is 64 hexadecimal digits in lowercase letters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256([u8; 32]);

impl Sha256 {
    /// Computes the digest of bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(hmac_sha256::Hash::hash(bytes))
    }

    /// Returns the digest with these 32 bytes, as [`as_bytes`](Self::as_bytes) returned them.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes of the digest.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// The digest of bytes that arrive in pieces. The default has no bytes.
#[derive(Clone, Default)]
pub struct Sha256Pieces(hmac_sha256::Hash);

impl Sha256Pieces {
    /// Adds bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the digest of the bytes so far.
    pub fn digest(&self) -> Sha256 {
        Sha256(self.0.finalize())
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Sha256({self})")
    }
}

impl FromStr for Sha256 {
    type Err = ReadError;

    /// Parses 64 hexadecimal digits.
    fn from_str(text: &str) -> Result<Self, ReadError> {
        let wrong = || ReadError::new("a SHA-256 digest has 64 hexadecimal digits");
        let mut digest = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return Err(wrong());
        }
        for (byte, digits) in digest.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digits = std::str::from_utf8(digits).map_err(|_| wrong())?;
            if digits.starts_with('+') {
                return Err(wrong());
            }
            *byte = u8::from_str_radix(digits, 16).map_err(|_| wrong())?;
        }
        Ok(Self(digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_round_trip_as_text() {
        let digest = Sha256::of(b"abc");
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest.to_string(), text);
        assert_eq!(text.parse(), Ok(digest));
        for wrong in [
            "",
            "ba",
            &text[..63],
            &text.replace('b', "g"),
            &"+1".repeat(32),
        ] {
            assert!(wrong.parse::<Sha256>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn debug_shows_no_bytes() {
        let shown = format!("{:?}", Image::new(b"\x89PNG\r\n\x1a\nsecret".to_vec()));
        assert_eq!(
            shown,
            "Image(Media { media_type: Some(\"image/png\"), bytes: 14 })"
        );
    }
}
