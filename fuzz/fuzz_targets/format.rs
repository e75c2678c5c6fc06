//! Formatting keeps what a text means and its comments, and is done after once.

#![no_main]

use agent_gram::syntax::{CommentKind, Document};
use agent_gram::{format, format_source, lower, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    let read = parse(source);
    if !read.errors.is_empty() {
        // Nobody is to format such a text, but whoever does gets a text.
        let _ = format(&read.document);
        return;
    }
    let formatted = format(&read.document);
    let again = parse(&formatted);
    assert!(again.errors.is_empty(), "{:?}", again.errors);
    assert_eq!(lower(&again.document), lower(&read.document));
    assert_eq!(comments(&again.document), comments(&read.document));
    let twice = format_source(&formatted).expect("formatted gram is gram");
    assert_eq!(twice, formatted);
});

/// What the comments say, in order. Lines of a doc comment may be indented anew.
fn comments(document: &Document<'_>) -> Vec<(CommentKind, Vec<String>)> {
    let comments = document.comments().iter();
    comments
        .map(|comment| {
            let lines = comment.span.text(document.source()).lines();
            (
                comment.kind,
                lines.map(|line| line.trim().to_owned()).collect(),
            )
        })
        .collect()
}
