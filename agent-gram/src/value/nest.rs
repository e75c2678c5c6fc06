//! A value inside a value of the same type, in a `const` as well as at run time.

use std::fmt;

/// Holds a `T` as a static reference or in a box, so that a recursive type can be built in a
/// `const`, which cannot allocate, and at run time.
pub struct Nest<T: 'static>(Repr<T>);

enum Repr<T: 'static> {
    Static(&'static T),
    Boxed(Box<T>),
}

impl<T> Nest<T> {
    /// Holds a static value.
    #[must_use]
    pub const fn from_static(value: &'static T) -> Self {
        Self(Repr::Static(value))
    }

    /// Holds an owned value.
    #[must_use]
    pub fn new(value: T) -> Self {
        Self(Repr::Boxed(Box::new(value)))
    }

    /// Returns the value.
    #[must_use]
    pub const fn get(&self) -> &T {
        match &self.0 {
            Repr::Static(value) => value,
            Repr::Boxed(value) => value,
        }
    }
}

impl<T: Clone> Nest<T> {
    /// Returns the value, owned.
    #[must_use]
    pub fn into_inner(self) -> T {
        match self.0 {
            Repr::Static(value) => value.clone(),
            Repr::Boxed(value) => *value,
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
            Repr::Static(value) => Self(Repr::Static(value)),
            Repr::Boxed(value) => Self(Repr::Boxed(value.clone())),
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
