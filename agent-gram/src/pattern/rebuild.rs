//! Making another pattern of a pattern.
//!
//! Both functions recurse as deep as the pattern nests, which is bounded, and look at the depth of
//! the result once, at the end: what was in bounds below stays so, and a replacement is a pattern
//! with a bound of its own.

use super::{Pattern, Subject};
use crate::error::ValueError;

impl Pattern {
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
