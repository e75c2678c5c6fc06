//! The parts that all tables share: a row has a location, and a check visits all rows.

use crate::documents::location::Location;
use agent_gram::Pattern;
use agent_spec::Diagnostic;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A row of a table.
pub(crate) trait Row {
    /// The location of the example in its document.
    fn place(&self) -> Location;
}

/// Checks every row and only then fails, so that one run names all examples that do not hold.
#[track_caller]
pub(crate) fn check_rows<R: Row>(rows: &[R], check: impl Fn(&R)) {
    // A row is only read, so a check that panics leaves nothing half done.
    let fails = |row: &&R| catch_unwind(AssertUnwindSafe(|| check(row))).is_err();
    let failed: Vec<String> = rows
        .iter()
        .filter(fails)
        .map(|row| row.place().to_string())
        .collect();
    assert!(
        failed.is_empty(),
        "examples that do not hold:\n{}",
        failed.join("\n")
    );
}

/// The codes of findings, in their order.
pub(crate) fn codes<'d>(found: impl IntoIterator<Item = &'d Diagnostic>) -> Vec<&'static str> {
    found
        .into_iter()
        .map(|diagnostic| diagnostic.code().as_str())
        .collect()
}

/// The one pattern of a text.
#[track_caller]
pub(crate) fn one_pattern(text: &str) -> Pattern {
    let mut patterns = agent_gram::parse_patterns(text).expect("the text is gram");
    assert_eq!(patterns.len(), 1, "the text has one pattern");
    patterns.remove(0)
}

/// JSON text without the blanks between its tokens. Unlike a parsed value, it keeps the order of
/// the members, which is part of what we promise to write.
pub(crate) fn compact_json(text: &str) -> String {
    let (mut in_text, mut escaped) = (false, false);
    let keep = |c: &char| {
        if in_text {
            (in_text, escaped) = (escaped || *c != '"', !escaped && *c == '\\');
            return true;
        }
        in_text = *c == '"';
        !c.is_ascii_whitespace()
    };
    text.chars().filter(keep).collect()
}

#[test]
fn keeps_blanks_inside_texts() {
    assert_eq!(
        compact_json("{ \"a b\" : [ \"\\\" \\\\\", 1 ] }\n"),
        r#"{"a b":["\" \\",1]}"#
    );
}
