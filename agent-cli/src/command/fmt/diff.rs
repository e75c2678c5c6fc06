//! What changes, as a unified diff.

use similar::TextDiff;
use std::time::Duration;

/// After so long the shortest diff is no longer looked for, and a correct one is taken.
const PATIENCE: Duration = Duration::from_secs(2);

/// The lines that change, with three more around them, as `patch` and people read them.
pub(super) fn unified(name: &str, before: &str, after: &str) -> String {
    let diff = TextDiff::configure()
        .timeout(PATIENCE)
        .diff_lines(before, after);
    diff.unified_diff().header(name, name).to_string()
}
