//! Reading HTML, within bounds.

use super::tags;
use agent_runtime::ToolError;
use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use scraper::{Html, HtmlTreeSink, StrTendril};

/// How deep elements may lie in each other. Browsers stop at 512, too. Without a bound a page of two
/// megabytes takes the parser minutes: with each tag it looks through all elements that are open.
const DEEPEST: usize = 512;

/// How many elements and texts a page may have. Elements that were not closed are made anew in each
/// paragraph that follows, so a short page can have more of them than memory holds.
const MOST_NODES: usize = 250_000;

/// The parser is given so much at once, in bytes, or less: up to the end of the next tag.
const PIECE: usize = 1024;

/// Reads a page as browsers do that run no scripts, which never fails by itself.
///
/// # Errors
/// Execution when the page is too deep or too rich, as a whole or in a tag; Timeout when the call is over.
pub(super) fn parse(text: &str, is_cancelled: &dyn Fn() -> bool) -> Result<Html, ToolError> {
    tags::check(text)?;
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts {
            // So that what is said to those without scripts is read as elements.
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        },
        ..ParseOpts::default()
    };
    let mut parser = parse_document(HtmlTreeSink::new(Html::new_document()), options);
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(end_of_piece(rest));
        parser.process(StrTendril::from_slice(piece));
        rest = after;
        if is_cancelled() {
            return Err(ToolError::Timeout);
        }
        check(&parser.tokenizer.sink.sink.0.borrow())?;
    }
    let html = parser.finish();
    check(&html)?;
    Ok(html)
}

/// Where the next tag ends.
fn end_of_piece(text: &str) -> usize {
    let most = text.floor_char_boundary(PIECE);
    let bytes = &text.as_bytes()[..most];
    // In texts and scripts `<` stands alone, too.
    let is_start = |pair: &[u8]| pair[0] == b'<' && !matches!(pair[1], b'<' | b' ' | b'=');
    let end = bytes.windows(2).position(is_start).and_then(|start| {
        let end = bytes[start..].iter().position(|byte| *byte == b'>')?;
        Some(start + end + 1)
    });
    end.unwrap_or(most)
}

fn check(html: &Html) -> Result<(), ToolError> {
    let mut nodes = html.tree.nodes();
    if nodes.len() > MOST_NODES {
        return Err(ToolError::Execution(format!(
            "the page has more than {MOST_NODES} elements and texts, and is not read"
        )));
    }
    // What comes next will lie as deep as what came last, or less deep by what it closes.
    let depth = nodes.next_back().map_or(0, |node| node.ancestors().count());
    if depth > DEEPEST {
        return Err(ToolError::Execution(format!(
            "the elements of the page lie more than {DEEPEST} deep in each other, and it is not read"
        )));
    }
    Ok(())
}
