//! The canonical form of everything serialisable: a subject, and elements that are patterns too.

mod labels;
mod query;
mod rebuild;
mod subject;
mod walk;

pub use labels::Labels;
pub use subject::Subject;
pub use walk::Walk;

use crate::MAX_DEPTH;
use crate::error::ValueError;

/// A subject and its elements. Every pattern that exists can be printed as gram and read back.
///
/// [`walk`](Pattern::walk), [`find`](Pattern::find) and [`filter`](Pattern::filter) look for
/// patterns in it, [`replace`](Pattern::replace) puts others in their place; [`map`](Pattern::map)
/// and [`fold`](Pattern::fold) are about the subjects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pattern {
    subject: Subject,
    elements: Vec<Pattern>,
}

impl Pattern {
    /// A pattern of a subject and elements.
    ///
    /// # Errors
    /// When it would nest deeper than [`MAX_DEPTH`].
    pub fn new(subject: Subject, elements: Vec<Pattern>) -> Result<Self, ValueError> {
        Self { subject, elements }.within_bounds()
    }

    fn within_bounds(self) -> Result<Self, ValueError> {
        if self.depth() > MAX_DEPTH {
            Err(ValueError::TooDeep)
        } else {
            Ok(self)
        }
    }

    /// A pattern whose depth is known to be within bounds, as that of a text that was parsed is.
    pub(crate) fn from_parts(subject: Subject, elements: Vec<Pattern>) -> Self {
        Self { subject, elements }
    }

    /// The subject.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The elements, in order.
    #[must_use]
    pub fn elements(&self) -> &[Pattern] {
        &self.elements
    }

    /// How many brackets, braces and parentheses stand inside each other when it is printed.
    pub(crate) fn depth(&self) -> usize {
        let elements = self.elements.iter().map(Pattern::depth).max().unwrap_or(0);
        let record = if self.subject.properties.is_empty() {
            0
        } else {
            self.subject.properties.depth()
        };
        1 + record.max(elements)
    }

    /// The subject and the elements, owned.
    #[must_use]
    pub fn into_parts(self) -> (Subject, Vec<Pattern>) {
        (self.subject, self.elements)
    }
}
