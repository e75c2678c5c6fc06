//! Values of gram as literals of Rust.

use agent_gram::Value;
use agent_spec::compare::same_value;
use agent_spec::types::Bound;

/// A value in an attribute.
pub(super) struct Literal {
    /// As it stands on one line.
    pub(super) text: String,
    /// The items, when it is a list.
    pub(super) items: Option<Vec<String>>,
    /// Whether rustfmt takes it for a literal: attributes with others it leaves as they are.
    pub(super) is_plain: bool,
}

impl Literal {
    /// Text in quotes. What is not seen, or not seen in order, is escaped.
    pub(super) fn text(text: &str) -> Self {
        Self::plain(format!("{text:?}"))
    }

    /// A number of things.
    pub(super) fn count(count: u64) -> Self {
        Self::plain(count.to_string())
    }

    /// A smallest or largest number.
    pub(super) fn bound(bound: &Bound) -> Self {
        Self::plain(match bound {
            Bound::Int(value) => value.to_string(),
            // Such as `1.0` and `1e21`, which Rust reads as it writes them.
            Bound::Double(value) => format!("{:?}", value.value()),
        })
    }

    /// A value; nothing when there is no literal for it: records have none.
    pub(super) fn of(value: &Value) -> Option<Self> {
        Some(match value {
            Value::String(text) => Self::text(text.as_str()),
            // A tag says how to read a text; as a value of a call it is that text.
            Value::Tagged(tagged) => Self::text(tagged.content()),
            Value::Boolean(flag) => Self::plain(flag.to_string()),
            Value::Integer(value) => Self::plain(value.to_string()),
            Value::Decimal(value) => Self::plain(format!("{:?}", value.value())),
            Value::Array(array) => Self::list(array.as_slice().iter())?,
            _ => return None,
        })
    }

    /// The values of an enumeration, each once; nothing when one has no literal.
    pub(super) fn choices(values: &[Value]) -> Option<Self> {
        let is_first = |(at, value): &(usize, &Value)| {
            let mut before = values.iter().take(*at);
            !before.any(|other| same_value(other, value))
        };
        let unlike = values.iter().enumerate().filter(is_first);
        Self::list(unlike.map(|(_, value)| value))
    }

    fn list<'v>(values: impl Iterator<Item = &'v Value>) -> Option<Self> {
        let items: Option<Vec<String>> = values
            .map(|value| Self::of(value).map(|literal| literal.text))
            .collect();
        let items = items?;
        Some(Self {
            text: format!("[{}]", items.join(", ")),
            items: Some(items),
            is_plain: false,
        })
    }

    fn plain(text: String) -> Self {
        Self {
            is_plain: !text.starts_with('-'),
            text,
            items: None,
        }
    }
}
