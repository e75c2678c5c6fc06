//! Values of a result in the arguments of a later call.

#[cfg(test)]
mod tests;

use serde_json::Value;
use std::collections::HashSet;

/// Numbers below this one, and without a fraction, are not traced: they are in most calls by chance.
const SMALLEST: f64 = 10.0;

/// The values of a result without words, to be found in the arguments of a later call. Booleans and whole numbers below 10
/// cannot be traced.
///
/// ```
/// use agent_effects::TracedValues;
/// use serde_json::json;
///
/// let values = TracedValues::of_result(r#"{"urgent": true, "amount": 1250.5}"#);
/// assert_eq!(values.found_in(&json!({"order": 17, "amount": "1250.50"})).as_deref(), Some("amount"));
/// assert_eq!(values.found_in(&json!({"urgent": true})), None);
/// ```
#[derive(Debug, Default)]
pub struct TracedValues {
    texts: HashSet<String>,
    numbers: Vec<f64>,
}

impl TracedValues {
    /// Creates the values of a result as the model reads it: JSON or text. Each word of a text is a value, too, because an
    /// agent may write the values of a result into a sentence.
    #[must_use]
    pub fn of_result(content: &str) -> Self {
        let mut values = Self::default();
        match serde_json::from_str(content) {
            Ok(json) => values.add(&json),
            Err(_) => values.add_sentence(content),
        }
        values
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.add_sentence(text),
            Value::Number(number) => self.add_text(&number.to_string()),
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            Value::Object(members) => members.values().for_each(|member| self.add(member)),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn add_sentence(&mut self, text: &str) {
        self.add_text(text);
        for word in text.split_whitespace() {
            self.add_text(word.trim_matches(|c: char| !c.is_alphanumeric()));
        }
    }

    fn add_text(&mut self, text: &str) {
        match number_of(text) {
            Some(number) if is_traced(number) => self.numbers.push(number),
            None if !text.trim().is_empty() => {
                self.texts.insert(folded(text));
            }
            _ => {}
        }
    }

    /// Returns the first argument that is one of the values, as a path such as `items[2].price`. Text that is JSON is looked
    /// through.
    #[must_use]
    pub fn found_in(&self, arguments: &Value) -> Option<String> {
        self.find(arguments, String::new())
    }

    fn find(&self, value: &Value, path: String) -> Option<String> {
        match value {
            Value::String(text) => match serde_json::from_str(text) {
                Ok(inner @ (Value::Array(_) | Value::Object(_))) => self.find(&inner, path),
                _ => self.has(text).then_some(path),
            },
            Value::Number(number) => self.has(&number.to_string()).then_some(path),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .find_map(|(at, item)| self.find(item, format!("{path}[{at}]"))),
            Value::Object(members) => members.iter().find_map(|(key, member)| {
                let path = match path.is_empty() {
                    true => key.clone(),
                    false => format!("{path}.{key}"),
                };
                self.find(member, path)
            }),
            Value::Null | Value::Bool(_) => None,
        }
    }

    fn has(&self, text: &str) -> bool {
        match number_of(text) {
            Some(number) => is_traced(number) && self.numbers.contains(&number),
            None => self.texts.contains(&folded(text)),
        }
    }
}

/// The number that a text is, also with separators of thousands.
fn number_of(text: &str) -> Option<f64> {
    let digits: String = text
        .trim()
        .chars()
        .filter(|c| !matches!(c, ',' | '_' | '\''))
        .collect();
    let is_number = digits.bytes().any(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}

fn is_traced(number: f64) -> bool {
    number.abs() >= SMALLEST || number.fract() != 0.0
}

/// A text without the differences that a model makes by chance: case and blanks.
fn folded(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}
