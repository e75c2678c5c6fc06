//! Differences between two texts, line by line.

use similar::TextDiff;
use std::time::Duration;

/// The maximum time of the search for the shortest diff. After it, the diff is correct, but may be longer.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Writes a unified diff with three lines of context. `old` and `new` are the names of the texts.
pub(crate) fn unified_diff([old, new]: [&str; 2], before: &str, after: &str) -> String {
    let (before, after) = (lines(before), lines(after));
    let diff = TextDiff::configure()
        .timeout(TIMEOUT)
        .newline_terminated(true)
        .diff_slices(&before, &after);
    diff.unified_diff().header(old, new).to_string()
}

/// Splits a text into lines with their ends. A lone CR does not end a line, because `patch` does not split
/// there, although the library would.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_line_feeds_end_lines() {
        assert_eq!(
            unified_diff(["x", "x"], "a\rb\n( c)\nd\r\n", "a\rb\n(c)\nd\n"),
            "--- x\n+++ x\n@@ -1,3 +1,3 @@\n a\rb\n-( c)\n-d\r\n+(c)\n+d\n"
        );
        assert_eq!(
            unified_diff(["x", "x"], "( c)", "(c)\n"),
            "--- x\n+++ x\n@@ -1 +1 @@\n-( c)\n\\ No newline at end of file\n+(c)\n"
        );
    }
}
