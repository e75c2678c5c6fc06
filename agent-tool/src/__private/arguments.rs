//! Deserializes the parameters of a function from the text of a call.
//!
//! Each argument is deserialized from its own piece of the text, without a value in between. If an argument is wrong, the
//! arguments are validated against the signature, which reports everything that is wrong or normalises them (`5.0` for a
//! whole number), and are then read again.

use super::result::Given;
use crate::context::ToolContext;
use crate::error_path::{ErrorAtPath, ReadFn, read_as};
use crate::tool::ToolError;
use agent_spec::types::types_of;
use agent_spec::{Kind, Signature, ToolDescriptor};
use serde_core::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::fmt;

/// A call: the tool, the text of the arguments, and the context.
pub(super) type Asked<'a> = (&'static ToolDescriptor, &'a str, &'a ToolContext);

/// The arguments of a call and its context.
#[derive(Debug)]
pub struct Arguments<'t> {
    /// The arguments by name; `None` if the text is not an object or has a key twice.
    fields: Option<Fields<'t>>,
    /// The tool, if the arguments were not validated against its signature.
    unchecked: Option<&'static ToolDescriptor>,
    context: &'t ToolContext,
}

/// The reason that a parameter cannot be read.
#[derive(Debug)]
pub enum DecodeError {
    /// An argument is missing or has another type. The text names it and the problem.
    Argument(String),
    /// The text is not an object, has a key twice or lacks an argument; or an argument is wrong and the
    /// signature will describe the problem better.
    Text,
    /// The host did not provide an extension.
    Host(String),
}

impl DecodeError {
    pub(super) fn argument(name: &str, reason: &impl fmt::Display) -> Self {
        Self::Argument(format!("`$.{name}`: {reason}"))
    }

    fn into_tool_error(self) -> ToolError {
        match self {
            Self::Argument(reason) => ToolError::Validation(reason),
            Self::Text => ToolError::Validation("the arguments are no object".to_owned()),
            Self::Host(reason) => ToolError::Execution(reason),
        }
    }
}

impl<'t> Arguments<'t> {
    fn new(
        text: &'t str,
        context: &'t ToolContext,
        unchecked: Option<&'static ToolDescriptor>,
    ) -> Self {
        Self {
            fields: split(text),
            unchecked,
            context,
        }
    }

    /// Deserializes an argument. `default` is the JSON text for a missing one. A missing argument without
    /// a default is deserialized from `null`, which optional types accept.
    ///
    /// # Errors
    /// When it is missing or of another type.
    pub fn read<T: DeserializeOwned>(
        &self,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<T, DecodeError> {
        let text = self.text(name, default);
        serde_json::from_str(text).map_err(|error| self.error_at(name, text, &error, read_as::<T>))
    }

    /// Returns the error of an argument that cannot be deserialized.
    fn error_at(
        &self,
        name: &str,
        text: &str,
        error: &serde_json::Error,
        read: ReadFn,
    ) -> DecodeError {
        if self.unchecked.is_some() {
            // Validation against the signature comes next, and mostly describes the problem better.
            return DecodeError::Text;
        }
        let error = ErrorAtPath::new(&format!("$.{name}"), text, error, read);
        DecodeError::Argument(error.to_string())
    }

    /// Returns the JSON text of an argument, by its name.
    fn text(&self, name: &str, default: Option<&'static str>) -> &str {
        let given = self.fields.as_ref().and_then(|fields| fields.get(name));
        match (given.map(|value| value.get()), default) {
            (None | Some("null"), Some(default)) => default,
            (Some(given), _) => given,
            (None, None) => "null",
        }
    }

    /// Checks that the text is an object, and that no required argument of type `Any` is missing. Rust types for `Any` accept
    /// `null`, so they do not notice a missing argument; all other types do.
    ///
    /// # Errors
    /// [`DecodeError::Text`].
    pub(super) fn finish(&self) -> Result<(), DecodeError> {
        let Some(tool) = self.unchecked else {
            return Ok(());
        };
        let fields = self.fields.as_ref().ok_or(DecodeError::Text)?;
        let params = tool.signature().map_or(&[][..], Signature::params);
        let is_complete = params
            .iter()
            .filter(|param| !param.is_optional() && has_null(param.ty().kind()))
            .all(|param| fields.contains_key(param.name()));
        is_complete.then_some(()).ok_or(DecodeError::Text)
    }

    /// The context of the call.
    #[must_use]
    pub fn context(&self) -> &ToolContext {
        self.context
    }
}

/// Whether `null` is a value of a type that is not optional: of `Any`, and of a union with it.
fn has_null(kind: &Kind) -> bool {
    match kind {
        Kind::Any => true,
        Kind::Union(types) => types_of(types).iter().any(|ty| has_null(ty.kind())),
        _ => false,
    }
}

/// Reads the parameters of a tool from the text of a call. `read` turns them into a closure that calls the
/// function; it calls nothing itself before [`Arguments::finish`].
///
/// # Errors
/// [`ToolError::Validation`] with everything that is wrong with the arguments.
pub(super) fn decode<C>(
    (tool, text, context): Asked<'_>,
    read: impl Fn(&Arguments<'_>) -> Result<C, DecodeError>,
) -> Result<C, ToolError> {
    let signature = tool.signature();
    // The validation against the spec covers the tool's own, but for texts that the Rust types read in another form.
    if context.has_valid_arguments() && !signature.is_some_and(Signature::has_text_forms) {
        let arguments = Arguments::new(text, context, None);
        return read(&arguments).map_err(DecodeError::into_tool_error);
    }
    // If the Rust types accept no more than the signature, deserializing the arguments validates them.
    if !signature.is_some_and(Signature::is_checked) {
        let arguments = Arguments::new(text, context, Some(tool));
        match read(&arguments) {
            Ok(call) => return Ok(call),
            Err(error @ DecodeError::Host(_)) if arguments.finish().is_ok() => {
                return Err(error.into_tool_error());
            }
            Err(_) => {}
        }
    }
    let text = validated(tool, text)?;
    read(&Arguments::new(&text, context, None)).map_err(DecodeError::into_tool_error)
}

/// Validates the text of a call against the signature of the tool, and returns the normalised text.
fn validated(tool: &ToolDescriptor, text: &str) -> Result<String, ToolError> {
    let Some(signature) = tool.signature() else {
        let reason = "the tool has no signature".to_owned();
        return Err(ToolError::Validation(reason));
    };
    let checked = signature
        .check_arguments(text, None)
        .map_err(|violations| ToolError::Validation(violations.to_string()))?;
    Ok(signature.host_text(checked))
}

/// Converts the result of a tool to the form of its signature, where serde writes another one. The context keeps
/// the bytes of media.
///
/// # Errors
/// The error of the tool.
pub(super) fn encode(
    (tool, _, context): Asked<'_>,
    result: Result<Given, ToolError>,
) -> Result<serde_json::Value, ToolError> {
    let Given { mut value, media } = result?;
    context.kept_media().keep(media);
    if let Some(signature) = tool.signature() {
        signature.returns().ty().take_from_host(&mut value);
    }
    Ok(value)
}

/// Arguments: pieces of the text, by name.
type Fields<'t> = HashMap<String, &'t RawValue>;

/// Splits a text into arguments, unless it is not an object or has a key twice.
fn split(text: &str) -> Option<Fields<'_>> {
    struct Object;

    impl<'t> Visitor<'t> for Object {
        type Value = Fields<'t>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("an object")
        }

        fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut fields = HashMap::new();
            while let Some((name, value)) = map.next_entry()? {
                if fields.insert(name, value).is_some() {
                    return Err(serde_core::de::Error::custom("an argument is given twice"));
                }
            }
            Ok(fields)
        }
    }

    let mut deserializer = serde_json::Deserializer::from_str(text);
    let fields = deserializer.deserialize_map(Object).ok()?;
    deserializer.end().ok()?;
    Some(fields)
}
