//! The parts of a message.

use super::check::true_media_type;
use super::media_type::{by_extension, family, plain_media_type};
use super::noting::note;
use super::url::check_url;
use super::{Audio, BASE64, Document, Image, Media};
use crate::read_json::{ReadError, check_members, kind, nests_deeper, opt_text, text};
use crate::redact::Redactor;
use agent_spec::json::Ordered;
use agent_spec::{GramType, Kind, MediaKind, Type};
use base64::Engine;
use serde_core::de::{self, Deserialize, Deserializer};
use serde_core::ser::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::sync::Arc;

/// A part of a message's content. Cloning is cheap, except for long texts.
///
/// ```
/// use agent_runtime::Message;
/// use agent_runtime::conversation::{Image, Part};
///
/// let image = Image::from_url("https://example.com/cat.png");
/// let message = Message::user_parts([Part::from("Which animal is this?"), image.into()]);
/// assert_eq!(message.content(), "Which animal is this?");
/// assert_eq!(message.parts().len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// Text.
    Text(String),
    /// An image.
    Image(Image),
    /// A document.
    Document(Document),
    /// Audio.
    Audio(Audio),
    /// The thoughts of a model before its answer. Only messages of the model have them.
    Thinking(Thinking),
    /// Data that only one provider understands. Only messages of the model have it.
    Provider(ProviderPart),
}

impl Part {
    /// Creates the part for the bytes of a file. The kind of the part is detected from the first bytes.
    /// Returns `None` when no kind is detected that a message can hold.
    #[must_use]
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Option<Self> {
        Self::of_media(Media::of_bytes(bytes.into()))
    }

    /// Creates the part for the bytes of a file, and keeps the file's name. The bytes determine the kind, as
    /// in [`from_bytes`](Self::from_bytes). The extension of the name only distinguishes kinds of text, such
    /// as CSV and Markdown.
    ///
    /// ```
    /// use agent_runtime::conversation::Part;
    ///
    /// let part = Part::from_file("notes.md", "# Notes").expect("a text");
    /// assert_eq!(part.media().and_then(|media| media.media_type()), Some("text/markdown"));
    /// let error = Part::from_file("photo.png", "%PDF-1.7").expect_err("no image");
    /// assert!(error.to_string().contains("`application/pdf`"));
    /// ```
    ///
    /// # Errors
    /// When the file is empty, blank or cut off within its header, when its bytes show no kind that a message can
    /// hold, and when its extension is that of another kind, such as a PDF file with the name of an image.
    pub fn from_file(
        name: impl Into<String>,
        bytes: impl Into<Vec<u8>>,
    ) -> Result<Self, ReadError> {
        let name = name.into();
        let mut media = Media::of_bytes(bytes.into());
        if media.bytes().is_some_and(<[u8]>::is_empty) {
            return Err(ReadError::new("it is empty"));
        }
        let promised = by_extension(&name);
        let shown = media.media_type();
        let is_other = promised.zip(shown).is_some_and(|(promised, shown)| {
            family(promised) != family(shown) || family(shown).is_none()
        });
        if let (Some(promised), Some(shown), true) = (promised, shown, is_other) {
            return Err(ReadError::new(format!(
                "its name has the extension of `{promised}`, and its content is `{shown}`; give the file the \
                 extension of its content if it is the right one"
            )));
        }
        if shown == Some("text/plain") && promised.is_some() {
            media.set_media_type(promised.map(str::to_owned));
        }
        let found = match media.media_type() {
            Some(found) => format!("its content is `{found}`"),
            None => "its content is of no known kind".to_owned(),
        };
        media.set_name(Some(name).filter(|name| !name.is_empty()));
        let part = Self::of_media(media).ok_or_else(|| {
            ReadError::new(format!(
                "{found}; a message can have images, audio, PDF files, and texts in UTF-8 or in UTF-16 with a byte \
                 order mark"
            ))
        })?;
        if let Some(media) = part.media() {
            true_media_type(part.kind(), media).map_err(ReadError::new)?;
        }
        Ok(part)
    }

    /// Creates the part for a URL, by its file extension. [`Image::from_url`] and the like need no extension.
    ///
    /// # Errors
    /// When the URL does not begin with `http://`, `https://` or `gs://` and a host, and when it has no extension of
    /// a kind that a message can hold.
    pub fn from_url(url: impl Into<String>) -> Result<Self, ReadError> {
        let url = url.into();
        check_url(&url).map_err(ReadError::new)?;
        let no_kind = || {
            ReadError::new(
                "it has no extension of an image, audio, a PDF file or a text, such as `.png`",
            )
        };
        Self::of_media(Media::of_url(url)).ok_or_else(no_kind)
    }

    fn of_media(media: Media) -> Option<Self> {
        Some(match family(media.media_type()?)? {
            "image" => Self::Image(Image::of(media)),
            "audio" => Self::Audio(Audio::of(media)),
            _ => Self::Document(Document::of(media)),
        })
    }

    /// The word for the kind in JSON and gram: `text`, `image`, `document`, `audio`, `thinking` or `provider`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Image(_) => "image",
            Self::Document(_) => "document",
            Self::Audio(_) => "audio",
            Self::Thinking(_) => "thinking",
            Self::Provider(_) => "provider",
        }
    }

    /// The text of a text part.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The image, the document or the audio.
    #[must_use]
    pub fn media(&self) -> Option<&Media> {
        match self {
            Self::Image(media) => Some(media),
            Self::Document(media) => Some(media),
            Self::Audio(media) => Some(media),
            _ => None,
        }
    }

    /// Whether only the model's messages may have the part.
    #[doc(hidden)]
    pub fn is_models(&self) -> bool {
        matches!(self, Self::Thinking(_) | Self::Provider(_))
    }

    /// Returns the part with its media changed.
    #[doc(hidden)]
    #[must_use]
    pub fn map_media(self, change: impl FnOnce(Media) -> Media) -> Self {
        match self {
            Self::Image(media) => Self::Image(Image::of(change((*media).clone()))),
            Self::Document(media) => Self::Document(Document::of(change((*media).clone()))),
            Self::Audio(media) => Self::Audio(Audio::of(change((*media).clone()))),
            part => part,
        }
    }

    /// Returns the part with its secrets replaced. Returns `None` for the data of a provider if it contains a
    /// secret, because the data may be signed and cannot be changed. The bytes of media are searched only if
    /// they are a text.
    #[doc(hidden)]
    pub fn redacted(&self, redactor: &Redactor) -> Option<Self> {
        Some(match self {
            Self::Text(text) => Self::Text(redactor.text(text)),
            Self::Thinking(thinking) => Self::Thinking(Thinking {
                text: redactor.text(&thinking.text),
                provider: thinking.provider.clone(),
            }),
            Self::Provider(part) if redactor.value(&part.data) != *part.data => return None,
            Self::Provider(_) => self.clone(),
            media => media.clone().map_media(|mut media| {
                media.set_name(media.name().map(|name| redactor.text(name)));
                if let Some(text) = media.text()
                    && let redacted = redactor.text(text)
                    && redacted != text
                {
                    media.fill(redacted.into_bytes());
                }
                match media.url().map(|url| redactor.text(url)) {
                    Some(url) => media.with_url(url),
                    None => media,
                }
            }),
        })
    }
}

#[diagnostic::do_not_recommend]
impl GramType for Part {
    const TYPE: &'static Type = &Type::new(Kind::Media(MediaKind::Part));
}

/// Writes the documented JSON, with the digest of bytes.
impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(media) = self.media() {
            note(media);
        }
        part_to_json(self, MediaForm::Digest).serialize(serializer)
    }
}

/// Reads the documented JSON.
impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Ordered::deserialize(deserializer)?.to_value();
        checked_part_from_json(&value).map_err(de::Error::custom)
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Image> for Part {
    fn from(image: Image) -> Self {
        Self::Image(image)
    }
}

impl From<Document> for Part {
    fn from(document: Document) -> Self {
        Self::Document(document)
    }
}

impl From<Audio> for Part {
    fn from(audio: Audio) -> Self {
        Self::Audio(audio)
    }
}

impl From<Thinking> for Part {
    fn from(thinking: Thinking) -> Self {
        Self::Thinking(thinking)
    }
}

impl From<ProviderPart> for Part {
    fn from(part: ProviderPart) -> Self {
        Self::Provider(part)
    }
}

/// The thoughts of a model before its answer, as text.
///
/// If the provider requires a signature together with the thoughts, the signature is in a [`ProviderPart`] of
/// the same message. Thoughts are sent back only to the provider that returned them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thinking {
    text: String,
    provider: String,
}

impl Thinking {
    /// Creates thoughts of a model of this provider.
    #[must_use]
    pub fn new(provider: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            provider: provider.into(),
        }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The provider, such as `Anthropic`. For a compatible server, this is the provider whose wire format the
    /// server uses.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.provider
    }

    #[doc(hidden)]
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }
}

/// Data that only one provider understands, kept unchanged. Cloning is cheap. The data is sent back only to
/// this provider.
///
/// The built-in providers keep here the order and the signatures of an answer's parts and calls, and blocks of
/// tools that run at the provider. Texts, thoughts and arguments are not repeated: the data has a mark in the place
/// of each.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderPart {
    provider: String,
    data: Arc<Value>,
}

impl ProviderPart {
    /// Creates the data for a provider.
    #[must_use]
    pub fn new(provider: impl Into<String>, data: Value) -> Self {
        Self {
            provider: provider.into(),
            data: Arc::new(data),
        }
    }

    /// The provider, such as `Anthropic`. For a compatible server, this is the provider whose wire format the
    /// server uses.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// The data.
    #[must_use]
    pub fn data(&self) -> &Value {
        &self.data
    }
}

/// The form in which the bytes of media are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaForm {
    /// As `sha256`.
    Digest,
    /// As `data`, in base64.
    Data,
}

/// The maximum nesting of a provider's data that can be read back from text.
pub(crate) const DEEPEST_DATA: usize = 120;

/// The members that a part may have.
pub const PART_MEMBERS: [&str; 9] = [
    "type",
    "text",
    "mediaType",
    "name",
    "data",
    "url",
    "sha256",
    "fileId",
    "provider",
];

/// Writes a part as JSON.
pub fn part_to_json(part: &Part, form: MediaForm) -> Value {
    let mut json = Map::new();
    let mut put = |key: &str, value: Value| drop(json.insert(key.to_owned(), value));
    put("type", part.kind().into());
    match part {
        Part::Text(text) => put("text", text.as_str().into()),
        Part::Thinking(thinking) => {
            put("text", thinking.text().into());
            put("provider", thinking.provider().into());
        }
        Part::Provider(part) => {
            put("provider", part.provider().into());
            put("data", part.data().clone());
        }
        Part::Image(_) | Part::Document(_) | Part::Audio(_) => {
            if let Some(media) = part.media() {
                media_to_json(media, form, &mut put);
            }
        }
    }
    Value::Object(json)
}

fn media_to_json(media: &Media, form: MediaForm, put: &mut dyn FnMut(&str, Value)) {
    if let Some(media_type) = media.media_type() {
        put("mediaType", media_type.into());
    }
    if let Some(name) = media.name() {
        put("name", name.into());
    }
    if let Some(url) = media.url() {
        put("url", url.into());
    } else if let Some((provider, id)) = media.file_id() {
        put("fileId", id.into());
        put("provider", provider.into());
    } else if form == MediaForm::Data
        && let Some(data) = media.base64()
    {
        put("data", data.into());
    } else if let Some(sha256) = media.sha256() {
        put("sha256", sha256.to_string().into());
    }
}

/// Writes content: one text as it is, anything else as a list of parts.
pub fn content_to_json(parts: &[Part], form: MediaForm) -> Value {
    match parts {
        [] => Value::String(String::new()),
        [Part::Text(text)] => Value::String(text.clone()),
        parts => parts.iter().map(|part| part_to_json(part, form)).collect(),
    }
}

/// Reads a part from JSON. Rejects members whose names are nearly the names of known members.
pub(crate) fn checked_part_from_json(json: &Value) -> Result<Part, ReadError> {
    let form = r#"a part is an object, such as {"type": "text", "text": "Hello"}"#;
    check_members(json, &PART_MEMBERS, form)?;
    part_from_json(json)
}

/// Reads a part from JSON.
pub fn part_from_json(json: &Value) -> Result<Part, ReadError> {
    let word = text(json, "type")?;
    let media = || media_from_json(json, &word);
    Ok(match word.as_str() {
        "text" => Part::Text(text(json, "text")?),
        "image" => Part::Image(Image::of(media()?)),
        "document" => Part::Document(Document::of(media()?)),
        "audio" => Part::Audio(Audio::of(media()?)),
        "thinking" => Part::Thinking(Thinking::new(text(json, "provider")?, text(json, "text")?)),
        "provider" => {
            let data = json
                .get("data")
                .ok_or_else(|| ReadError::new("`data` is missing"))?;
            Part::Provider(ProviderPart::new(text(json, "provider")?, data.clone()))
        }
        other => {
            return Err(ReadError::new(format!(
                "`{other}` is no type of a part; write `text`, `image`, `document`, `audio`, `thinking` or `provider`"
            )));
        }
    })
}

fn media_from_json(json: &Value, word: &str) -> Result<Media, ReadError> {
    let one = |key| opt_text(json, key);
    let sources = (one("data")?, one("url")?, one("sha256")?, one("fileId")?);
    let mut media = match sources {
        (Some(data), None, None, None) => {
            let bytes = BASE64.decode(data);
            Media::of_bytes(bytes.map_err(|_| ReadError::new("`data` is not base64"))?)
        }
        (None, Some(url), None, None) => Media::of_url(url),
        (None, None, Some(sha256), None) => Media::of_sha256(sha256.parse()?),
        (None, None, None, Some(id)) => {
            let provider = one("provider")?;
            let missing =
                || ReadError::new("`fileId` needs `provider`, to which the file was uploaded");
            Media::of_file(provider.ok_or_else(missing)?, id)
        }
        (None, None, None, None) => {
            return Err(ReadError::new(format!(
                "a part of the type `{word}` needs `data` (base64), `url`, `sha256` or `fileId`"
            )));
        }
        _ => {
            return Err(ReadError::new(format!(
                "a part of the type `{word}` has only one of `data`, `url`, `sha256` and `fileId`"
            )));
        }
    };
    if let Some(media_type) = one("mediaType")? {
        media.set_media_type(plain_media_type(&media_type));
    }
    media.set_name(one("name")?);
    Ok(media)
}

/// Reads `content`, a text or a list of parts.
pub fn content_from_json(json: &Value) -> Result<Vec<Part>, ReadError> {
    let mut parts = Vec::new();
    match json.get("content") {
        None | Some(Value::Null) => {}
        Some(Value::String(text)) if text.is_empty() => {}
        Some(Value::String(text)) => parts.push(Part::Text(text.clone())),
        Some(Value::Array(items)) => {
            for item in items {
                let part = checked_part_from_json(item);
                parts.push(part.map_err(|error| {
                    let number = parts.len() + 1;
                    ReadError::new(format!("part {number} of `content`: {error}"))
                })?);
            }
        }
        Some(other) => {
            let found = kind(other);
            let text = format!("`content` is a text or an array of parts, not {found}");
            return Err(ReadError::new(text));
        }
    }
    Ok(parts)
}

/// Whether a part has data that cannot be read back from text.
pub fn is_too_deep(part: &Part) -> bool {
    match part {
        Part::Provider(part) => nests_deeper(part.data(), DEEPEST_DATA),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_of_a_file_determines_its_part() {
        for (name, bytes, kind, media_type) in [
            (
                "a.png",
                &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01"[..],
                "image",
                "image/png",
            ),
            (
                "a.jpg",
                b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01",
                "image",
                "image/png",
            ),
            ("a", b"%PDF-1.7", "document", "application/pdf"),
            ("a.csv", b"a,b\n", "document", "text/csv"),
            ("a.json", b"{}", "document", "application/json"),
            ("a.rs", b"fn main() {}", "document", "text/plain"),
            ("a.mp3", b"\xff\xfb\x90\0", "audio", "audio/mpeg"),
            ("", b"ID3\x04\0", "audio", "audio/mpeg"),
        ] {
            let part = Part::from_file(name, bytes).expect(name);
            let media = part.media().expect("media");
            assert_eq!((part.kind(), media.media_type()), (kind, Some(media_type)));
            assert_eq!(media.name(), Some(name).filter(|name| !name.is_empty()));
        }
    }

    #[test]
    fn files_that_no_message_can_hold_are_errors() {
        for (name, bytes, words) in [
            ("a.png", &b""[..], "it is empty"),
            (
                "a.png",
                b"\x89PNG\r\n\x1a\n",
                "the file of the image is cut off or damaged",
            ),
            ("a.txt", b" \r\n", "the document has only blanks"),
            (
                "a.png",
                b"text",
                "`image/png`, and its content is `text/plain`",
            ),
            (
                "a.txt",
                b"%PDF-1.7",
                "`text/plain`, and its content is `application/pdf`",
            ),
            (
                "a.pdf",
                b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01",
                "`application/pdf`, and its content is `image/png`",
            ),
            ("a.zip", b"PK\x03\x04\0", "its content is `application/zip`"),
            ("a.pdf", b"\0\x01", "no known kind"),
        ] {
            let error = Part::from_file(name, bytes).expect_err(words).to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn the_extension_of_a_url_determines_its_part() {
        let kind = |url: &str| Part::from_url(url).ok().map(|part| part.kind());
        assert_eq!(kind("https://example.com/a.png?b=c"), Some("image"));
        assert_eq!(kind("HTTPS://example.com/a.PNG"), Some("image"));
        assert_eq!(kind("gs://bucket/a.png"), Some("image"));
        assert_eq!(kind("https://example.com/a.pdf"), Some("document"));
        assert_eq!(kind("https://example.com/a.zip"), None);
        assert_eq!(kind("https://example.com/"), None);
    }

    #[test]
    fn a_url_of_another_kind_is_no_part() {
        for (url, words) in [
            ("nonsense.png", "begins with `https://`"),
            ("file:///etc/a.png", "begins with `https://`"),
            ("https:///a.png", "it has no host"),
        ] {
            let error = Part::from_url(url).expect_err(words).to_string();
            assert!(error.contains(words), "{url}: {error}");
        }
    }

    #[test]
    fn a_text_in_utf_16_becomes_a_text_in_utf_8() {
        let little = b"\xff\xfeG\0r\0\xfc\0\xdf\0\n\0".to_vec();
        let big = b"\xfe\xff\0G\0r\0\xfc\0\xdf\0\n".to_vec();
        for bytes in [little, big] {
            let part = Part::from_file("a.txt", bytes).expect("a text");
            assert_eq!(part.kind(), "document");
            let media = part.media().expect("media");
            assert_eq!(media.bytes(), Some("Gr\u{fc}\u{df}\n".as_bytes()));
            assert_eq!(media.media_type(), Some("text/plain"));
        }
        // An odd number of bytes, half of a pair, and a control character: neither text nor audio.
        for bytes in [&b"\xff\xfea"[..], b"\xff\xfe\0\xd8", b"\xff\xfe\x01\0"] {
            let error = Part::from_file("a", bytes).expect_err("no text");
            assert!(error.to_string().contains("no known kind"), "{error}");
        }
    }

    #[test]
    fn secrets_in_texts_are_replaced_and_other_media_stay() {
        let redactor = Redactor::new();
        redactor.add("sk-very-secret");
        let text = "# Keys\nsk-very-secret\n";
        let part = Part::from_file("a.md", text).expect("a text");
        let redacted = part.redacted(&redactor).expect("a part");
        let media = redacted.media().expect("media");
        assert_eq!(media.bytes(), Some(&b"# Keys\n[key]\n"[..]));
        assert_eq!(media.media_type(), Some("text/markdown"));
        assert_eq!(media.name(), Some("a.md"));
        let pdf = Part::from_bytes(format!("%PDF-1.7 {text}")).expect("a PDF file");
        assert_eq!(pdf.redacted(&redactor), Some(pdf));
    }
}
