//! The rule that every diagnostic code has an explanation and a test that shows it.

use crate::breach::Breach;
use crate::workspace::{files_below, members, read, relative, root};

/// A code of the catalogue.
struct Code {
    /// The variant's name, such as `UnknownType`.
    variant: String,
    /// The printed form, such as `agent::unknown-type`.
    text: String,
}

/// Finds the codes without an explanation, and those that no test shows.
pub(crate) fn breaches() -> Vec<Breach> {
    let pages = pages();
    let tests = tests();
    let mut found = Vec::new();
    for code in catalogue() {
        let mut breach = |rule, place: &str| {
            found.push(Breach {
                rule,
                key: code.text.clone(),
                place: place.to_owned(),
            });
        };
        let page = format!("/{}.md", code.text.replace("::", "/"));
        if !pages.iter().any(|path| path.ends_with(&page)) {
            breach("code-without-page", &format!("no file ends in {page}"));
        }
        if !tests.iter().any(|test| test.shows(&code)) {
            breach(
                "code-without-case",
                "no case in tests/ui is called after it, no test of agent-spec or agent-gram names it",
            );
        }
    }
    found
}

/// The paths of the Markdown files in the `src` folders, among which each code has its explanation.
fn pages() -> Vec<String> {
    let sources = members()
        .into_iter()
        .map(|member| root().join(member).join("src"));
    sources
        .flat_map(|source| files_below(&source, &["md"]))
        .map(|path| relative(&path))
        .collect()
}

/// The codes, read from the source of the catalogue: lines such as
/// `UnknownType Error "agent::unknown-type" "A type label is not known.";`.
fn catalogue() -> Vec<Code> {
    let mut codes = Vec::new();
    for file in files_below(&root().join("agent-spec/src"), &["rs"]) {
        for line in read(&file).lines() {
            codes.extend(code_of(line.trim()));
        }
    }
    assert!(
        !codes.is_empty(),
        "the catalogue of diagnostics has another form"
    );
    codes
}

fn code_of(line: &str) -> Option<Code> {
    let (variant, rest) = line.split_once(' ')?;
    let (severity, rest) = rest.split_once(" \"")?;
    let (text, _) = rest.split_once('"')?;
    let is_code = text.starts_with("agent::") || text.starts_with("gram::");
    (matches!(severity, "Error" | "Warning") && is_code).then(|| Code {
        variant: variant.to_owned(),
        text: text.to_owned(),
    })
}

/// A test that may show diagnostics.
enum Test {
    /// A case of the compile-error suite, by its name.
    Case(String),
    /// The source of tests of the checker or of the parser.
    Source(String),
}

impl Test {
    fn shows(&self, code: &Code) -> bool {
        match self {
            Self::Case(name) => {
                let (_, own) = code.text.split_once("::").unwrap_or_default();
                name.replace('_', "-") == own
            }
            Self::Source(source) => {
                let kind = code.variant.strip_prefix("Gram");
                let kind = kind.map(|kind| format!("Kind::{kind}"));
                let variant = format!("Code::{}", code.variant);
                let is_named = |name: &str| {
                    source.match_indices(name).any(|(at, _)| {
                        let rest = &source[at + name.len()..];
                        !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-')
                    })
                };
                is_named(&variant)
                    || is_named(&code.text)
                    || kind.is_some_and(|kind| is_named(&kind))
            }
        }
    }
}

fn tests() -> Vec<Test> {
    let cases = files_below(&root().join("tests/ui"), &["stderr"]);
    let cases = cases.iter().filter_map(|path| path.file_stem());
    let mut tests: Vec<Test> = cases
        .map(|name| Test::Case(name.to_string_lossy().into_owned()))
        .collect();
    for folder in ["agent-spec/tests", "agent-gram/tests"] {
        let files = files_below(&root().join(folder), &["rs"]);
        tests.extend(files.iter().map(|path| Test::Source(read(path))));
    }
    tests
}
