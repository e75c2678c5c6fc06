//! Values of properties: how each type is read from gram.

use crate::date::Date;
use crate::effort::ReasoningEffort;
use agent_gram::Span;
use agent_gram::syntax::{NumberKind, Value, ValueKind};

/// A value of the wrong kind.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) span: Span,
    /// The description of the valid values, such as "a whole number of tokens".
    pub(crate) expected: String,
    /// The name of the property, if the value is in a record inside of a row.
    pub(crate) key: Option<String>,
}

impl Wrong {
    pub(crate) fn new(value: Value<'_>, expected: impl Into<String>) -> Self {
        Self {
            span: value.span(),
            expected: expected.into(),
            key: None,
        }
    }
}

/// A type that a property can have.
pub(crate) trait Property: Sized {
    fn read(value: Value<'_>) -> Result<Self, Wrong>;
}

impl Property for String {
    fn read(value: Value<'_>) -> Result<Self, Wrong> {
        match value.kind() {
            ValueKind::String { text, .. } if !text.trim().is_empty() => Ok(text.to_owned()),
            _ => Err(Wrong::new(value, "a text in quotes that is not empty")),
        }
    }
}

impl Property for bool {
    fn read(value: Value<'_>) -> Result<Self, Wrong> {
        match value.kind() {
            ValueKind::Boolean(is) => Ok(is),
            _ => Err(Wrong::new(value, "`true` or `false`")),
        }
    }
}

/// A record of properties, of which each may be missing.
pub(crate) trait Record: Default {
    /// The names of the properties in documents.
    const KEYS: &[&str];

    /// Reads a property. Returns `None` if there is no property of this name.
    fn read_property(&mut self, key: &str, value: Value<'_>) -> Option<Result<(), Wrong>>;
}

/// A number of tokens.
impl Property for u64 {
    fn read(value: Value<'_>) -> Result<Self, Wrong> {
        let wrong = || Wrong::new(value, "a number of tokens above 0");
        let ValueKind::Number(number) = value.kind() else {
            return Err(wrong());
        };
        match number.kind() {
            NumberKind::Integer(tokens) if tokens > 0 => u64::try_from(tokens).map_err(|_| wrong()),
            _ => Err(wrong()),
        }
    }
}

/// A number of dollars.
impl Property for f64 {
    fn read(value: Value<'_>) -> Result<Self, Wrong> {
        let wrong = || Wrong::new(value, "a number of dollars for a million tokens, 0 or more");
        let ValueKind::Number(number) = value.kind() else {
            return Err(wrong());
        };
        let dollars = match number.kind() {
            NumberKind::Integer(dollars) => dollars as f64,
            NumberKind::Decimal(dollars) => dollars,
            NumberKind::Measurement { .. } => return Err(wrong()),
        };
        match dollars.is_finite() && dollars >= 0.0 {
            true => Ok(dollars),
            false => Err(wrong()),
        }
    }
}

impl Property for Date {
    fn read(value: Value<'_>) -> Result<Self, Wrong> {
        let wrong = || {
            let expected = "a date that exists, in quotes, such as \"2026-11-28\"";
            Wrong::new(value, expected)
        };
        match value.kind() {
            ValueKind::String { text, .. } => text.parse().map_err(|_| wrong()),
            _ => Err(wrong()),
        }
    }
}

impl Property for ReasoningEffort {
    fn read(value: Value<'_>) -> Result<Self, Wrong> {
        read_word(value, Self::ALL.into_iter(), Self::as_str)
    }
}

impl<T: Property> Property for Vec<T> {
    fn read(value: Value<'_>) -> Result<Self, Wrong> {
        match value.kind() {
            ValueKind::Array(list) => list.items().map(T::read).collect(),
            // A single value is read as a list with this value alone.
            _ => T::read(value).map(|one| vec![one]),
        }
    }
}

/// Reads one of several words.
pub(crate) fn read_word<T: Copy>(
    value: Value<'_>,
    all: impl Iterator<Item = T> + Clone,
    word: impl Fn(T) -> &'static str,
) -> Result<T, Wrong> {
    let found = match value.kind() {
        ValueKind::String { text, .. } => all.clone().find(|known| word(*known) == text),
        _ => None,
    };
    found.ok_or_else(|| {
        let words: Vec<String> = all.map(|known| format!("\"{}\"", word(known))).collect();
        let expected = match words.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => "nothing".to_owned(),
        };
        Wrong::new(value, expected)
    })
}

/// Defines an enum of the words that a property can have.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[$variant_doc])* $variant,)+ }

        impl $name {
            /// All values of the type.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Returns the word in documents.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(self.as_str())
            }
        }

        impl crate::property::Property for $name {
            fn read(value: agent_gram::syntax::Value<'_>) -> Result<Self, crate::property::Wrong> {
                crate::property::read_word(value, Self::ALL.iter().copied(), Self::as_str)
            }
        }
    };
}
pub(crate) use words;

/// Defines a record of properties, of which each may be missing.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty = $key:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        #[non_exhaustive]
        pub struct $name { $($(#[$field_doc])* pub $field: Option<$type>,)+ }

        impl $name {
            /// The names of the properties in documents.
            pub const KEYS: &[&str] = &[$($key,)+];

            /// Copies the properties that this row lacks from `other`.
            pub fn fill_from(&mut self, other: &Self) {
                $(if self.$field.is_none() {
                    self.$field.clone_from(&other.$field);
                })+
            }
        }

        impl crate::property::Record for $name {
            const KEYS: &[&str] = Self::KEYS;

            fn read_property(
                &mut self,
                key: &str,
                value: agent_gram::syntax::Value<'_>,
            ) -> Option<Result<(), crate::property::Wrong>> {
                match key {
                    $($key => Some(
                        <$type as crate::property::Property>::read(value).map(|read| self.$field = Some(read)),
                    ),)+
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use record;
