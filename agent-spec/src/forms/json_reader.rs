//! Reads JSON and keeps the path, so that errors can name the position.

use agent_types::__private::{Path, describe};
use serde_json::{Map, Value};
use std::fmt;

/// A JSON value and its path.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) value: &'a Value,
    pub(super) path: Path<'a>,
}

impl<'a> Reader<'a> {
    /// The whole document.
    pub(super) fn root(value: &'a Value) -> Self {
        Self {
            value,
            path: Path::Root,
        }
    }

    /// An error at this place.
    pub(super) fn wrong(&self, expected: impl Into<String>) -> JsonError {
        self.wrong_because(expected, describe(self.value))
    }

    /// Creates an error at this path, with the found value in words of the caller.
    pub(super) fn wrong_because(
        &self,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> JsonError {
        JsonError {
            path: self.path.to_string(),
            expected: expected.into(),
            found: found.into(),
        }
    }

    pub(super) fn object(&self, expected: &str) -> Result<&'a Map<String, Value>, JsonError> {
        self.value.as_object().ok_or_else(|| self.wrong(expected))
    }

    pub(super) fn array(&self, expected: &str) -> Result<&'a [Value], JsonError> {
        match self.value {
            Value::Array(items) => Ok(items),
            _ => Err(self.wrong(expected)),
        }
    }

    pub(super) fn text(&self, expected: &str) -> Result<&'a str, JsonError> {
        self.value.as_str().ok_or_else(|| self.wrong(expected))
    }

    /// A member of this object. `null` counts as absent, since gram has no null.
    pub(super) fn opt_member<'b>(&'b self, key: &'b str) -> Option<Reader<'b>> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        Some(Reader {
            value,
            path: self.path.key(key),
        })
    }

    /// A text that must be a member of this object.
    pub(super) fn member_text(&self, key: &str, expected: &str) -> Result<&str, JsonError> {
        match self.value.get(key) {
            Some(value) => value.as_str().ok_or_else(|| {
                let path = self.path.key(key);
                Reader { value, path }.wrong(expected)
            }),
            None => Err(JsonError {
                path: self.path.key(key).to_string(),
                expected: expected.to_owned(),
                found: "nothing".to_owned(),
            }),
        }
    }

    /// An item of this list.
    pub(super) fn item<'b>(&'b self, at: usize, value: &'b Value) -> Reader<'b> {
        Reader {
            value,
            path: self.path.index(at),
        }
    }

    /// The first member whose key is not known.
    pub(super) fn only_members(&self, known: &[&str]) -> Result<(), JsonError> {
        let members = self.value.as_object();
        let unknown = members.and_then(|members| {
            members
                .iter()
                .find(|(key, _)| !known.contains(&key.as_str()))
        });
        let Some((key, value)) = unknown else {
            return Ok(());
        };
        let list: Vec<_> = known.iter().map(|key| format!("`{key}`")).collect();
        let path = self.path.key(key);
        Err(Reader { value, path }.wrong_because(
            format!("only the members {}", list.join(", ")),
            "a member of another name",
        ))
    }
}

/// JSON of an unexpected form: the path, the expected value and the found value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    pub(super) path: String,
    pub(super) expected: String,
    pub(super) found: String,
}

impl JsonError {
    /// Returns the path, such as `$.tools[0].name`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the expected value, in words.
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// Returns the found value, in words.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.found
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            expected,
            found,
        } = self;
        write!(out, "`{path}`: expected {expected}, found {found}")
    }
}

impl std::error::Error for JsonError {}
