//! Finds the value of a JSON text at which serde failed.
//!
//! serde's errors give the line and column at which reading stopped, often the end of the enclosing value.
//! This module finds the value itself by reading beginnings of the text. A beginning that is cut off behind a
//! value either ends too early for serde or contains the value that serde rejects. Only the reading function
//! of the type is needed for this. A deserializer that records its path would be compiled again for every
//! type of every parameter.

use agent_gram::value::is_symbol;
use agent_spec::json::with_whole_numbers;
use serde_core::de::DeserializeOwned;
use std::fmt;

/// Reads a text as a type, and discards the value.
pub type ReadFn = fn(&str) -> serde_json::Result<()>;

/// Reads a text as a type, and discards the value: a [`ReadFn`].
pub fn read_as<T: DeserializeOwned>(text: &str) -> serde_json::Result<()> {
    read_json::<T>(text).map(drop)
}

/// Reads a text as a type. A whole number may be written with a fraction, `1.0`, because JSON Schema calls it
/// an integer. Validation removes the fraction where a gram type is `Int`; in the place of `Any`, only serde
/// knows that the Rust type is an integer.
///
/// # Errors
/// When the text is not of the type.
pub fn read_json<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    let read = serde_json::from_str(text);
    match read {
        Err(error) if error.is_data() => match with_whole_numbers(text) {
            Some(text) => serde_json::from_str(&text),
            None => Err(error),
        },
        read => read,
    }
}

/// An error of serde with the path of the value that caused it.
#[derive(Debug)]
pub struct ErrorAtPath {
    path: String,
    reason: String,
}

impl ErrorAtPath {
    /// Creates the error for a text whose own path is `root`.
    pub fn new(root: &str, text: &str, error: &serde_json::Error, read: ReadFn) -> Self {
        let reason = error.to_string();
        let counted = format!(" at line {} column {}", error.line(), error.column());
        let reason = reason.strip_suffix(&counted).unwrap_or(&reason).to_owned();
        let path = match error.is_data() {
            true => find_path(root, text, read),
            false => root.to_owned(),
        };
        Self { path, reason }
    }
}

impl fmt::Display for ErrorAtPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}`: {}", self.path, self.reason)
    }
}

impl std::error::Error for ErrorAtPath {}

/// The path of the value that was rejected.
fn find_path(root: &str, text: &str, read: ReadFn) -> String {
    let found = first_refused(text, read);
    let path = found.path(root);
    // For an enum with a tag and content, serde reads the content only after the tag. If the tag is the last
    // member, an error of the content is therefore found at the tag. If the member is moved to the front and
    // is a tag, the right tag is accepted and an empty tag is rejected.
    let path_of = |text: String| first_refused(&text, read).path(root);
    if let Some(moved) = found.moved_to_front(text, None).map(path_of)
        && moved != path
        && found.moved_to_front(text, Some("\"\"")).map(path_of) == Some(path.clone())
    {
        return moved;
    }
    path
}

fn is_refused(text: &str, read: ReadFn) -> bool {
    read(text).is_err_and(|error| error.is_data())
}

/// Finds the first value behind which no continuation of the text could be read.
fn first_refused<'t>(text: &'t str, read: ReadFn) -> Refused<'t> {
    let mut ends = Vec::new();
    each_value(text, |end, _| ends.push(end));
    let first = ends.partition_point(|end| !is_refused(&text[..*end], read));
    let mut refused = Refused::default();
    let mut values = 0;
    each_value(text, |end, steps| {
        if values == first {
            refused = Refused {
                steps: steps.to_vec(),
                end,
            };
        }
        values += 1;
    });
    refused
}

/// A value that was rejected.
#[derive(Default)]
struct Refused<'t> {
    steps: Vec<PathStep<'t>>,
    /// The offset behind the value.
    end: usize,
}

impl Refused<'_> {
    fn path(&self, root: &str) -> String {
        let mut path = root.to_owned();
        self.steps.iter().for_each(|step| step.push_to(&mut path));
        path
    }

    /// Returns the text with the value as the first member of its object, replaced by `value` if there is
    /// one. Returns `None` if the value is the first member or not a member.
    fn moved_to_front(&self, text: &str, value: Option<&str>) -> Option<String> {
        let Some(PathStep::Member(object, Some(name))) = self.steps.last() else {
            return None;
        };
        let start = name.as_ptr().addr() - text.as_ptr().addr();
        let before = text[*object..start].trim_end().strip_suffix(',')?;
        let (member, rest) = (&text[start..self.end], &text[self.end..]);
        let member = match value {
            Some(value) => format!("{name}: {value}"),
            None => member.to_owned(),
        };
        Some(format!("{}{member},{before}{rest}", &text[..*object]))
    }
}

/// A step of a path, from a value to a value inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathStep<'t> {
    /// To a member. Holds the offset behind the brace of the object, and the quoted name of the member; `None` until the
    /// name is read.
    Member(usize, Option<&'t str>),
    /// To an item of an array.
    Item(usize),
}

impl PathStep<'_> {
    /// Appends the step as all messages write it: `.town`, `[2]`, `["a key"]`.
    fn push_to(&self, path: &mut String) {
        match self {
            Self::Item(index) => path.push_str(&format!("[{index}]")),
            Self::Member(_, quoted) => {
                let key = quoted.and_then(|quoted| serde_json::from_str::<String>(quoted).ok());
                let key = key.unwrap_or_default();
                if is_symbol(&key) && !key.contains(['.', '@']) {
                    path.push('.');
                    path.push_str(&key);
                } else {
                    path.push_str(&format!("[{key:?}]"));
                }
            }
        }
    }
}

/// Calls `visit` with the end and the path of each value of a text, in the order in which they end. The
/// text should be JSON; for other text the calls mean nothing, but there is no panic.
fn each_value<'t>(text: &'t str, mut visit: impl FnMut(usize, &[PathStep<'t>])) {
    let bytes = text.as_bytes();
    let mut steps: Vec<PathStep<'t>> = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let begin = at;
        at += 1;
        match byte {
            b' ' | b'\n' | b'\t' | b'\r' | b':' => {}
            b'{' => steps.push(PathStep::Member(at, None)),
            b'[' => steps.push(PathStep::Item(0)),
            b',' => match steps.last_mut() {
                Some(PathStep::Item(index)) => *index += 1,
                Some(PathStep::Member(_, name)) => *name = None,
                None => {}
            },
            b'}' | b']' => {
                steps.pop();
                visit(at, &steps);
            }
            b'"' => {
                at = after_string(bytes, at);
                match steps.last_mut() {
                    Some(PathStep::Member(_, name @ None)) => *name = text.get(begin..at),
                    _ => visit(at, &steps),
                }
            }
            _ => {
                let rest = &bytes[at..];
                let ends = |byte: &u8| b" \n\t\r,]}".contains(byte);
                at += rest.iter().position(ends).unwrap_or(rest.len());
                visit(at, &steps);
            }
        }
    }
}

/// The offset behind a string whose opening quote is before `at`.
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
    use serde_core::de::Error as _;
    use serde_core::{Deserialize, Deserializer};
    use std::collections::BTreeMap;

    /// A text that its type alone does not describe.
    struct Short;

    impl<'de> Deserialize<'de> for Short {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            match String::deserialize(deserializer)?.len() {
                0..=3 => Ok(Self),
                _ => Err(D::Error::custom("it is too long")),
            }
        }
    }

    fn check<T: DeserializeOwned>(text: &str, expected: &str) {
        let error = read_as::<T>(text).expect_err(text);
        let error = ErrorAtPath::new("$", text, &error, read_as::<T>);
        assert_eq!(error.to_string(), expected, "{text}");
    }

    #[test]
    fn names_the_value_that_was_rejected() {
        type Towns = BTreeMap<String, Vec<Short>>;
        for (text, place) in [
            (r#"{"a": ["x", "long"], "b": []}"#, "$.a[1]"),
            // Here serde itself stops behind the last brace.
            (r#"{"a": [], "b": ["long" ] }"#, "$.b[0]"),
            (
                r#"{"a": [], "a b\"c": ["x", "y", "long"]}"#,
                r#"$["a b\"c"][2]"#,
            ),
            (r#"{"a.b": ["\"}]," ,"long"]}"#, r#"$["a.b"][0]"#),
        ] {
            check::<Towns>(text, &format!("`{place}`: it is too long"));
        }
        check::<Short>(r#" "long" "#, "`$`: it is too long");
        let text = r#"{"a": 5}"#;
        check::<Towns>(
            text,
            "`$.a`: invalid type: integer `5`, expected a sequence",
        );
        check::<Vec<u8>>(
            "[1, -2]",
            "`$[1]`: invalid value: integer `-2`, expected u8",
        );
        check::<Vec<u8>>("[1, {}]", "`$[1]`: invalid type: map, expected u8");
        check::<(u8, u8)>("[1]", "`$`: invalid length 1, expected a tuple of size 2");
    }

    #[test]
    fn names_the_whole_text_when_it_is_not_json() {
        check::<Vec<u8>>("[1, ", "`$`: EOF while parsing a value");
        check::<Vec<u8>>("[1}", "`$`: expected `,` or `]`");
    }

    #[test]
    fn visits_inner_values_before_outer_ones() {
        let text = r#"{"a": [1, "b,"], "c" : {} }"#;
        let mut visited = Vec::new();
        each_value(text, |end, steps| visited.push((end, steps.to_vec())));
        let (a, c) = (
            PathStep::Member(1, Some("\"a\"")),
            PathStep::Member(1, Some("\"c\"")),
        );
        let expected = [
            (8, vec![a, PathStep::Item(0)]),
            (14, vec![a, PathStep::Item(1)]),
            (15, vec![a]),
            (25, vec![c]),
            (27, vec![]),
        ];
        assert_eq!(visited, expected);
    }

    #[test]
    fn ends_for_text_that_is_not_json() {
        for text in ["\"\\", "]", "{,", "[\"é", "é", ""] {
            each_value(text, |end, _| assert!(text.is_char_boundary(end), "{text}"));
        }
    }
}
