//! Parsing HTML within limits.

use agent_runtime::ToolError;
use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use scraper::{Html, HtmlTreeSink, StrTendril};

/// The maximum nesting depth of elements, as in browsers. The parser searches all open elements at each tag,
/// so that without a limit a page of two megabytes takes minutes.
const MAX_DEPTH: usize = 512;

/// The maximum number of elements and texts of a page. The parser repeats unclosed elements in each following
/// paragraph, so that a short page can have more of them than fit into memory.
const MAX_NODES: usize = 250_000;

/// The maximum number of attributes of a tag. The parser compares each attribute with all earlier ones, so
/// that a tag of a megabyte takes minutes.
const MAX_ATTRIBUTES: usize = 1000;

/// The elements in which only their own end tag is a tag.
const RAW_TEXT_ELEMENTS: [&[u8]; 7] = [
    b"script",
    b"style",
    b"textarea",
    b"title",
    b"iframe",
    b"noframes",
    b"xmp",
];

/// The maximum size in bytes of the pieces that the parser is fed with. A piece ends with a tag, if there is one.
const PIECE: usize = 1024;

/// Parses a page like a browser without scripts. Invalid HTML is not an error.
///
/// # Errors
/// Execution when the page exceeds a limit; Timeout when cancelled.
pub(super) fn parse(text: &str, is_cancelled: &dyn Fn() -> bool) -> Result<Html, ToolError> {
    check_attributes(text)?;
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts {
            // So that the contents of `noscript` are parsed.
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
        check_size(&parser.tokenizer.sink.sink.0.borrow())?;
    }
    let html = parser.finish();
    check_size(&html)?;
    Ok(html)
}

/// Returns the length of the next piece.
fn end_of_piece(text: &str) -> usize {
    let max = text.floor_char_boundary(PIECE);
    let bytes = &text.as_bytes()[..max];
    // In text and in scripts `<` is also an operator.
    let is_start = |pair: &[u8]| pair[0] == b'<' && !matches!(pair[1], b'<' | b' ' | b'=');
    let end = bytes.windows(2).position(is_start).and_then(|start| {
        let end = bytes[start..].iter().position(|byte| *byte == b'>')?;
        Some(start + end + 1)
    });
    end.unwrap_or(max)
}

/// Checks the number and the depth of elements.
fn check_size(html: &Html) -> Result<(), ToolError> {
    let mut nodes = html.tree.nodes();
    if nodes.len() > MAX_NODES {
        return Err(ToolError::Execution(format!(
            "the page has more than {MAX_NODES} elements and texts, and is not read"
        )));
    }
    // The last node is the deepest since the previous check, because a piece has at most one tag.
    let depth = nodes.next_back().map_or(0, |node| node.ancestors().count());
    if depth > MAX_DEPTH {
        return Err(ToolError::Execution(format!(
            "the elements of the page are nested more than {MAX_DEPTH} levels deep, and it is not read"
        )));
    }
    Ok(())
}

/// Checks the number of attributes of each tag, in linear time.
///
/// # Errors
/// Execution when a tag has too many attributes.
fn check_attributes(text: &str) -> Result<(), ToolError> {
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|byte| *byte == b'<') {
        rest = &rest[at + 1..];
        if rest.starts_with(b"!--") {
            // The dashes that open a comment can also close it: `<!-->`.
            rest = after(&rest[1..], b"-->");
            continue;
        }
        let is_end = rest.starts_with(b"/");
        let tag = rest.strip_prefix(b"/").unwrap_or(rest);
        if !tag.first().is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let ends_name = |byte: &u8| matches!(byte, b'/' | b'>') || byte.is_ascii_whitespace();
        let length = tag.iter().position(ends_name).unwrap_or(tag.len());
        let (name, attributes) = tag.split_at(length);
        rest = after_attributes(attributes)?;
        let raw = RAW_TEXT_ELEMENTS
            .iter()
            .find(|raw| name.eq_ignore_ascii_case(raw));
        if let Some(raw) = raw.filter(|_| !is_end) {
            rest = from_end_tag(rest, raw);
        }
    }
    Ok(())
}

/// Returns the text after the tag whose attributes are given.
fn after_attributes(mut rest: &[u8]) -> Result<&[u8], ToolError> {
    let mut count = 0;
    loop {
        rest = skip(rest, |byte| byte == b'/' || byte.is_ascii_whitespace());
        match rest {
            [] => return Ok(rest),
            [b'>', after @ ..] => return Ok(after),
            // A name can begin with `=`.
            [_, after @ ..] => rest = after,
        }
        count += 1;
        if count > MAX_ATTRIBUTES {
            return Err(ToolError::Execution(format!(
                "a tag of the page has more than {MAX_ATTRIBUTES} attributes, and the page is not read"
            )));
        }
        rest = skip(rest, |byte| {
            !matches!(byte, b'/' | b'>' | b'=') && !byte.is_ascii_whitespace()
        });
        let Some(value) = skip(rest, |byte| byte.is_ascii_whitespace()).strip_prefix(b"=") else {
            continue;
        };
        let value = skip(value, |byte| byte.is_ascii_whitespace());
        rest = match value {
            [quote @ (b'"' | b'\''), value @ ..] => after(value, &[*quote]),
            value => skip(value, |byte| byte != b'>' && !byte.is_ascii_whitespace()),
        };
    }
}

fn skip(text: &[u8], is_skipped: impl Fn(u8) -> bool) -> &[u8] {
    let end = text.iter().position(|byte| !is_skipped(*byte));
    &text[end.unwrap_or(text.len())..]
}

/// Returns the text after a mark; empty without the mark.
fn after<'a>(text: &'a [u8], mark: &[u8]) -> &'a [u8] {
    let at = text.windows(mark.len()).position(|window| window == mark);
    at.map_or(&[], |at| &text[at + mark.len()..])
}

/// Returns the text from the end tag of an element on; empty without one.
fn from_end_tag<'a>(text: &'a [u8], name: &[u8]) -> &'a [u8] {
    let is_end =
        |window: &[u8]| window.starts_with(b"</") && window[2..].eq_ignore_ascii_case(name);
    let at = text.windows(name.len() + 2).position(is_end);
    at.map_or(&[], |at| &text[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_attributes_of_tags_only() {
        let many = |text: &str| text.repeat(MAX_ATTRIBUTES + 1);
        for (html, is_refused) in [
            (format!("<p {}>", many("a ")), true),
            (format!("<p {}", many("a ")), true),
            (format!("</p {}>", many("a ")), true),
            (format!("<p{}>", many("/a='>'")), true),
            (format!("<p {}>", many("a=\"1\"")), true),
            (format!("<script></SCRIPT><p {}>", many("a = b\n")), true),
            (format!("<!--><p {}>", many("=")), false),
            (format!("<!--><p {}>", many("=/")), true),
            (format!("<p {}>", "a ".repeat(MAX_ATTRIBUTES)), false),
            (format!("<p a='{}'>", many("a ")), false),
            (format!("<p>{}", many("a ")), false),
            (many("<p a>"), false),
            (format!("1 < {}", many("a ")), false),
            (format!("<!-- <p {} -->", many("a ")), false),
            (format!("<!-- <p {}", many("a ")), false),
            (format!("<script>i<b {}</script>", many("a ")), false),
            (format!("<script>i<b {}", many("a ")), false),
            (format!("<title a>i<b {}</title>", many("a ")), false),
            ("<".into(), false),
            ("</".into(), false),
            ("<a".into(), false),
            ("<a b='".into(), false),
            ("<a b=".into(), false),
            (String::new(), false),
        ] {
            assert_eq!(check_attributes(&html).is_err(), is_refused, "{html:.40}");
        }
    }
}
