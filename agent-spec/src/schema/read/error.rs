//! What a schema says that gram cannot.

use std::fmt;

/// One thing in a schema that cannot be read: where, what it is, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaProblem {
    pub(super) path: String,
    pub(super) referrer: Option<String>,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl SchemaProblem {
    /// Where it stands in the schema, such as `$.properties.user.anyOf[1]`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Where the `$ref` stands through which it was reached, if it was.
    #[must_use]
    pub fn referrer(&self) -> Option<&str> {
        self.referrer.as_deref()
    }

    /// What was found, and why it cannot be read.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What would be right, when more can be said.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl fmt::Display for SchemaProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}`", self.path)?;
        if let Some(referrer) = &self.referrer {
            write!(out, ", which `{referrer}` refers to")?;
        }
        write!(out, ": {}", self.message)?;
        match &self.help {
            Some(help) => write!(out, "; {help}"),
            None => Ok(()),
        }
    }
}

/// The most problems that are kept: a schema can be wrong in as many places as it has.
pub(super) const MOST_PROBLEMS: usize = 1_000;

/// Why a JSON Schema cannot be read as a type: at least one problem, and at most a thousand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    problems: Vec<SchemaProblem>,
}

impl SchemaError {
    /// How many problems are printed; [`SchemaError::problems`] gives all.
    pub const PRINTED: usize = 50;

    /// Nothing wrong when there are no problems.
    pub(super) fn from_list(mut problems: Vec<SchemaProblem>) -> Result<(), Self> {
        problems.truncate(MOST_PROBLEMS);
        if problems.is_empty() {
            Ok(())
        } else {
            Err(Self { problems })
        }
    }

    /// What is said when nothing was read and nothing reported, which would be a mistake here.
    pub(super) fn unread() -> Self {
        Self {
            problems: vec![SchemaProblem {
                path: "$".to_owned(),
                referrer: None,
                message: "the schema cannot be read".to_owned(),
                help: None,
            }],
        }
    }

    /// The problems, in the order in which they were found.
    #[must_use]
    pub fn problems(&self) -> &[SchemaProblem] {
        &self.problems
    }

    /// The first problem; there is always one.
    #[must_use]
    pub fn first(&self) -> &SchemaProblem {
        &self.problems[0]
    }
}

/// One a line; see [`SchemaError::PRINTED`].
impl fmt::Display for SchemaError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.problems.iter().take(Self::PRINTED).enumerate() {
            if at > 0 {
                out.write_str("\n")?;
            }
            problem.fmt(out)?;
        }
        match self.problems.len().saturating_sub(Self::PRINTED) {
            0 => Ok(()),
            more => write!(out, "\nand {more} more"),
        }
    }
}

impl std::error::Error for SchemaError {}
