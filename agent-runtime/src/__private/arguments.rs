//! The text of a call straight into the parameters of a function.
//!
//! When all is well nothing stands in between: each argument is read from its piece of the text, and
//! in one pass when they stand there in the order in which they are asked for. When anything is
//! wrong, the signature's own validation says all that is, or puts right what it may (`5.0` for a
//! whole number), and the arguments are read again.

mod cursor;
mod split;

use super::call::Asked;
use crate::context::ToolContext;
use crate::error_path::{ErrorAtPath, ReadFn, read_as};
use crate::tool::ToolError;
use agent_spec::{Kind, Signature, ToolDescriptor};
use cursor::Cursor;
use serde_core::de::DeserializeOwned;
use split::{Fields, split};
use std::cell::{Cell, OnceCell};
use std::fmt;

/// The arguments of a call, and its context.
#[derive(Debug)]
pub struct Arguments<'t> {
    text: &'t str,
    /// Where the next argument begins, as long as all that were asked for came in this order.
    in_order: Cell<Option<Cursor<'t>>>,
    /// All of them by name, once one came in another order; nothing for a text that is no object or
    /// gives one twice.
    by_name: OnceCell<Option<Fields<'t>>>,
    /// The tool whose signature nobody has held them against.
    unchecked: Option<&'static ToolDescriptor>,
    context: &'t ToolContext,
}

/// Why a parameter could not be filled.
#[derive(Debug)]
pub enum DecodeError {
    /// An argument is missing or of another type: which, and what is wrong with it.
    Argument(String),
    /// The text is no object, or gives an argument twice, or lacks one that nothing else misses; or an
    /// argument is not right, of which the signature has more to say.
    Text,
    /// Something that the host was to give is not there.
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
            text,
            in_order: Cell::new(Some(Cursor::new(text))),
            by_name: OnceCell::new(),
            unchecked,
            context,
        }
    }

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
        // Taken: unless this argument is the next one, order no longer helps.
        let next = self.in_order.take();
        if let Some(text) = next.and_then(|next| next.value_of(name)) {
            if let Some(default) = default
                && let Some(rest) = text.strip_prefix("null")
            {
                self.in_order.set(Some(Cursor::after(rest)));
                return self.read_text(name, default);
            }
            let mut values = serde_json::Deserializer::from_str(text).into_iter();
            if let Some(Ok(value)) = values.next() {
                let rest = &text[values.byte_offset()..];
                self.in_order.set(Some(Cursor::after(rest)));
                return Ok(value);
            }
        }
        self.read_text(name, self.text(name, default))
    }

    fn read_text<T: DeserializeOwned>(&self, name: &str, text: &str) -> Result<T, DecodeError> {
        serde_json::from_str(text).map_err(|error| self.error_at(name, text, &error, read_as::<T>))
    }

    /// Why an argument could not be read.
    fn error_at(
        &self,
        name: &str,
        text: &str,
        error: &serde_json::Error,
        read: ReadFn,
    ) -> DecodeError {
        if self.unchecked.is_some() {
            // The signature is asked next, and mostly says it better.
            return DecodeError::Text;
        }
        let error = ErrorAtPath::new(&format!("$.{name}"), text, error, read);
        DecodeError::Argument(error.to_string())
    }

    fn by_name(&self) -> Option<&Fields<'t>> {
        self.by_name.get_or_init(|| split(self.text)).as_ref()
    }

    /// The JSON text of an argument.
    fn text(&self, name: &str, default: Option<&'static str>) -> &str {
        let mut fields = self.by_name().into_iter().flatten();
        let given = fields.find(|(key, _)| key == name);
        match (given.map(|(_, value)| value.get()), default) {
            (None | Some("null"), Some(default)) => default,
            (Some(given), _) => given,
            (None, None) => "null",
        }
    }

    /// Holds what was not asked for to being in order, too: the rest of the text, and each required
    /// `Any`. Rust types of `Any` take the `null` that a missing argument is read as; all others
    /// notice by themselves.
    ///
    /// # Errors
    /// [`DecodeError::Text`].
    pub(super) fn finish(&self) -> Result<(), DecodeError> {
        let Some(tool) = self.unchecked else {
            return Ok(());
        };
        // All that were asked for are there then, and nothing else is.
        if self.in_order.get().is_some_and(Cursor::is_at_end) {
            return Ok(());
        }
        let fields = self.by_name().ok_or(DecodeError::Text)?;
        let params = tool.signature().map_or(&[][..], Signature::params);
        let is_complete = params
            .iter()
            .filter(|param| !param.is_optional() && matches!(param.ty().kind(), Kind::Any))
            .all(|param| fields.iter().any(|(key, _)| key == param.name()));
        is_complete.then_some(()).ok_or(DecodeError::Text)
    }

    /// The context of the call.
    #[must_use]
    pub fn context(&self) -> &ToolContext {
        self.context
    }
}

/// Reads the parameters of a tool from the text of a call: `read` makes of them what calls the
/// function, and calls nothing before [`Arguments::finish`].
///
/// # Errors
/// [`ToolError::Validation`] with all that is wrong with the arguments.
pub(super) fn decode<C>(
    (tool, text, context): Asked<'_>,
    read: impl Fn(&Arguments<'_>) -> Result<C, DecodeError>,
) -> Result<C, ToolError> {
    // Where the Rust types take no more than the signature, reading them checks them.
    if !tool.signature().is_some_and(Signature::is_checked) {
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
