//! Validating JSON against types, and the arguments of a call against a signature.
//!
//! The rules are those of the type's JSON Schema, with some more for the habits of models: a whole
//! number may be written `5.0`, `null` counts as absent for an optional value, a list or an object in
//! arguments may be given as its JSON text where no text is allowed, a near spelling of a missing name is
//! rejected, duplicate keys are rejected, and an integer must fit the integer of the implementation. serde's
//! aliases count as the names that they stand for. All violations are reported together.

mod aliases;
pub(crate) mod allowed_types;
mod arguments;
mod conforming;
mod format;
mod host_form;
pub(crate) mod json_text;
mod number;
pub(crate) mod patterns;
mod variants;
mod violation;
mod walk;
mod whole;
mod words;

pub(crate) use aliases::with_aliases_of;
pub use arguments::{Arguments, arguments_text};
pub(crate) use arguments::{check_arguments, read_arguments};
pub(crate) use format::may_have_format;
pub use format::{ASSERTED_FORMATS, is_asserted_format};
pub(crate) use host_form::{from_host, has_text_forms, host_text, to_host};
pub(crate) use number::same_json;
pub(crate) use patterns::Patterns;
pub use patterns::is_valid_pattern;
pub use violation::{Violation, Violations};
pub use whole::with_whole_numbers;

use crate::json_value::{Path, value_to_json};
use crate::types::Type;
use walk::Validation;

/// Checks a value against a type.
///
/// # Errors
/// All the ways in which the value is not of this type.
pub(crate) fn check_value(ty: &Type, value: &serde_json::Value) -> Result<(), Violations> {
    let mut walk = Validation::default();
    walk.value(ty, None, value, Path::Root);
    Violations::from_list(walk.violations)
}

/// Checks that a gram value, such as a default or an item of an enumeration, fits a type.
///
/// Symbols, ranges and measurements never fit, since JSON does not have them; nor do integers
/// beyond 64 bits.
///
/// # Errors
/// Returns the expected and the found value in words, for the first part that does not fit:
/// `expected Int, found the text "x"`.
pub fn fits_value(ty: &Type, value: &agent_gram::Value) -> Result<(), String> {
    fits_value_of(ty, value, &mut Patterns::default())
}

/// Checks one of many values of a document or schema, as [`fits_value`] does. `patterns` belongs to the
/// whole document or schema.
pub fn fits_value_of(
    ty: &Type,
    value: &agent_gram::Value,
    patterns: &mut Patterns,
) -> Result<(), String> {
    let Some(json) = value_to_json(value) else {
        return Err(format!(
            "expected {}, found {}",
            ty.label(),
            inexpressible(value)
        ));
    };
    let mut walk = Validation {
        patterns: std::mem::take(patterns),
        ..Validation::default()
    };
    walk.value(ty, None, &json, Path::Root);
    *patterns = walk.patterns;
    Violations::from_list(walk.violations).map_err(|violations| {
        let violation = violations.first();
        let (expected, found) = (violation.expected(), violation.found());
        let words = match violation.path() {
            "$" => format!("expected {expected}, found {found}"),
            path => format!("expected {expected} at `{path}`, found {found}"),
        };
        match violation.help() {
            Some(help) => format!("{words}; {help}"),
            None => words,
        }
    })
}

/// Returns the part of a value that JSON cannot express, in words.
fn inexpressible(value: &agent_gram::Value) -> String {
    match value {
        agent_gram::Value::Symbol(symbol) => {
            let text = symbol.as_str();
            format!("the symbol `{text}` (write \"{text}\" for a text)")
        }
        agent_gram::Value::Range(_) => "a range".to_owned(),
        agent_gram::Value::Measurement(_) => "a measurement".to_owned(),
        agent_gram::Value::Integer(value) => format!("{value}, which does not fit 64 bits"),
        agent_gram::Value::Array(array) => first_unsayable(array.as_slice().iter()),
        agent_gram::Value::Map(record) => first_unsayable(record.iter().map(|(_, value)| value)),
        _ => "another value".to_owned(),
    }
}

fn first_unsayable<'a>(mut parts: impl Iterator<Item = &'a agent_gram::Value>) -> String {
    let part = parts.find(|part| value_to_json(part).is_none());
    part.map_or_else(String::new, |part| {
        format!("{} inside", inexpressible(part))
    })
}
