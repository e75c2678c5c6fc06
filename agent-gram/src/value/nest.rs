//! A value inside a value of the same type, in a `const` as well as at run time.

use std::fmt;

/// Holds a `T` either as part of the program or in a box, so that a recursive type can be built in
/// a `const` (which cannot allocate) and at run time (where nothing lives for ever).
pub struct Nest<T: 'static>(Held<T>);

enum Held<T: 'static> {
    Static(&'static T),
    Boxed(Box<T>),
}

impl<T> Nest<T> {
    /// Holds a part of the program.
    #[must_use]
    pub const fn from_static(value: &'static T) -> Self {
        Self(Held::Static(value))
    }

    /// Holds a value of its own.
    #[must_use]
    pub fn new(value: T) -> Self {
        Self(Held::Boxed(Box::new(value)))
    }

    /// The value.
    #[must_use]
    pub const fn get(&self) -> &T {
        match &self.0 {
            Held::Static(value) => value,
            Held::Boxed(value) => value,
        }
    }
}

impl<T: Clone> Nest<T> {
    /// The value, owned.
    #[must_use]
    pub fn into_inner(self) -> T {
        match self.0 {
            Held::Static(value) => value.clone(),
            Held::Boxed(value) => *value,
        }
    }
}

impl<T> std::ops::Deref for Nest<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.get()
    }
}

impl<T: Clone> Clone for Nest<T> {
    fn clone(&self) -> Self {
        match &self.0 {
            Held::Static(value) => Self(Held::Static(value)),
            Held::Boxed(value) => Self(Held::Boxed(value.clone())),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Nest<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(out)
    }
}

impl<T: PartialEq> PartialEq for Nest<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}
