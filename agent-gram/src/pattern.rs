//! The data model of gram: patterns, which are a subject and elements that are patterns, too.

mod labels;
mod subject;

pub use labels::Labels;
pub use subject::Subject;

use crate::MAX_DEPTH;
use crate::error::ValueError;
use std::iter::FusedIterator;
use std::slice;

/// A subject and its elements. Every pattern can be printed as gram and read back.
///
/// [`walk`](Pattern::walk), [`find`](Pattern::find) and [`filter`](Pattern::filter) search for
/// patterns inside it, and [`replace`](Pattern::replace) replaces them. [`map`](Pattern::map) and
/// [`fold`](Pattern::fold) work on the subjects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pattern {
    subject: Subject,
    elements: Vec<Pattern>,
}

impl Pattern {
    /// Creates a pattern.
    ///
    /// # Errors
    /// If it would nest deeper than [`MAX_DEPTH`].
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

    /// Creates a pattern that is known to keep to the depth limit, such as that of a parsed text.
    pub(crate) fn from_parts(subject: Subject, elements: Vec<Pattern>) -> Self {
        Self { subject, elements }
    }

    /// Returns the subject.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Returns the elements, in order.
    #[must_use]
    pub fn elements(&self) -> &[Pattern] {
        &self.elements
    }

    /// Returns the number of brackets, braces and parentheses that are inside each other when the
    /// pattern is printed.
    pub(crate) fn depth(&self) -> usize {
        let elements = self.elements.iter().map(Pattern::depth).max().unwrap_or(0);
        let record = if self.subject.properties.is_empty() {
            0
        } else {
            self.subject.properties.depth()
        };
        1 + record.max(elements)
    }

    /// Returns the subject and the elements, owned.
    #[must_use]
    pub fn into_parts(self) -> (Subject, Vec<Pattern>) {
        (self.subject, self.elements)
    }

    /// Returns an iterator over the pattern and all patterns below it, in pre-order.
    ///
    /// ```
    /// let patterns = agent_gram::parse_patterns("[a | [b | (c)], (d)]").expect("gram");
    /// let names: Vec<_> = patterns[0].walk().map(|found| &*found.subject().identity).collect();
    /// assert_eq!(names, ["a", "b", "c", "d"]);
    /// ```
    ///
    /// A document is a list of patterns: `patterns.iter().flat_map(Pattern::walk)` visits all of it.
    pub fn walk(&self) -> Walk<'_> {
        Walk {
            start: Some(self),
            open: Vec::new(),
        }
    }

    /// Returns the first pattern that satisfies `predicate`, in the order of [`walk`](Pattern::walk).
    /// The walk begins with this pattern.
    ///
    /// ```
    /// let patterns = agent_gram::parse_patterns("[team | [ada:Person | (book)]]").expect("gram");
    /// let person = patterns[0].find(|found| found.subject().has_label("Person"));
    /// assert_eq!(person.map(|found| found.elements().len()), Some(1));
    /// ```
    #[must_use]
    pub fn find(&self, mut predicate: impl FnMut(&Pattern) -> bool) -> Option<&Pattern> {
        self.walk().find(|pattern| predicate(pattern))
    }

    /// Returns an iterator over the patterns that satisfy `predicate`, in the order of
    /// [`walk`](Pattern::walk). A pattern inside another one that satisfies it is returned, too.
    ///
    /// ```
    /// let patterns = agent_gram::parse_patterns("[team | (ada:Person), (bob:Person)]").expect("gram");
    /// let people = patterns[0].filter(|found| found.subject().has_label("Person"));
    /// assert_eq!(people.count(), 2);
    /// ```
    pub fn filter<P>(&self, mut predicate: P) -> impl Iterator<Item = &Pattern> + use<'_, P>
    where
        P: FnMut(&Pattern) -> bool,
    {
        self.walk().filter(move |pattern| predicate(pattern))
    }

    /// Folds the subjects of this pattern and all below it into one value, in the order of
    /// [`walk`](Pattern::walk). To fold patterns instead of subjects, fold the walk.
    ///
    /// ```
    /// let patterns = agent_gram::parse_patterns("[sum {n: 1} | ({n: 2}), ({n: 3})]").expect("gram");
    /// let keys = patterns[0].fold(0, |keys, subject| keys + subject.properties.len());
    /// assert_eq!(keys, 3);
    /// ```
    pub fn fold<A>(&self, init: A, mut combine: impl FnMut(A, &Subject) -> A) -> A {
        self.walk().fold(init, |combined, pattern| {
            combine(combined, pattern.subject())
        })
    }

    /// Changes every subject and keeps the structure of the pattern. Subjects are changed in the order
    /// of [`walk`](Pattern::walk).
    ///
    /// # Errors
    /// If a changed subject makes the pattern nest deeper than [`MAX_DEPTH`].
    ///
    /// ```
    /// let mut patterns = agent_gram::parse_patterns("[a | (b), (c:Old)]").expect("gram");
    /// let labelled = patterns.remove(0).map(|subject| subject.with_label("Seen"))?;
    /// assert_eq!(labelled.to_string(), "(b::Seen)=[a:Seen]=>(c::Old::Seen)");
    /// # Ok::<(), agent_gram::ValueError>(())
    /// ```
    pub fn map(self, mut change: impl FnMut(Subject) -> Subject) -> Result<Self, ValueError> {
        self.mapped(&mut change).within_bounds()
    }

    fn mapped(self, change: &mut impl FnMut(Subject) -> Subject) -> Self {
        let subject = change(self.subject);
        let elements = self.elements.into_iter();
        Self {
            subject,
            elements: elements.map(|element| element.mapped(change)).collect(),
        }
    }

    /// Replaces every pattern that satisfies `predicate` by the result of `with`: this pattern, or
    /// patterns below it.
    ///
    /// The walk does not visit the elements of a replaced pattern or of its replacement, so that it
    /// ends whatever the replacements contain.
    ///
    /// # Errors
    /// If the result would nest deeper than [`MAX_DEPTH`].
    ///
    /// ```
    /// use agent_gram::{Pattern, Subject};
    ///
    /// let mut patterns = agent_gram::parse_patterns("[a | b, [c | b]]").expect("gram");
    /// let found = |pattern: &Pattern| pattern.subject().identity == "b";
    /// let with = Pattern::new(Subject::new("x"), Vec::new())?;
    /// let replaced = patterns.remove(0).replace(found, |_| with.clone())?;
    /// assert_eq!(replaced.find(found), None);
    /// assert_eq!(replaced.elements()[0], with);
    /// # Ok::<(), agent_gram::ValueError>(())
    /// ```
    pub fn replace(
        self,
        mut predicate: impl FnMut(&Pattern) -> bool,
        mut with: impl FnMut(Pattern) -> Pattern,
    ) -> Result<Self, ValueError> {
        self.replaced(&mut predicate, &mut with).within_bounds()
    }

    fn replaced(
        self,
        predicate: &mut impl FnMut(&Pattern) -> bool,
        with: &mut impl FnMut(Pattern) -> Pattern,
    ) -> Self {
        if predicate(&self) {
            return with(self);
        }
        let elements = self.elements.into_iter();
        Self {
            subject: self.subject,
            elements: elements
                .map(|element| element.replaced(predicate, with))
                .collect(),
        }
    }
}

/// An iterator over a pattern and all patterns below it; see [`Pattern::walk`].
///
/// It holds an iterator for each level and does not recurse. It returns the depth of the pattern
/// returned last, and can skip the elements of that pattern:
///
/// ```
/// let patterns = agent_gram::parse_patterns("[a | [b | (c)], (d)]").expect("gram");
/// let mut walk = patterns[0].walk();
/// let mut seen = Vec::new();
/// while let Some(pattern) = walk.next() {
///     seen.push((walk.depth(), pattern.subject().identity.to_string()));
///     if pattern.subject().identity == "b" {
///         walk.skip_elements();
///     }
/// }
/// assert_eq!(seen, [(0, "a".into()), (1, "b".into()), (1, "d".into())]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "it does nothing until it is asked for the next pattern"]
pub struct Walk<'p> {
    /// The root, until it has been returned.
    start: Option<&'p Pattern>,
    /// The elements not yet returned, by level. The last iterator has the elements of the pattern
    /// returned last. Each iterator before it has the elements that follow a pattern around that
    /// pattern.
    open: Vec<slice::Iter<'p, Pattern>>,
}

impl Walk<'_> {
    /// Returns the number of patterns around the one returned last, which is 0 for the root.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.open.len().saturating_sub(1)
    }

    /// Skips the elements of the pattern returned last, and all below them.
    pub fn skip_elements(&mut self) {
        if let Some(elements) = self.open.last_mut() {
            *elements = slice::Iter::default();
        }
    }
}

impl<'p> Iterator for Walk<'p> {
    type Item = &'p Pattern;

    fn next(&mut self) -> Option<&'p Pattern> {
        let pattern = match self.start.take() {
            Some(start) => start,
            None => loop {
                match self.open.last_mut()?.next() {
                    Some(element) => break element,
                    None => drop(self.open.pop()),
                }
            },
        };
        self.open.push(pattern.elements.iter());
        Some(pattern)
    }
}

impl FusedIterator for Walk<'_> {}
