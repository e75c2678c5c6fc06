//! Names of stored conversations.

use std::fmt;
use std::str::FromStr;

/// The most characters of a name.
const LONGEST: usize = 100;

/// The name of a stored conversation: letters and digits of ASCII, `-`, `_`, `.` and `@`, a letter
/// or digit first, at most 100. Such a name can be a file's, a part of an address, and an argument of a
/// command, and no two look alike.
///
/// ```
/// use agent_runtime::conversation::ConversationName;
///
/// assert!(ConversationName::new("ada@example.com").is_ok());
/// assert_eq!(
///     ConversationName::new("../ada").unwrap_err().to_string(),
///     "`../ada` is no name for a conversation: it begins with `.`; a name has letters and digits \
///      (a to z, 0 to 9), `-`, `_`, `.` and `@`, a letter or digit first, and at most 100 of them"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConversationName(String);

impl ConversationName {
    /// A name.
    ///
    /// # Errors
    /// When it is empty, too long, or has another character.
    pub fn new(name: impl Into<String>) -> Result<Self, InvalidName> {
        let name = name.into();
        match problem(&name) {
            None => Ok(Self(name)),
            Some(problem) => Err(InvalidName { name, problem }),
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn problem(name: &str) -> Option<String> {
    let Some(first) = name.chars().next() else {
        return Some("it is empty".to_owned());
    };
    let is_fine = |c: &char| c.is_ascii_alphanumeric() || "-_.@".contains(*c);
    if is_fine(&first) && !first.is_ascii_alphanumeric() {
        return Some(format!("it begins with `{first}`"));
    }
    if let Some(other) = name.chars().find(|c| !is_fine(c)) {
        return Some(format!("it has `{}`", other.escape_debug()));
    }
    (name.len() > LONGEST).then(|| format!("it has {} characters", name.len()))
}

impl fmt::Display for ConversationName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl FromStr for ConversationName {
    type Err = InvalidName;

    fn from_str(name: &str) -> Result<Self, InvalidName> {
        Self::new(name)
    }
}

/// Why a text is not the name of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidName {
    name: String,
    problem: String,
}

impl fmt::Display for InvalidName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name: String = self.name.chars().take(LONGEST).collect();
        write!(
            out,
            "`{}` is no name for a conversation: {}; a name has letters and digits (a to z, 0 to 9), \
             `-`, `_`, `.` and `@`, a letter or digit first, and at most {LONGEST} of them",
            name.escape_debug(),
            self.problem
        )
    }
}

impl std::error::Error for InvalidName {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_stand_anywhere() {
        for good in ["a", "0", "Ada", "a.b-c_d@e", &"x".repeat(100)] {
            assert!(ConversationName::new(good).is_ok(), "{good}");
        }
        for (bad, words) in [
            ("", "it is empty"),
            ("-a", "begins with `-`"),
            ("..", "begins with `.`"),
            ("a/b", "it has `/`"),
            ("a b", "it has ` `"),
            ("é", "it has `é`"),
            ("a\u{1b}", "it has `\\u{1b}`"),
            (&"x".repeat(101), "it has 101 characters"),
        ] {
            let error = ConversationName::new(bad).expect_err(bad).to_string();
            assert!(error.contains(words), "{error}");
            assert!(!error.contains('\u{1b}'));
        }
    }
}
