//! The labels of a subject.

use crate::value::Text;
use std::collections::HashSet;
use std::fmt;

/// Labels without doubles, in source order. A set of at most one label needs no allocation, because
/// nearly every subject has at most one label.
///
/// Two sets are equal in any order.
#[derive(Clone, Default)]
pub struct Labels(Repr);

#[derive(Clone, Default)]
#[expect(
    clippy::box_collection,
    reason = "a vector is as large as a text and its tag"
)]
enum Repr {
    #[default]
    None,
    One(Text),
    Many(Box<Vec<Text>>),
}

/// The number of labels up to which doubles are found by comparing each two.
const FEW: usize = 16;

impl Labels {
    /// Creates an empty set of labels.
    #[must_use]
    pub const fn new() -> Self {
        Self(Repr::None)
    }

    /// Returns the labels, in source order.
    #[must_use]
    pub fn as_slice(&self) -> &[Text] {
        match &self.0 {
            Repr::None => &[],
            Repr::One(label) => std::slice::from_ref(label),
            Repr::Many(labels) => labels,
        }
    }

    /// Adds a label at the end, unless the set has it. Returns whether it was added.
    pub fn insert(&mut self, label: impl Into<Text>) -> bool {
        let label = label.into();
        if let Repr::None = self.0 {
            self.0 = Repr::One(label);
            return true;
        }
        if self.contains(&label) {
            return false;
        }
        self.push(label);
        true
    }

    /// Removes a label. Returns whether the set had it.
    pub fn remove(&mut self, label: &str) -> bool {
        match &mut self.0 {
            Repr::One(held) if held == label => self.0 = Repr::None,
            Repr::Many(labels) => {
                let Some(at) = labels.iter().position(|held| held == label) else {
                    return false;
                };
                labels.remove(at);
            }
            Repr::None | Repr::One(_) => return false,
        }
        true
    }

    /// Whether the set has the label.
    #[must_use]
    pub fn contains(&self, label: &str) -> bool {
        self.as_slice().iter().any(|held| held == label)
    }

    fn push(&mut self, label: Text) {
        self.0 = match std::mem::take(&mut self.0) {
            Repr::None => Repr::One(label),
            Repr::One(first) => Repr::Many(Box::new(vec![first, label])),
            Repr::Many(mut labels) => {
                labels.push(label);
                Repr::Many(labels)
            }
        };
    }
}

impl std::ops::Deref for Labels {
    type Target = [Text];

    fn deref(&self) -> &[Text] {
        self.as_slice()
    }
}

impl<T: Into<Text>> FromIterator<T> for Labels {
    fn from_iter<I: IntoIterator<Item = T>>(labels: I) -> Self {
        let mut held = Self::new();
        held.extend(labels);
        held
    }
}

impl<T: Into<Text>> Extend<T> for Labels {
    fn extend<I: IntoIterator<Item = T>>(&mut self, labels: I) {
        // Without an index, thousands of labels would take quadratic time.
        let mut seen: HashSet<Text> = HashSet::new();
        for label in labels {
            let label = label.into();
            if self.len() < FEW {
                self.insert(label);
                continue;
            }
            if seen.is_empty() {
                seen.extend(self.iter().cloned());
            }
            if seen.insert(label.clone()) {
                self.push(label);
            }
        }
    }
}

impl<'a> IntoIterator for &'a Labels {
    type Item = &'a Text;
    type IntoIter = std::slice::Iter<'a, Text>;

    fn into_iter(self) -> Self::IntoIter {
        self.as_slice().iter()
    }
}

impl PartialEq for Labels {
    fn eq(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.as_slice(), other.as_slice());
        // Usually both have the same order, and then no label must be searched for.
        ours == theirs
            || (ours.len() == theirs.len() && {
                // No set contains a label twice.
                let theirs: HashSet<&str> = theirs.iter().map(Text::as_str).collect();
                ours.iter().all(|label| theirs.contains(label.as_str()))
            })
    }
}

impl<T, const N: usize> PartialEq<[T; N]> for Labels
where
    Text: PartialEq<T>,
{
    /// Compares the labels in this order.
    fn eq(&self, other: &[T; N]) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl fmt::Debug for Labels {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_a_set_in_insertion_order() {
        let mut labels: Labels = ["B", "A", "B", "C", "A"].into_iter().collect();
        assert_eq!(labels, ["B", "A", "C"]);
        assert!(!labels.insert("A") && labels.insert("D") && labels.contains("D"));
        assert!(labels.remove("B") && !labels.remove("B"));
        assert_eq!(labels, ["A", "C", "D"]);
        assert_eq!(labels, ["D", "A", "C"].into_iter().collect::<Labels>());
        assert_ne!(labels, ["D", "A"].into_iter().collect::<Labels>());

        let mut one = Labels::from_iter(["A"]);
        assert!(!one.remove("B") && one.remove("A"));
        assert!(one.is_empty() && one == Labels::new());
    }

    #[test]
    fn many_labels_have_no_doubles() {
        let names = || (0..1_000).map(|at| format!("L{}", at % 100));
        let labels: Labels = names().collect();
        assert_eq!(labels.len(), 100);
        assert!(
            labels
                .iter()
                .zip(names())
                .all(|(label, name)| *label == name)
        );
    }

    #[test]
    fn labels_take_the_size_of_a_text() {
        assert_eq!(size_of::<Labels>(), size_of::<Text>());
    }
}
