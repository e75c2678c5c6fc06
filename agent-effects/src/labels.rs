//! The labels of tools: what a tool reads, returns, sends and changes.

#[cfg(test)]
mod tests;

use agent_types::__private::same_text;
use serde_core::de::{Deserialize, Deserializer};
use serde_core::ser::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// Something that a tool does, or does not do, besides returning its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Effect {
    /// `reads: ["private"]`: the result has data that not everybody may see.
    ReadsPrivate,
    /// `untrusted`: the result has words of strangers, such as a mail or a web page.
    Untrusted,
    /// `sends`: the arguments leave to others, such as a mail. Fetching an address sends the address.
    Sends,
    /// `writes`: the arguments are stored where they count as trusted when they are read.
    Writes,
    /// `destructive`: what the tool does cannot be undone.
    Destructive,
    /// `readOnly`: the tool changes nothing. It may still send its arguments.
    ReadOnly,
}

impl Effect {
    /// All effects, in the order in which they are written.
    pub const ALL: [Effect; 6] = [
        Self::ReadsPrivate,
        Self::Untrusted,
        Self::Sends,
        Self::Writes,
        Self::Destructive,
        Self::ReadOnly,
    ];

    /// The key in the record of a tool.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::ReadsPrivate => "reads",
            Self::Untrusted => "untrusted",
            Self::Sends => "sends",
            Self::Writes => "writes",
            Self::Destructive => "destructive",
            Self::ReadOnly => "readOnly",
        }
    }

    /// The word in `#[tool(…)]`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::ReadOnly => "read_only",
            effect => effect.key(),
        }
    }

    /// The effect of a key.
    #[must_use]
    pub const fn from_key(key: &str) -> Option<Self> {
        let mut at = 0;
        while at < Self::ALL.len() {
            if same_text(Self::ALL[at].key(), key) {
                return Some(Self::ALL[at]);
            }
            at += 1;
        }
        None
    }
}

/// The only value in the list of the key `reads`.
pub const PRIVATE: &str = "private";

/// The statements about the effects of a tool. Each effect is stated as true, stated as false, or not stated.
///
/// A tool that states none of `reads`, `untrusted`, `sends` and `writes` is [unknown](Self::is_unknown) and counts as one that
/// has all effects. A tool that states one of them has the effects that it states as true, and no others.
///
/// ```
/// use agent_effects::{Effect, Effects};
///
/// let read_mail = Effects::NONE.with(Effect::ReadsPrivate, true).with(Effect::Untrusted, true);
/// assert!(read_mail.has(Effect::Untrusted) && !read_mail.has(Effect::Sends));
/// assert!(Effects::NONE.is_unknown() && Effects::NONE.has(Effect::Sends));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects([Option<bool>; Effect::ALL.len()]);

impl Effects {
    /// No statement.
    pub const NONE: Effects = Effects([None; Effect::ALL.len()]);

    /// Returns the same effects with a statement.
    #[must_use]
    pub const fn with(mut self, effect: Effect, is: bool) -> Self {
        self.0[effect as usize] = Some(is);
        self
    }

    /// Returns what is stated of an effect.
    #[must_use]
    pub const fn stated(self, effect: Effect) -> Option<bool> {
        self.0[effect as usize]
    }

    /// Whether nothing is stated.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        matches!(self.0, [None, None, None, None, None, None])
    }

    /// Whether none of `reads`, `untrusted`, `sends` and `writes` is stated.
    #[must_use]
    pub const fn is_unknown(self) -> bool {
        matches!(self.0, [None, None, None, None, ..])
    }

    /// Whether the tool has an effect, or counts as having it because nothing is known of the tool.
    #[must_use]
    pub const fn has(self, effect: Effect) -> bool {
        match (self.stated(effect), effect) {
            (Some(is), _) => is,
            (None, Effect::ReadOnly) => false,
            (None, Effect::Writes | Effect::Destructive) => {
                self.is_unknown() && !self.is_read_only()
            }
            (None, _) => self.is_unknown(),
        }
    }

    const fn is_read_only(self) -> bool {
        matches!(self.stated(Effect::ReadOnly), Some(true))
    }

    /// Whether a call of the tool acts on the world: the tool sends, writes or is destructive. Such calls are guarded by
    /// `whenTainted`.
    #[must_use]
    pub const fn acts(self) -> bool {
        self.has(Effect::Sends) || self.has(Effect::Writes) || self.has(Effect::Destructive)
    }

    /// Returns the effect that contradicts `readOnly`, if both are stated as true.
    #[must_use]
    pub const fn contradiction(self) -> Option<Effect> {
        let effects = [Effect::Writes, Effect::Destructive];
        let mut at = 0;
        while at < effects.len() {
            if self.is_read_only() && matches!(self.stated(effects[at]), Some(true)) {
                return Some(effects[at]);
            }
            at += 1;
        }
        None
    }

    /// Returns these statements of a document, and those of the tool's function where the document states nothing.
    #[must_use]
    pub const fn or(mut self, function: Effects) -> Self {
        let mut at = 0;
        while at < self.0.len() {
            if self.0[at].is_none() {
                self.0[at] = function.0[at];
            }
            at += 1;
        }
        self
    }

    /// Returns the stricter statements of both: an effect is true if one of them says so.
    #[must_use]
    pub const fn tightened_by(self, other: Effects) -> Self {
        let mut tightened = self.or(other);
        let mut at = 0;
        while at < Effect::ALL.len() {
            let effect = Effect::ALL[at];
            // `readOnly` loosens.
            let strict = !matches!(effect, Effect::ReadOnly);
            if matches!((self.0[at], other.0[at]), (Some(ours), Some(theirs)) if ours != theirs) {
                tightened = tightened.with(effect, strict);
            }
            at += 1;
        }
        tightened
    }

    /// Returns the first effect which the function of a tool states and these statements of a document take back. A document
    /// can add an effect, and can state what the function leaves open.
    #[must_use]
    pub const fn taken_back(self, function: Effects) -> Option<Effect> {
        let mut at = 0;
        while at < Effect::ALL.len() {
            let effect = Effect::ALL[at];
            let is_loosened = match effect {
                Effect::ReadOnly => {
                    function.or(self).contradiction().is_some() && self.is_read_only()
                }
                _ => matches!((self.0[at], function.0[at]), (Some(false), Some(true))),
            };
            if is_loosened {
                return Some(effect);
            }
            at += 1;
        }
        None
    }

    /// Returns the keys of the effects that are stated with the texts of their values, and the number of these.
    #[must_use]
    pub const fn properties(self) -> ([(&'static str, &'static str); Effect::ALL.len()], usize) {
        let mut properties = [("", ""); Effect::ALL.len()];
        let (mut stated, mut at) = (0, 0);
        while at < Effect::ALL.len() {
            let effect = Effect::ALL[at];
            if let Some(is) = self.stated(effect) {
                let text = match (effect, is) {
                    (Effect::ReadsPrivate, true) => "[\"private\"]",
                    (Effect::ReadsPrivate, false) => "[]",
                    (_, true) => "true",
                    (_, false) => "false",
                };
                properties[stated] = (effect.key(), text);
                stated += 1;
            }
            at += 1;
        }
        (properties, stated)
    }

    /// Returns the parts of a message about an effect that is [taken back](Self::taken_back): what the document states, and what
    /// the function states.
    #[must_use]
    pub const fn taken_back_parts(effect: Effect) -> [&'static str; 2] {
        match effect {
            Effect::ReadsPrivate => ["reads: []", "`reads: [\"private\"]`"],
            Effect::Untrusted => ["untrusted: false", "`untrusted: true`"],
            Effect::Sends => ["sends: false", "`sends: true`"],
            Effect::Writes => ["writes: false", "`writes: true`"],
            Effect::Destructive => ["destructive: false", "`destructive: true`"],
            Effect::ReadOnly => ["readOnly: true", "that it writes or destroys"],
        }
    }

    /// Returns what is stated in words, for people; empty if nothing is stated.
    #[must_use]
    pub fn sentence(self) -> String {
        let word = |(effect, is): (Effect, bool)| {
            Some(match (effect, is) {
                (Effect::ReadsPrivate, true) => "reads private data",
                (Effect::Untrusted, true) => "returns words of strangers",
                (Effect::Untrusted, false) => "returns no words of strangers",
                (Effect::Sends, true) => "sends what it is given to others",
                (Effect::Writes, true) => "stores what it is given",
                (Effect::Destructive, true) => "cannot be undone",
                (Effect::ReadOnly, true) => "changes nothing",
                _ => return None,
            })
        };
        let words: Vec<&str> = self.iter().filter_map(word).collect();
        match words.is_empty() {
            true => String::new(),
            false => format!("It {}.", words.join(", ")),
        }
    }

    /// The effects that are stated, in the order in which they are written.
    pub fn iter(self) -> impl Iterator<Item = (Effect, bool)> {
        let effects = Effect::ALL.into_iter();
        effects.filter_map(move |effect| Some((effect, self.stated(effect)?)))
    }
}

impl fmt::Display for Effects {
    /// Writes the statements as the properties of a tool.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (properties, stated) = self.properties();
        if stated == 0 {
            return out.write_str("nothing said of its effects");
        }
        for (at, (key, value)) in properties[..stated].iter().enumerate() {
            let separator = if at == 0 { "" } else { ", " };
            write!(out, "{separator}{key}: {value}")?;
        }
        Ok(())
    }
}

impl Serialize for Effects {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(effect, is)| (effect.key(), is)))
    }
}

impl<'de> Deserialize<'de> for Effects {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stated = BTreeMap::<String, bool>::deserialize(deserializer)?;
        let stated = stated
            .iter()
            .filter_map(|(key, is)| Some((Effect::from_key(key)?, *is)));
        Ok(stated.fold(Self::NONE, |effects, (effect, is)| effects.with(effect, is)))
    }
}
