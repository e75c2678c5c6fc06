//! The state of a conversation, and the treatment of calls in it.

use serde_core::de::{Deserialize, Deserializer, Error as _};
use serde_core::ser::{Serialize, Serializer};

/// The state of a conversation: whether something of strangers has entered it. The later values are worse.
///
/// Each message has its own value, and a conversation has the worst of its messages. Only the host can lower it, by
/// `Conversation::trust`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Taint {
    /// Nothing of strangers.
    #[default]
    Clean,
    /// Values that strangers may have chosen, and that carry no words: numbers, dates, words of an `enum`.
    Touched,
    /// Words of strangers, which the model may follow.
    Tainted,
}

impl Taint {
    /// All values, from the best to the worst.
    pub const ALL: [Taint; 3] = [Self::Clean, Self::Touched, Self::Tainted];

    /// Whether nothing of strangers has entered.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        matches!(self, Self::Clean)
    }

    /// The word in JSON and in gram.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Touched => "touched",
            Self::Tainted => "tainted",
        }
    }

    /// Returns the value of a word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|taint| taint.as_str() == word)
    }
}

/// The treatment of calls that send, write or destroy, once words of strangers are in the conversation: `whenTainted` of an
/// agent. The later values are stricter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum WhenTainted {
    /// The call is made.
    #[default]
    Allow,
    /// The call waits for a person.
    Approve,
    /// The call is refused, and the model reads why.
    Deny,
}

impl WhenTainted {
    /// All values, from the least strict to the strictest.
    pub const ALL: [WhenTainted; 3] = [Self::Allow, Self::Approve, Self::Deny];

    /// Returns the value with this word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|when| when.as_str() == word)
    }

    /// The word of the value.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Approve => "approve",
            Self::Deny => "deny",
        }
    }
}

impl Serialize for WhenTainted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for WhenTainted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        let unknown = || D::Error::custom(format!("`{word}` is no value of `whenTainted`"));
        Self::of(&word).ok_or_else(unknown)
    }
}

impl Serialize for Taint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Taint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Self::of(&word).ok_or_else(|| D::Error::custom(format!("`{word}` is no taint")))
    }
}
