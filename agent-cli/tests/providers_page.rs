//! The page about providers and the help of the command agree with the code.

use crate::support::{Folder, agent, examples};
use agent_catalog::Catalog;
use std::collections::BTreeSet;
use std::path::PathBuf;

fn path() -> PathBuf {
    examples().join("../book/src/reference/providers.md")
}

fn page() -> String {
    let page = std::fs::read_to_string(path()).expect("the page can be read");
    page.replace("\r\n", "\n")
}

/// Returns the words of a text that look like variables.
fn variables(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words
        .filter(|word| {
            let ends = ["_KEY", "_TOKEN", "_URL", "_HOST", "_ID", "_FILE", "_proxy"];
            ends.iter()
                .any(|end| word.len() > end.len() && word.ends_with(end))
        })
        .filter(|word| !word.starts_with('_'))
        .collect()
}

#[test]
fn page_and_help_name_every_variable() {
    let (page, help) = (page(), agent(&["help", "keys"]).expect(0).stdout);
    let mut read = variables(&help);
    // Those of the command itself, and those that stand for the variables of any provider.
    read.retain(|variable| !variable.starts_with("AGENT_") && !variable.starts_with("NAME_"));
    for source in [
        include_str!("../../agent-runtime/src/model/openai.rs"),
        include_str!("../../agent-runtime/src/model/anthropic.rs"),
        include_str!("../../agent-runtime/src/model/google.rs"),
        include_str!("../../agent-runtime/src/model/ollama.rs"),
        include_str!("../../agent-http/src/tls.rs"),
        include_str!("../../agent-http/src/proxy.rs"),
    ] {
        let texts = source.split('"').skip(1).step_by(2);
        read.extend(texts.filter(|text| variables(text).contains(text)));
    }
    assert!(read.len() > 12, "{read:?}");
    for variable in read {
        assert!(page.contains(variable), "{variable}");
        assert!(help.contains(variable), "{variable}");
    }
}

/// The table of providers is between two comments of the page.
const BEGIN: &str = "<!-- providers -->\n\n";
const END: &str = "\n<!-- end of providers -->";

#[test]
fn the_table_of_providers_is_up_to_date() {
    let (page, catalog) = (page(), Catalog::builtin());
    let mut table =
        "| provider | variable of the key | address |\n| --- | --- | --- |\n".to_owned();
    for name in catalog.providers() {
        let row = catalog.provider(name).expect("a row");
        let keys = row.keys.iter().flatten().map(|key| format!("`{key}`"));
        let keys = keys.collect::<Vec<_>>().join(", else ");
        let keys = if keys.is_empty() { "none" } else { &keys };
        let address = row.base_url.as_ref();
        let address = address.map_or("none".to_owned(), |address| format!("`{address}`"));
        table += &format!("| `{name}` | {keys} | {address} |\n");
    }
    let (before, rest) = page.split_once(BEGIN).expect("the begin of the table");
    let (_, after) = rest.split_once(END).expect("the end of the table");
    let expected = format!("{before}{BEGIN}{table}{END}{after}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path(), expected).expect("the page can be written");
    } else {
        let update = "UPDATE_DOCS=1 cargo xtask test cli the_table_of_providers";
        assert!(page == expected, "the table is out of date; run `{update}`");
    }
}

#[test]
fn the_example_history_is_valid() {
    let help = agent(&["help", "history"]).expect(0).stdout;
    let mut lines = help.lines().map(str::trim);
    let history = lines
        .find(|line| line.starts_with("[{"))
        .expect("an example");
    let folder = Folder::new();
    let history = folder.file("history.json", history);
    let args = [
        "run",
        "agents/hello.gram",
        "Hello, I'm Ada",
        "--offline",
        "--history",
    ];
    agent(&[&args[..], &[history.as_str()]].concat()).expect(0);
}
