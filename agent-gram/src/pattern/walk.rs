//! Going through a pattern and all that is below it.

use super::Pattern;
use std::iter::FusedIterator;
use std::slice;

impl Pattern {
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
