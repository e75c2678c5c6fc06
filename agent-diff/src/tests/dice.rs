//! Choices of a test, made from bytes, so that a failing one can be made smaller.

use std::cell::Cell;

/// Bytes that are used up one by one; then there is nothing but zeros.
pub(super) struct Dice {
    bytes: Vec<u8>,
    at: Cell<usize>,
}

impl Dice {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            at: Cell::new(0),
        }
    }

    /// A number below `sides`.
    pub(super) fn below(&self, sides: usize) -> usize {
        let at = self.at.replace(self.at.get() + 1);
        usize::from(self.bytes.get(at).copied().unwrap_or(0)) % sides
    }

    /// True in so many of ten cases; never when the bytes are used up.
    pub(super) fn in_ten(&self, cases: usize) -> bool {
        self.below(10) >= 10 - cases
    }

    /// One of some things.
    pub(super) fn one<T: Copy>(&self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}
