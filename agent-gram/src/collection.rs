//! Collections that are compiled once, for this crate and those above it.
//!
//! The sorts and the hash maps of the standard library are compiled for each type: a sort is 5,000 lines of
//! LLVM IR, a map 3,000. Together they were a tenth of the code of our crates.

use std::cmp::Ordering;
use std::collections::HashMap;

/// Sorts items. Equal items keep their order.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut order = order(items.len(), &|one, other| {
        compare(&items[one], &items[other])
    });
    // Each item is moved once, along the cycles of the permutation.
    for start in 0..items.len() {
        let mut place = start;
        while order[place] != start {
            let source = order[place];
            items.swap(place, source);
            order[place] = place;
            place = source;
        }
        order[place] = place;
    }
}

/// Returns the indexes of items in the order of the items.
fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|one, other| compare(*one, *other));
    order
}

/// A number for each of some names, such as its place in a list.
#[derive(Clone, Debug, Default)]
pub struct NameIndex<'t>(HashMap<&'t str, usize>);

impl<'t> NameIndex<'t> {
    /// Creates an empty index.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an index of the places of names. The last place of a repeated name counts.
    #[must_use]
    pub fn of(names: &mut dyn Iterator<Item = &'t str>) -> Self {
        let mut index = Self::new();
        for (place, name) in names.enumerate() {
            index.insert(name, place);
        }
        index
    }

    /// Sets the number of a name, and returns the one that it had.
    pub fn insert(&mut self, name: &'t str, number: usize) -> Option<usize> {
        self.0.insert(name, number)
    }

    /// Returns the number of a name that has one, or gives it this one.
    pub fn insert_first(&mut self, name: &'t str, number: usize) -> Option<usize> {
        let first = self.get(name);
        if first.is_none() {
            self.insert(name, number);
        }
        first
    }

    /// Removes a name, and returns its number.
    pub fn remove(&mut self, name: &str) -> Option<usize> {
        self.0.remove(name)
    }

    /// Returns the number of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<usize> {
        self.0.get(name).copied()
    }

    /// Whether the name has a number.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

#[cfg(test)]
mod tests {
    use super::{NameIndex, sort_by};

    #[test]
    fn sorts_as_the_standard_library_does() {
        for count in 0..60 {
            let items = (0..count).map(|at| ((at * 7919 + count) % 13, at));
            let mut sorted: Vec<(usize, usize)> = items.collect();
            let mut expected = sorted.clone();
            expected.sort_by_key(|item| item.0);
            sort_by(&mut sorted, |one, other| one.0.cmp(&other.0));
            assert_eq!(sorted, expected);
        }
    }

    #[test]
    fn numbers_names() {
        let mut index = NameIndex::of(&mut ["a", "b", "a"].into_iter());
        assert_eq!((index.get("a"), index.get("b")), (Some(2), Some(1)));
        assert_eq!((index.get("c"), index.contains("c")), (None, false));
        assert_eq!(index.insert_first("a", 7), Some(2));
        assert_eq!(index.insert_first("c", 7), None);
        assert_eq!(index.insert("c", 8), Some(7));
        assert_eq!((index.remove("c"), index.remove("c")), (Some(8), None));
    }
}
