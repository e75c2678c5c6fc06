//! The pages of the book: each example in gram is checked, each command prints what the page shows, and each link leads
//! somewhere. The examples in Rust are compiled as documentation tests, in `tests/src/lib.rs`.

mod blocks;
mod links;

use crate::support::{Folder, agent_with};
use blocks::blocks;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the pages.
fn pages_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src")
}

/// The pages by their paths below the folder, such as `build/tools.md`.
fn pages() -> BTreeMap<String, String> {
    let root = pages_folder();
    let mut pages = BTreeMap::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let name = path.strip_prefix(&root).expect("a page below the folder");
                let name = name.to_str().expect("UTF-8").replace('\\', "/");
                pages.insert(name, fs::read_to_string(&path).expect("a page"));
            }
        }
    }
    pages
}

#[test]
fn examples_in_gram_have_no_errors() {
    let mut problems = Vec::new();
    for (page, text) in pages() {
        // Its wrong examples are wrong, which another test checks.
        if page == "reference/diagnostics.md" {
            continue;
        }
        for block in blocks(&text)
            .iter()
            .filter(|block| block.language == "gram")
        {
            let arguments: &[&str] = match (block.has("notation"), block.has("signature")) {
                (true, _) => &["check", "--as", "gram", "-"],
                (_, true) => &["check", "--as", "signature", "-"],
                _ => &["check", "-"],
            };
            let ended = agent_with(arguments, block.text.trim());
            if ended.code != 0 {
                problems.push(format!(
                    "book/src/{page}:{}\n{}{}",
                    block.line, ended.stdout, ended.stderr
                ));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Runs the commands of each page in a folder of its own, in which the files that the page shows are written.
#[test]
fn commands_print_what_the_pages_show() {
    let mut problems = Vec::new();
    for (page, text) in pages() {
        let blocks = blocks(&text);
        if !blocks.iter().any(|block| block.language == "console") {
            continue;
        }
        let folder = Folder::new();
        let root = PathBuf::from(folder.path());
        for block in &blocks {
            if let Some(file) = block.value("file") {
                let path = root.join(file);
                fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                fs::write(path, &block.text).expect("a file");
            }
            if block.language == "console" {
                for (command, expected) in block.commands() {
                    let printed = run(&root, command);
                    if !matches(&expected, &printed) {
                        problems.push(format!(
                            "book/src/{page}:{}: {command}\n--- the page\n{expected}\n--- printed\n{printed}",
                            block.line
                        ));
                    }
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

/// Runs a command, and returns what it prints on standard output and standard error, in this order of writing.
fn run(folder: &Path, command: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_agent"));
    let path = std::env::var("PATH").unwrap_or_default();
    let programs = program.parent().expect("a folder").display();
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(folder)
        .env_clear()
        .env("PATH", format!("{programs}:{path}"))
        .env("AGENT_TODAY", "2026-09-01")
        .env("HOME", folder)
        .env("XDG_DATA_HOME", folder.join(".data"))
        .output()
        .expect("a shell");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Whether a text is the expected one, in which `…` stands for a part of a line, and alone on a line for any lines.
fn matches(expected: &str, printed: &str) -> bool {
    fn lines_match(expected: &[&str], printed: &[&str]) -> bool {
        match (expected, printed) {
            ([], []) => true,
            (["…", rest @ ..], _) => {
                (0..=printed.len()).any(|skipped| lines_match(rest, &printed[skipped..]))
            }
            ([line, rest @ ..], [other, others @ ..]) => {
                line_matches(line, other) && lines_match(rest, others)
            }
            _ => false,
        }
    }
    fn line_matches(expected: &str, printed: &str) -> bool {
        match expected.split_once('…') {
            None => expected == printed,
            Some((begin, rest)) => printed.strip_prefix(begin).is_some_and(|printed| {
                let ends = printed
                    .char_indices()
                    .map(|(at, _)| at)
                    .chain([printed.len()]);
                ends.into_iter()
                    .any(|at| line_matches(rest, &printed[at..]))
            }),
        }
    }
    let expected: Vec<&str> = expected.trim_end().lines().collect();
    let printed: Vec<&str> = printed.trim_end().lines().collect();
    lines_match(&expected, &printed)
}

/// Outside of Reference, a page has at most this many words, so that it can be read at once.
const MAX_WORDS: usize = 1_500;

#[test]
fn pages_are_short_and_begin_with_their_purpose() {
    for (page, text) in pages() {
        if page == "SUMMARY.md" || page == "reference/diagnostics.md" {
            continue;
        }
        let words = text.split_whitespace().count();
        assert!(
            words <= MAX_WORDS || page.starts_with("reference/"),
            "{page} has {words} words"
        );
        let mut paragraphs = text.split("\n\n");
        let title = paragraphs.next().unwrap_or_default();
        assert!(
            title.starts_with("# ") && !title.contains('\n'),
            "{page}: {title}"
        );
        let purpose = paragraphs.next().unwrap_or_default();
        let is_sentence =
            purpose.ends_with(['.', '?']) && !purpose.starts_with(['#', '|', '-', '`']);
        assert!(
            is_sentence,
            "{page} has no sentence that says what it is for: {purpose}"
        );
    }
}

#[test]
fn the_page_of_settings_has_each_setting() {
    let pages = pages();
    let page = &pages["reference/agent-settings.md"];
    let settings = agent_spec::vocabulary::Setting::ALL.iter();
    for key in settings.map(|setting| setting.key()) {
        let row = format!("| `{key}` |");
        assert!(page.contains(&row), "{key}");
    }
}
