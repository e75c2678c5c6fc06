//! The refusals of a fake vendor, and the members of a request that it looks at.

use serde_json::Value;

/// A refused request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) status: u16,
    pub(crate) message: String,
}

impl Refused {
    /// Returns a refusal of a request that is wrong.
    pub(crate) fn bad(message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            status: 400,
            message,
        }
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self {
            status: 404,
            ..Self::bad(message)
        }
    }
}

/// Refuses a request if the condition holds.
pub(crate) fn refuse_if(refuses: bool, message: impl FnOnce() -> String) -> Result<(), Refused> {
    match refuses {
        true => Err(Refused::bad(message())),
        false => Ok(()),
    }
}

/// Returns a member that is a text.
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

/// Returns the items of a member; none if it is missing or no list.
pub(crate) fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Returns the first member that is not among those that are known.
pub(crate) fn unknown_member<'v>(value: &'v Value, known: &[&str]) -> Option<&'v str> {
    let members = value.as_object()?.keys().map(String::as_str);
    members.into_iter().find(|key| !known.contains(key))
}
