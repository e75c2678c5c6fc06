//! How one text became another, as a unified diff.

use std::fmt::Write as _;

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// The lines that differ, those that go with `-` and those that come with `+`, and a few around.
/// What two texts have in common at their ends is common; in between everything is one change: the
/// files are short, and a person reads this once.
pub(super) fn unified(name: &str, old: &str, new: &str) -> String {
    let (old, new) = (lines(old), lines(new));
    let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[before..], &new[before..]);
    let after = old_rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let from = before.saturating_sub(CONTEXT);
    let context = after.min(CONTEXT);
    let (old_end, new_end) = (old.len() - after, new.len() - after);
    let mut diff = format!("--- {name}\n+++ {name} (as the code says it)\n");
    let _ = writeln!(
        diff,
        "@@ -{} +{} @@",
        range(from, old_end + context),
        range(from, new_end + context)
    );
    let mut put = |mark: char, lines: &[&str]| {
        for line in lines {
            let _ = write!(diff, "{mark}{line}");
            if !line.ends_with('\n') {
                diff.push_str("\n\\ No newline at end of file\n");
            }
        }
    };
    put(' ', &old[from..before]);
    put('-', &old[before..old_end]);
    put('+', &new[before..new_end]);
    put(' ', &old[old_end..old_end + context]);
    diff
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Line numbers as a diff has them: the first line and how many; an empty range is named by the line
/// before it.
fn range(from: usize, to: usize) -> String {
    let first = if to > from { from + 1 } else { from };
    format!("{first},{}", to - from)
}
