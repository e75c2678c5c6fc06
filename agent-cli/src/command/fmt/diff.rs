//! What changes, as a unified diff.

use similar::TextDiff;
use std::time::Duration;

/// After so long the shortest diff is no longer looked for, and a correct one is taken.
const PATIENCE: Duration = Duration::from_secs(2);

/// The lines that change, with three more around them, as `patch` and people read them.
pub(super) fn unified(name: &str, before: &str, after: &str) -> String {
    let (before, after) = (lines(before), lines(after));
    let diff = TextDiff::configure()
        .timeout(PATIENCE)
        .newline_terminated(true)
        .diff_slices(&before, &after);
    diff.unified_diff().header(name, name).to_string()
}

/// The lines of a text with their ends. A CR alone, which the library takes for a line end, is none
/// to `patch`.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_line_feeds_end_lines() {
        assert_eq!(
            unified("x", "a\rb\n( c)\nd\r\n", "a\rb\n(c)\nd\n"),
            "--- x\n+++ x\n@@ -1,3 +1,3 @@\n a\rb\n-( c)\n-d\r\n+(c)\n+d\n"
        );
        assert_eq!(
            unified("x", "( c)", "(c)\n"),
            "--- x\n+++ x\n@@ -1 +1 @@\n-( c)\n\\ No newline at end of file\n+(c)\n"
        );
    }
}
