//! Which value of a JSON text serde did not take.
//!
//! An error of serde says how far the text was read, which is often the end of what holds the value,
//! and no reader of a message counts columns. The value is found by reading again: cut off after a
//! value, a text either ends too soon for serde, or holds what it does not take. This needs nothing
//! beyond the code that reads the type anyway, which a deserializer that notes its path would double,
//! for each type of each parameter.

mod values;

use agent_gram::value::is_symbol;
use serde_core::de::DeserializeOwned;
use std::fmt;
use values::{Step, each_value};

/// Reads a text as some type, and tells whether it could be.
pub(crate) type Reads = fn(&str) -> serde_json::Result<()>;

/// Whether a text can be read as this type.
pub(crate) fn reads<T: DeserializeOwned>(text: &str) -> serde_json::Result<()> {
    serde_json::from_str::<T>(text).map(drop)
}

/// A value that serde did not take: where it stands, and why not.
#[derive(Debug)]
pub(crate) struct Misread {
    place: String,
    reason: String,
}

impl Misread {
    /// What went wrong when a text was read, whose own place is `root`.
    pub(crate) fn new(root: &str, text: &str, error: &serde_json::Error, reads: Reads) -> Self {
        let reason = error.to_string();
        let counted = format!(" at line {} column {}", error.line(), error.column());
        let reason = reason.strip_suffix(&counted).unwrap_or(&reason).to_owned();
        let place = match error.is_data() {
            true => place(root, text, reads),
            false => root.to_owned(),
        };
        Self { place, reason }
    }
}

impl fmt::Display for Misread {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}`: {}", self.place, self.reason)
    }
}

impl std::error::Error for Misread {}

/// The place of the first value after which there is no more hope for the text.
fn place(root: &str, text: &str, reads: Reads) -> String {
    let mut ends = Vec::new();
    each_value(text, |end, _| ends.push(end));
    let is_refused = |end: &usize| reads(&text[..*end]).is_err_and(|error| error.is_data());
    let first = ends.partition_point(|end| !is_refused(end));
    let mut place = root.to_owned();
    let mut values = 0;
    each_value(text, |_, steps| {
        if values == first {
            steps.iter().for_each(|step| push(&mut place, step));
        }
        values += 1;
    });
    place
}

/// A step as the places of all messages are written: `.town`, `[2]`, `["a key"]`.
fn push(place: &mut String, step: &Step<'_>) {
    match step {
        Step::Item(index) => place.push_str(&format!("[{index}]")),
        Step::Member(quoted) => {
            let key = quoted.and_then(|quoted| serde_json::from_str::<String>(quoted).ok());
            let key = key.unwrap_or_default();
            if is_symbol(&key) && !key.contains(['.', '@']) {
                place.push('.');
                place.push_str(&key);
            } else {
                place.push_str(&format!("[{key:?}]"));
            }
        }
    }
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
        let error = reads::<T>(text).expect_err(text);
        let misread = Misread::new("$", text, &error, reads::<T>);
        assert_eq!(misread.to_string(), expected, "{text}");
    }

    #[test]
    fn the_very_value_is_named() {
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
    fn what_is_no_json_has_no_value_to_name() {
        check::<Vec<u8>>("[1, ", "`$`: EOF while parsing a value");
        check::<Vec<u8>>("[1}", "`$`: expected `,` or `]`");
    }
}
