//! Whether a gram value fits a type.

use crate::json::value_to_json;
use crate::types::Type;
use agent_gram::Value;

/// Whether a gram value, such as a default or an item of an enumeration, fits a type.
///
/// Symbols, ranges and measurements never fit, since JSON does not have them; nor do integers
/// beyond 64 bits.
///
/// # Errors
/// What is expected and what was found, in words, for the first thing that does not fit:
/// `expected Int, found the text "x"`.
pub fn fits_value(ty: &Type, value: &Value) -> Result<(), String> {
    let Some(json) = value_to_json(value) else {
        return Err(format!(
            "expected {}, found {}",
            ty.label(),
            unsayable(value)
        ));
    };
    ty.validate(&json).map_err(|violations| {
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

/// The part of a value that JSON cannot say, in words.
fn unsayable(value: &Value) -> String {
    match value {
        Value::Symbol(symbol) => {
            let text = symbol.as_str();
            format!("the symbol `{text}` (write \"{text}\" for a text)")
        }
        Value::Range(_) => "a range".to_owned(),
        Value::Measurement(_) => "a measurement".to_owned(),
        Value::Integer(value) => format!("{value}, which does not fit 64 bits"),
        Value::Array(array) => first_unsayable(array.as_slice().iter()),
        Value::Map(record) => first_unsayable(record.iter().map(|(_, value)| value)),
        _ => "another value".to_owned(),
    }
}

fn first_unsayable<'a>(mut parts: impl Iterator<Item = &'a Value>) -> String {
    let part = parts.find(|part| value_to_json(part).is_none());
    part.map_or_else(String::new, |part| format!("{} inside", unsayable(part)))
}
