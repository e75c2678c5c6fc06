//! The page about providers and the help of the command agree with the code.

use crate::support::{Folder, agent, examples};
use agent_catalog::Catalog;
use std::collections::BTreeSet;

fn page() -> String {
    let path = examples().join("../book/src/reference/providers.md");
    let page = std::fs::read_to_string(path).expect("the page can be read");
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

#[test]
fn page_has_every_provider_with_its_key_and_address() {
    let (page, catalog) = (page(), Catalog::builtin());
    for name in catalog.providers() {
        let row = catalog.provider(name).expect("a row");
        let begins = format!("| `{name}` | ");
        let line = page.lines().find(|line| line.starts_with(&begins));
        let line = line.unwrap_or_else(|| panic!("{name}"));
        for key in row.keys.iter().flatten() {
            assert!(line.contains(&format!("`{key}`")), "{line}");
        }
        if let Some(address) = &row.base_url {
            // The page leaves the version of Google's interface out, as the vendor's SDK does.
            let address = address.trim_end_matches("/v1beta");
            assert!(line.ends_with(&format!("| `{address}` |")), "{line}");
        }
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
