//! JSON text read with its members in order.

use super::ordered::Ordered;
use agent_gram::value::Text;
use serde_core::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::collections::HashSet;
use std::fmt;

/// Members keep the order in which they are given. A key that is given twice is an error, since
/// which of the two counts would be anybody's guess.
///
/// How deep the value nests is for the format to bound; `serde_json` does.
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
        while let Some((key, value)) = access.next_entry::<String, Ordered>()? {
            if !keys.insert(key.clone()) {
                return Err(A::Error::custom(format!("the key {key:?} is there twice")));
            }
            members.push((key.into(), value));
        }
        Ok(Ordered::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_in_order() {
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
    fn a_key_given_twice_and_endless_nesting_are_refused() {
        let wrong = |text: &str| {
            serde_json::from_str::<Ordered>(text)
                .unwrap_err()
                .to_string()
        };
        assert!(wrong(r#"{"a": {"b": 1, "b": 2}}"#).contains("\"b\" is there twice"));
        assert!(wrong(&"[".repeat(100_000)).contains("recursion"));
    }
}
