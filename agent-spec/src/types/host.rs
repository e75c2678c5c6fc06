//! What a type knows of the implementation that reads its values. None of it is part of the type in
//! gram, and types that differ only in it are equal.

use serde_json::Value;

/// The lowest and the highest of some integers.
pub type IntRange = (i128, i128);

/// What is known of the implementation, beyond what gram says.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Host {
    /// It holds whole numbers of this range.
    Range(&'static IntRange),
    /// It has a JSON Schema of its own, which says more than the type does.
    Schema(fn() -> Value),
    /// It reads and writes another JSON value than the text that models are told of.
    Text(&'static TextForm),
}

/// A text that stands for a value which the implementation reads in another form.
#[derive(Clone, Copy, Debug)]
pub struct TextForm {
    /// What is expected, in words, for a text that cannot be read.
    pub expected: &'static str,
    /// The value as the implementation reads it; nothing when the text stands for none.
    pub read: fn(&str) -> Option<Value>,
    /// The text for a value as the implementation writes it; nothing when it is no such value.
    pub write: fn(&Value) -> Option<String>,
}
