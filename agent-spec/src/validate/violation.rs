//! What is wrong with a value.

use crate::json::Path;
use std::fmt;

/// One way in which a value is not what its type asks for: where, what was expected and what was
/// found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    path: String,
    expected: String,
    found: String,
    help: Option<String>,
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
        }
    }

    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Where it is, such as `$.user.tags[2]`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What should stand there.
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// What stands there, shortened when it is long.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.found
    }

    /// How to put it right, when more can be said.
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
        } = self;
        write!(out, "`{path}`: expected {expected}, found {found}")?;
        match help {
            Some(help) => write!(out, "; {help}"),
            None => Ok(()),
        }
    }
}

/// The most violations that are kept: a model can send a list of a million wrong items, and each
/// violation takes more room than the item.
pub(super) const MOST_VIOLATIONS: usize = 1_000;

/// What is wrong with a value: at least one violation, and at most a thousand.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violations {
    list: Vec<Violation>,
}

impl Violations {
    /// How many violations are printed. A long list of wrong items would fill a model's context
    /// without telling it more; [`Violations::iter`] gives all that were kept.
    pub const PRINTED: usize = 50;

    /// Nothing wrong when there are no violations.
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

    /// How many there are: at least one.
    #[must_use]
    #[expect(
        clippy::len_without_is_empty,
        reason = "a list that is never empty has no use for the question"
    )]
    pub fn len(&self) -> usize {
        self.list.len()
    }
}

/// One a line; see [`Violations::PRINTED`].
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
