//! Parsing HTML within limits.

use agent_runtime::ToolError;
use ego_tree::NodeId;
use html5ever::tokenizer::{
    BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink as _};
use html5ever::{TokenizerResult, local_name};
use scraper::{Html, HtmlTreeSink, StrTendril};
use std::cell::Cell;

/// The maximum nesting depth of elements, as in browsers. The parser searches all open elements at each tag,
/// so that without a limit a page of two megabytes takes minutes.
const MAX_DEPTH: usize = 512;

/// The maximum number of elements and texts of a page. The parser repeats unclosed elements in each following
/// paragraph, so that a short page can have more of them than fit into memory.
const MAX_NODES: usize = 250_000;

/// The maximum number of attributes of a tag. The parser compares each attribute with all earlier ones, so
/// that a tag of a megabyte takes minutes.
const MAX_ATTRIBUTES: usize = 1000;

/// The maximum size in bytes of the pieces that the parser is fed with. A piece has at most one tag, and a tag
/// is at its beginning.
const PIECE: usize = 1024;

/// Parses a page like a browser without scripts. Invalid HTML is not an error.
///
/// # Errors
/// Execution when the page exceeds a limit; Timeout when cancelled.
pub(super) fn parse(text: &str, is_cancelled: &dyn Fn() -> bool) -> Result<Html, ToolError> {
    let options = TreeBuilderOpts {
        // So that the contents of `noscript` are parsed.
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    let builder = TreeBuilder::new(HtmlTreeSink::new(Html::new_document()), options);
    let tokenizer = Tokenizer::new(CountingSink::new(builder), TokenizerOpts::default());
    let sink = &tokenizer.sink;
    let input = BufferQueue::default();
    let mut open_tag = AttributeCounter::default();
    let mut size = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(end_of_piece(rest));
        rest = after;
        input.push_back(StrTendril::from_slice(piece));
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
        if is_cancelled() {
            return Err(ToolError::Timeout);
        }
        open_tag.read(piece.as_bytes());
        if open_tag.count > MAX_ATTRIBUTES || sink.root_attributes.get() > MAX_ATTRIBUTES {
            return Err(ToolError::Execution(format!(
                "a tag of the page has more than {MAX_ATTRIBUTES} attributes, and the page is not read"
            )));
        }
        if sink.has_token.take() {
            open_tag = AttributeCounter::default();
            // A token may end where this tag begins.
            if piece.starts_with('<') && !piece.ends_with('>') {
                open_tag.read(piece.as_bytes());
            }
        }
        check_size(&sink.builder.sink.0.borrow(), &mut size)?;
    }
    tokenizer.end();
    check_size(&sink.builder.sink.0.borrow(), &mut size)?;
    Ok(tokenizer.sink.builder.sink.finish())
}

/// Counts what the tokenizer gives to the builder of the tree.
struct CountingSink {
    builder: TreeBuilder<NodeId, HtmlTreeSink>,
    /// Whether there was a token since the last piece.
    has_token: Cell<bool>,
    /// The number of attributes of the tags `html` and `body`, because those of all such tags become attributes of
    /// one element.
    root_attributes: Cell<usize>,
}

impl CountingSink {
    fn new(builder: TreeBuilder<NodeId, HtmlTreeSink>) -> Self {
        Self {
            builder,
            has_token: Cell::default(),
            root_attributes: Cell::default(),
        }
    }
}

impl TokenSink for CountingSink {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line_number: u64) -> TokenSinkResult<NodeId> {
        if let Token::TagToken(tag) = &token
            && matches!(tag.name, local_name!("html") | local_name!("body"))
        {
            let count = self.root_attributes.get() + tag.attrs.len();
            self.root_attributes.set(count);
        }
        if !matches!(token, Token::ParseError(_)) {
            self.has_token.set(true);
        }
        self.builder.process_token(token, line_number)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Returns the length of the next piece: to the end of a tag, or to the beginning of the next one.
fn end_of_piece(text: &str) -> usize {
    let max = text.floor_char_boundary(PIECE);
    let bytes = &text.as_bytes()[..max];
    let ends = |at: &usize| match bytes[*at] {
        b'>' => true,
        // In text and in scripts `<` is also an operator.
        _ => bytes
            .get(at + 1..at + 3)
            .is_some_and(|pair| pair[0] == b'<' && !matches!(pair[1], b'<' | b' ' | b'=')),
    };
    (0..max).find(ends).map_or(max, |at| at + 1)
}

/// Checks the number and the depth of elements, if the number is no longer `size`.
fn check_size(html: &Html, size: &mut usize) -> Result<(), ToolError> {
    let mut nodes = html.tree.nodes();
    if nodes.len() == *size {
        return Ok(());
    }
    *size = nodes.len();
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

/// Counts the attributes of a tag that the tokenizer has begun to read: what it has read since its last token is
/// the beginning of a tag or of a comment.
#[derive(Default)]
struct AttributeCounter {
    count: usize,
    state: TagState,
}

/// The place in a tag.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum TagState {
    /// Before the tag.
    #[default]
    Start,
    /// After `<`.
    Open,
    /// In the name of the tag.
    Name,
    /// Before an attribute, or at the end of the tag.
    Between,
    /// In the name of an attribute.
    Attribute,
    /// Behind the name of an attribute.
    AfterName,
    /// Behind `=`.
    BeforeValue,
    /// In a value between quotes.
    Quoted(u8),
    /// In a value without quotes.
    Unquoted,
    /// In a comment or a declaration, which has no attributes.
    Comment,
}

impl AttributeCounter {
    /// Reads the next part of the tag.
    fn read(&mut self, text: &[u8]) {
        for byte in text {
            self.state = self.next(*byte);
        }
    }

    fn next(&mut self, byte: u8) -> TagState {
        let is_blank = byte.is_ascii_whitespace();
        match (self.state, byte) {
            (TagState::Comment, _) | (TagState::Open, b'!' | b'?') => TagState::Comment,
            (TagState::Start, b'<') | (TagState::Open, b'/') => TagState::Open,
            (TagState::Open, _) => TagState::Name,
            (TagState::Quoted(quote), _) if byte != quote => self.state,
            (TagState::BeforeValue, b'"' | b'\'') => TagState::Quoted(byte),
            (TagState::BeforeValue, _) if is_blank => self.state,
            (TagState::Unquoted | TagState::BeforeValue, b'/') => TagState::Unquoted,
            (TagState::Quoted(_), _) | (_, b'>' | b'/') => TagState::Between,
            (TagState::BeforeValue, _) => TagState::Unquoted,
            (TagState::Attribute | TagState::AfterName, b'=') => TagState::BeforeValue,
            (TagState::Attribute, _) if is_blank => TagState::AfterName,
            (TagState::Name | TagState::Unquoted, _) if is_blank => TagState::Between,
            (TagState::Between | TagState::AfterName | TagState::Start, _) if !is_blank => {
                self.count += 1;
                TagState::Attribute
            }
            _ => self.state,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_attributes_of_tags_only() {
        let many = |text: &str| -> String {
            let names = (0..=MAX_ATTRIBUTES).map(|at| text.replace('a', &format!("a{at}")));
            names.collect()
        };
        let few: String = (0..MAX_ATTRIBUTES).map(|at| format!("a{at} ")).collect();
        for (html, is_refused) in [
            (format!("<p {}>", many("a ")), true),
            (format!("<p {}", many("a ")), true),
            (format!("</p {}>", many("a ")), true),
            (format!("<p{}>", many("/a='>'")), true),
            (format!("<p {}>", many("a=\"1\"")), true),
            (format!("<p {}>", many("a='<b>' ")), true),
            (format!("<p {}>", many("a=/ ")), true),
            (format!("<script></SCRIPT><p {}>", many("a = b\n")), true),
            (format!("<!--><p {}>", many("=/")), true),
            (format!("<!-- --!><p {}>", many("a ")), true),
            (format!("<svg><title><p {}>", many("a ")), true),
            (format!("<math><style><p {}>", many("a ")), true),
            (format!("<<p {}>", many("a ")), true),
            (format!("< <p {}>", many("a ")), true),
            (format!("<title></titl<p></title><p {}>", many("a ")), true),
            (many("<html a>"), true),
            (many("<body a>"), true),
            (format!("<p>{}", many("<body a>")), true),
            (format!("<p {few}>"), false),
            (format!("<p a='{}'>", many("a ")), false),
            (format!("<p a='{}'>", many("a> ")), false),
            (format!("<p a='{}'>", many("<b a> ")), false),
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
            assert_eq!(parse(&html, &|| false).is_err(), is_refused, "{html:.40}");
        }
    }
}
