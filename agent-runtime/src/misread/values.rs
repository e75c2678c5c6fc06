//! The values of a JSON text, in the order in which they end.

/// From a value to one in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step<'t> {
    /// To the member whose name stands in these quotes; nothing before the name was read.
    Member(Option<&'t str>),
    /// To the item of a list.
    Item(usize),
}

/// Tells of each value of a text where it ends and which steps lead to it. The text should be JSON;
/// of another one, something is told all the same.
pub(super) fn each_value<'t>(text: &'t str, mut tell: impl FnMut(usize, &[Step<'t>])) {
    let bytes = text.as_bytes();
    let mut steps: Vec<Step<'t>> = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let begin = at;
        at += 1;
        match byte {
            b' ' | b'\n' | b'\t' | b'\r' | b':' => {}
            b'{' => steps.push(Step::Member(None)),
            b'[' => steps.push(Step::Item(0)),
            b',' => match steps.last_mut() {
                Some(Step::Item(index)) => *index += 1,
                Some(name) => *name = Step::Member(None),
                None => {}
            },
            b'}' | b']' => {
                steps.pop();
                tell(at, &steps);
            }
            b'"' => {
                at = after_string(bytes, at);
                match steps.last_mut() {
                    Some(name @ Step::Member(None)) => {
                        *name = Step::Member(text.get(begin..at));
                    }
                    _ => tell(at, &steps),
                }
            }
            _ => {
                let rest = &bytes[at..];
                let ends = |byte: &u8| b" \n\t\r,]}".contains(byte);
                at += rest.iter().position(ends).unwrap_or(rest.len());
                tell(at, &steps);
            }
        }
    }
}

/// Where a text goes on after the string that begins before this place.
fn after_string(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_inner_ones_first() {
        let text = r#"{"a": [1, "b,"], "c" : {} }"#;
        let mut told = Vec::new();
        each_value(text, |end, steps| told.push((end, steps.to_vec())));
        let (a, c) = (Step::Member(Some("\"a\"")), Step::Member(Some("\"c\"")));
        let expected = [
            (8, vec![a, Step::Item(0)]),
            (14, vec![a, Step::Item(1)]),
            (15, vec![a]),
            (25, vec![c]),
            (27, vec![]),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn what_is_no_json_ends_all_the_same() {
        for text in ["\"\\", "]", "{,", "[\"é", "é", ""] {
            each_value(text, |end, _| assert!(text.is_char_boundary(end), "{text}"));
        }
    }
}
