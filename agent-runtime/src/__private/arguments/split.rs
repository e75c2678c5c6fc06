//! Arguments in whatever order.

use serde_core::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// Names and pieces of text.
pub(super) type Fields<'t> = Vec<(Cow<'t, str>, &'t RawValue)>;

/// The arguments in a text, unless the text is no object or gives one twice.
pub(super) fn split(text: &str) -> Option<Fields<'_>> {
    struct Object;

    impl<'t> Visitor<'t> for Object {
        type Value = Fields<'t>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("an object")
        }

        fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut fields: Self::Value = Vec::new();
            while let Some(Key(key)) = map.next_key()? {
                if fields.iter().any(|(known, _)| *known == key) {
                    return Err(serde_core::de::Error::custom("an argument is given twice"));
                }
                fields.push((key, map.next_value()?));
            }
            Ok(fields)
        }
    }

    let mut deserializer = serde_json::Deserializer::from_str(text);
    let fields = deserializer.deserialize_map(Object).ok()?;
    deserializer.end().ok()?;
    Some(fields)
}

/// A key that borrows from the text unless it has escapes.
struct Key<'t>(Cow<'t, str>);

impl<'t> serde_core::Deserialize<'t> for Key<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;

        impl<'t> Visitor<'t> for KeyVisitor {
            type Value = Key<'t>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, text: &'t str) -> Result<Key<'t>, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Key<'t>, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(KeyVisitor)
    }
}
