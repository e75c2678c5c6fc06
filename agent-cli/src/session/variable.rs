//! Variables given with `--var`.

use std::str::FromStr;

/// A value for `{{name}}` in the instruction of an agent.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    /// The name.
    pub(super) name: String,
    /// The value, which may be empty.
    pub(super) value: String,
}

impl FromStr for Variable {
    type Err = &'static str;

    /// Reads `NAME=VALUE`. The value may hold further `=`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => Ok(Self {
                name: name.trim().to_owned(),
                value: value.to_owned(),
            }),
            _ => Err("write NAME=VALUE, such as city=Vienna"),
        }
    }
}
