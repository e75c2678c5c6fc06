//! JSON whose objects keep their members in order.

use agent_gram::value::{Array, Decimal, Record, Text};
use agent_gram::{MAX_DEPTH, Value};
use serde_core::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_core::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Number};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// A JSON value whose objects keep their members in order.
///
/// It also has integers of 128 bits, which JSON text can express and `serde_json::Value` cannot.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Ordered {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i128),
    /// A number with a fraction, or beyond 128 bits. It must be finite: other numbers become
    /// `null`, as they do in `serde_json`.
    Number(f64),
    /// A text.
    Text(Text),
    /// A list.
    Array(Vec<Ordered>),
    /// Members in order. Their keys must differ.
    Object(Vec<(Text, Ordered)>),
    /// An object that several values share, such as a schema in several requests. It does not equal an
    /// [`Object`](Self::Object).
    Shared(Arc<[(Text, Ordered)]>),
}

impl Ordered {
    /// A text.
    pub fn text(text: impl Into<Text>) -> Self {
        Self::Text(text.into())
    }

    /// Converts to a `serde_json::Value`, which sorts the members. An integer beyond 64 bits becomes the
    /// nearest double, because `serde_json` has no wider integers.
    #[must_use]
    pub fn to_value(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(value) => serde_json::Value::Bool(*value),
            Self::Integer(value) => match Number::from_i128(*value) {
                Some(number) => serde_json::Value::Number(number),
                None => serde_json::Value::from(*value as f64),
            },
            Self::Number(value) => serde_json::Value::from(*value),
            Self::Text(text) => serde_json::Value::String(text.clone().into_string()),
            Self::Array(items) => {
                serde_json::Value::Array(items.iter().map(Self::to_value).collect())
            }
            Self::Object(members) => serde_json::Value::Object(to_map(members)),
            Self::Shared(members) => serde_json::Value::Object(to_map(members)),
        }
    }
}

/// Members as a map of `serde_json`.
pub(crate) fn to_map(members: &[(Text, Ordered)]) -> Map<String, serde_json::Value> {
    let members = members.iter();
    let members = members.map(|(key, value)| (key.clone().into_string(), value.to_value()));
    members.collect()
}

/// Writes members in order.
pub fn serialize_members<S: Serializer>(
    members: &[(Text, Ordered)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(members.len()))?;
    for (key, value) in members {
        map.serialize_entry(key.as_ref(), value)?;
    }
    map.end()
}

impl Serialize for Ordered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serialize_integer(*value, serializer),
            Self::Number(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(members) => serialize_members(members, serializer),
            Self::Shared(members) => serialize_members(members, serializer),
        }
    }
}

/// Not every format supports 128 bits, so the narrowest type with the number is used.
fn serialize_integer<S: Serializer>(value: i128, serializer: S) -> Result<S::Ok, S::Error> {
    if let Ok(value) = i64::try_from(value) {
        serializer.serialize_i64(value)
    } else if let Ok(value) = u64::try_from(value) {
        serializer.serialize_u64(value)
    } else {
        serializer.serialize_i128(value)
    }
}

/// Compact JSON text.
impl fmt::Display for Ordered {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// Members keep their order. A key that is given twice is an error, because the intended value is
/// unknown.
///
/// The deserializer must limit the nesting, as `serde_json` does.
impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Ordered;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Ordered, E> {
        Ok(Ordered::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Ordered, E> {
        Ok(Ordered::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Ordered, E> {
        Ok(Ordered::Integer(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Ordered, E> {
        Ok(Ordered::Integer(value.into()))
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Ordered, E> {
        Ok(Ordered::Integer(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Ordered, E> {
        Ok(Ordered::Number(value))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Ordered, E> {
        Ok(Ordered::text(text.to_owned()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Ordered, E> {
        Ok(Ordered::text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Ordered, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Ordered::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Ordered, A::Error> {
        let mut members: Vec<(Text, Ordered)> = Vec::new();
        let mut keys = HashSet::new();
        while let Some(key) = access.next_key::<String>()? {
            if members.is_empty()
                && let Some(number) = super::reader::number(&key, &mut access)?
            {
                return Ok(match number.as_i128() {
                    Some(value) => Ordered::Integer(value),
                    None => Ordered::Number(number.as_f64().unwrap_or_default()),
                });
            }
            let value = access.next_value()?;
            if !keys.insert(key.clone()) {
                return Err(A::Error::custom(format!("the key {key:?} is there twice")));
            }
            members.push((key.into(), value));
        }
        Ok(Ordered::Object(members))
    }
}

/// A gram value as plain JSON: tagged text becomes its content.
///
/// Returns `None` when JSON has no plain form for a part of the value: symbols, ranges, measurements,
/// and integers beyond 64 bits, which `serde_json` would round.
#[must_use]
pub fn value_to_json(value: &Value) -> Option<serde_json::Value> {
    Some(match value {
        Value::Integer(value) => serde_json::Value::Number(serde_json::Number::from_i128(*value)?),
        Value::Decimal(value) => serde_json::Value::from(value.value()),
        Value::Boolean(value) => serde_json::Value::Bool(*value),
        Value::String(text) => serde_json::Value::String(text.clone().into_string()),
        Value::Tagged(tagged) => serde_json::Value::String(tagged.content().to_owned()),
        Value::Array(array) => {
            let items: Option<_> = array.as_slice().iter().map(value_to_json).collect();
            serde_json::Value::Array(items?)
        }
        Value::Map(record) => {
            let members = record.iter();
            let members: Option<_> = members
                .map(|(key, value)| Some((key.to_owned(), value_to_json(value)?)))
                .collect();
            serde_json::Value::Object(members?)
        }
        Value::Symbol(_) | Value::Range(_) | Value::Measurement(_) => return None,
    })
}

/// Converts a gram value to JSON with members in order and integers of any width, for schemas.
pub(crate) fn plain(value: &Value) -> Option<Ordered> {
    Some(match value {
        Value::Integer(value) => Ordered::Integer(*value),
        Value::Decimal(value) => Ordered::Number(value.value()),
        Value::Boolean(value) => Ordered::Bool(*value),
        Value::String(text) => Ordered::Text(text.clone()),
        Value::Tagged(tagged) => Ordered::text(tagged.content().to_owned()),
        Value::Array(array) => {
            let items: Option<_> = array.as_slice().iter().map(plain).collect();
            Ordered::Array(items?)
        }
        Value::Map(record) => Ordered::Object(plain_members(record)?),
        Value::Symbol(_) | Value::Range(_) | Value::Measurement(_) => return None,
    })
}

/// The entries of a record, converted as `plain` converts a value.
pub fn plain_members(record: &Record) -> Option<Vec<(Text, Ordered)>> {
    let entries = record.entries().iter();
    let members = entries.map(|(key, value)| Some((key.clone(), plain(value)?)));
    members.collect()
}

/// Plain JSON as a gram value: a number with a fraction becomes a decimal, any other an integer.
///
/// Returns `None` when gram cannot express the value: `null` at any depth, and nesting deeper than
/// [`MAX_DEPTH`].
#[must_use]
pub fn json_to_value(json: &serde_json::Value) -> Option<Value> {
    to_value(json, 0)
}

/// The depth is counted on the way down, so that no value can exhaust the stack.
fn to_value(json: &serde_json::Value, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    Some(match json {
        serde_json::Value::Null => return None,
        serde_json::Value::Bool(value) => Value::Boolean(*value),
        serde_json::Value::Number(number) => from_number(number)?,
        serde_json::Value::String(text) => Value::String(Text::from(text.clone())),
        serde_json::Value::Array(items) => {
            let items = items.iter().map(|item| to_value(item, depth + 1));
            Value::Array(Array::new(items.collect::<Option<_>>()?).ok()?)
        }
        serde_json::Value::Object(members) => {
            let entries = members
                .iter()
                .map(|(key, member)| Some((Text::from(key.clone()), to_value(member, depth + 1)?)));
            Value::Map(Record::from_entries(entries.collect::<Option<Vec<_>>>()?).ok()?)
        }
    })
}

/// A JSON number as a gram number, with a fraction if it was written with one.
pub fn from_number(number: &serde_json::Number) -> Option<Value> {
    match number.as_i128() {
        Some(value) => Some(Value::Integer(value)),
        None => Decimal::new(number.as_f64()?).ok().map(Value::Decimal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_text_in_order() {
        for text in [
            r#"{"z":1,"a":[true,null,-2,{"y":"é","b":0.5}],"m":18446744073709551615}"#,
            r#"[]"#,
            r#"{}"#,
            r#""x""#,
        ] {
            let value: Ordered = serde_json::from_str(text).expect(text);
            assert_eq!(value.to_string(), text);
        }
    }

    #[test]
    fn rejects_duplicate_keys_and_endless_nesting() {
        let wrong = |text: &str| {
            serde_json::from_str::<Ordered>(text)
                .unwrap_err()
                .to_string()
        };
        assert!(wrong(r#"{"a": {"b": 1, "b": 2}}"#).contains("\"b\" is there twice"));
        assert!(wrong(&"[".repeat(100_000)).contains("recursion"));
    }
}
