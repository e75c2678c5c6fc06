//! Something that breaks a house rule.

use std::fmt;

/// Something that breaks a house rule.
#[derive(Debug)]
pub(crate) struct Breach {
    /// The rule's name.
    pub(crate) rule: &'static str,
    /// The thing that breaks the rule.
    pub(crate) key: String,
    /// The place to mend.
    pub(crate) place: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}: {}", self.place, self.rule, self.key)
    }
}
