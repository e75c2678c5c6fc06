//! Records and their properties.

use super::tape::{Kind, TapePart};
use super::{Name, Value};
use crate::span::Span;

/// `{key: value, …}`: the record of a subject, the header of a document, or a map.
#[derive(Clone, Copy, Debug)]
pub struct Record<'t>(pub(super) TapePart<'t>);

impl<'t> Record<'t> {
    /// Returns the span from `{` to `}`.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// Returns the properties, in order, with doubled keys.
    pub fn properties(&self) -> impl Iterator<Item = Property<'t>> + Clone + use<'t> {
        self.0.parts().map(Property)
    }
}

/// `key: value`, or the annotation `@key(value)`.
#[derive(Clone, Copy, Debug)]
pub struct Property<'t>(pub(super) TapePart<'t>);

impl<'t> Property<'t> {
    /// Returns the span from the key to the end of the value. For an annotation, it is from `@` to
    /// `)`.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// Returns the key.
    #[must_use]
    pub fn key(&self) -> Name<'t> {
        // The parser gives every property a key and a value.
        Name(self.0.first(Kind::Name).unwrap_or(self.0))
    }

    /// Returns the key and the value.
    #[inline]
    pub(crate) fn key_and_value(&self) -> (Name<'t>, Value<'t>) {
        let mut parts = self.0.parts();
        let key = parts.next().unwrap_or(self.0);
        (Name(key), Value(parts.next().unwrap_or(self.0)))
    }

    /// Returns the separator; `Single` for an annotation.
    #[must_use]
    pub fn separator(&self) -> Separator {
        Separator::from_form(self.0.form())
    }

    /// Returns the value.
    #[must_use]
    pub fn value(&self) -> Value<'t> {
        Value(self.0.parts().nth(1).unwrap_or(self.0))
    }
}

/// The separator between a key and its value, or before a label. Both forms have the same meaning.
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

    /// Returns the separator as gram.
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
