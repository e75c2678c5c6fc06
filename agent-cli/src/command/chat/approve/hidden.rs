//! Keys in arguments, which are edited without being shown.

use agent_runtime::KeyMask;
use serde_json::{Map, Value};

/// What stands where a key is.
const MASK: &str = "[key]";

/// Arguments as they are shown.
pub(super) fn shown(args: &Value, mask: &KeyMask) -> Value {
    match args {
        Value::String(text) => mask.text(text).into(),
        Value::Array(items) => items.iter().map(|item| shown(item, mask)).collect(),
        Value::Object(members) => {
            let members = members.iter();
            let members = members.map(|(name, value)| (mask.text(name), shown(value, mask)));
            Value::Object(members.collect())
        }
        other => other.clone(),
    }
}

/// Arguments that were edited as [`shown`], with the keys of those that they were made of.
///
/// # Errors
/// When `[key]` stands where no key was: what it is meant to be is not known.
pub(super) fn with_keys(edited: Value, args: &Value, mask: &KeyMask) -> Result<Value, Misplaced> {
    if shown(args, mask) == *args {
        return Ok(edited);
    }
    put_back(edited, Some(args), mask)
}

/// `[key]` stands where no key was.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Misplaced;

fn put_back(edited: Value, was: Option<&Value>, mask: &KeyMask) -> Result<Value, Misplaced> {
    match edited {
        Value::String(text) => in_text(text, was.and_then(Value::as_str), mask).map(Value::String),
        Value::Array(items) => {
            let at = |at: usize| was.and_then(|was| was.get(at));
            let items = items.into_iter().enumerate();
            items
                .map(|(place, item)| put_back(item, at(place), mask))
                .collect()
        }
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| {
                let was = member(was, &name, mask);
                let value = put_back(value, was.map(|(_, value)| value), mask)?;
                Ok((in_text(name, was.map(|(name, _)| name), mask)?, value))
            });
            Ok(Value::Object(members.collect::<Result<Map<_, _>, _>>()?))
        }
        other => Ok(other),
    }
}

/// The member that is shown under this name.
fn member<'a>(was: Option<&'a Value>, name: &str, mask: &KeyMask) -> Option<(&'a str, &'a Value)> {
    let mut members = was?.as_object()?.iter();
    let found = members.find(|(was, _)| mask.text(was) == name);
    found.map(|(name, value)| (name.as_str(), value))
}

fn in_text(edited: String, was: Option<&str>, mask: &KeyMask) -> Result<String, Misplaced> {
    if !edited.contains(MASK) {
        return Ok(edited);
    }
    let was = was.ok_or(Misplaced)?;
    let shown = mask.text(was);
    if shown == edited {
        return Ok(was.to_owned());
    }
    if shown == was && was.contains(MASK) {
        return Ok(edited);
    }
    // Of one key it is known which it is, also when the words around it are others.
    let key = match shown.split_once(MASK) {
        Some((before, after)) if !after.contains(MASK) => {
            was.get(before.len()..was.len().saturating_sub(after.len()))
        }
        _ => None,
    };
    match key {
        Some(key) if edited.matches(MASK).count() == 1 => Ok(edited.replace(MASK, key)),
        _ => Err(Misplaced),
    }
}
