//! The type of the texts in values, names and labels.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::hash::{Hash, Hasher};

/// A static, inline or owned text. It takes three words. Short texts are stored inline, because
/// most names, labels and keys are short, and there are many of them.
///
/// It can be created in a `const` with [`Text::from_static`], and read in a `const` with
/// [`Text::as_str`].
#[derive(Clone)]
pub struct Text(Repr);

/// The maximum length of an inline text, which takes the space of a pointer and a length.
const INLINE: usize = 22;

#[derive(Clone)]
enum Repr {
    Static(&'static str),
    /// The first `len` bytes, which are UTF-8.
    Inline {
        len: u8,
        bytes: [u8; INLINE],
    },
    Owned(Box<str>),
}

impl Text {
    /// Creates a text from a static string.
    #[must_use]
    pub const fn from_static(text: &'static str) -> Self {
        Self(Repr::Static(text))
    }

    /// Copies a text.
    #[must_use]
    #[inline]
    pub fn new(text: &str) -> Self {
        match Self::inline(text) {
            Some(text) => text,
            None => Self(Repr::Owned(text.into())),
        }
    }

    #[inline]
    fn inline(text: &str) -> Option<Self> {
        let mut bytes = [0; INLINE];
        bytes
            .get_mut(..text.len())?
            .copy_from_slice(text.as_bytes());
        let len = text.len() as u8;
        Some(Self(Repr::Inline { len, bytes }))
    }

    /// Returns the text. Unlike `Deref`, it can be called in a `const`.
    #[must_use]
    pub const fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Static(text) => text,
            Repr::Inline { len, bytes } => {
                // The bytes are always those of a whole text.
                match str::from_utf8(bytes.split_at(*len as usize).0) {
                    Ok(text) => text,
                    Err(_) => "",
                }
            }
            Repr::Owned(text) => text,
        }
    }

    /// Returns the bytes of the text, which are enough for comparing.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Static(text) => text.as_bytes(),
            Repr::Inline { len, bytes } => bytes.split_at(*len as usize).0,
            Repr::Owned(text) => text.as_bytes(),
        }
    }

    /// Whether the text is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.as_bytes().is_empty()
    }

    /// Returns the length in bytes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.as_bytes().len()
    }

    /// Returns the text as a `String`.
    #[must_use]
    pub fn into_string(self) -> String {
        match self.0 {
            Repr::Owned(text) => text.into(),
            Repr::Static(_) | Repr::Inline { .. } => self.as_str().to_owned(),
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::from_static("")
    }
}

impl std::ops::Deref for Text {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self
    }
}

impl From<&'static str> for Text {
    fn from(text: &'static str) -> Self {
        Self::from_static(text)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        match Self::inline(&text) {
            Some(text) => text,
            None => Self(Repr::Owned(text.into())),
        }
    }
}

impl From<Box<str>> for Text {
    fn from(text: Box<str>) -> Self {
        match Self::inline(&text) {
            Some(text) => text,
            None => Self(Repr::Owned(text)),
        }
    }
}

impl From<Cow<'static, str>> for Text {
    fn from(text: Cow<'static, str>) -> Self {
        match text {
            Cow::Borrowed(text) => Self::from_static(text),
            Cow::Owned(text) => Self::from(text),
        }
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.into_string()
    }
}

impl PartialEq for Text {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Text {}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    /// Compares by code points, like `str`.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl Hash for Text {
    /// Hashes like `str`, so that a map with texts as keys can be indexed with a `str`.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl PartialEq<str> for Text {
    #[inline]
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for Text {
    #[inline]
    fn eq(&self, other: &&str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<String> for Text {
    fn eq(&self, other: &String) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<Text> for str {
    fn eq(&self, other: &Text) -> bool {
        other == self
    }
}

impl PartialEq<Text> for &str {
    fn eq(&self, other: &Text) -> bool {
        other == *self
    }
}

impl PartialEq<Text> for String {
    fn eq(&self, other: &Text) -> bool {
        other == self
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(out)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_of_every_representation_are_equal() {
        for len in 0..60 {
            let plain: String = "äb€c".chars().cycle().take(len).collect();
            let leaked: &'static str = Box::leak(plain.clone().into_boxed_str());
            let forms = [
                Text::new(&plain),
                Text::from(plain.clone()),
                Text::from_static(leaked),
                Text::from(plain.clone().into_boxed_str()),
            ];
            for text in &forms {
                assert_eq!(text.as_str(), plain);
                assert_eq!(
                    (text.len(), text.is_empty()),
                    (plain.len(), plain.is_empty())
                );
                assert!(forms.iter().all(|other| other == text));
                assert_eq!(text.clone().into_string(), plain);
            }
        }
    }

    #[test]
    fn text_takes_three_words() {
        assert_eq!(size_of::<Text>(), 3 * size_of::<usize>());
    }
}
