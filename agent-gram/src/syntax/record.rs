//! Records and their properties.

use super::tape::{Kind, Part};
use super::{Name, Value};
use crate::span::Span;

/// `{key: value, …}`: the record of a subject, the header of a document, or a map.
#[derive(Clone, Copy, Debug)]
pub struct Record<'t>(pub(super) Part<'t>);

impl<'t> Record<'t> {
    /// From `{` to `}`.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// The properties, in order, doubled keys included.
    pub fn properties(&self) -> impl Iterator<Item = Property<'t>> + Clone + use<'t> {
        self.0.parts().map(Property)
    }
}

/// `key: value`, or the annotation `@key(value)`.
#[derive(Clone, Copy, Debug)]
pub struct Property<'t>(pub(super) Part<'t>);

impl<'t> Property<'t> {
    /// From the key to the end of the value (of an annotation: from `@` to `)`).
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> Name<'t> {
        // The parser gives every property a key and a value.
        Name(self.0.first(Kind::Name).unwrap_or(self.0))
    }

    /// The key and the value.
    #[inline]
    pub(crate) fn key_and_value(&self) -> (Name<'t>, Value<'t>) {
        let mut parts = self.0.parts();
        let key = parts.next().unwrap_or(self.0);
        (Name(key), Value(parts.next().unwrap_or(self.0)))
    }

    /// One colon or two; `Single` for an annotation.
    #[must_use]
    pub fn separator(&self) -> Separator {
        Separator::from_form(self.0.form())
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> Value<'t> {
        Value(self.0.parts().nth(1).unwrap_or(self.0))
    }
}

/// One colon or two; they mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Separator {
    /// `:`
    Single,
    /// `::`
    Double,
}

impl Separator {
    pub(crate) fn form(self) -> u8 {
        self as u8
    }

    /// As it is written.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Single => ":",
            Self::Double => "::",
        }
    }

    pub(crate) fn from_form(form: u8) -> Self {
        match form {
            0 => Self::Single,
            _ => Self::Double,
        }
    }
}
