//! Values of a result in the arguments of a later call.

#[cfg(test)]
mod tests;

use serde_json::Value;

/// Numbers below this one, and without a fraction, are not traced: they are in most calls by chance.
const SMALLEST: f64 = 10.0;

/// The values of a result without words, to be found in the arguments of a later call. Booleans and whole numbers below 10
/// cannot be traced.
///
/// A number is found wherever it stands in a text of an argument, and so is a text with a digit, such as a date, an address or an
/// id. A word, such as one of an `enum`, is found only if it is the whole argument.
///
/// ```
/// use agent_effects::TracedValues;
/// use serde_json::json;
///
/// let values = TracedValues::of_result(r#"{"urgent": true, "amount": 1250.5, "level": "high"}"#);
/// assert_eq!(values.found_in(&json!({"order": 17, "text": "1,250.50 euros"})).as_deref(), Some("text"));
/// assert_eq!(values.found_in(&json!({"urgent": true, "text": "a high tower"})), None);
/// ```
#[derive(Debug, Default)]
pub struct TracedValues {
    /// Words, which are found as whole arguments.
    words: Vec<String>,
    /// Texts with a digit, which are found in texts.
    codes: Vec<String>,
    numbers: Vec<f64>,
}

impl TracedValues {
    /// Creates the values of a result as the model reads it: JSON, or a text that is one value.
    #[must_use]
    pub fn of_result(content: &str) -> Self {
        let mut values = Self::default();
        match serde_json::from_str(content) {
            Ok(json) => values.add(&json),
            Err(_) => values.add_text(content),
        }
        values
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.add_text(text),
            Value::Number(number) => self.add_text(&number.to_string()),
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            Value::Object(members) => members.values().for_each(|member| self.add(member)),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn add_text(&mut self, text: &str) {
        let text = folded(text);
        if let Ok(number) = text.parse() {
            if is_traced(number) {
                self.numbers.push(number);
            }
        } else if text.bytes().any(|byte| byte.is_ascii_digit()) {
            self.codes.push(text);
        } else if !text.is_empty() {
            self.words.push(text);
        }
    }

    /// Returns the first argument that has one of the values, as a path such as `items[2].price`. Names of members and JSON in
    /// texts are looked at, too.
    #[must_use]
    pub fn found_in(&self, arguments: &Value) -> Option<String> {
        self.find(arguments, String::new())
    }

    fn find(&self, value: &Value, path: String) -> Option<String> {
        match value {
            Value::String(text) => match serde_json::from_str(text) {
                Ok(inner @ (Value::Array(_) | Value::Object(_) | Value::String(_))) => {
                    self.find(&inner, path)
                }
                _ => self.is_in(text).then_some(path),
            },
            Value::Number(number) => self.is_in(&number.to_string()).then_some(path),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .find_map(|(at, item)| self.find(item, format!("{path}[{at}]"))),
            Value::Object(members) => members.iter().find_map(|(key, member)| {
                let inner = match path.is_empty() {
                    true => key.clone(),
                    false => format!("{path}.{key}"),
                };
                // The names of the arguments themselves are those of the tool.
                match !path.is_empty() && self.is_in(key) {
                    true => Some(inner),
                    false => self.find(member, inner),
                }
            }),
            Value::Null | Value::Bool(_) => None,
        }
    }

    fn is_in(&self, text: &str) -> bool {
        let text = folded(text);
        self.words.contains(&text)
            || self.codes.iter().any(|code| text.contains(code))
            || (!self.numbers.is_empty() && self.has_number(&text))
    }

    /// Whether a text has one of the numbers, with any separators.
    fn has_number(&self, text: &str) -> bool {
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '_');
        let pieces = text.split(|c| !is_part(c));
        let mut forms = pieces.flat_map(forms_of).chain(text.parse().ok());
        forms.any(|number| {
            is_traced(number) && self.numbers.iter().any(|own| own.abs() == number.abs())
        })
    }
}

/// The numbers that digits with separators can mean: a point or a comma before a fraction, and either of them between
/// thousands.
fn forms_of(piece: &str) -> Vec<f64> {
    let piece = piece.trim_matches(|c: char| !c.is_ascii_digit());
    let without = |dropped: &[char]| piece.replace(dropped, "");
    [
        without(&[',', '\'', '_']),
        without(&['.', '\'', '_']).replace(',', "."),
        without(&['.', ',', '\'', '_']),
    ]
    .iter()
    .filter_map(|form| form.parse().ok())
    .collect()
}

fn is_traced(number: f64) -> bool {
    number.abs() >= SMALLEST || number.fract() != 0.0
}

/// A text without the differences that make no other value: case, blanks, letters of double width, and characters that nobody
/// sees.
fn folded(text: &str) -> String {
    let seen = text
        .chars()
        .filter(|c| !agent_types::terminal::controls_terminal(*c));
    let narrow = seen.map(|c| match u32::from(c) {
        wide @ 0xFF01..=0xFF5E => char::from_u32(wide - 0xFEE0).unwrap_or(c),
        _ => c,
    });
    let narrow: String = narrow.collect();
    narrow
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}
