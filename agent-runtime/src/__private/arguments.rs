//! The text of a call straight into the parameters of a function.
//!
//! When all is well nothing stands in between: each argument is read from its piece of the text.
//! When anything is wrong, the signature's own validation says all that is, or puts right what it
//! may (`5.0` for a whole number), and the arguments are read again.

use super::call::Asked;
use crate::context::ToolContext;
use crate::tool::ToolError;
use agent_spec::{Kind, Signature, ToolDescriptor};
use serde_core::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The arguments of a call: names and pieces of text; and the context of the call.
#[derive(Debug)]
pub struct Arguments<'t> {
    fields: Vec<(Cow<'t, str>, &'t RawValue)>,
    context: &'t ToolContext,
}

/// Why a parameter could not be filled.
#[derive(Debug)]
pub enum DecodeError {
    /// The argument is missing or of another type.
    Argument {
        /// The parameter.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Something that the host was to give is not there.
    Host(String),
}

impl DecodeError {
    pub(super) fn argument(name: &str, reason: &impl fmt::Display) -> Self {
        Self::Argument {
            name: name.to_owned(),
            reason: reason.to_string(),
        }
    }

    fn into_tool_error(self) -> ToolError {
        match self {
            Self::Argument { name, reason } => {
                ToolError::Validation(format!("`$.{name}`: {reason}"))
            }
            Self::Host(reason) => ToolError::Execution(reason),
        }
    }
}

impl Arguments<'_> {
    /// Reads an argument as a `T`; `default` is JSON text for one that is missing. An argument
    /// without default that is missing is read as `null`, which optional types take.
    ///
    /// # Errors
    /// When it is missing or of another type.
    pub fn read<T: DeserializeOwned>(
        &self,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<T, DecodeError> {
        serde_json::from_str(self.text(name, default))
            .map_err(|reason| DecodeError::argument(name, &reason))
    }

    /// Whether each required `Any` is there. Rust types of `Any` take the `null` that a missing
    /// argument is read as; all others notice by themselves.
    fn is_complete(&self, tool: &ToolDescriptor) -> bool {
        let params = tool.signature().map_or(&[][..], Signature::params);
        params
            .iter()
            .filter(|param| !param.is_optional() && matches!(param.ty().kind(), Kind::Any))
            .all(|param| self.fields.iter().any(|(key, _)| key == param.name()))
    }

    /// The JSON text of an argument.
    fn text(&self, name: &str, default: Option<&'static str>) -> &str {
        let given = self
            .fields
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.get());
        match (given, default) {
            (None | Some("null"), Some(default)) => default,
            (Some(given), _) => given,
            (None, None) => "null",
        }
    }

    /// The context of the call.
    #[must_use]
    pub fn context(&self) -> &ToolContext {
        self.context
    }
}

/// Reads the parameters of a tool from the text of a call: `read` makes of them what calls the
/// function.
///
/// # Errors
/// [`ToolError::Validation`] with all that is wrong with the arguments.
pub(super) fn decode<C>(
    (tool, text, context): Asked<'_>,
    read: impl Fn(&Arguments<'_>) -> Result<C, DecodeError>,
) -> Result<C, ToolError> {
    // Where the Rust types take no more than the signature, reading them checks them.
    if !tool.signature().is_some_and(Signature::is_checked) {
        let arguments = split(text, context).filter(|arguments| arguments.is_complete(tool));
        match arguments.map(|arguments| read(&arguments)) {
            Some(Ok(call)) => return Ok(call),
            Some(Err(error @ DecodeError::Host(_))) => return Err(error.into_tool_error()),
            _ => {}
        }
    }
    let text = validated(tool, text)?;
    let arguments = split(&text, context).unwrap_or(Arguments {
        fields: Vec::new(),
        context,
    });
    read(&arguments).map_err(DecodeError::into_tool_error)
}

/// The text of a call that satisfies the signature of the tool.
fn validated(tool: &ToolDescriptor, text: &str) -> Result<String, ToolError> {
    let Some(signature) = tool.signature() else {
        let reason = "the tool has no signature".to_owned();
        return Err(ToolError::Validation(reason));
    };
    let checked = signature
        .check_arguments(text, None)
        .map_err(|violations| ToolError::Validation(violations.to_string()))?;
    let (text, mut value, ..) = checked.into_parts();
    if signature.is_checked() && signature.give_to_host(&mut value) {
        return Ok(value.to_string());
    }
    Ok(text)
}

/// The result of a tool in the form that its signature says, where serde writes another.
///
/// # Errors
/// What the tool gave.
pub(super) fn encode(
    tool: &ToolDescriptor,
    result: Result<serde_json::Value, ToolError>,
) -> Result<serde_json::Value, ToolError> {
    let mut value = result?;
    if let Some(signature) = tool.signature() {
        signature.returns().ty().take_from_host(&mut value);
    }
    Ok(value)
}

/// The arguments in a text, unless the text is no object or gives one twice.
fn split<'t>(text: &'t str, context: &'t ToolContext) -> Option<Arguments<'t>> {
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
    Some(Arguments { fields, context })
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
