//! The laws that a getter and its setter keep together.

use agent_gram::{Pattern, print_pattern};
use proptest::prelude::*;
use std::fmt::Debug;

/// Removes a property from a pattern.
pub(crate) fn without(pattern: &Pattern, key: &str) -> Pattern {
    let (mut subject, elements) = pattern.clone().into_parts();
    subject.properties.remove(key);
    Pattern::new(subject, elements).expect("less than it was")
}

/// A getter, its setter, and the view of everything else.
pub(crate) struct Lens<G, S, R> {
    pub(crate) get: G,
    pub(crate) set: S,
    pub(crate) rest: R,
}

impl<G, S, R> Lens<G, S, R> {
    /// Checks the laws on one pattern with two values. Texts are compared, not patterns, since they
    /// tell the order of keys and labels apart, too.
    pub(crate) fn check<P, V>(
        &self,
        pattern: &P,
        first: &V,
        second: &V,
    ) -> Result<(), TestCaseError>
    where
        P: Clone + Into<Pattern>,
        V: PartialEq + Debug,
        G: Fn(&P) -> V,
        S: Fn(&mut P, &V),
        R: Fn(&Pattern) -> Pattern,
    {
        let with = |pattern: &P, value: &V| {
            let mut pattern = pattern.clone();
            (self.set)(&mut pattern, value);
            pattern
        };
        let text = |pattern: &P| print_pattern(&pattern.clone().into());
        let rest = |pattern: &P| print_pattern(&(self.rest)(&pattern.clone().into()));
        let before = (self.get)(pattern);
        prop_assert_eq!(text(&with(pattern, &before)), text(pattern), "get-put");

        let once = with(pattern, first);
        prop_assert_eq!(&(self.get)(&once), first, "put-get");
        prop_assert_eq!(rest(&once), rest(pattern), "the rest");
        prop_assert_eq!(
            text(&with(&once, first)),
            text(&once),
            "put-put with one value"
        );

        let (twice, direct) = (with(&once, second), with(pattern, second));
        prop_assert_eq!(&(self.get)(&twice), second, "put-put");
        prop_assert_eq!(rest(&twice), rest(&direct), "put-put leaves the rest");
        // A set value has one spelling, so from here on only the last setting counts.
        let third = with(&with(&once, &before), second);
        let exact = first != &before && second != &before && first != second;
        prop_assert!(!exact || third.into() == twice.into(), "put-put is exact");
        Ok(())
    }
}
