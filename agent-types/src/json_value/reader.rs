//! Parses JSON text, and reports the places that another parser would read differently.

use super::path::Path;
use serde_core::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};
use std::collections::HashSet;
use std::fmt;

/// The key of an object that `serde_json` replaces with the JSON text in its value, when its feature
/// `raw_value` is enabled.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// The key of an object that `serde_json` replaces with the number in its value, when its feature
/// `arbitrary_precision` is enabled. It then gives visitors numbers with a fraction in this form.
const NUMBER: &str = "$serde_json::private::Number";

/// A key that other parsers read differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyProblem {
    /// An object has the key twice. `serde_json` keeps the last value.
    Duplicate,
    /// `serde_json` reads the object as another value.
    Reserved,
}

/// The maximum number of values of a JSON text that is parsed, as [`value_count`] counts them. A value takes up to 100
/// bytes of memory, so that a server's answer of 32 MiB could take gigabytes.
pub const MAX_VALUES: usize = 1_000_000;

/// The maximum number of values in the arguments of a call, as [`value_count`] counts them. A model can write millions
/// of values, and each is validated, copied and sent again in each further request.
pub const MAX_ARGUMENT_VALUES: usize = 200_000;

/// The number of values that a list counts as, without its items.
const LIST: usize = 2;

/// The number of values that an object counts as, without its members. An object with one member takes as much memory
/// as eight numbers in lists of their own.
const OBJECT: usize = 8;

/// Whether a JSON text has more values than allowed, as [`value_count`] counts them.
///
/// ```
/// use agent_types::json::has_more_values_than;
///
/// let text = br#"{"a": [1, 2], "b": "[,,,,]"}"#;
/// assert!(!has_more_values_than(text, 15));
/// assert!(has_more_values_than(text, 14));
/// ```
#[must_use]
pub fn has_more_values_than(text: &[u8], max: usize) -> bool {
    // No byte counts as more than an object, so a shorter text need not be read.
    text.len() >= max / OBJECT && value_count(text) > max
}

/// Counts the values of a JSON text without parsing it, by the memory that they take: a list counts as 2, an object as
/// 8, each key as 1, and any other value as 1, also an empty list or object.
#[must_use]
pub fn value_count(text: &[u8]) -> usize {
    // The first item of a list follows the bracket, and each further item follows a comma. The list itself is
    // counted by the token in front of it.
    let mut count = 1;
    outside_of_texts(text, |byte, rest| match byte {
        b'[' if !is_closed(rest) => count += LIST,
        b'{' if !is_closed(rest) => count += OBJECT,
        b',' | b':' => count += 1,
        _ => {}
    });
    count
}

/// Returns how many objects and lists of a JSON text are inside each other.
pub fn json_depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    outside_of_texts(text.as_bytes(), |byte, _| match byte {
        b'[' | b'{' => {
            depth += 1;
            deepest = deepest.max(depth);
        }
        b']' | b'}' => depth = depth.saturating_sub(1),
        _ => {}
    });
    deepest
}

/// Calls `visit` with each byte of a JSON text that is not inside quotes, and with the bytes after it.
fn outside_of_texts(text: &[u8], mut visit: impl FnMut(u8, &[u8])) {
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        if *byte != b'"' {
            visit(*byte, bytes.as_slice());
            continue;
        }
        while let Some(byte) = bytes.next() {
            match byte {
                b'"' => break,
                b'\\' => _ = bytes.next(),
                _ => {}
            }
        }
    }
}

/// Whether the rest of a JSON text behind a bracket begins with a closing one.
fn is_closed(rest: &[u8]) -> bool {
    let first = rest.iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(first, Some(b']' | b'}'))
}

/// Counts the values in a JSON value, as [`value_count`] does in its text.
#[must_use]
pub fn values_in(json: &Value) -> usize {
    match json {
        Value::Array(items) if !items.is_empty() => {
            LIST + items.iter().map(values_in).sum::<usize>()
        }
        Value::Object(members) if !members.is_empty() => {
            OBJECT + members.len() + members.values().map(values_in).sum::<usize>()
        }
        _ => 1,
    }
}

/// Returns the problem of a text with more values than allowed: "more than 1000000 JSON values …".
#[must_use]
pub fn too_many_values(max: usize) -> String {
    format!("more than {max} JSON values, where a list counts as {LIST} and an object as {OBJECT}")
}

/// Parses JSON text that somebody else wrote.
///
/// Objects are read as they are written. [`serde_json::from_str`] reads an object with a key that it reserves
/// as another value, which may also nest deeper than `serde_json` allows. If an object has a key twice, the
/// last value is kept.
///
/// # Errors
/// When the text is not JSON, nests deeper than `serde_json` reads (128), or has more than [`MAX_VALUES`] values.
pub fn parse_json(text: &str) -> Result<Value, serde_json::Error> {
    read_json(text, |_, _| ())
}

/// Parses JSON text, and reports keys that other parsers read differently, each once in an object.
///
/// # Errors
/// When the text is not JSON, nests deeper than `serde_json` reads (128), or has more than [`MAX_VALUES`] values.
pub(crate) fn read_json(
    text: &str,
    mut report: impl FnMut(KeyProblem, Path<'_>),
) -> Result<Value, serde_json::Error> {
    if has_more_values_than(text.as_bytes(), MAX_VALUES) {
        let problem = too_many_values(MAX_VALUES);
        return Err(Error::custom(format_args!("it has {problem}")));
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let reader = ValueReader {
        report: &mut report,
        path: Path::Root,
    };
    let value = reader.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Reads the number of an object with the key [`NUMBER`], if `serde_json` made that object of a number. Visitors
/// call it with the first key of an object.
///
/// # Errors
/// When the value is not a number.
pub(super) fn number<'de, A: MapAccess<'de>>(
    key: &str,
    members: &mut A,
) -> Result<Option<Number>, A::Error> {
    // `serde_json` parses numbers beyond doubles only with the feature `arbitrary_precision`.
    if key != NUMBER || serde_json::from_str::<Number>("1e999").is_err() {
        return Ok(None);
    }
    let text: String = members.next_value()?;
    serde_json::from_str(&text)
        .map(Some)
        .map_err(A::Error::custom)
}

/// A value that is being read, and its path.
struct ValueReader<'a> {
    report: &'a mut dyn FnMut(KeyProblem, Path<'_>),
    path: Path<'a>,
}

impl<'de> DeserializeSeed<'de> for ValueReader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueReader<'_> {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(ValueReader {
            report: self.report,
            path: self.path.index(list.len()),
        })? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        // Few objects repeat a key.
        let mut repeated: Option<HashSet<String>> = None;
        while let Some(key) = members.next_key::<String>()? {
            if object.is_empty()
                && let Some(number) = number(&key, &mut members)?
            {
                return Ok(Value::Number(number));
            }
            // The entry is looked up once, because the lookup takes most of the time.
            let place = object.entry(key);
            let path = self.path.key(place.key());
            if let Entry::Occupied(held) = &place
                && repeated.get_or_insert_default().insert(held.key().clone())
            {
                (self.report)(KeyProblem::Duplicate, path);
            }
            if matches!(place.key().as_str(), RAW_VALUE | NUMBER) {
                (self.report)(KeyProblem::Reserved, path);
            }
            let value = members.next_value_seed(ValueReader {
                report: self.report,
                path,
            })?;
            match place {
                Entry::Vacant(place) => {
                    place.insert(value);
                }
                Entry::Occupied(mut place) => {
                    place.insert(value);
                }
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_objects_with_reserved_keys_as_they_are_written() {
        let deep = "[".repeat(100) + &"]".repeat(100);
        for inner in ["[1]", "boom", deep.as_str()] {
            for key in [RAW_VALUE, NUMBER] {
                let text = json!({"m": {(key): inner}}).to_string();
                let mut problems = Vec::new();
                let value = read_json(&text, |problem, path| {
                    problems.push((problem, path.to_string()));
                });
                assert_eq!(value.expect("JSON"), json!({"m": {(key): inner}}), "{text}");
                assert_eq!(problems.len(), 1, "{text}: {problems:?}");
                assert_eq!(problems[0].0, KeyProblem::Reserved, "{text}");
            }
        }
    }

    #[test]
    fn reports_each_repeated_key_once_and_keeps_its_last_value() {
        let mut problems = Vec::new();
        let value = read_json(
            r#"{"a":1,"a":2,"a":3,"b":{"c":0,"c":1}}"#,
            |problem, path| {
                problems.push((problem, path.to_string()));
            },
        );
        assert_eq!(value.expect("JSON"), json!({"a": 3, "b": {"c": 1}}));
        let duplicate = |path: &str| (KeyProblem::Duplicate, path.to_owned());
        assert_eq!(problems, [duplicate("$.a"), duplicate("$.b.c")]);
        assert!(parse_json("{} x").is_err());
        assert!(parse_json(&"[".repeat(200)).is_err());
    }

    #[test]
    fn counts_values_outside_of_texts() {
        for (text, count) in [
            ("1", 1),
            ("[1, 2]", 4),
            ("[[1], {}]", 6),
            ("[[], { }]", 4),
            (r#"{"a,[{:": "b,,\",[:", "c": {"d": null}}"#, 21),
            (r#"["\\", 1]"#, 4),
        ] {
            assert_eq!(value_count(text.as_bytes()), count, "{text}");
            assert!(!has_more_values_than(text.as_bytes(), count), "{text}");
            assert!(has_more_values_than(text.as_bytes(), count - 1), "{text}");
            let json: Value = serde_json::from_str(text).expect(text);
            assert_eq!(values_in(&json), count, "{text}");
        }
    }

    #[test]
    fn refuses_more_values_than_fit_into_memory() {
        let list = |count: usize| format!("[{}1]", "1,".repeat(count - 3));
        assert!(parse_json(&list(MAX_VALUES)).is_ok());
        let error = parse_json(&list(MAX_VALUES + 1)).expect_err("too many");
        let expected =
            "it has more than 1000000 JSON values, where a list counts as 2 and an object as 8";
        assert_eq!(error.to_string(), expected);
        // An object of 7 bytes takes 640 bytes of memory.
        let objects = format!("[{}1]", "{\"\":0},".repeat(MAX_VALUES / 10));
        assert!(parse_json(&objects).is_err());
    }
}
