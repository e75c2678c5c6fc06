//! The text of a call straight into the parameters of a function.
//!
//! When all is well nothing stands in between: each argument is read from its piece of the text.
//! When anything is wrong, the signature's own validation says all that is, or puts right what it
//! may (`5.0` for a whole number), and the arguments are read again.

use crate::tool::ToolError;
use agent_spec::ToolDescriptor;
use serde_core::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The arguments of a call: names and pieces of text.
#[derive(Debug)]
pub struct Arguments<'t> {
    fields: Vec<(Cow<'t, str>, &'t RawValue)>,
}

/// Why an argument could not be read.
#[derive(Debug)]
pub struct DecodeError {
    name: String,
    reason: String,
}

impl DecodeError {
    pub(super) fn new(name: &str, reason: &impl fmt::Display) -> Self {
        Self {
            name: name.to_owned(),
            reason: reason.to_string(),
        }
    }
}

impl Arguments<'_> {
    /// Reads an argument as a `T`; `default` is JSON text for one that is missing. An argument
    /// without default that is missing is read as `null`, which optional types take.
    ///
    /// # Errors
    /// When it is missing or of another type.
    pub fn take<T: DeserializeOwned>(
        &self,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<T, DecodeError> {
        let given = self
            .fields
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.get());
        let text = match (given, default) {
            (None | Some("null"), Some(default)) => default,
            (Some(given), _) => given,
            (None, None) => "null",
        };
        serde_json::from_str(text).map_err(|reason| DecodeError::new(name, &reason))
    }
}

/// Reads the parameters of a tool from the text of a call.
///
/// # Errors
/// [`ToolError::Validation`] with all that is wrong with the arguments.
pub fn decode<T>(
    tool: &ToolDescriptor,
    text: &str,
    mut read: impl FnMut(&Arguments<'_>) -> Result<T, DecodeError>,
) -> Result<T, ToolError> {
    if let Some(arguments) = split(text)
        && let Ok(parameters) = read(&arguments)
    {
        return Ok(parameters);
    }
    let Some(signature) = tool.signature() else {
        return Err(ToolError::Validation(
            "the tool has no signature".to_owned(),
        ));
    };
    let checked = signature
        .check_arguments(text, None)
        .map_err(|violations| ToolError::Validation(violations.to_string()))?;
    let arguments = split(checked.text()).unwrap_or(Arguments { fields: Vec::new() });
    read(&arguments)
        .map_err(|error| ToolError::Validation(format!("`$.{}`: {}", error.name, error.reason)))
}

/// The arguments in a text, unless the text is no object or gives one twice.
fn split(text: &str) -> Option<Arguments<'_>> {
    struct Fields;

    impl<'t> Visitor<'t> for Fields {
        type Value = Vec<(Cow<'t, str>, &'t RawValue)>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("an object")
        }

        fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut fields: Self::Value = Vec::new();
            while let Some(Key(key)) = map.next_key()? {
                if fields.iter().any(|(known, _)| *known == key) {
                    return Err(serde_core::de::Error::custom("an argument is given twice"));
                }
                fields.push((key, map.next_value()?));
            }
            Ok(fields)
        }
    }

    let mut deserializer = serde_json::Deserializer::from_str(text);
    let fields = deserializer.deserialize_map(Fields).ok()?;
    deserializer.end().ok()?;
    Some(Arguments { fields })
}

/// A key that borrows from the text unless it has escapes.
struct Key<'t>(Cow<'t, str>);

impl<'t> serde_core::Deserialize<'t> for Key<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;

        impl<'t> Visitor<'t> for KeyVisitor {
            type Value = Key<'t>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, text: &'t str) -> Result<Key<'t>, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Key<'t>, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(KeyVisitor)
    }
}
