//! Asking a pattern what is in it.

use super::{Pattern, Subject};

impl Pattern {
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
}
