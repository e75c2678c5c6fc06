//! The user's input of a run.

use crate::conversation::{Audio, Document, Image, Media, Message, Part, Taint};
use serde_json::Value;

/// The user's input of a run: text, and images, documents or audio beside it.
///
/// ```
/// use agent_runtime::runtime::Input;
///
/// let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01".to_vec();
/// let input = Input::new("Which animal is this?").image(png);
/// assert_eq!(input.text(), "Which animal is this?");
/// assert_eq!(input.parts().len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    pub(super) parts: Vec<Part>,
    /// The arguments of an agent that is called as a function: a JSON object.
    pub(super) arguments: Option<Value>,
    /// The media whose digests are in the arguments.
    pub(super) argument_media: Vec<Media>,
    /// Whether the input has words of strangers.
    pub(super) is_untrusted: bool,
}

impl Input {
    /// Creates an input of text.
    pub fn new(text: impl Into<String>) -> Self {
        Self::from(vec![Part::Text(text.into())])
    }

    /// Creates the input of an agent that is called with arguments: an object. See
    /// `Runtime::call`.
    pub fn from_arguments(arguments: impl Into<Value>) -> Self {
        Self {
            arguments: Some(arguments.into()),
            ..Self::default()
        }
    }

    /// Adds the bytes of media that the arguments name by their `sha256`. Unlike `data` in base64, the bytes are shared
    /// with other inputs, and not copied.
    ///
    /// ```
    /// use agent_runtime::conversation::{Image, Media};
    /// use agent_runtime::runtime::Input;
    /// use serde_json::json;
    ///
    /// let photo = Image::new(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01".to_vec());
    /// // Serializing media writes their `sha256`.
    /// let input = Input::from_arguments(json!({"photo": photo})).argument_media([Media::clone(&photo)]);
    /// ```
    #[must_use]
    pub fn argument_media(mut self, media: impl IntoIterator<Item = Media>) -> Self {
        self.argument_media.extend(media);
        self
    }

    /// Marks the input as one with words of strangers, such as a mail that the program passes on. The run is
    /// [tainted](crate::conversation::Taint::Tainted) from the start, and `whenTainted` guards its calls.
    #[must_use]
    pub fn untrusted(mut self) -> Self {
        self.is_untrusted = true;
        self
    }

    /// Adds an image: its bytes, or an [`Image`].
    #[must_use]
    pub fn image(self, image: impl Into<Image>) -> Self {
        self.part(image.into())
    }

    /// Adds a document: its bytes, or a [`Document`].
    #[must_use]
    pub fn document(self, document: impl Into<Document>) -> Self {
        self.part(document.into())
    }

    /// Adds audio: its bytes, or an [`Audio`].
    #[must_use]
    pub fn audio(self, audio: impl Into<Audio>) -> Self {
        self.part(audio.into())
    }

    /// Adds a part.
    #[must_use]
    pub fn part(mut self, part: impl Into<Part>) -> Self {
        self.parts.push(part.into());
        self
    }

    /// The texts of all text parts, joined.
    #[must_use]
    pub fn text(&self) -> String {
        self.parts.iter().filter_map(Part::as_text).collect()
    }

    /// The parts, in order.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    pub(crate) fn is_blank(&self) -> bool {
        if self.arguments.is_some() {
            return false;
        }
        let mut texts = self.parts.iter().map(Part::as_text);
        texts.all(|text| text.is_some_and(|text| text.trim().is_empty()))
    }

    /// The arguments, if the agent is called with arguments.
    #[must_use]
    pub fn arguments(&self) -> Option<&Value> {
        self.arguments.as_ref()
    }

    #[doc(hidden)]
    #[must_use]
    pub fn into_message(self) -> Message {
        let message = Message::user_parts(self.parts);
        match self.is_untrusted {
            true => message.with_taint(Taint::Tainted),
            false => message,
        }
    }

    /// Returns the input that a message of the user was, for a run that answers it again.
    #[doc(hidden)]
    #[must_use]
    pub fn of_message(message: &Message) -> Self {
        Self {
            is_untrusted: message.taint() == Taint::Tainted,
            ..Self::from(message.parts().to_vec())
        }
    }
}

impl From<&str> for Input {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Input {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&String> for Input {
    fn from(text: &String) -> Self {
        Self::new(text)
    }
}

impl From<Vec<Part>> for Input {
    fn from(parts: Vec<Part>) -> Self {
        Self {
            parts,
            ..Self::default()
        }
    }
}

impl FromIterator<Part> for Input {
    fn from_iter<I: IntoIterator<Item = Part>>(parts: I) -> Self {
        Self::from(parts.into_iter().collect::<Vec<_>>())
    }
}
