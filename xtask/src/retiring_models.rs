//! The rule that no document, example or help text of ours names a model that is about to be switched off.

use crate::breach::Breach;
use crate::workspace::{files_below, members, read, relative, root};
use agent_catalog::{Catalog, Date};

/// A model breaks the rule this many days before it is switched off. Counted from the day of the catalogue and not from today,
/// so that the rule breaks with a change of the catalogue alone.
const DAYS: i64 = 90;

/// The files that name such models for a reason.
const EXCEPTIONS: [(&str, &str); 5] = [
    (
        "book/src/reference/models.md",
        "shows how to leave a model that ends",
    ),
    (
        "agent-cli/src/command/models.rs",
        "its help compares a model that ends with another one",
    ),
    (
        "agent-cli/src/explanation/agent/retired-model.md",
        "explains the error about such a model",
    ),
    (
        "agent-cli/src/explanation/agent/retiring-model.md",
        "explains the warning about such a model",
    ),
    (
        "book/src/reference/diagnostics.md",
        "repeats the explanations, which are searched where they are written",
    ),
];

/// The files that users read as text, by their extensions. JSON is that of examples.
const EXTENSIONS: [&str; 4] = ["rs", "md", "gram", "json"];

/// Finds the names of retiring models in the guides, the examples and the sources.
pub(crate) fn breaches() -> Vec<Breach> {
    let catalog = Catalog::builtin();
    let Some(day) = catalog.newest() else {
        return Vec::new();
    };
    let mut files = vec![root().join("README.md")];
    files.extend(files_below(&root().join("docs"), &EXTENSIONS));
    files.extend(files_below(&root().join("examples"), &EXTENSIONS));
    for member in members() {
        // The list itself names all models.
        if member != "agent-catalog" && !member.starts_with("examples/") {
            files.extend(files_below(&root().join(member).join("src"), &EXTENSIONS));
        }
    }
    let mut found = Vec::new();
    for file in files {
        let path = relative(&file);
        if is_exception(&path) || is_test(&path) {
            continue;
        }
        for (line, key) in retiring_names(&read(&file), catalog, day) {
            found.push(Breach {
                rule: "retiring-model",
                key,
                place: format!("{path}:{line}"),
            });
        }
    }
    found
}

fn is_exception(path: &str) -> bool {
    EXCEPTIONS.iter().any(|(exception, _)| *exception == path)
}

/// Whether a file in a `src` folder has tests only, which no user reads.
fn is_test(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    !path.starts_with("examples/")
        && (name == "tests.rs" || name.ends_with("_tests.rs") || parts.any(|part| part == "tests"))
}

/// The names of models that are switched off soon after a day, with their lines. Unit tests at the end of a source are left out.
fn retiring_names(text: &str, catalog: &Catalog, day: Date) -> Vec<(usize, String)> {
    let (text, _) = text
        .split_once("\n#[cfg(test)]\nmod tests {")
        .unwrap_or((text, ""));
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for (provider, id) in names(line) {
            let Some(row) = catalog.model(provider, id).filter(|row| !row.is_assumed) else {
                continue;
            };
            let Some(last) = row.row.retires else {
                continue;
            };
            if day.days_until(last) > DAYS {
                continue;
            }
            let instead = match &row.row.successor {
                Some(successor) => format!("its successor is `{successor}`"),
                None => "its vendor names no successor".to_owned(),
            };
            let text = format!("`{provider}/{id}` is switched off on {last}; {instead}");
            found.push((index + 1, text));
        }
    }
    found
}

/// The texts of a line that have the form `Provider/id`.
fn names(line: &str) -> impl Iterator<Item = (&str, &str)> {
    line.match_indices('/').filter_map(|(at, _)| {
        let before = &line[..at];
        let provider = before.rsplit(|c: char| !c.is_alphanumeric()).next()?;
        let outside = before.strip_suffix(provider)?;
        let is_id = |c: char| c.is_ascii_alphanumeric() || "._-:/".contains(c);
        let id = line[at + 1..].split(|c| !is_id(c)).next()?;
        let id = id.trim_end_matches(['.', ':', '/', '-']);
        // Otherwise it is a part of a path.
        let is_whole = !outside.ends_with(['/', '.', '-', '_']);
        (is_whole && !provider.is_empty() && !id.is_empty()).then_some((provider, id))
    })
}

#[cfg(test)]
mod tests {
    use super::{EXCEPTIONS, names, retiring_names};
    use crate::workspace::{read, root};
    use agent_catalog::{Catalog, Document};

    const DOCUMENT: &str = r#"[OpenAI:Catalog {made: "2027-01-01"} |
        [soon:Model {retires: "2027-04-01", successor: "new"}],
        [later:Model {retires: "2027-04-02"}],
        [gone:Model {retires: "2026-06-30"}],
        [new:Model {contextWindow: 1000}]
    ]"#;

    #[track_caller]
    fn check(text: &str, expected: &[(usize, &str)]) {
        let catalog = Catalog::default().with(&Document::read(DOCUMENT));
        let catalog = catalog.expect("a catalogue");
        let day = catalog.newest().expect("a day");
        let found = retiring_names(text, &catalog, day);
        let found: Vec<(usize, &str)> = found
            .iter()
            .map(|(line, text)| (*line, text.as_str()))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn names_the_line_the_day_and_the_successor() {
        check(
            "An agent:\n`OpenAI/soon` or OpenAIResponses/gone.",
            &[
                (
                    2,
                    "`OpenAI/soon` is switched off on 2027-04-01; its successor is `new`",
                ),
                (
                    2,
                    "`OpenAIResponses/gone` is switched off on 2026-06-30; its vendor names no successor",
                ),
            ],
        );
    }

    #[test]
    fn accepts_models_that_last_longer_and_names_of_other_things() {
        check("OpenAI/later OpenAI/new OpenAI/other Acme/soon", &[]);
        check("https://example.com/OpenAI/soon", &[]);
    }

    #[test]
    fn leaves_unit_tests_out() {
        check(
            "//! None\n#[cfg(test)]\nmod tests {\n// OpenAI/soon\n}\n",
            &[],
        );
    }

    #[test]
    fn a_name_ends_before_punctuation() {
        let found: Vec<_> = names("(see OpenAI/gpt-4.1.) A/b: \"Router/openai/x:free\"").collect();
        assert_eq!(
            found,
            [
                ("OpenAI", "gpt-4.1"),
                ("A", "b"),
                ("Router", "openai/x:free"),
            ]
        );
    }

    #[test]
    fn every_exception_names_a_retiring_model() {
        let catalog = Catalog::builtin();
        let day = catalog.newest().expect("a day");
        for (path, _) in EXCEPTIONS {
            let text = read(&root().join(path));
            assert!(!retiring_names(&text, catalog, day).is_empty(), "{path}");
        }
    }
}
