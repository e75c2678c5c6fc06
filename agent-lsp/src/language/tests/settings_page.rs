//! The tables of the book's page about settings are made of the documentation that editors show.

use crate::language::vocabulary::KeyDoc;
use agent_spec::vocabulary::RecordKind;
use std::path::Path;

const PAGE: &str = "book/src/reference/agent-settings.md";
const UPDATE: &str = "UPDATE_DOCS=1 cargo xtask test lsp settings_page";

/// A table is between two comments. The first names the record and its keys.
const BEGIN: &str = "<!-- keys of ";
const END: &str = "<!-- end of keys -->";

const KINDS: [(&str, RecordKind); 3] = [
    ("Agent", RecordKind::Agent),
    ("Grants", RecordKind::Grants),
    ("Tool", RecordKind::Tool),
];

#[test]
fn tables_of_settings_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(PAGE);
    let written = std::fs::read_to_string(&path).expect("the page can be read");
    // A checkout on Windows has other line ends.
    let written = written.replace("\r\n", "\n");
    let (page, listed) = with_tables(&written);
    for (name, kind) in KINDS {
        for key in kind.keys() {
            let count = listed.iter().filter(|row| **row == (name, key)).count();
            assert_eq!(count, 1, "{PAGE} must list `{key}` of {name} once");
        }
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).expect("the page can be written");
    } else {
        assert!(written == page, "{PAGE} is out of date; run `{UPDATE}`");
    }
}

/// Returns a page with new tables, and the record and the name of each key in them.
fn with_tables(page: &str) -> (String, Vec<(&str, &str)>) {
    let mut parts = page.split(BEGIN);
    let mut made = parts.next().unwrap_or_default().to_owned();
    let mut listed = Vec::new();
    for part in parts {
        let (names, rest) = part.split_once(" -->").expect("the end of a comment");
        let (record, keys) = names.split_once(": ").expect("a record and its keys");
        let (_, after) = rest.split_once(END).expect("the end of a table");
        let (_, kind) = KINDS
            .into_iter()
            .find(|(name, _)| *name == record)
            .unwrap_or_else(|| panic!("{PAGE}: there is no table for the keys of {record}"));
        made +=
            &format!("{BEGIN}{names} -->\n\n| setting | value | meaning |\n| --- | --- | --- |\n");
        for key in keys.split(' ') {
            let doc = KeyDoc::find(kind, key)
                .unwrap_or_else(|| panic!("{PAGE}: {record} has no key `{key}`"));
            made += &format!("| `{key}` | {} | {} |\n", doc.value, doc.summary());
            listed.push((record, key));
        }
        made += &format!("\n{END}{after}");
    }
    (made, listed)
}
