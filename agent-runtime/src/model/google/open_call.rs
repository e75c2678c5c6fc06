//! A call whose arguments arrive in pieces, each with its place as a JSON path.

use agent_spec::json::values_in;
use serde_json::map::Entry;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The member of a part with a call.
pub(super) const CALL: &str = "functionCall";

/// The members of a call with its arguments, with pieces of them, and with the mark that more pieces follow.
pub(super) const ARGUMENTS: &str = "args";
pub(super) const PIECES: &str = "partialArgs";
pub(super) const CONTINUES: &str = "willContinue";

/// The maximum number of steps of a path. Each step nests a value, so that a long path of a broken server would exhaust
/// the stack.
const MAX_STEPS: usize = 64;

/// A call that is not complete yet.
#[derive(Debug)]
pub(super) struct OpenCall {
    index: usize,
    arguments: Value,
    /// The first part of the call, which has its name and mostly its signature.
    part: Value,
}

impl OpenCall {
    /// Begins a call, and returns the number of its values. `index` is its index in the answer.
    pub(super) fn new(index: usize, part: &Value) -> (Self, usize) {
        let mut part = part.clone();
        let mut arguments = Value::Null;
        if let Some(Value::Object(call)) = part.get_mut(CALL) {
            call.remove(PIECES);
            call.remove(CONTINUES);
            arguments = call.remove(ARGUMENTS).unwrap_or_default();
        }
        if !arguments.is_object() {
            arguments = Map::new().into();
        }
        let values = values_in(&part) + values_in(&arguments);
        let open = Self {
            index,
            arguments,
            part,
        };
        (open, values)
    }

    /// Adds a piece, and returns the number of values that it adds. Returns `None` for a piece whose place cannot be
    /// parsed, or has a value of another type.
    pub(super) fn add(&mut self, piece: &Value) -> Option<usize> {
        let steps = parse_path(piece.get("jsonPath")?.as_str()?)?;
        let mut added = 0;
        let place = find_place(&mut self.arguments, &steps, &mut added)?;
        let member = |key: &str| piece.get(key);
        if let Some(text) = member("stringValue").and_then(Value::as_str) {
            match place {
                // In place, because a text may have a hundred thousand pieces.
                Value::String(begun) => begun.push_str(text),
                Value::Null => *place = text.into(),
                _ => return None,
            }
        } else if let Some(number) = member("numberValue").filter(|value| value.is_number()) {
            *place = number.clone();
        } else if let Some(value) = member("boolValue").filter(|value| value.is_boolean()) {
            *place = value.clone();
        }
        // Nothing else is left but `nullValue`, and a piece without a value, which only ends a text.
        Some(added)
    }

    /// Keeps the signature of a later part.
    pub(super) fn sign(&mut self, part: &Value) {
        const SIGNATURE: &str = "thoughtSignature";
        if self.part.get(SIGNATURE).is_none()
            && let Some(signature) = part.get(SIGNATURE)
        {
            self.part[SIGNATURE] = signature.clone();
        }
    }

    /// Returns the index of the call, the text of its arguments, and its part as if it had arrived whole.
    pub(super) fn finish(self) -> (usize, String, Value) {
        let (text, mut part) = (self.arguments.to_string(), self.part);
        if let Some(call) = part.get_mut(CALL).and_then(Value::as_object_mut) {
            call.insert(ARGUMENTS.to_owned(), self.arguments);
        }
        (self.index, text, part)
    }
}

/// A step of a JSON path.
#[derive(Debug, PartialEq, Eq)]
enum Step<'p> {
    Member(Cow<'p, str>),
    Item(usize),
}

/// Parses a JSON path to one value: `$.foo.bar[0]['a name']`.
fn parse_path(path: &str) -> Option<Vec<Step<'_>>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let step;
        (step, rest) = if let Some(name) = rest.strip_prefix('.') {
            let end = name.find(['.', '[']).unwrap_or(name.len());
            (Step::Member(name[..end].into()), &name[end..])
        } else if let Some((name, rest)) = quoted(rest, '\'').or_else(|| quoted(rest, '"')) {
            (Step::Member(name), rest)
        } else {
            let (index, rest) = rest.strip_prefix('[')?.split_once(']')?;
            (Step::Item(index.parse().ok()?), rest)
        };
        if step == Step::Member("".into()) || steps.len() == MAX_STEPS {
            return None;
        }
        steps.push(step);
    }
    Some(steps)
}

/// Splits a quoted name in brackets off the beginning. Its escapes are those of JSON, and `\'`.
fn quoted(text: &str, quote: char) -> Option<(Cow<'_, str>, &str)> {
    let name = text.strip_prefix('[')?.strip_prefix(quote)?;
    let mut is_escaped = false;
    let end = name.find(|c| {
        let ends = c == quote && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    })?;
    let (name, rest) = (&name[..end], name[end + 1..].strip_prefix(']')?);
    if !name.contains('\\') {
        return Some((name.into(), rest));
    }
    let json = match quote {
        '"' => format!("\"{name}\""),
        _ => format!("\"{}\"", name.replace("\\'", "'").replace('"', "\\\"")),
    };
    Some((serde_json::from_str::<String>(&json).ok()?.into(), rest))
}

/// Returns the value at a path, after creating what is missing, and adds the number of new values. An item can only be
/// added behind the last one.
fn find_place<'v>(
    value: &'v mut Value,
    steps: &[Step<'_>],
    added: &mut usize,
) -> Option<&'v mut Value> {
    // The arguments themselves are an object, which no piece may replace.
    let mut place = (!steps.is_empty()).then_some(value)?;
    for step in steps {
        if place.is_null() {
            *place = match step {
                Step::Member(_) => Map::new().into(),
                Step::Item(_) => Vec::<Value>::new().into(),
            };
        }
        place = match (step, place) {
            (Step::Member(name), Value::Object(members)) => {
                // The key and the value; an object counts for more from its first member on.
                let new = if members.is_empty() { 9 } else { 2 };
                let entry = members.entry(name.as_ref());
                if let Entry::Vacant(_) = &entry {
                    *added += new;
                }
                entry.or_insert(Value::Null)
            }
            (Step::Item(index), Value::Array(items)) => {
                if *index == items.len() {
                    *added += if items.is_empty() { 2 } else { 1 };
                    items.push(Value::Null);
                }
                items.get_mut(*index)?
            }
            _ => return None,
        };
    }
    Some(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(pieces: &[Value], expected: Option<Value>) {
        let (mut open, mut values) = OpenCall::new(0, &json!({"functionCall": {"name": "t"}}));
        let mut is_read = true;
        for piece in pieces {
            let added = open.add(piece);
            is_read &= added.is_some();
            values += added.unwrap_or_default();
        }
        if is_read {
            assert_eq!(values, values_in(&open.arguments) + values_in(&open.part));
        }
        let found = is_read.then_some(open.arguments);
        assert_eq!(found, expected, "{pieces:?}");
    }

    #[test]
    fn puts_pieces_in_their_places() {
        let text = |path: &str, text: &str| json!({"jsonPath": path, "stringValue": text});
        check(
            &[
                text("$.place", "Bos"),
                text("$.place", "ton"),
                json!({"jsonPath": "$.bright", "numberValue": 50}),
                json!({"jsonPath": "$.on", "boolValue": true}),
                json!({"jsonPath": "$.note", "nullValue": "NULL_VALUE"}),
                text("$.rooms[0].name", "hall"),
                text("$.rooms[1].name", "at"),
                text("$.rooms[1].name", "tic"),
                text("$['a b'][\"c.d\"]", "x"),
                text(r#"$['it\'s "\u00e4"']"#, "y"),
                json!({"jsonPath": "$.place", "willContinue": false}),
            ],
            Some(json!({
                "place": "Boston", "bright": 50, "on": true, "note": null,
                "rooms": [{"name": "hall"}, {"name": "attic"}], "a b": {"c.d": "x"},
                "it's \"ä\"": "y",
            })),
        );
    }

    #[test]
    fn rejects_pieces_without_a_place() {
        let deep = format!("${}", ".a".repeat(MAX_STEPS + 1));
        for path in [
            "",
            "a",
            "$",
            "$.",
            "$..a",
            "$[",
            "$[x]",
            "$[-1]",
            "$['a",
            "$.a[1]",
            "$[0]",
            "$[99999999999999999999]",
            &deep,
        ] {
            check(&[json!({"jsonPath": path, "stringValue": "x"})], None);
        }
        check(&[json!({"stringValue": "x"})], None);
        check(
            &[
                json!({"jsonPath": "$.a", "numberValue": 1}),
                json!({"jsonPath": "$.a.b", "numberValue": 1}),
            ],
            None,
        );
    }
}
