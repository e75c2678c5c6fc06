//! JSON whose objects keep their members in order.

use agent_gram::value::Text;
use serde_core::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Number, Value};
use std::fmt;

/// A JSON value whose objects keep their members in order.
///
/// It also holds integers of 128 bits, which JSON text can say and `serde_json::Value` cannot.
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
}

impl Ordered {
    /// A text.
    pub fn text(text: impl Into<Text>) -> Self {
        Self::Text(text.into())
    }

    /// The same as a `serde_json::Value`, which sorts the members. An integer beyond 64 bits
    /// becomes the nearest double, since `serde_json` holds no more.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Integer(value) => match Number::from_i128(*value) {
                Some(number) => Value::Number(number),
                None => Value::from(*value as f64),
            },
            Self::Number(value) => Value::from(*value),
            Self::Text(text) => Value::String(text.clone().into_string()),
            Self::Array(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Self::Object(members) => Value::Object(to_map(members)),
        }
    }
}

/// Members as a map of `serde_json`.
pub(crate) fn to_map(members: &[(Text, Ordered)]) -> Map<String, Value> {
    // One by one: collected, they are sorted first, and all code for that is compiled here.
    let mut map = Map::new();
    for (key, value) in members {
        map.insert(key.clone().into_string(), value.to_value());
    }
    map
}

/// Writes members in order.
pub(crate) fn serialize_members<S: Serializer>(
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
        }
    }
}

/// Not every format takes 128 bits, so the narrowest type that holds the number is asked for.
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

/// The members of an object while they are put together.
#[derive(Default)]
pub(crate) struct Members(Vec<(Text, Ordered)>);

impl Members {
    /// Adds a member.
    pub(crate) fn add(&mut self, key: impl Into<Text>, value: Ordered) {
        self.0.push((key.into(), value));
    }

    /// Adds a text.
    pub(crate) fn add_text(&mut self, key: &'static str, text: &str) {
        self.add(key, Ordered::Text(Text::new(text)));
    }

    /// Adds a member, if there is a value.
    pub(crate) fn add_some(&mut self, key: &'static str, value: Option<Ordered>) {
        if let Some(value) = value {
            self.add(key, value);
        }
    }

    /// Whether there is a member of this key.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(held, _)| held == key)
    }

    /// The members, in the order they were added.
    pub(crate) fn into_vec(self) -> Vec<(Text, Ordered)> {
        self.0
    }
}
