//! The canonical form of everything serialisable: a subject, and elements that are patterns too.

mod labels;
mod subject;

pub use labels::Labels;
pub use subject::Subject;

use crate::MAX_DEPTH;
use crate::error::ValueError;
use std::iter::FusedIterator;
use std::slice;

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

    /// The pattern and all patterns below it, each before its elements, the elements in order.
    ///
    /// ```
    /// let patterns = agent_gram::parse_patterns("[a | [b | (c)], (d)]").expect("gram");
    /// let names: Vec<_> = patterns[0].walk().map(|found| &*found.subject().identity).collect();
    /// assert_eq!(names, ["a", "b", "c", "d"]);
    /// ```
    ///
    /// A document is a list of patterns; `patterns.iter().flat_map(Pattern::walk)` goes through all
    /// of it.
    pub fn walk(&self) -> Walk<'_> {
        Walk {
            start: Some(self),
            open: Vec::new(),
        }
    }

    /// The first pattern that satisfies a condition, in the order of [`walk`](Pattern::walk): this
    /// one, or one below it.
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

    /// The patterns that satisfy a condition, in the order of [`walk`](Pattern::walk), this one
    /// among them. One that stands inside another is given too.
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

    /// Combines the subjects of this pattern and all below it, in the order of
    /// [`walk`](Pattern::walk), to one value.
    ///
    /// It sees what [`map`](Pattern::map) sees, subjects; to combine patterns, fold the walk.
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

    /// The pattern with every subject changed and its structure kept: the patterns stay where they
    /// are. Subjects are changed in the order of [`walk`](Pattern::walk).
    ///
    /// # Errors
    /// When a subject gets values that make the pattern nest deeper than
    /// [`MAX_DEPTH`](crate::MAX_DEPTH).
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

    /// The pattern with every pattern that satisfies a condition replaced by what is made of it:
    /// this one, or those below it.
    ///
    /// The walk does not go on inside a pattern that is replaced, neither in what it was nor in
    /// what it becomes, so that it ends whatever the replacements hold.
    ///
    /// # Errors
    /// When the result would nest deeper than [`MAX_DEPTH`](crate::MAX_DEPTH).
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

/// The patterns that [`Pattern::walk`] goes through.
///
/// It holds a place for each level and does not recurse. Between two steps it can be asked how deep
/// it is, and told to leave something out:
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
    /// Where the walk starts, until it has.
    start: Option<&'p Pattern>,
    /// The elements still to come: those of the pattern given last, and, before them, those that
    /// follow each pattern that it stands in.
    open: Vec<slice::Iter<'p, Pattern>>,
}

impl Walk<'_> {
    /// How many patterns the one given last stands in; 0 for the one the walk started at.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.open.len().saturating_sub(1)
    }

    /// Leaves out the elements of the pattern given last, and all below them.
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
