//! Lines of code by crate: lines of `src` with a token, without tests and comments.

use crate::breach::Breach;
use crate::rust_tokens::{Kind, after_test_item, tokens};
use crate::workspace::{files_below, members, read, root};
use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The most lines of code that a crate may have: what one maintainer can keep in mind.
const MAX_LINES: usize = 15_000;

/// The crates that have more until a part of them is a crate of its own: conversations and their stores, the support for
/// tests, and the output on terminals. They may not grow.
const LARGER: [(&str, usize); 3] = [
    ("agent-core", 16_500),
    ("agent-runtime", 15_250),
    ("agent-cli", 15_900),
];

/// The most lines of code that the crate in a folder may have.
fn most_lines(member: &str) -> usize {
    let larger = LARGER.iter().find(|(name, _)| *name == member);
    larger.map_or(MAX_LINES, |(_, lines)| *lines)
}

/// Prints the lines of code and the files of each crate, the largest first.
pub(crate) fn print() -> ExitCode {
    let mut text = format!("{:>7}  {:>5}  CRATE\n", "LINES", "FILES");
    let crates = crates();
    for (lines, files, name) in &crates {
        text += &format!("{lines:>7}  {files:>5}  {name}\n");
    }
    let lines: usize = crates.iter().map(|row| row.0).sum();
    let files: usize = crates.iter().map(|row| row.1).sum();
    text += &format!("{lines:>7}  {files:>5}  in all\n");
    // Fails if the reader of a pipe needed only the first lines.
    let _ = io::stdout().write_all(text.as_bytes());
    ExitCode::SUCCESS
}

/// Finds the crates with too many lines of code.
pub(crate) fn breaches() -> Vec<Breach> {
    let large = crates()
        .into_iter()
        .filter(|(lines, _, member)| *lines > most_lines(member));
    large
        .map(|(lines, _, member)| Breach {
            rule: "crate-lines",
            key: format!("{lines} lines of code, of at most {}", most_lines(&member)),
            place: member,
        })
        .collect()
}

/// The lines of code, the files and the folder of each crate, the largest first.
fn crates() -> Vec<(usize, usize, String)> {
    let mut crates: Vec<(usize, usize, String)> = members()
        .into_iter()
        .map(|member| {
            let (lines, files) = of_folder(&root().join(&member).join("src"));
            (lines, files, member)
        })
        .collect();
    crates.sort_by(|one, other| other.cmp(one));
    crates
}

/// The lines of code in a folder and below it, and the number of files that have some.
fn of_folder(folder: &Path) -> (usize, usize) {
    let mut counts = Vec::new();
    let mut tests = BTreeSet::new();
    for path in files_below(folder, &["rs"]) {
        let (lines, modules) = of_source(&read(&path));
        let own = match path.file_name().and_then(|name| name.to_str()) {
            Some("lib.rs" | "main.rs" | "mod.rs") => path.parent().unwrap_or(folder).to_owned(),
            _ => path.with_extension(""),
        };
        tests.extend(modules.into_iter().map(|name| own.join(name)));
        counts.push((path, lines));
    }
    let is_test = |path: &PathBuf| {
        let path = path.with_extension("");
        tests.iter().any(|test| path.starts_with(test))
    };
    counts.retain(|(path, _)| !is_test(path));
    (counts.iter().map(|(_, lines)| lines).sum(), counts.len())
}

/// The lines of a source text with a token, and the test modules that it has in files of their own. A string
/// over several lines counts as one line.
fn of_source(source: &str) -> (usize, Vec<String>) {
    let tokens = tokens(source);
    let (mut lines, mut modules) = (BTreeSet::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        if let Some((after, module)) = after_test_item(&tokens, at) {
            modules.extend(module);
            at = after;
            continue;
        }
        if !matches!(tokens[at].kind, Kind::Doc { .. }) {
            lines.insert(tokens[at].line);
        }
        at += 1;
    }
    (lines.len(), modules)
}

#[cfg(test)]
mod tests {
    use super::of_source;

    #[test]
    fn comments_blanks_and_tests_are_no_code() {
        let source = "//! A\n\n/// B\nfn a() {\n    // C\n    1;\n}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n\
                      #[cfg(test)]\nmod more;\n";
        assert_eq!(of_source(source), (3, vec!["more".to_owned()]));
    }
}
