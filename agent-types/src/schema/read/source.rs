//! JSON as the reader sees it, whichever type holds it.

use crate::json_value::{Ordered, describe};
use crate::schema::Schema;
use agent_gram::value::Text;
use serde_json::{Map, Value};

/// A source of schemas: a `serde_json::Value`, an [`Ordered`] or a [`Schema`].
pub trait Source: sealed::Sealed {}

/// Sealed, so that only this crate implements it.
pub(super) mod sealed {
    pub trait Sealed {
        #[doc(hidden)]
        fn json(&self) -> super::Json<'_>;
    }
}

/// A borrowed JSON value. It copies nothing, so that its cost does not depend on its depth.
#[derive(Clone, Copy, Debug)]
pub enum Json<'s> {
    Null,
    Bool(bool),
    Integer(i128),
    Number(f64),
    Text(&'s str),
    List(List<'s>),
    Object(Members<'s>),
}

/// The items of a list.
#[derive(Clone, Copy, Debug)]
pub enum List<'s> {
    Plain(&'s [Value]),
    Ordered(&'s [Ordered]),
}

/// The members of an object.
#[derive(Clone, Copy, Debug)]
pub enum Members<'s> {
    Plain(&'s Map<String, Value>),
    Ordered(&'s [(Text, Ordered)]),
}

impl Source for Value {}

impl sealed::Sealed for Value {
    fn json(&self) -> Json<'_> {
        match self {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(number) => match (number.as_i128(), number.as_f64()) {
                (Some(value), _) => Json::Integer(value),
                (None, Some(value)) => Json::Number(value),
                (None, None) => Json::Null,
            },
            Value::String(text) => Json::Text(text),
            Value::Array(items) => Json::List(List::Plain(items)),
            Value::Object(members) => Json::Object(Members::Plain(members)),
        }
    }
}

impl Source for Ordered {}

impl sealed::Sealed for Ordered {
    fn json(&self) -> Json<'_> {
        match self {
            Ordered::Null => Json::Null,
            Ordered::Bool(value) => Json::Bool(*value),
            Ordered::Integer(value) => Json::Integer(*value),
            Ordered::Number(value) => Json::Number(*value),
            Ordered::Text(text) => Json::Text(text),
            Ordered::Array(items) => Json::List(List::Ordered(items)),
            Ordered::Object(members) => Json::Object(Members::Ordered(members)),
            Ordered::Shared(members) => Json::Object(Members::Ordered(members)),
        }
    }
}

impl Source for Schema {}

impl sealed::Sealed for Schema {
    fn json(&self) -> Json<'_> {
        Json::Object(Members::Ordered(self.members()))
    }
}

impl<'s> Json<'s> {
    /// The value in words. An object or a list is not written out, because the path identifies it.
    pub(super) fn describe(self) -> String {
        match self {
            Json::Null => "null".to_owned(),
            Json::Bool(value) => value.to_string(),
            Json::Integer(value) => format!("the number {value}"),
            Json::Number(value) => format!("the number {value}"),
            Json::Text(text) => describe(&Value::from(text)),
            Json::List(_) => "a list".to_owned(),
            Json::Object(_) => "an object".to_owned(),
        }
    }

    /// Returns a copy; `None` for a value that nests deeper than JSON text can.
    pub(super) fn to_ordered(self, depth: usize) -> Option<Ordered> {
        /// The depth that `serde_json` reads.
        const MAX_JSON_DEPTH: usize = 128;
        if depth > MAX_JSON_DEPTH {
            return None;
        }
        Some(match self {
            Json::Null => Ordered::Null,
            Json::Bool(value) => Ordered::Bool(value),
            Json::Integer(value) => Ordered::Integer(value),
            Json::Number(value) => Ordered::Number(value),
            Json::Text(text) => Ordered::text(text.to_owned()),
            Json::List(items) => {
                let items = items.iter().map(|item| item.to_ordered(depth + 1));
                Ordered::Array(items.collect::<Option<_>>()?)
            }
            Json::Object(members) => {
                let members = members.iter().map(|(key, member)| {
                    let member = member.to_ordered(depth + 1)?;
                    Some((Text::from(key.to_owned()), member))
                });
                Ordered::Object(members.collect::<Option<_>>()?)
            }
        })
    }

    /// The size of a copy, as a number of parts.
    pub(super) fn weight(self) -> usize {
        self.weight_at(0)
    }

    fn weight_at(self, depth: usize) -> usize {
        // A value that nests deeper than gram is not copied.
        if depth > agent_gram::MAX_DEPTH {
            return 1;
        }
        let parts: usize = match self {
            Json::Text(text) => text.len() / 64,
            Json::List(items) => items.iter().map(|item| item.weight_at(depth + 1)).sum(),
            Json::Object(members) => {
                let members = members.iter();
                members.map(|(_, member)| member.weight_at(depth + 1)).sum()
            }
            _ => 0,
        };
        parts + 1
    }

    /// Whether two values are equal; members may be in any order, and `1` equals `1.0`. Values that nest
    /// deeper than gram are equal to nothing.
    pub(super) fn is_same(self, other: Json<'_>) -> bool {
        self.is_same_at(other, 0)
    }

    fn is_same_at(self, other: Json<'_>, depth: usize) -> bool {
        match (self, other) {
            (Json::Null, Json::Null) => true,
            (Json::Bool(left), Json::Bool(right)) => left == right,
            (Json::Integer(left), Json::Integer(right)) => left == right,
            (Json::Number(left), Json::Number(right)) => left == right,
            (Json::Integer(whole), Json::Number(number))
            | (Json::Number(number), Json::Integer(whole)) => whole as f64 == number,
            (Json::Text(left), Json::Text(right)) => left == right,
            _ if depth > agent_gram::MAX_DEPTH => false,
            (Json::List(left), Json::List(right)) => {
                let mut pairs = left.iter().zip(right.iter());
                left.len() == right.len() && pairs.all(|(a, b)| a.is_same_at(b, depth + 1))
            }
            (Json::Object(left), Json::Object(right)) => {
                let held = |(key, value): (&str, Json<'_>)| {
                    let other = right.get(key);
                    other.is_some_and(|other| value.is_same_at(other, depth + 1))
                };
                left.len() == right.len() && left.iter().all(held)
            }
            _ => false,
        }
    }

    /// The member of an object.
    pub(super) fn member(self, key: &str) -> Option<Json<'s>> {
        match self {
            Json::Object(members) => members.get(key),
            _ => None,
        }
    }

    /// A whole number that is not negative; `3.0` is one.
    pub(super) fn as_count(self) -> Option<u64> {
        match self {
            Json::Integer(value) => u64::try_from(value).ok(),
            Json::Number(value) if value.fract() == 0.0 => u64::try_from(value as i128).ok(),
            _ => None,
        }
    }
}

impl<'s> List<'s> {
    pub(super) fn len(self) -> usize {
        match self {
            List::Plain(items) => items.len(),
            List::Ordered(items) => items.len(),
        }
    }

    // The iterators of the two kinds of list have different types, so one is written for both.
    pub(super) fn iter(self) -> impl Iterator<Item = Json<'s>> {
        use sealed::Sealed as _;
        let mut rest = self;
        std::iter::from_fn(move || match &mut rest {
            List::Plain(items) => items.split_off_first().map(Value::json),
            List::Ordered(items) => items.split_off_first().map(Ordered::json),
        })
    }
}

impl<'s> Members<'s> {
    pub(super) fn iter(self) -> impl Iterator<Item = (&'s str, Json<'s>)> {
        use sealed::Sealed as _;
        enum Rest<'s> {
            Plain(serde_json::map::Iter<'s>),
            Ordered(std::slice::Iter<'s, (Text, Ordered)>),
        }
        let mut rest = match self {
            Members::Plain(members) => Rest::Plain(members.iter()),
            Members::Ordered(members) => Rest::Ordered(members.iter()),
        };
        std::iter::from_fn(move || match &mut rest {
            Rest::Plain(members) => members.next().map(|(key, value)| (&**key, value.json())),
            Rest::Ordered(members) => members.next().map(|(key, value)| (&**key, value.json())),
        })
    }

    pub(super) fn get(self, key: &str) -> Option<Json<'s>> {
        self.entry(key).map(|(_, value)| value)
    }

    /// Returns the member of a key, with the key from the document.
    pub(super) fn entry(self, key: &str) -> Option<(&'s str, Json<'s>)> {
        use sealed::Sealed as _;
        match self {
            Members::Plain(members) => {
                let (key, value) = members.get_key_value(key)?;
                Some((key, value.json()))
            }
            Members::Ordered(members) => {
                let (key, value) = members.iter().find(|(held, _)| held == key)?;
                Some((key, value.json()))
            }
        }
    }

    pub(super) fn len(self) -> usize {
        match self {
            Members::Plain(members) => members.len(),
            Members::Ordered(members) => members.len(),
        }
    }

    /// Returns the identity of an object within a document: equal objects have different addresses.
    pub(super) fn address(self) -> usize {
        match self {
            Members::Plain(members) => std::ptr::from_ref(members).addr(),
            Members::Ordered(members) => members.as_ptr().addr(),
        }
    }
}
