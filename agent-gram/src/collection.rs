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

/// The places of items in the order of their names. The items stay with the caller, whose function gives the name of
/// the item at a place.
#[derive(Clone, Debug, Default)]
pub struct NameOrder(Vec<usize>);

impl NameOrder {
    /// Creates the order of a number of items.
    #[must_use]
    pub fn of<'t>(count: usize, name: &dyn Fn(usize) -> &'t str) -> Self {
        Self(order(count, &|one, other| name(one).cmp(name(other))))
    }

    /// Returns the place of the first item of a name.
    #[must_use]
    pub fn find<'t>(&self, wanted: &str, name: &dyn Fn(usize) -> &'t str) -> Option<usize> {
        let place = *self.0.get(self.rank(wanted, name))?;
        (name(place) == wanted).then_some(place)
    }

    /// Adds the item at a place. No other item has its name.
    pub fn insert<'t>(&mut self, place: usize, name: &dyn Fn(usize) -> &'t str) {
        let rank = self.rank(name(place), name);
        self.0.insert(rank, place);
    }

    /// Returns the number of items whose names come before a name.
    fn rank<'t>(&self, wanted: &str, name: &dyn Fn(usize) -> &'t str) -> usize {
        self.0.partition_point(|place| name(*place) < wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::{NameIndex, NameOrder, sort_by};

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
    fn finds_the_first_item_of_a_name() {
        let names = ["c", "a", "c", "b", "d"];
        let name = |place: usize| names[place];
        let mut order = NameOrder::of(4, &name);
        assert_eq!(order.find("c", &name), Some(0));
        assert_eq!(order.find("b", &name), Some(3));
        assert_eq!(
            (order.find("d", &name), order.find("", &name)),
            (None, None)
        );
        order.insert(4, &name);
        let found = ["a", "b", "c", "d"].map(|wanted| order.find(wanted, &name));
        assert_eq!(found, [Some(1), Some(3), Some(0), Some(4)]);
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
