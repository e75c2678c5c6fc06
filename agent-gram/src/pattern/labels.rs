//! The labels of a subject.

use crate::value::Text;
use std::collections::HashSet;
use std::fmt;

/// Labels without doubles, in source order. Nearly every subject has one or none, which takes no
/// place of its own in memory.
///
/// As sets they are equal in any order.
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

/// Up to how many labels doubles are looked for one by one.
const FEW: usize = 16;

impl Labels {
    /// No labels.
    #[must_use]
    pub const fn new() -> Self {
        Self(Repr::None)
    }

    /// The labels, in source order.
    #[must_use]
    pub fn as_slice(&self) -> &[Text] {
        match &self.0 {
            Repr::None => &[],
            Repr::One(label) => std::slice::from_ref(label),
            Repr::Many(labels) => labels,
        }
    }

    /// Adds a label at the end, unless it is there. Says whether it was added.
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

    /// Takes a label away. Says whether it was there.
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

    /// Whether the label is there.
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
        // Thousands of labels would take quadratic time without an index of them.
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
        // In most cases they stand in one order, and then there is no need to look for each.
        ours == theirs
            || (ours.len() == theirs.len()
                && ours.iter().collect::<HashSet<_>>() == theirs.iter().collect())
    }
}

impl<T, const N: usize> PartialEq<[T; N]> for Labels
where
    Text: PartialEq<T>,
{
    /// In this order.
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
    fn a_set_in_the_order_it_was_given() {
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
    fn doubles_among_many_are_left_out() {
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
    fn one_label_takes_the_place_of_a_text() {
        assert_eq!(size_of::<Labels>(), size_of::<Text>());
    }
}
