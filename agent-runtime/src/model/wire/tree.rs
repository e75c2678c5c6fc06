//! JSON that borrows the texts of an answer.

use agent_spec::json::number;
use serde_core::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::fmt;

/// A JSON value of an answer. A text without escapes is borrowed, and an object is a list, so that parsing
/// allocates once for each list and object. What is kept of the answer is converted to [`Value`].
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::model) enum Json<'t> {
    #[default]
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'t, str>),
    List(Vec<Json<'t>>),
    /// The members as they were written. The last of equal keys counts, as in [`Value`].
    Object(Vec<(Cow<'t, str>, Json<'t>)>),
}

impl Json<'_> {
    pub(in crate::model) fn is_object(&self) -> bool {
        matches!(self, Json::Object(_))
    }

    pub(in crate::model) fn as_bool(&self) -> Option<bool> {
        match self {
            Json::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Takes the value at a key; `null` if there is none.
    pub(in crate::model) fn take(&mut self, key: &str) -> Self {
        match self {
            Json::Object(members) => {
                let found = members.iter_mut().rfind(|(held, _)| held == key);
                found.map_or(Json::Null, |(_, value)| std::mem::take(value))
            }
            _ => Json::Null,
        }
    }

    /// Returns the items of an array; none of any other value.
    pub(in crate::model) fn into_items(self) -> Vec<Self> {
        match self {
            Json::List(items) => items,
            _ => Vec::new(),
        }
    }
}

/// A JSON value of an answer, or a part of an answer that is kept.
pub(in crate::model) trait Node: Clone + Into<Value> {
    fn is_null(&self) -> bool;
    fn get(&self, key: &str) -> Option<&Self>;
    fn items(&self) -> &[Self];
    fn as_str(&self) -> Option<&str>;
    fn as_u64(&self) -> Option<u64>;
}

impl Node for Json<'_> {
    fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Json::Object(members) => {
                let found = members.iter().rfind(|(held, _)| held == key);
                found.map(|(_, value)| value)
            }
            _ => None,
        }
    }

    fn items(&self) -> &[Self] {
        match self {
            Json::List(items) => items,
            _ => &[],
        }
    }

    fn as_str(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    fn as_u64(&self) -> Option<u64> {
        match self {
            Json::Number(number) => number.as_u64(),
            _ => None,
        }
    }
}

impl Node for Value {
    fn is_null(&self) -> bool {
        self.is_null()
    }

    fn get(&self, key: &str) -> Option<&Self> {
        self.get(key)
    }

    fn items(&self) -> &[Self] {
        self.as_array().map_or(&[], Vec::as_slice)
    }

    fn as_str(&self) -> Option<&str> {
        self.as_str()
    }

    fn as_u64(&self) -> Option<u64> {
        self.as_u64()
    }
}

impl From<Json<'_>> for Value {
    fn from(json: Json<'_>) -> Self {
        match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(value),
            Json::Number(number) => Value::Number(number),
            Json::Text(text) => Value::String(text.into_owned()),
            Json::List(items) => items.into_iter().map(Value::from).collect(),
            Json::Object(members) => {
                let members = members.into_iter();
                let members = members.map(|(key, value)| (key.into_owned(), value.into()));
                Value::Object(members.collect::<Map<_, _>>())
            }
        }
    }
}

impl From<Value> for Json<'_> {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(value),
            Value::Number(number) => Json::Number(number),
            Value::String(text) => Json::Text(text.into()),
            Value::Array(items) => Json::List(items.into_iter().map(Json::from).collect()),
            Value::Object(members) => {
                let members = members.into_iter();
                let members = members.map(|(key, value)| (key.into(), value.into()));
                Json::Object(members.collect())
            }
        }
    }
}

impl<'de: 't, 't> Deserialize<'de> for Json<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Json<'de>, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(text.into()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(text.to_owned().into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json<'de>, A::Error> {
        let mut object = Vec::new();
        // Unlike `Json`, `Cow` would own each key.
        while let Some(Json::Text(key)) = members.next_key()? {
            if object.is_empty()
                && let Some(number) = number(&key, &mut members)?
            {
                return Ok(Json::Number(number));
            }
            object.push((key, members.next_value()?));
        }
        Ok(Json::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_spec::json::parse_json;

    #[test]
    fn reads_what_the_parser_of_values_reads() {
        for text in [
            "null",
            "[true, -1, 18446744073709551615, 1.5, 1e300, 123456789012345678901234567890]",
            r#"{"a": {"b": [], "c": {}}, "a": {"b": "\u00e4\n"}, "\u0062": "b"}"#,
            r#"{"$serde_json::private::Number": "1"}"#,
            r#"{"$serde_json::private::RawValue": "[1]", "a": 1}"#,
            r#"[{"$serde_json::private::RawValue": {"a": 1}}]"#,
        ] {
            let json: Json<'_> = serde_json::from_str(text).expect(text);
            assert_eq!(Value::from(json), parse_json(text).expect(text), "{text}");
        }
        for text in [
            "",
            "[1,]",
            "{\"a\"}",
            "{1: 2}",
            "1e999",
            "[] []",
            r#""\ud83d""#,
        ] {
            assert!(serde_json::from_str::<Json<'_>>(text).is_err(), "{text}");
        }
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(serde_json::from_str::<Json<'_>>(&nested(127)).is_ok());
        assert!(serde_json::from_str::<Json<'_>>(&nested(128)).is_err());
    }

    #[test]
    fn borrows_texts_and_keys_without_escapes() {
        let json: Json<'_> = serde_json::from_str(r#"{"a": "b", "c\n": "\n"}"#).expect("JSON");
        let Json::Object(members) = json else {
            panic!("{json:?}");
        };
        let is_borrowed = |(key, value): &(Cow<'_, str>, Json<'_>)| {
            let is_text_borrowed = matches!(value, Json::Text(Cow::Borrowed(_)));
            (matches!(key, Cow::Borrowed(_)), is_text_borrowed)
        };
        let found: Vec<_> = members.iter().map(is_borrowed).collect();
        assert_eq!(found, [(true, true), (false, false)]);
    }

    #[test]
    fn the_last_of_equal_keys_counts() {
        let text = r#"{"a": 1, "b": 2, "a": [3]}"#;
        let mut json: Json<'_> = serde_json::from_str(text).expect("JSON");
        assert_eq!(json.get("a").map(Node::items).map(<[_]>::len), Some(1));
        assert_eq!(json.take("a").into_items(), [Json::Number(3.into())]);
        assert_eq!(json.take("c"), Json::Null);
    }
}
