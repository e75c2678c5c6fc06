//! Whole numbers as they are written in a text, where the double that `serde_json` reads in their place may
//! be rounded.

use crate::json_value::Path;
use serde_core::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;
use serde_json::{Number, Value};
use std::collections::HashMap;
use std::fmt;

/// From 2^52 on, a double has no fraction, so that only the text shows whether the number had one.
const COARSE: f64 = 4_503_599_627_370_496.0;

/// The numbers of a text that its value may have rounded, by their place.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct WholeNumbers {
    numbers: HashMap<String, Written>,
    /// The written name of each member that has another name in the value. The key is the place of the
    /// member: the place of the object as it is written, and the name in the value.
    renamed: HashMap<String, String>,
}

/// A number as it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Written {
    pub(super) value: Whole,
    /// Whether the number is written in digits alone, as serde reads integers.
    pub(super) is_plain: bool,
}

impl Written {
    /// Returns the number without rounding and without a fraction, when it fits 64 bits.
    pub(super) fn as_number(self) -> Option<Number> {
        match self.value {
            Whole::Integer(value) => Number::from_i128(value),
            Whole::Larger | Whole::Fraction => None,
        }
    }
}

/// The exact value of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Whole {
    /// An integer of 128 bits.
    Integer(i128),
    /// An integer beyond 128 bits.
    Larger,
    /// A number that is not whole.
    Fraction,
}

impl WholeNumbers {
    /// Reads the numbers of a text whose value was parsed. Most texts have no number that the value may have
    /// rounded, and are not read again.
    pub(super) fn read(text: &str, value: &Value) -> Self {
        let mut whole = Self::default();
        if has_coarse(value) {
            let scan = Scan {
                numbers: &mut whole.numbers,
                value,
                path: Path::Root,
            };
            let mut deserializer = serde_json::Deserializer::from_str(text);
            // The scan fails only where a key is given twice, which is reported as a violation.
            let _ = scan.deserialize(&mut deserializer);
        }
        whole
    }

    /// Whether the value rounds no number.
    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Keeps the written names of members that the value has under other names.
    pub(super) fn renamed(&mut self, members: Vec<(String, String)>) {
        self.renamed.extend(members);
    }

    /// Returns a number as it is written, when its value may be rounded.
    pub(super) fn get(&self, path: Path<'_>) -> Option<Written> {
        if self.numbers.is_empty() {
            return None;
        }
        self.numbers.get(&pointer(path)).copied()
    }

    /// Writes a value as JSON text, with all digits of integers beyond 64 bits.
    pub(super) fn write(&self, value: &Value) -> String {
        if self.numbers.is_empty() {
            return value.to_string();
        }
        let mut text = String::new();
        self.write_value(&mut text, value, Path::Root);
        text
    }

    fn write_value(&self, text: &mut String, value: &Value, path: Path<'_>) {
        match value {
            Value::Number(number) if is_coarse(number) => match self.get(path) {
                Some(Written {
                    value: Whole::Integer(integer),
                    ..
                }) => text.push_str(&integer.to_string()),
                _ => text.push_str(&number.to_string()),
            },
            Value::Array(items) => {
                text.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        text.push(',');
                    }
                    self.write_value(text, item, path.index(at));
                }
                text.push(']');
            }
            Value::Object(members) => {
                text.push('{');
                for (at, (key, member)) in members.iter().enumerate() {
                    if at > 0 {
                        text.push(',');
                    }
                    text.push_str(&Value::from(key.as_str()).to_string());
                    text.push(':');
                    let written = match self.renamed.is_empty() {
                        true => None,
                        false => self.renamed.get(&pointer(path.key(key))),
                    };
                    self.write_value(text, member, path.key(written.unwrap_or(key)));
                }
                text.push('}');
            }
            value => text.push_str(&value.to_string()),
        }
    }
}

/// Whether a value may have rounded a number.
pub(super) fn is_coarse(number: &Number) -> bool {
    number.as_i128().is_none() && number.as_f64().is_some_and(|value| value.abs() >= COARSE)
}

pub(super) fn has_coarse(value: &Value) -> bool {
    match value {
        Value::Number(number) => is_coarse(number),
        Value::Array(items) => items.iter().any(has_coarse),
        Value::Object(members) => members.values().any(has_coarse),
        _ => false,
    }
}

/// Returns a JSON text in which no whole number of up to 128 bits has a fraction or an exponent: `1` for
/// `1.0`. Returns `None` if nothing changes. A whole number beyond 128 bits stays as it is written.
///
/// ```
/// use agent_types::json::with_whole_numbers;
///
/// let text = r#"{"a": [1.0, 2.5, -3e2], "b": "1.0"}"#;
/// assert_eq!(with_whole_numbers(text).unwrap(), r#"{"a": [1, 2.5, -300], "b": "1.0"}"#);
/// ```
#[must_use]
pub fn with_whole_numbers(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut whole = String::new();
    let (mut at, mut written) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        match byte {
            b'"' => at += length_of_text(rest),
            b'-' | b'0'..=b'9' => {
                let is_part =
                    |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                let length = rest.iter().take_while(|byte| is_part(byte)).count();
                let number = &text[at..at + length];
                if number.contains(['.', 'e', 'E'])
                    && let Whole::Integer(value) = whole_of(number)
                {
                    whole.push_str(&text[written..at]);
                    whole.push_str(&value.to_string());
                    written = at + length;
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    if written == 0 {
        return None;
    }
    whole.push_str(&text[written..]);
    Some(whole)
}

/// Returns the number of bytes of the text in quotes with which some JSON text begins.
fn length_of_text(json: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    json.len()
}

/// Returns the place as a JSON pointer, which is different for each place. A printed path may be cut.
pub(super) fn pointer(path: Path<'_>) -> String {
    match path {
        Path::Root => String::new(),
        Path::Key(parent, key) => {
            let key = key.replace('~', "~0").replace('/', "~1");
            format!("{}/{key}", pointer(*parent))
        }
        Path::Index(parent, at) => format!("{}/{at}", pointer(*parent)),
    }
}

/// A scan of a text along its value, which shows the places of the numbers.
struct Scan<'w, 'v> {
    numbers: &'w mut HashMap<String, Written>,
    value: &'v Value,
    path: Path<'v>,
}

impl<'de> DeserializeSeed<'de> for Scan<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.value {
            Value::Number(number) if is_coarse(number) => {
                let text = <&RawValue>::deserialize(deserializer)?.get();
                let written = Written {
                    value: whole_of(text),
                    is_plain: !text.contains(['.', 'e', 'E']),
                };
                self.numbers.insert(pointer(self.path), written);
                Ok(())
            }
            Value::Array(_) => deserializer.deserialize_seq(self),
            Value::Object(_) => deserializer.deserialize_map(self),
            _ => IgnoredAny::deserialize(deserializer).map(|_| ()),
        }
    }
}

impl<'de> Visitor<'de> for Scan<'_, '_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the value that was parsed")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let values = self.value.as_array().map_or(&[][..], Vec::as_slice);
        for (at, value) in values.iter().enumerate() {
            let scan = Scan {
                numbers: &mut *self.numbers,
                value,
                path: self.path.index(at),
            };
            items.next_element_seed(scan)?;
        }
        // Nothing is left, unless the key of the list was given twice.
        match items.next_element::<IgnoredAny>()? {
            None => Ok(()),
            Some(_) => Err(A::Error::custom("")),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(key) = members.next_key::<String>()? {
            let Some(value) = self.value.get(&key) else {
                members.next_value::<IgnoredAny>()?;
                continue;
            };
            let scan = Scan {
                numbers: &mut *self.numbers,
                value,
                path: self.path.key(&key),
            };
            members.next_value_seed(scan)?;
        }
        Ok(())
    }
}

/// Reads a number of JSON without rounding.
fn whole_of(text: &str) -> Whole {
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{integer}{fraction}");
    let Ok(exponent) = exponent.parse::<i64>() else {
        return Whole::Larger;
    };
    let shift = exponent.saturating_sub(i64::try_from(fraction.len()).unwrap_or(i64::MAX));
    let digits = match usize::try_from(shift) {
        // 2^128 has 39 digits.
        Ok(zeros) if zeros > 39 => return Whole::Larger,
        Ok(zeros) => format!("{digits}{}", "0".repeat(zeros)),
        Err(_) => {
            let cut = usize::try_from(shift.unsigned_abs()).unwrap_or(usize::MAX);
            let kept = digits.len().saturating_sub(cut);
            let (kept, rest) = digits.split_at(kept);
            if rest.bytes().any(|digit| digit != b'0') {
                return Whole::Fraction;
            }
            kept.to_owned()
        }
    };
    let sign = if is_negative { "-" } else { "" };
    format!("{sign}{digits}")
        .parse()
        .map_or(Whole::Larger, Whole::Integer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_without_rounding() {
        for (text, expected) in [
            ("9007199254740993", Whole::Integer(9_007_199_254_740_993)),
            ("9007199254740993.0", Whole::Integer(9_007_199_254_740_993)),
            ("9007199254740993.5", Whole::Fraction),
            (
                "90071992547409930e-1",
                Whole::Integer(9_007_199_254_740_993),
            ),
            ("90071992547409935e-1", Whole::Fraction),
            ("9007199254740.993e3", Whole::Integer(9_007_199_254_740_993)),
            ("1e23", Whole::Integer(100_000_000_000_000_000_000_000)),
            ("-1E+20", Whole::Integer(-100_000_000_000_000_000_000)),
            ("1.50e20", Whole::Integer(150_000_000_000_000_000_000)),
            (
                "170141183460469231731687303715884105727",
                Whole::Integer(i128::MAX),
            ),
            ("170141183460469231731687303715884105728", Whole::Larger),
            (
                "-170141183460469231731687303715884105728",
                Whole::Integer(i128::MIN),
            ),
            ("-170141183460469231731687303715884105729", Whole::Larger),
            ("1e300", Whole::Larger),
            ("1e99999999999999999999", Whole::Larger),
            ("5e-99999999999999999999", Whole::Larger),
        ] {
            assert_eq!(whole_of(text), expected, "{text}");
        }
    }

    #[test]
    fn removes_the_fractions_of_whole_numbers_only() {
        for (text, expected) in [
            ("1.0", Some("1")),
            ("-0.0", Some("0")),
            (
                r#"{"1.0": [1.50e1, 1.5, 2]}"#,
                Some(r#"{"1.0": [15, 1.5, 2]}"#),
            ),
            (r#"["a\" 1.0", "\\", 1e0]"#, Some(r#"["a\" 1.0", "\\", 1]"#)),
            ("[1e300, 0.5, 7]", None),
            (r#""1.0"#, None),
            ("[--1.0, 1e, .0, 1.0.0]", None),
        ] {
            assert_eq!(with_whole_numbers(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn finds_numbers_at_every_place() {
        let text = r#"{"b": [1, 1e20, {"a/~": 36893488147419103233}], "a": {"b": 18446744073709551617.0}, "c": "1e20"}"#;
        let value: Value = serde_json::from_str(text).expect("JSON");
        let whole = WholeNumbers::read(text, &value);
        assert_eq!(whole.numbers.len(), 3);
        assert_eq!(
            whole.write(&value),
            r#"{"a":{"b":18446744073709551617},"b":[1,100000000000000000000,{"a/~":36893488147419103233}],"c":"1e20"}"#
        );
    }
}
