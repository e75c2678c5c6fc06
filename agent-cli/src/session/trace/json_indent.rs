//! Indentation of JSON that keeps every token.

/// Writes each member and item of a JSON text on a line of its own. Only whitespace changes. A tree of
/// values would lose the order of keys, duplicate keys and the digits of numbers, which matter for
/// debugging.
pub(super) fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let mut in_text = false;
    let mut is_escaped = false;
    let mut tokens = json.chars().peekable();
    while let Some(c) = tokens.next() {
        if in_text {
            out.push(c);
            in_text = is_escaped || c != '"';
            is_escaped = c == '\\' && !is_escaped;
            continue;
        }
        match c {
            ' ' | '\t' | '\n' | '\r' => {}
            '{' | '[' => {
                out.push(c);
                while tokens.next_if(|next| next.is_ascii_whitespace()).is_some() {}
                if let Some(end) = tokens.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    new_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                in_text = c == '"';
                out.push(c);
            }
        }
    }
    out
}

/// The maximum indentation. A server can send JSON with millions of brackets, whose indented text would have quadratic
/// size.
const MAX_INDENT: usize = 40;

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth.min(MAX_INDENT)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn changes_only_whitespace() {
        let json = r#"{"b":1.50,"a":[ ],"b":{"x":"},\"{ , : [\\"},"l":[1, 2e400,{ }]}"#;
        let expected = r#"{
  "b": 1.50,
  "a": [],
  "b": {
    "x": "},\"{ , : [\\"
  },
  "l": [
    1,
    2e400,
    {}
  ]
}"#;
        assert_eq!(indented(json), expected);
        assert_eq!(indented(expected), expected);
    }

    #[test]
    fn bounds_the_indentation_of_deep_json() {
        let deep = 10_000;
        let json = format!("{}1{}", "[".repeat(deep), "]".repeat(deep));
        assert!(indented(&json).len() < json.len() * 100);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::vec((any::<String>(), inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn indents_as_serde_json_does(value in any_json()) {
            let text = indented(&value.to_string());
            prop_assert_eq!(&text, &serde_json::to_string_pretty(&value).expect("JSON"));
        }
    }
}
