//! Values that contain values: arrays, and records with keys in source order.

use super::{Text, Value};
use crate::MAX_DEPTH;
use crate::error::ValueError;
use std::borrow::Cow;
use std::collections::HashMap;

/// The number of keys up to which doubles are found by comparing each two.
const FEW: usize = 16;

/// A list of values.
#[derive(Clone, Debug, Default)]
pub struct Array {
    items: Cow<'static, [Value]>,
    depth: usize,
}

impl Array {
    /// Creates an array.
    ///
    /// # Errors
    /// If it would nest deeper than [`MAX_DEPTH`].
    pub fn new(items: Vec<Value>) -> Result<Self, ValueError> {
        let depth = 1 + items.iter().map(Value::depth).max().unwrap_or(0);
        within_bounds(depth)?;
        Ok(Self {
            items: Cow::Owned(items),
            depth,
        })
    }

    /// Creates an array that is known to keep to the depth limit.
    pub(crate) fn from_parsed(items: Vec<Value>) -> Self {
        let depth = 1 + items.iter().map(Value::depth).max().unwrap_or(0);
        Self {
            items: Cow::Owned(items),
            depth,
        }
    }

    /// Creates an array in a `const`.
    #[must_use]
    pub const fn from_static(items: &'static [Value]) -> Self {
        let mut deepest = 0;
        let mut at = 0;
        while at < items.len() {
            let depth = items[at].depth();
            if depth > deepest {
                deepest = depth;
            }
            at += 1;
        }
        assert!(deepest < MAX_DEPTH, "nested too deep for gram");
        Self {
            items: Cow::Borrowed(items),
            depth: deepest + 1,
        }
    }

    /// Returns the values.
    #[must_use]
    pub const fn as_slice(&self) -> &[Value] {
        match &self.items {
            Cow::Borrowed(items) => items,
            Cow::Owned(items) => items.as_slice(),
        }
    }

    /// Returns the values, owned.
    #[must_use]
    pub fn into_vec(self) -> Vec<Value> {
        self.items.into_owned()
    }

    pub(crate) const fn depth(&self) -> usize {
        self.depth
    }
}

impl PartialEq for Array {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

/// Values by key: the properties of a subject, or a map. Keys are unique and keep source order.
///
/// Two records are equal if they have equal values under the same keys, in any order.
#[derive(Clone, Debug, Default)]
pub struct Record {
    entries: Cow<'static, [(Text, Value)]>,
}

impl Record {
    /// Creates a record without entries.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            entries: Cow::Borrowed(&[]),
        }
    }

    /// Creates a record in a `const`. The keys must differ.
    #[must_use]
    pub const fn from_static(entries: &'static [(Text, Value)]) -> Self {
        Self {
            entries: Cow::Borrowed(entries),
        }
    }

    /// Creates a record. A key given twice keeps its first place and its last value.
    ///
    /// # Errors
    /// If it would nest deeper than [`MAX_DEPTH`].
    pub fn from_entries(
        entries: impl IntoIterator<Item = (Text, Value)>,
    ) -> Result<Self, ValueError> {
        let entries: Vec<(Text, Value)> = entries.into_iter().collect();
        for (_, value) in &entries {
            within_bounds(value.depth() + 1)?;
        }
        let count = entries.len();
        Ok(Self::from_parsed(entries.into_iter(), count))
    }

    /// Creates a record of `count` entries that is known to keep to the depth limit.
    pub(crate) fn from_parsed(given: impl Iterator<Item = (Text, Value)>, count: usize) -> Self {
        let mut entries: Vec<(Text, Value)> = Vec::with_capacity(count);
        // Comparing each two keys takes quadratic time, so many keys are indexed.
        let mut places: Option<HashMap<Text, usize>> = (count > FEW).then(HashMap::new);
        for (key, value) in given {
            let place = match &mut places {
                Some(places) => *places.entry(key.clone()).or_insert(entries.len()),
                None => {
                    let held = entries.iter().position(|(held, _)| *held == key);
                    held.unwrap_or(entries.len())
                }
            };
            match entries.get_mut(place) {
                Some((_, held)) => *held = value,
                None => entries.push((key, value)),
            }
        }
        Self {
            entries: Cow::Owned(entries),
        }
    }

    /// Sets the value of a key and returns its previous value. A new key is added at the end.
    ///
    /// # Errors
    /// If the record would nest deeper than [`MAX_DEPTH`]; it is then unchanged.
    pub fn insert(
        &mut self,
        key: impl Into<Text>,
        value: Value,
    ) -> Result<Option<Value>, ValueError> {
        within_bounds(value.depth() + 1)?;
        let key = key.into();
        let entries = self.entries.to_mut();
        if let Some((_, held)) = entries.iter_mut().find(|(held, _)| *held == key) {
            return Ok(Some(std::mem::replace(held, value)));
        }
        entries.push((key, value));
        Ok(None)
    }

    /// Removes a key and returns its value.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.entries.iter().position(|(held, _)| held == key)?;
        Some(self.entries.to_mut().remove(at).1)
    }

    /// Returns the value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries
            .iter()
            .find(|(held, _)| held == key)
            .map(|(_, value)| value)
    }

    /// Returns the entries, in source order.
    #[must_use]
    pub const fn entries(&self) -> &[(Text, Value)] {
        match &self.entries {
            Cow::Borrowed(entries) => entries,
            Cow::Owned(entries) => entries.as_slice(),
        }
    }

    /// Returns the keys and their values, in source order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries
            .iter()
            .map(|(key, value)| (key.as_ref(), value))
    }

    /// Returns the number of keys.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries().len()
    }

    /// Whether there are no keys.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) const fn depth(&self) -> usize {
        let entries = self.entries();
        let mut deepest = 0;
        let mut at = 0;
        while at < entries.len() {
            let depth = entries[at].1.depth();
            if depth > deepest {
                deepest = depth;
            }
            at += 1;
        }
        deepest + 1
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        let mut pairs = self.entries().iter().zip(other.entries());
        // Usually both records have the same order of keys, and then no key must be searched for.
        if pairs.clone().all(|(ours, theirs)| ours.0 == theirs.0) {
            return pairs.all(|(ours, theirs)| ours.1 == theirs.1);
        }
        let (ours, theirs) = (self.entries(), other.entries());
        let theirs: HashMap<&str, &Value> = theirs
            .iter()
            .map(|(key, value)| (key.as_str(), value))
            .collect();
        ours.iter().all(|(key, value)| {
            let found = theirs.get(key.as_str());
            found.is_some_and(|found| **found == *value)
        })
    }
}

impl Value {
    /// Returns the number of brackets and braces that are inside each other when the value is
    /// printed.
    pub(crate) const fn depth(&self) -> usize {
        match self {
            Value::Array(array) => array.depth(),
            Value::Map(record) => record.depth(),
            _ => 0,
        }
    }
}

const fn within_bounds(depth: usize) -> Result<(), ValueError> {
    if depth > MAX_DEPTH {
        Err(ValueError::TooDeep)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remove_returns_the_value_and_keeps_the_order() {
        let entries = ["a", "b", "c"].map(|key| (key.into(), Value::String(key.into())));
        let mut record = Record::from_entries(entries).expect("not deep");
        assert_eq!(record.remove("b"), Some(Value::String("b".into())));
        assert_eq!(record.remove("b"), None);
        let keys: Vec<_> = record.iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["a", "c"]);
    }
}
