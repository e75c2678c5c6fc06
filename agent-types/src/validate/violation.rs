//! Violations: the mistakes of a value.

use crate::json_value::Path;
use std::fmt;

/// A part of a value that does not satisfy its type: the path, the expected and the found value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    path: String,
    expected: String,
    found: String,
    help: Option<String>,
    /// The number of steps of the path.
    depth: usize,
}

impl Violation {
    pub(super) fn new(
        path: &Path<'_>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self {
            path: path.to_string(),
            expected: expected.into(),
            found: found.into(),
            help: None,
            depth: path.depth(),
        }
    }

    /// The number of steps of the path.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns the path, such as `$.user.tags[2]`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the expected value, in words.
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// Returns the found value, shortened when it is long.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.found
    }

    /// Returns advice, when there is some.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            expected,
            found,
            help,
            depth: _,
        } = self;
        write!(out, "`{path}`: expected {expected}, found {found}")?;
        match help {
            Some(help) => write!(out, "; {help}"),
            None => Ok(()),
        }
    }
}

/// The maximum number of recorded violations. A model can send a list of a million wrong items, and each
/// violation takes more memory than the item.
pub(super) const MOST_VIOLATIONS: usize = 1_000;

/// The mistakes of a value: at least one violation, and at most a thousand.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violations {
    list: Vec<Violation>,
}

impl Violations {
    /// The maximum number of printed violations. A long list of wrong items would fill a model's context
    /// without helping it; [`Violations::iter`] returns all that were recorded.
    pub const PRINTED: usize = 50;

    /// Returns `Ok` when there are no violations.
    pub(super) fn from_list(list: Vec<Violation>) -> Result<(), Violations> {
        if list.is_empty() {
            Ok(())
        } else {
            Err(Self { list })
        }
    }

    /// A single violation.
    pub(super) fn one(violation: Violation) -> Self {
        Self {
            list: vec![violation],
        }
    }

    /// The violations.
    pub fn iter(&self) -> std::slice::Iter<'_, Violation> {
        self.list.iter()
    }

    /// The first violation; there is always one.
    #[must_use]
    pub fn first(&self) -> &Violation {
        &self.list[0]
    }

    /// Returns the number of violations: at least one.
    #[must_use]
    #[expect(
        clippy::len_without_is_empty,
        reason = "a list that is never empty has no use for the question"
    )]
    pub fn len(&self) -> usize {
        self.list.len()
    }
}

/// Writes one violation a line; see [`Violations::PRINTED`].
impl fmt::Display for Violations {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, violation) in self.list.iter().take(Self::PRINTED).enumerate() {
            if at > 0 {
                out.write_str("\n")?;
            }
            violation.fmt(out)?;
        }
        match self.list.len().saturating_sub(Self::PRINTED) {
            0 => Ok(()),
            more => write!(out, "\nand {more} more"),
        }
    }
}

impl std::error::Error for Violations {}

impl IntoIterator for Violations {
    type Item = Violation;
    type IntoIter = std::vec::IntoIter<Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'a> IntoIterator for &'a Violations {
    type Item = &'a Violation;
    type IntoIter = std::slice::Iter<'a, Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}
