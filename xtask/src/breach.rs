//! Something that breaks a house rule.

use std::fmt;

/// Something that breaks a house rule.
#[derive(Debug)]
pub(crate) struct Breach {
    /// The rule's name.
    pub(crate) rule: &'static str,
    /// The thing that breaks it, in words that stay when code moves.
    pub(crate) key: String,
    /// The place to mend.
    pub(crate) place: String,
}

impl Breach {
    /// The line of `exceptions.txt` that permits this breach. The place is left out, so that moving code
    /// does not change the file.
    pub(crate) fn exception(&self) -> String {
        format!("{} {}", self.rule, self.key)
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}: {}", self.place, self.rule, self.key)
    }
}
