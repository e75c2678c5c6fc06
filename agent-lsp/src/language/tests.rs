//! Tests on texts with a cursor, `▮`.

mod completion;
mod hover;
mod navigation;
mod rename;
mod robustness;
mod settings_page;
mod symbols;
mod vocabulary;

use super::analysis::Analysis;
use agent_spec::ToolSpec;
use agent_spec::check::{Options, check};

/// The mark of the cursor in a text.
const CURSOR: char = '▮';

/// Returns a text without its cursor, and the offset of the cursor.
fn marked(text: &str) -> (String, usize) {
    let offset = text.find(CURSOR).expect("the text has a cursor");
    let rest = &text[offset + CURSOR.len_utf8()..];
    assert!(
        !rest.contains(CURSOR),
        "the text has several cursors: {text}"
    );
    (format!("{}{rest}", &text[..offset]), offset)
}

/// Returns the tools of a document.
fn tools(source: &str) -> Vec<ToolSpec> {
    let checked = check(source, Options::default());
    assert!(!checked.has_errors(), "{:?}", checked.diagnostics);
    checked.tools.iter().map(|node| node.spec.clone()).collect()
}

fn analysis(source: &str, known: &[ToolSpec]) -> Analysis {
    let (text, known) = (source.to_owned(), known.to_vec());
    Analysis::new(source, move || {
        let options = Options {
            known_tools: &known,
            ..Options::default()
        };
        check(&text, options)
    })
}

/// The tools that documents may name.
const KNOWN: &str = "\
[getTime:Tool {description: \"Says what time it is\", timeout: 2s} | ()==>(::String)]
[readFile:Tool {description: \"Reads a file\"} | (path::Text)==>(::Object {fields: {text: \"Text\"}})]
";
