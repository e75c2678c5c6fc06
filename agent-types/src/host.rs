//! The Rust type behind a gram type, as far as it matters for values: its range, its own schema, its own
//! form in JSON.

/// The lowest and the highest integer of a range.
pub type IntRange = (i128, i128);

/// A property of the Rust type that its gram type does not state.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Host {
    /// The Rust type holds whole numbers of this range.
    Range(&'static IntRange),
    /// The Rust type has a JSON Schema of its own, which is more precise than the gram type.
    Schema(fn() -> serde_json::Value),
    /// The Rust type reads and writes another JSON value than the text that models write.
    Text(&'static TextForm),
    /// The Rust type is an enum that reads an object with exactly one key, the name of a variant.
    Variants,
    /// The Rust type is an enum that also reads other texts for its variants: each alias with the name of its variant.
    Aliases(&'static [(&'static str, &'static str)]),
    /// The derive has refused the Rust type and reported why, so that no other error about the type is
    /// reported.
    Refused,
}

/// The conversion between a text and the JSON value that the Rust type reads and writes.
#[derive(Clone, Copy, Debug)]
pub struct TextForm {
    /// The expected form in words, for the message about a text that cannot be read.
    pub expected: &'static str,
    /// Reads a text; `None` when it has another form.
    pub read: fn(&str) -> Option<serde_json::Value>,
    /// Writes a value; `None` when the Rust type does not write such a value.
    pub write: fn(&serde_json::Value) -> Option<String>,
}
