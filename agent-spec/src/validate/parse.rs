//! The JSON text that a model sent.

use super::path::Path;
use super::violation::{MOST_VIOLATIONS, Violation, Violations};
use serde_core::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::map::{Entry, Map};
use std::collections::BTreeSet;
use std::fmt;

/// Reads JSON text, and reports every key that stands twice in an object, of which `serde_json`
/// would silently keep the last.
///
/// # Errors
/// When the text is not JSON, with line and column, or nests deeper than `serde_json` reads (128).
pub(super) fn parse(text: &str) -> Result<(Value, Vec<Violation>), Violations> {
    let mut duplicates = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let reading = Reading {
        duplicates: &mut duplicates,
        path: Path::Root,
    };
    let value = reading
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    match value {
        Ok(value) => Ok((value, duplicates)),
        Err(error) => {
            let found = format!("text that is not: {error}");
            let violation = Violation::new(&Path::Root, "JSON", found);
            Err(Violations::one(violation))
        }
    }
}

/// A value being read, and where it stands.
struct Reading<'a> {
    duplicates: &'a mut Vec<Violation>,
    path: Path<'a>,
}

impl<'de> DeserializeSeed<'de> for Reading<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reading<'_> {
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
        while let Some(item) = items.next_element_seed(Reading {
            duplicates: self.duplicates,
            path: self.path.index(list.len()),
        })? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        let mut repeated = BTreeSet::new();
        while let Some(key) = members.next_key::<String>()? {
            // A key is looked for once: finding its place takes as long as all else about it.
            let place = object.entry(key);
            let path = self.path.key(place.key());
            if let Entry::Occupied(held) = &place
                && repeated.insert(held.key().clone())
                && self.duplicates.len() < MOST_VIOLATIONS
            {
                let violation = Violation::new(&path, "the key once", "it more than once");
                self.duplicates.push(violation);
            }
            let value = members.next_value_seed(Reading {
                duplicates: self.duplicates,
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
