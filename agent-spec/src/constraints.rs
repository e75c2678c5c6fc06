//! What narrows a type: an enumeration, and the keywords taken over from JSON Schema.

use agent_gram::Value;
use agent_gram::value::{Decimal, Text};
use std::borrow::Cow;

/// The keywords that narrow a type. They mean what JSON Schema says they mean.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Constraints {
    /// The only values allowed; empty when all are.
    pub enumeration: Cow<'static, [Value]>,
    /// The form of a text, such as `date-time`.
    pub format: Option<Text>,
    /// The smallest number allowed.
    pub minimum: Option<Bound>,
    /// The largest number allowed.
    pub maximum: Option<Bound>,
    /// The least number of characters.
    pub min_length: Option<u64>,
    /// The greatest number of characters.
    pub max_length: Option<u64>,
    /// A regular expression that a text must match somewhere.
    pub pattern: Option<Text>,
    /// The least number of items.
    pub min_items: Option<u64>,
    /// The greatest number of items.
    pub max_items: Option<u64>,
}

/// The smallest or largest number allowed.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// A whole number.
    Int(i128),
    /// A number with a fraction.
    Double(Decimal),
}

impl Bound {
    /// The number, as near as a double comes to it.
    #[must_use]
    pub const fn as_f64(&self) -> f64 {
        match self {
            Bound::Int(value) => *value as f64,
            Bound::Double(value) => value.value(),
        }
    }
}

impl Constraints {
    /// Nothing is narrowed.
    pub const NONE: Constraints = Constraints {
        enumeration: Cow::Borrowed(&[]),
        format: None,
        minimum: None,
        maximum: None,
        min_length: None,
        max_length: None,
        pattern: None,
        min_items: None,
        max_items: None,
    };

    /// Constraints for a `const`, in the order of the fields.
    #[must_use]
    #[expect(clippy::too_many_arguments, reason = "only the macros call it")]
    pub const fn from_static(
        enumeration: &'static [Value],
        format: Option<&'static str>,
        minimum: Option<Bound>,
        maximum: Option<Bound>,
        min_length: Option<u64>,
        max_length: Option<u64>,
        pattern: Option<&'static str>,
        min_items: Option<u64>,
        max_items: Option<u64>,
    ) -> Self {
        Self {
            enumeration: Cow::Borrowed(enumeration),
            format: static_text(format),
            minimum,
            maximum,
            min_length,
            max_length,
            pattern: static_text(pattern),
            min_items,
            max_items,
        }
    }

    /// Only these values, for a `const`.
    #[must_use]
    pub const fn one_of(values: &'static [Value]) -> Self {
        Self::from_static(values, None, None, None, None, None, None, None, None)
    }

    /// A text of this format, for a `const`.
    #[must_use]
    pub const fn of_format(format: &'static str) -> Self {
        Self::from_static(&[], Some(format), None, None, None, None, None, None, None)
    }

    /// A list of just so many items, for a `const`.
    #[must_use]
    pub const fn of_items(count: u64) -> Self {
        let count = Some(count);
        Self::from_static(&[], None, None, None, None, None, None, count, count)
    }

    /// What narrows a type further: these constraints, and of those that hold for the type already
    /// each that these leave open. For a `const`, so both live for ever.
    #[must_use]
    pub const fn over(own: &'static Constraints, base: &'static Constraints) -> Self {
        let enumeration = match own.enumeration() {
            [] => base.enumeration(),
            values => values,
        };
        Self {
            enumeration: Cow::Borrowed(enumeration),
            format: either_text(&own.format, &base.format),
            minimum: either_bound(&own.minimum, &base.minimum),
            maximum: either_bound(&own.maximum, &base.maximum),
            min_length: either_count(own.min_length, base.min_length),
            max_length: either_count(own.max_length, base.max_length),
            pattern: either_text(&own.pattern, &base.pattern),
            min_items: either_count(own.min_items, base.min_items),
            max_items: either_count(own.max_items, base.max_items),
        }
    }

    /// The values allowed, in a `const` too; empty when all are.
    #[must_use]
    pub const fn enumeration(&self) -> &[Value] {
        match &self.enumeration {
            Cow::Borrowed(values) => values,
            Cow::Owned(values) => values.as_slice(),
        }
    }

    /// Whether nothing is narrowed.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.enumeration().is_empty()
            && self.format.is_none()
            && self.minimum.is_none()
            && self.maximum.is_none()
            && self.min_length.is_none()
            && self.max_length.is_none()
            && self.pattern.is_none()
            && self.min_items.is_none()
            && self.max_items.is_none()
    }

    /// The keywords that are given, as gram writes them.
    pub(crate) fn keywords(&self) -> impl Iterator<Item = &'static str> {
        let given = [
            ("enum", !self.enumeration().is_empty()),
            ("format", self.format.is_some()),
            ("minimum", self.minimum.is_some()),
            ("maximum", self.maximum.is_some()),
            ("minLength", self.min_length.is_some()),
            ("maxLength", self.max_length.is_some()),
            ("pattern", self.pattern.is_some()),
            ("minItems", self.min_items.is_some()),
            ("maxItems", self.max_items.is_some()),
        ];
        given
            .into_iter()
            .filter_map(|(keyword, is_given)| is_given.then_some(keyword))
    }
}

impl Default for Constraints {
    fn default() -> Self {
        Self::NONE
    }
}

const fn static_text(text: Option<&'static str>) -> Option<Text> {
    match text {
        Some(text) => Some(Text::from_static(text)),
        None => None,
    }
}

const fn either_text(own: &'static Option<Text>, base: &'static Option<Text>) -> Option<Text> {
    match (own, base) {
        (Some(text), _) | (None, Some(text)) => Some(Text::from_static(text.as_str())),
        (None, None) => None,
    }
}

const fn either_bound(own: &'static Option<Bound>, base: &'static Option<Bound>) -> Option<Bound> {
    match (own, base) {
        (Some(bound), _) | (None, Some(bound)) => Some(match bound {
            Bound::Int(value) => Bound::Int(*value),
            Bound::Double(value) => {
                Bound::Double(Decimal::from_static(value.value(), value.text()))
            }
        }),
        (None, None) => None,
    }
}

const fn either_count(own: Option<u64>, base: Option<u64>) -> Option<u64> {
    match own {
        Some(_) => own,
        None => base,
    }
}
