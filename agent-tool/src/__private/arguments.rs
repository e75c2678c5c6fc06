//! Deserializes the parameters of a function from the text of a call.
//!
//! Each argument is deserialized from its own piece of the text, without an intermediate value. If the text
//! has the arguments in the order of the parameters, one pass over the text reads them all.
//!
//! Before that, the arguments are validated against the signature, so that every problem is reported and the
//! values are normalised (`5.0` for a whole number). Where serde accepts exactly what a signature allows, the
//! arguments are only validated if deserializing them fails.

use super::result::Given;
use crate::context::ToolContext;
use crate::error_path::{ErrorAtPath, read_as, read_json};
use crate::tool::contract_guard::trace_arguments;
use crate::tool::{ToolError, wrong_arguments};
use agent_spec::json::{MAX_ARGUMENT_VALUES, has_more_values_than};
use agent_spec::{Signature, ToolDescriptor};
use serde_core::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::fmt;

/// A call: the tool, the text of the arguments, and the context.
pub(super) type Asked<'a> = (&'static ToolDescriptor, &'a str, &'a ToolContext);

/// The arguments of a call and its context.
#[derive(Debug)]
pub struct Arguments<'t> {
    text: &'t str,
    /// The position of the next argument, as long as the arguments come in the order of the parameters.
    in_order: Cell<Option<Cursor<'t>>>,
    /// The arguments by name, split when the order of the text differs. `None` inside if the text is not
    /// an object or has a key twice.
    by_name: OnceCell<Option<Fields<'t>>>,
    /// The tool, if the arguments were not validated against its plain signature.
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
            text,
            in_order: Cell::new(Some(Cursor::new(text))),
            by_name: OnceCell::new(),
            unchecked,
            context,
        }
    }

    /// Deserializes an argument. `default` is the JSON text for a missing one. A missing argument without
    /// a default is deserialized from `null`, which optional types accept.
    ///
    /// # Errors
    /// When the argument is missing or has another type.
    pub fn read<T: DeserializeOwned>(
        &self,
        name: &str,
        default: Option<&'static str>,
    ) -> Result<T, DecodeError> {
        // Taken, because the order no longer helps after an argument that is not the next one.
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
        if self.unchecked.is_some() {
            // Validation against the signature comes next, and describes the problem.
            return serde_json::from_str(text).map_err(|_| DecodeError::Text);
        }
        read_json(text).map_err(|error| {
            let error = ErrorAtPath::new(&format!("$.{name}"), text, &error, read_as::<T>);
            DecodeError::Argument(error.to_string())
        })
    }

    fn by_name(&self) -> Option<&Fields<'t>> {
        self.by_name.get_or_init(|| split(self.text)).as_ref()
    }

    /// Returns the JSON text of an argument, by its name.
    fn text(&self, name: &str, default: Option<&'static str>) -> &str {
        let mut fields = self.by_name().into_iter().flatten();
        let given = fields.find(|(key, _)| key == name);
        match (given.map(|(_, value)| value.get()), default) {
            (None | Some("null"), Some(default)) => default,
            (Some(given), _) => given,
            (None, None) => "null",
        }
    }

    /// Checks the rest: the text after the last argument, and that all arguments are those of the tool, because a name that
    /// is misspelled or given twice is an error.
    ///
    /// # Errors
    /// [`DecodeError::Text`].
    pub(super) fn finish(&self) -> Result<(), DecodeError> {
        let Some(tool) = self.unchecked else {
            return Ok(());
        };
        // At the end, the text had all parameters and nothing else.
        if self.in_order.get().is_some_and(Cursor::is_at_end) {
            return Ok(());
        }
        let fields = self.by_name().ok_or(DecodeError::Text)?;
        let params = tool.signature().map_or(&[][..], Signature::params);
        let is_declared = |key: &str| params.iter().any(|param| param.name() == key);
        let are_declared = fields.iter().all(|(key, _)| is_declared(key));
        are_declared.then_some(()).ok_or(DecodeError::Text)
    }

    /// The context of the call.
    #[must_use]
    pub fn context(&self) -> &ToolContext {
        self.context
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
    // The validation against the spec covers the tool's own signature, except for texts that the Rust types
    // read in another form.
    if context.has_valid_arguments() && !signature.is_some_and(Signature::has_text_forms) {
        let arguments = Arguments::new(text, context, None);
        return read(&arguments).map_err(DecodeError::into_tool_error);
    }
    if signature.is_some_and(Signature::is_plain)
        && !has_more_values_than(text.as_bytes(), MAX_ARGUMENT_VALUES)
    {
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
fn validated<'t>(tool: &ToolDescriptor, text: &'t str) -> Result<Cow<'t, str>, ToolError> {
    let Some(signature) = tool.signature() else {
        let reason = "the tool has no signature".to_owned();
        return Err(ToolError::Validation(reason));
    };
    let checked = signature.check_arguments(text, None);
    let checked = checked.map_err(wrong_arguments)?;
    trace_arguments(tool.name(), &checked);
    Ok(signature.host_text(checked))
}

/// Converts the result of a tool to the form of its signature, where serde writes another form. The context
/// keeps the bytes of media.
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
        signature.returns().ty().convert_from_host(&mut value);
    }
    Ok(value)
}

/// A position in the text of an object: before its first member, or after a member.
#[derive(Clone, Copy, Debug)]
struct Cursor<'t> {
    rest: &'t str,
    /// The byte before the next member: `{` or `,`.
    before: u8,
}

impl<'t> Cursor<'t> {
    /// Returns the position before the first member.
    fn new(text: &'t str) -> Self {
        Self {
            rest: text,
            before: b'{',
        }
    }

    /// Returns the position after a member, before the rest of the text.
    fn after(rest: &'t str) -> Self {
        Self { rest, before: b',' }
    }

    /// Returns the text from the value of the next member on, if the member has this name. A name that
    /// is written with escapes is not recognised.
    fn value_of(self, name: &str) -> Option<&'t str> {
        let bytes = self.rest.as_bytes();
        let at = after_byte(bytes, 0, self.before)?;
        let at = after_byte(bytes, at, b'"')?;
        let end = at + name.len();
        if bytes.get(at..end)? != name.as_bytes() || *bytes.get(end)? != b'"' {
            return None;
        }
        let at = after_byte(bytes, end + 1, b':')?;
        self.rest.get(after_blanks(bytes, at)..)
    }

    /// Whether the object and the text end here.
    fn is_at_end(self) -> bool {
        let bytes = self.rest.as_bytes();
        let at = match self.before {
            b'{' => after_byte(bytes, 0, b'{'),
            _ => Some(0),
        };
        let end = at.and_then(|at| after_byte(bytes, at, b'}'));
        end.is_some_and(|end| after_blanks(bytes, end) == bytes.len())
    }
}

/// Returns the position after a byte, which may follow blanks.
fn after_byte(bytes: &[u8], at: usize, byte: u8) -> Option<usize> {
    let at = after_blanks(bytes, at);
    (*bytes.get(at)? == byte).then_some(at + 1)
}

/// Returns the position after blanks. JSON has fewer blank characters than `str::trim_start` removes.
fn after_blanks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\t' | b'\r') = bytes.get(at) {
        at += 1;
    }
    at
}

/// Arguments: names and pieces of the text.
type Fields<'t> = Vec<(Cow<'t, str>, &'t RawValue)>;

/// Splits a text into arguments, unless it is not an object or has a key twice.
fn split(text: &str) -> Option<Fields<'_>> {
    struct Object;

    impl<'t> Visitor<'t> for Object {
        type Value = Fields<'t>;

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
    let fields = deserializer.deserialize_map(Object).ok()?;
    deserializer.end().ok()?;
    Some(fields)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_in_order_up_to_the_end() {
        let start = Cursor::new("\n{ \"a\" : 1 , \"b\":[2]}\t");
        let value = start.value_of("a").expect("a is the first");
        assert_eq!(value, "1 , \"b\":[2]}\t");
        assert!(start.value_of("b").is_none() && !start.is_at_end());
        let second = Cursor::after(&value[1..]);
        assert_eq!(second.value_of("b"), Some("[2]}\t"));
        assert!(!second.is_at_end());
        assert!(Cursor::after("}\t").is_at_end());
    }

    #[test]
    fn only_whole_objects_have_an_end() {
        for (text, is_whole) in [
            ("{}", true),
            (" { } ", true),
            ("{", false),
            ("{} {}", false),
        ] {
            assert_eq!(Cursor::new(text).is_at_end(), is_whole, "{text}");
        }
        for text in [",}", "", "} x", "\u{a0}}"] {
            assert!(!Cursor::after(text).is_at_end(), "{text}");
        }
        assert!(Cursor::new("{\"ab\": 1}").value_of("a").is_none());
        assert!(Cursor::new("{,\"a\": 1}").value_of("a").is_none());
    }
}
