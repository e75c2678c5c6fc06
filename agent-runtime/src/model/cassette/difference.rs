//! Where two requests differ.

use super::layout;
use crate::tool::shortened;
use serde_json::Value;

/// How much of each side is shown, in bytes, and how much of that stands before the difference.
const SHOWN: usize = 80;
const BEFORE: usize = 24;

/// How two values differ.
pub(super) struct Difference {
    /// In how many places.
    pub(super) count: usize,
    /// The first place, and what stands there.
    pub(super) first: String,
}

/// How a request differs from a recorded one, if it does.
pub(super) fn between(recorded: &Value, now: &Value) -> Option<Difference> {
    let mut walk = Walk::default();
    walk.compare("", Some(recorded), Some(now));
    let first = walk.first?;
    let count = walk.count;
    Some(Difference { count, first })
}

#[derive(Default)]
struct Walk {
    count: usize,
    first: Option<String>,
}

impl Walk {
    fn compare(&mut self, path: &str, recorded: Option<&Value>, now: Option<&Value>) {
        match (recorded, now) {
            (Some(Value::Object(recorded)), Some(Value::Object(now))) => {
                let mut all = recorded.clone();
                all.extend(now.clone());
                for (key, _) in layout::in_order(&all) {
                    let dot = if path.is_empty() { "" } else { "." };
                    let path = format!("{path}{dot}{key}");
                    self.compare(&path, recorded.get(key), now.get(key));
                }
            }
            (Some(Value::Array(recorded)), Some(Value::Array(now))) => {
                for index in 0..recorded.len().max(now.len()) {
                    let path = format!("{path}[{index}]");
                    self.compare(&path, recorded.get(index), now.get(index));
                }
            }
            (recorded, now) if recorded == now => {}
            (recorded, now) => {
                self.count += 1;
                let (before, after) = shown(recorded, now);
                self.first
                    .get_or_insert_with(|| format!("`{path}`: recorded {before}, now {after}"));
            }
        }
    }
}

/// Both sides, cut to where they differ.
fn shown(recorded: Option<&Value>, now: Option<&Value>) -> (String, String) {
    let (Some(Value::String(recorded)), Some(Value::String(now))) = (recorded, now) else {
        let side = |side: Option<&Value>| match side {
            Some(value) => shortened(&layout::line(value), SHOWN),
            None => "nothing".to_owned(),
        };
        return (side(recorded), side(now));
    };
    let pairs = recorded.char_indices().zip(now.chars());
    let same = pairs
        .take_while(|((_, one), other)| one == other)
        .last()
        .map_or(0, |((at, one), _)| at + one.len_utf8());
    let start = match same.saturating_sub(BEFORE) {
        // Not worth an ellipsis.
        0..4 => 0,
        start => recorded.ceil_char_boundary(start),
    };
    let side = |text: &str| {
        let rest = shortened(&text[start..], SHOWN);
        let ellipsis = if start == 0 { "" } else { "…" };
        format!("{:?}", format!("{ellipsis}{rest}"))
    };
    (side(recorded), side(now))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(recorded: &Value, now: &Value, count: usize, first: &str) {
        let found = between(recorded, now).expect("a difference");
        assert_eq!((found.count, found.first.as_str()), (count, first));
    }

    #[test]
    fn the_first_difference_is_told_with_both_sides() {
        let hello = json!({"messages": [{"role": "user", "content": "Hello, I'm Ada"}]});
        assert!(between(&hello, &hello).is_none());
        let bob = json!({"messages": [{"role": "user", "content": "Hello, I'm Bob"}]});
        let first = r#"`messages[0].content`: recorded "Hello, I'm Ada", now "Hello, I'm Bob""#;
        check(&hello, &bob, 1, first);
        let more =
            json!({"model": "a/b", "messages": [{"role": "user", "content": "Hello, I'm Ada"}, 1]});
        check(&hello, &more, 2, "`model`: recorded nothing, now \"a/b\"");
    }

    #[test]
    fn long_texts_are_cut_to_where_they_differ() {
        let text = |end: &str| json!(format!("{}{end}", "é".repeat(100)));
        let (one, other) = shown(Some(&text("1")), Some(&text("2")));
        assert_eq!(one, format!("\"…{}1\"", "é".repeat(12)));
        assert_eq!(other, format!("\"…{}2\"", "é".repeat(12)));
    }
}
