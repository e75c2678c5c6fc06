//! What the keys of records mean: one table for hover and completion.
//!
//! Which keys there are the checker says ([`Place::keys`]); a test holds this table to it.

mod agent;
mod tool;
mod types;

use agent_spec::check::Place;

/// What a key means.
#[derive(Debug)]
pub(crate) struct Key {
    /// Where it means this.
    pub(crate) places: &'static [Place],
    /// The key.
    pub(crate) name: &'static str,
    /// What its value is, in a few words.
    pub(crate) value: &'static str,
    /// What it means, in Markdown.
    pub(crate) meaning: &'static str,
    /// The key with a value.
    pub(crate) example: &'static str,
}

impl Key {
    /// Whether its value stands in quotes.
    pub(crate) fn is_text(&self) -> bool {
        let value = self.example.split_once(": ");
        value.is_some_and(|(_, value)| value.starts_with('"'))
    }
}

/// What a key means in a place.
pub(crate) fn key(place: Place, name: &str) -> Option<&'static Key> {
    all().find(|key| key.name == name && key.places.contains(&place))
}

/// All keys of all places.
pub(crate) fn all() -> impl Iterator<Item = &'static Key> {
    [agent::KEYS, tool::KEYS, types::KEYS].into_iter().flatten()
}
