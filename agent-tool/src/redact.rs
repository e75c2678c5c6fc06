//! Redaction: the keys that a program holds, replaced in what it shows, logs and stores.

use agent_spec::secret;
use base64::Engine;
use base64::engine::GeneralPurpose;
use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use serde_json::{Map, Value};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// The minimum length of a secret, in bytes. Shorter keys are not redacted, because they would match parts
/// of ordinary words and numbers.
pub const MIN_SECRET: usize = 4;

/// Values that documentation recommends as the key of a local server that requires some key. They are not
/// redacted, because they are public, and redacting them would only damage ordinary texts.
const PLACEHOLDERS: [&str; 9] = [
    "dummy", "empty", "fake", "local", "none", "null", "ollama", "test", "unused",
];

/// The maximum number of encodings that are undone on top of each other, such as JSON within a string of
/// JSON within a string of JSON.
const MAX_DEPTH: usize = 3;

/// Replaces known secrets by [`MASK`](Self::MASK): in texts, in JSON, and in texts that arrive in pieces.
///
/// `Runtime::redactor` has the keys and secret headers with which the runtime sends requests, and those given with
/// `RuntimeBuilder::secret`. A user may paste a key, a tool may read one, and a model repeats both; redact what you
/// show, log or store.
///
/// A secret is found in every form in which programs repeat it: as it is, in upper and lower case, with JSON
/// escapes, with percent encoding, in Base64, and in up to three of these encodings on top of each other.
/// Secrets of fewer than 4 bytes are ignored, and so are placeholders such as `test` and `ollama`, which
/// local servers are given in place of a key.
///
/// Clones share their secrets.
///
/// ```
/// # use agent_runtime::redact::Redactor;
/// let redactor = Redactor::new();
/// redactor.add("hunter2");
/// assert_eq!(redactor.text("My password is hunter2."), "My password is [key].");
/// assert_eq!(redactor.text("https://a.example/?p=%68unter2"), "https://a.example/?p=[key]");
/// ```
#[derive(Clone, Default)]
pub struct Redactor(Arc<RwLock<Vec<Needle>>>);

impl Redactor {
    /// The text that replaces a secret.
    pub const MASK: &'static str = secret::MASK;

    /// Creates a redactor without secrets.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a secret. Blanks around the secret are ignored.
    pub fn add(&self, secret: &str) {
        let secret = secret.trim();
        let mut placeholders = PLACEHOLDERS.iter();
        let is_placeholder = placeholders.any(|word| secret.eq_ignore_ascii_case(word));
        if secret.len() >= MIN_SECRET && !is_placeholder {
            self.add_any(secret);
        }
    }

    /// Adds the value of a header, and its last word: the key in `Bearer …`.
    #[doc(hidden)]
    pub fn add_header(&self, value: &str) {
        self.add(value);
        self.add(value.split_whitespace().last().unwrap_or_default());
    }

    /// Adds a secret that is not blank, even a short one or a placeholder.
    #[doc(hidden)]
    pub fn add_any(&self, secret: &str) {
        let secret = secret.trim();
        if secret.is_empty() {
            return;
        }
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for needle in Needle::forms_of(secret) {
            if !known.contains(&needle) {
                known.push(needle);
            }
        }
    }

    /// Replaces the secrets in a text.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let known = self.known();
        let mut ranges = find(&known, text.as_bytes(), MAX_DEPTH);
        drop(known);
        if ranges.is_empty() {
            return text.to_owned();
        }
        // Masks are skipped, so that a second redaction changes nothing, even if a secret is a part of the
        // mask.
        let masks: Vec<_> = text.match_indices(Self::MASK).map(|(at, _)| at).collect();
        let is_mask = |range: &Range<usize>| {
            let mut masks = masks.iter();
            masks.any(|at| *at <= range.start && range.end <= at + Self::MASK.len())
        };
        ranges.retain(|range| !is_mask(range));
        let (mut redacted, mut done) = (String::with_capacity(text.len()), 0);
        for range in ranges {
            redacted.push_str(&text[done..range.start]);
            redacted.push_str(Self::MASK);
            done = range.end;
        }
        redacted.push_str(&text[done..]);
        redacted
    }

    /// Replaces the secrets in a text for an error message or a log, and everything else that looks like a
    /// key, such as the key of somebody else that an agent file or a tool put into a request.
    #[must_use]
    pub fn log_text(&self, text: &str) -> String {
        secret::redacted(&self.text(text)).into_owned()
    }

    /// Replaces the secrets in a JSON value: in strings, in the names of members, and in numbers.
    #[must_use]
    pub fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(text).into(),
            Value::Number(number) => {
                let text = number.to_string();
                let redacted = self.text(&text);
                if redacted == text {
                    value.clone()
                } else {
                    redacted.into()
                }
            }
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => {
                let mut redacted = Map::new();
                for (name, value) in members {
                    redacted.insert(self.text(name), self.value(value));
                }
                Value::Object(redacted)
            }
            Value::Null | Value::Bool(_) => value.clone(),
        }
    }

    /// Redacts a text that arrives in pieces, such as the answer of a model.
    #[must_use]
    pub fn stream(&self) -> StreamRedactor {
        StreamRedactor {
            redactor: self.clone(),
            held: String::new(),
        }
    }

    /// Returns how many bytes at the end of a text that was cut may be the beginning of a secret.
    #[doc(hidden)]
    pub fn pending(&self, text: &[u8]) -> usize {
        pending(&self.known(), text)
    }

    fn known(&self) -> RwLockReadGuard<'_, Vec<Needle>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shows no secret.
impl fmt::Debug for Redactor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Redactor").finish_non_exhaustive()
    }
}

/// Redacts a text that arrives in pieces, also where a secret is divided between them. [`Redactor::stream`] creates one.
///
/// A secret within Base64 shares a character with the bytes beside it, which has a few bits of the secret. [`Redactor::text`]
/// replaces these characters, too; a stream may show them.
///
/// ```
/// # use agent_runtime::redact::Redactor;
/// let redactor = Redactor::new();
/// redactor.add("hunter2");
/// let mut stream = redactor.stream();
/// assert_eq!(stream.push("It is hun"), "It is ");
/// assert_eq!(stream.push("ter2, or hu"), "[key], or ");
/// assert_eq!(stream.finish(), "hu");
/// ```
#[derive(Debug)]
pub struct StreamRedactor {
    redactor: Redactor,
    /// The end of the text so far, which may be the beginning of a secret.
    held: String,
}

impl StreamRedactor {
    /// Adds a piece, and returns what can be shown: all but the end that may be the beginning of a secret.
    #[must_use]
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let known = self.redactor.known();
        let text = self.held.as_bytes();
        let mut end = text.len() - pending(&known, text);
        let longest = longest_encoded(&known);
        for range in find(&known, text, MAX_DEPTH) {
            // A secret at the end may be the first half of a longer one, or its last character and its padding in Base64
            // follow. Many secrets in a row are one range, and are not held, so that the text that is searched stays short.
            let is_at_end = range.end == text.len() && range.len() <= longest;
            if range.start < end && (end < range.end || is_at_end) {
                end = range.start;
            }
        }
        drop(known);
        let rest = self.held.split_off(self.held.floor_char_boundary(end));
        self.redactor.text(&std::mem::replace(&mut self.held, rest))
    }

    /// Ends the text, and returns what is left of it.
    #[must_use]
    pub fn finish(&mut self) -> String {
        self.redactor.text(&std::mem::take(&mut self.held))
    }
}

/// One form of a secret, searched for in texts.
#[derive(PartialEq, Eq)]
struct Needle {
    bytes: Vec<u8>,
    ignores_case: bool,
    /// Whether the character before the needle also encodes a part of the secret, because Base64 encodes 6
    /// bits a character.
    has_part_before: bool,
    /// Whether the character after the needle also encodes a part of the secret.
    has_part_after: bool,
}

impl Needle {
    /// Returns the secret itself, and its Base64 encodings at each of the three offsets that it can have in
    /// an encoded text such as `user:password`.
    fn forms_of(secret: &str) -> Vec<Self> {
        let mut forms = vec![Self {
            bytes: secret.as_bytes().to_vec(),
            ignores_case: true,
            has_part_before: false,
            has_part_after: false,
        }];
        for offset in 0..3 {
            for alphabet in [BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD] {
                let needle = Self::base64(secret.as_bytes(), offset, &alphabet);
                if needle.bytes.len() >= MIN_SECRET && !forms.contains(&needle) {
                    forms.push(needle);
                }
            }
        }
        forms
    }

    /// Encodes a secret at an offset in the encoded text, without the characters that depend on the text
    /// around the secret.
    fn base64(secret: &[u8], offset: usize, alphabet: &GeneralPurpose) -> Self {
        let encoded = alphabet.encode([&[0; 2][..offset], secret].concat());
        // A character encodes 6 bits. Only the characters whose bits all belong to the secret are always the
        // same.
        let end = (offset + secret.len()) * 8;
        let whole = (offset * 8).div_ceil(6)..end / 6;
        Self {
            bytes: encoded.as_bytes()[whole].to_vec(),
            ignores_case: false,
            has_part_before: offset > 0,
            has_part_after: !end.is_multiple_of(6),
        }
    }

    fn begins(&self, text: &[u8]) -> bool {
        text.get(..self.bytes.len())
            .is_some_and(|text| self.equals(text, &self.bytes))
    }

    fn equals(&self, text: &[u8], bytes: &[u8]) -> bool {
        match self.ignores_case {
            true => text.eq_ignore_ascii_case(bytes),
            false => text == bytes,
        }
    }

    /// Returns the range of a secret that was found, with the characters around it in which Base64 encodes a
    /// part of the secret, and the padding.
    fn range(&self, text: &[u8], start: usize) -> Range<usize> {
        let is_base64 =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
        let mut range = start..start + self.bytes.len();
        if self.has_part_before && start > 0 && is_base64(&text[start - 1]) {
            range.start -= 1;
        }
        if self.has_part_after && text.get(range.end).is_some_and(is_base64) {
            range.end += 1;
        }
        if !self.ignores_case {
            let padding = text[range.end..].iter().take(2);
            range.end += padding.take_while(|byte| **byte == b'=').count();
        }
        range
    }

    /// Returns how many bytes at the end of a text may be the beginning of this form.
    fn pending(&self, text: &[u8]) -> usize {
        let lengths = (1..self.bytes.len()).rev();
        let mut lengths = lengths.filter(|length| *length <= text.len());
        let is_end =
            |length: &usize| self.equals(&text[text.len() - length..], &self.bytes[..*length]);
        lengths.find(is_end).unwrap_or(0)
    }
}

/// Returns the ranges of secrets in a text, in order and without overlaps. Up to `depth` encodings on top of
/// each other are undone.
fn find(needles: &[Needle], text: &[u8], depth: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if needles.is_empty() {
        return found;
    }
    let mut is_first = [false; 256];
    for needle in needles {
        let first = needle.bytes[0];
        is_first[usize::from(first)] = true;
        if needle.ignores_case {
            is_first[usize::from(first.to_ascii_lowercase())] = true;
            is_first[usize::from(first.to_ascii_uppercase())] = true;
        }
    }
    for (at, byte) in text.iter().enumerate() {
        if is_first[usize::from(*byte)] {
            let here = needles.iter().filter(|needle| needle.begins(&text[at..]));
            found.extend(here.map(|needle| needle.range(text, at)));
        }
    }
    if depth > 0 {
        for encoding in Encoding::all(needles) {
            let Some(decoded) = Decoded::new(text, encoding).filter(Decoded::is_new) else {
                continue;
            };
            let inner = find(needles, &decoded.bytes, depth - 1).into_iter();
            found.extend(inner.map(|range| decoded.source(range)));
        }
    }
    secret::joined(found)
}

/// Returns how many bytes at the end of a text may be the beginning of a secret.
fn pending(needles: &[Needle], text: &[u8]) -> usize {
    pending_encoded(needles, text, MAX_DEPTH).min(longest_encoded(needles))
}

/// Returns the maximum number of bytes of a secret in one of the encoded forms.
fn longest_encoded(needles: &[Needle]) -> usize {
    /// The maximum number of bytes in which the encoded forms write one byte of a secret.
    const LONGEST_ESCAPE: usize = 16;
    let longest = needles.iter().map(|needle| needle.bytes.len()).max();
    longest.unwrap_or(0) * LONGEST_ESCAPE
}

fn pending_encoded(needles: &[Needle], text: &[u8], depth: usize) -> usize {
    let plain = needles.iter().map(|needle| needle.pending(text));
    let mut most = plain.max().unwrap_or(0);
    if depth > 0 {
        for encoding in Encoding::all(needles) {
            let Some(decoded) = Decoded::new(text, encoding) else {
                continue;
            };
            let complete = &decoded.bytes[..decoded.complete];
            let start = complete.len() - pending_encoded(needles, complete, depth - 1);
            if start < decoded.bytes.len() {
                most = most.max(text.len() - decoded.source(start..start + 1).start);
            }
        }
    }
    most
}

/// An encoding that programs use for texts that they repeat.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    /// The escapes of JSON strings.
    Json,
    /// Percent encoding.
    Percent {
        /// Whether `%252525…41` is decoded to `A` at once.
        is_nested: bool,
        /// Whether `+` is decoded to a blank, as in forms.
        is_form: bool,
    },
}

/// The first part of an encoded text.
enum Piece {
    /// A byte that is not part of an escape.
    Plain,
    /// An escape: its length in bytes, and its decoded value.
    Escape(usize, Unescaped),
    /// The beginning of an escape, at the end of the text.
    Unfinished,
}

enum Unescaped {
    Byte(u8),
    Char(char),
}

impl Encoding {
    /// Returns the encodings that may change one of the secrets.
    fn all(needles: &[Needle]) -> impl Iterator<Item = Self> {
        let has_blank = needles.iter().any(|needle| needle.bytes.contains(&b' '));
        let percent = |is_nested, is_form| Self::Percent { is_nested, is_form };
        let all = [
            Self::Json,
            percent(false, false),
            percent(true, false),
            percent(false, true),
            percent(true, true),
        ];
        all.into_iter().take(if has_blank { all.len() } else { 3 })
    }

    fn piece(self, text: &[u8]) -> Piece {
        match (self, text[0]) {
            (Self::Json, b'\\') => json_escape(text),
            (Self::Percent { is_nested, .. }, b'%') => percent_escape(text, is_nested),
            (Self::Percent { is_form: true, .. }, b'+') => Piece::Escape(1, Unescaped::Byte(b' ')),
            _ => Piece::Plain,
        }
    }
}

fn json_escape(text: &[u8]) -> Piece {
    let byte = match text.get(1) {
        None => return Piece::Unfinished,
        Some(b'u') => return json_number_escape(text),
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(byte @ (b'"' | b'\\' | b'/')) => *byte,
        Some(_) => return Piece::Plain,
    };
    Piece::Escape(2, Unescaped::Byte(byte))
}

/// Decodes `\u00e9`, or the two escapes of a surrogate pair.
fn json_number_escape(text: &[u8]) -> Piece {
    let first = match hex(&text[2..], 4) {
        Hex::Number(unit) => unit,
        Hex::Unfinished => return Piece::Unfinished,
        Hex::None => return Piece::Plain,
    };
    if let Some(c) = char::from_u32(first) {
        return Piece::Escape(6, Unescaped::Char(c));
    }
    let rest = &text[6..];
    let second = match (rest, rest.get(2..)) {
        ([] | [b'\\'], _) => return Piece::Unfinished,
        ([b'\\', b'u', ..], Some(digits)) => match hex(digits, 4) {
            Hex::Number(unit) => unit,
            Hex::Unfinished => return Piece::Unfinished,
            Hex::None => return Piece::Plain,
        },
        _ => return Piece::Plain,
    };
    let units = [first, second].map(|unit| u16::try_from(unit).unwrap_or_default());
    match char::decode_utf16(units).next() {
        Some(Ok(c)) => Piece::Escape(12, Unescaped::Char(c)),
        _ => Piece::Plain,
    }
}

/// Decodes `%2B`, or also `%252B` if `is_nested`.
fn percent_escape(text: &[u8], is_nested: bool) -> Piece {
    let mut at = 1;
    // The last `25` is the encoded byte itself if no two digits follow it.
    while is_nested
        && text[at..].starts_with(b"25")
        && matches!(hex(&text[at + 2..], 2), Hex::Number(_))
    {
        at += 2;
    }
    match hex(&text[at..], 2) {
        Hex::Number(byte) => match u8::try_from(byte) {
            Ok(byte) => Piece::Escape(at + 2, Unescaped::Byte(byte)),
            Err(_) => Piece::Plain,
        },
        Hex::Unfinished => Piece::Unfinished,
        Hex::None => Piece::Plain,
    }
}

enum Hex {
    Number(u32),
    /// The text ends after fewer digits.
    Unfinished,
    None,
}

fn hex(text: &[u8], digits: usize) -> Hex {
    let mut number = 0;
    for at in 0..digits {
        let Some(byte) = text.get(at) else {
            return Hex::Unfinished;
        };
        let Some(digit) = char::from(*byte).to_digit(16) else {
            return Hex::None;
        };
        number = number * 16 + digit;
    }
    Hex::Number(number)
}

/// A text in which one layer of an encoding is undone, with the way back to its source.
struct Decoded {
    bytes: Vec<u8>,
    /// The escapes, in the order of the text.
    escapes: Vec<Escape>,
    /// The length without the beginning of an escape at the end.
    complete: usize,
}

struct Escape {
    decoded: Range<usize>,
    source: Range<usize>,
}

impl Decoded {
    /// Decodes a text that has an escape, or the beginning of one at its end.
    fn new(text: &[u8], encoding: Encoding) -> Option<Self> {
        let mut decoded: Option<Self> = None;
        let mut at = 0;
        while at < text.len() {
            let piece = encoding.piece(&text[at..]);
            if decoded.is_none() && !matches!(piece, Piece::Plain) {
                let mut bytes = Vec::with_capacity(text.len());
                bytes.extend_from_slice(&text[..at]);
                decoded = Some(Self {
                    bytes,
                    escapes: Vec::new(),
                    complete: usize::MAX,
                });
            }
            let Some(decoded) = &mut decoded else {
                at += 1;
                continue;
            };
            let start = decoded.bytes.len();
            let length = match piece {
                Piece::Escape(length, Unescaped::Byte(byte)) => {
                    decoded.bytes.push(byte);
                    length
                }
                Piece::Escape(length, Unescaped::Char(c)) => {
                    let mut buffer = [0; 4];
                    let encoded = c.encode_utf8(&mut buffer);
                    decoded.bytes.extend_from_slice(encoded.as_bytes());
                    length
                }
                Piece::Plain | Piece::Unfinished => {
                    if matches!(piece, Piece::Unfinished) {
                        decoded.complete = decoded.complete.min(start);
                    }
                    decoded.bytes.push(text[at]);
                    at += 1;
                    continue;
                }
            };
            decoded.escapes.push(Escape {
                decoded: start..decoded.bytes.len(),
                source: at..at + length,
            });
            at += length;
        }
        let mut decoded = decoded?;
        decoded.complete = decoded.complete.min(decoded.bytes.len());
        Some(decoded)
    }

    /// Whether the decoded text differs from its source.
    fn is_new(&self) -> bool {
        !self.escapes.is_empty()
    }

    /// Returns the range of the source from which `range` was decoded. `range` must not be empty.
    fn source(&self, range: Range<usize>) -> Range<usize> {
        let byte = |at: usize| {
            let before = self
                .escapes
                .partition_point(|next| next.decoded.start <= at);
            match before.checked_sub(1).map(|last| &self.escapes[last]) {
                None => at..at + 1,
                Some(escape) if at < escape.decoded.end => escape.source.clone(),
                Some(escape) => {
                    let start = escape.source.end + (at - escape.decoded.end);
                    start..start + 1
                }
            }
        };
        byte(range.start).start..byte(range.end - 1).end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn redactor(secrets: &[&str]) -> Redactor {
        let redactor = Redactor::new();
        for secret in secrets {
            redactor.add(secret);
        }
        redactor
    }

    fn quoted(text: &str) -> String {
        let json = Value::from(text).to_string();
        json[1..json.len() - 1].to_owned()
    }

    #[test]
    fn a_key_is_redacted_unless_it_is_short_or_a_placeholder() {
        for (key, redacted) in [
            ("12345", "a [key] b 1"),
            ("1", "a 12345 b 1"),
            ("", "a 12345 b 1"),
        ] {
            assert_eq!(redactor(&[key]).text("a 12345 b 1"), redacted, "{key}");
        }
        let redactor = redactor(&["ollama", "test", "EMPTY"]);
        assert_eq!(
            redactor.text("ollama runs an empty test"),
            "ollama runs an empty test"
        );
        redactor.add_any("test");
        assert_eq!(redactor.text("an empty test"), "an empty [key]");
    }

    #[test]
    fn texts_lose_keys_and_keep_words() {
        let key = "correct horse \"battery\"";
        let redactor = redactor(&[key, "ollama"]);
        assert_eq!(redactor.text(&format!("a {key} b")), "a [key] b");
        assert_eq!(redactor.text("ollama runs"), "ollama runs");
    }

    #[test]
    fn a_key_is_redacted_as_it_stands_in_json() {
        for key in ["a\"b\\", "\"abcd\"", "two\nlines", "grüße 👋"] {
            let redactor = redactor(&[key]);
            let mut text = format!("{{\"key\":\"{}\"}}", quoted(key));
            let mut expected = r#"{"key":"[key]"}"#.to_owned();
            assert_eq!(redactor.text(key), "[key]");
            for _ in 0..3 {
                assert_eq!(redactor.text(&text), expected, "{key}");
                text = format!("{{\"args\":\"{}\"}}", quoted(&text));
                expected = format!("{{\"args\":\"{}\"}}", quoted(&expected));
            }
        }
        let redactor = redactor(&["grüße 👋", "pa\"ss"]);
        let text = r#"{"key":"gr\u00fc\u00dfe \ud83d\udc4b","a":"\u0070a\"ss"}"#;
        assert_eq!(redactor.text(text), r#"{"key":"[key]","a":"[key]"}"#);
        let text = r#"{"args":"{\"key\":\"\\u0070a\\\"ss\"}"}"#;
        assert_eq!(redactor.text(text), r#"{"args":"{\"key\":\"[key]\"}"}"#);
    }

    #[test]
    fn a_key_is_found_however_it_is_spelled() {
        let redactor = redactor(&["K3y+with/odd=signs é%"]);
        for text in [
            "K3y+with/odd=signs é%",
            "k3Y+WITH/ODD=signs é%",
            "K3y%2Bwith%2Fodd%3Dsigns+%C3%A9%25",
            "k3y%2bwith%2fodd%3dsigns%20%c3%a9%25",
            "K3y%252Bwith%252Fodd%253Dsigns%2520%25C3%25A9%2525",
            "K3y%2525252Bwith/odd=signs é%",
            "%4B%33%79+with/odd=signs é%",
            r"K3y+with\/odd=signs é%",
            r"\u004b3y\u002Bwith\/odd=signs é%",
            r"\u004b3y%2bwith\/odd=signs é%",
            "%5Cu004b3y%2bwith/odd=signs é%",
        ] {
            let around = format!("é{text}é K3y");
            assert_eq!(redactor.text(&around), "é[key]é K3y", "{text}");
        }
    }

    #[test]
    fn a_key_is_found_in_base64() {
        let redactor = redactor(&["hunter2?>"]);
        for (text, expected) in [
            // `hunter2?>`, `:hunter2?>`, `u:hunter2?>:` and `us:hunter2?>:`. A character that encodes a part
            // of the key is redacted with the key.
            ("aHVudGVyMj8+", "[key]"),
            ("aHVudGVyMj8-", "[key]"),
            ("Basic Omh1bnRlcjI/Pg==", "Basic O[key]"),
            ("Basic dTpodW50ZXIyPz46", "Basic dT[key]6"),
            ("dXM6aHVudGVyMj8+Og==!", "dXM6[key]Og==!"),
            ("a=OmhVBnRlcjI/Pg==", "a=OmhVBnRlcjI/Pg=="),
            ("OmhhdW50ZXIyPz4", "OmhhdW50ZXIyPz4"),
            ("?a=aHVudGVyMj8%2B&b", "?a=[key]&b"),
            ("\"aHVudGVyMj8\\u002b\"", "\"[key]\""),
        ] {
            assert_eq!(redactor.text(text), expected, "{text}");
        }
    }

    #[test]
    fn other_texts_stay() {
        let redactor = redactor(&["%2541abc"]);
        assert_eq!(redactor.text("%2541ABC"), "[key]");
        assert_eq!(redactor.text("%252541abc"), "[key]");
        for text in [
            "",
            "%",
            "%2",
            "%25",
            r"\",
            r"\u",
            r"\u00",
            r"\ud83d",
            r"\ud83d\",
            r"\ud83d\u",
            "%zz",
            "é",
            "%2541ab",
            r"\\",
            r"C:\abc",
            "+",
        ] {
            assert_eq!(redactor.text(text), text);
        }
    }

    #[test]
    fn secrets_that_overlap_are_replaced_together() {
        let redactor = redactor(&["abcd", "abcdef", "defgh"]);
        assert_eq!(redactor.clone().text("abcdef abcd"), "[key] [key]");
        assert_eq!(redactor.text("abcdefgh, abcdabcd"), "[key], [key][key]");
    }

    #[test]
    fn redacting_twice_is_redacting_once() {
        let redactor = redactor(&["abcd", "cdef"]);
        redactor.add_any("key");
        redactor.add_any(" ");
        assert_eq!(redactor.text("abcdef, my key"), "[key], my [key]");
        assert_eq!(redactor.text("my [key] keys"), "my [key] [key]s");
    }

    #[test]
    fn json_is_redacted_in_strings_names_and_numbers() {
        let redactor = redactor(&["pa\"ss", "12345678"]);
        let value = json!({"pa\"ss": [12_345_678, 123_456_789, 1, true, null]});
        let expected = json!({"[key]": ["[key]", "[key]9", 1, true, null]});
        assert_eq!(redactor.value(&value), expected);
    }

    #[test]
    fn what_looks_like_a_key_is_redacted_in_logs_only() {
        let redactor = redactor(&["hunter2"]);
        let text = r#"{"a":"hunter2","api_key":"other","b":"sk-proj-0123456789abcdef"}"#;
        assert_eq!(
            redactor.log_text(text),
            r#"{"a":"[key]","api_key":"[key]","b":"[key]"}"#
        );
        assert_eq!(
            redactor.text("sk-proj-0123456789abcdef"),
            "sk-proj-0123456789abcdef"
        );
    }

    #[test]
    fn the_beginning_of_a_key_is_known_at_the_end_of_a_text() {
        let redactor = redactor(&["correct horse \"battery\"", "ollama"]);
        for (text, expected) in [
            ("", 0),
            ("It is c", 1),
            ("It is correct horse", 13),
            ("It is corect", 0),
            ("correct horse correct", 7),
            ("olla", 0),
            ("It is CORR", 4),
            ("It is correct%", 8),
            ("It is correct%2", 9),
            ("It is correct%2520h", 13),
            ("It is c\\u006", 6),
            ("It is c\\u006f", 7),
            ("It is correct horse \\", 15),
            ("It is correct horse \\\\\\", 17),
            // `aHVu…` is Base64, too, for another text.
            ("It is Y29ycmVjd", 9),
        ] {
            let known = redactor.known();
            assert_eq!(pending(&known, text.as_bytes()), expected, "{text}");
        }
    }

    /// However a text is cut into pieces, no piece shows a part of a key.
    #[test]
    fn pieces_are_redacted_as_the_whole_is() {
        let redactor = redactor(&["abab", "ababcd-\"e\"", "k\u{fc}ssen", "hunter2/+\u{e9}\"x"]);
        for text in [
            // Base64, whose last character has a part of the secret.
            "aHVudGVyMi8rw6kieA==, aHVudGVyMi8rw6kieA== aHVudGVyMi8rw6kieA",
            "abab ababab ababcd ababcd-\"e\" ab",
            "ababcd-\\\"e\\\" ababcd%2D%22e%22 ababcd%252D%2522e%2522.",
            "K\u{fc}ssen k\\u00fcssen k%c3%bcssen k\u{fc}sse",
            "\\\\\\ %%% %2525 \\u00 \u{1f44b}",
        ] {
            let whole = redactor.text(text);
            for size in 1..text.len() {
                let mut stream = redactor.stream();
                let mut shown = String::new();
                let mut rest = text;
                while !rest.is_empty() {
                    let end = rest.ceil_char_boundary(size.min(rest.len()));
                    shown.push_str(&stream.push(&rest[..end]));
                    rest = &rest[end..];
                }
                shown.push_str(&stream.finish());
                assert_eq!(shown, whole, "{text} in pieces of {size}");
            }
        }
    }

    #[test]
    fn hostile_texts_take_no_more_time_than_long_ones() {
        let redactor = redactor(&["correct horse \"battery\"", "0000000000"]);
        for text in ["%25", "\\", "%5C", "\\u005c", "0", "+%2B"] {
            let text = text.repeat(20_000);
            assert!(redactor.text(&text).len() <= text.len());
            let mut stream = redactor.stream();
            for piece in text.as_bytes().chunks(1_000) {
                let piece = std::str::from_utf8(piece).expect("ASCII");
                let _ = stream.push(piece);
            }
        }
    }
}
