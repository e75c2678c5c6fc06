//! Tables: a text with a cursor, `▮`, and what is answered there.

mod completion;
mod hover;
mod navigation;
mod rename;
mod robustness;
mod symbols;
mod tables;
mod written;

use super::analysis::Analysis;
use agent_spec::ToolSpec;
use agent_spec::check::{Options, check};

/// The cursor.
const CURSOR: char = '▮';

/// A text without its cursor, and where that was.
fn marked(text: &str) -> (String, usize) {
    let offset = text.find(CURSOR).expect("the text has a cursor");
    let rest = &text[offset + CURSOR.len_utf8()..];
    assert!(!rest.contains(CURSOR), "one cursor is enough: {text}");
    (format!("{}{rest}", &text[..offset]), offset)
}

/// The tools of a document.
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

/// Tools that documents may name.
const KNOWN: &str = "\
[getTime:Tool {description: \"Says what time it is\", timeout: 2s} | ()==>(::String)]
[readFile:Tool {description: \"Reads a file\"} | (path::Text)==>(::Object {fields: {text: \"Text\"}})]
";
