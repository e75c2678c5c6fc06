//! Parsing HTML within limits.

use agent_tool::ToolError;
use ego_tree::NodeId;
use html5ever::tokenizer::{
    BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink as _};
use html5ever::{TokenizerResult, local_name};
use scraper::{ElementRef, Html, HtmlTreeSink, StrTendril};
use std::cell::Cell;

/// The maximum nesting depth of elements, as in browsers. The parser searches all open elements at each tag, so that a
/// hostile page of two megabytes takes minutes.
const MAX_DEPTH: usize = 512;

/// The maximum number of elements and texts of a page. The parser repeats unclosed elements in each following
/// paragraph, so that a short hostile page can have more elements than fit into memory.
pub(super) const MAX_NODES: usize = 250_000;

/// The maximum number of attributes of a tag. The parser compares each attribute with all earlier ones, so that a tag
/// of a megabyte on a hostile page takes minutes.
const MAX_ATTRIBUTES: usize = 1000;

/// The maximum number of attributes of all elements. The parser copies the attributes of unclosed elements into each
/// following paragraph, so that a short hostile page can have more attributes than fit into memory.
const MAX_ALL_ATTRIBUTES: usize = 500_000;

/// The maximum number of attributes that the parser compares with those of outer elements of the same name. The parser
/// compares attributes for the elements that it repeats, because it repeats at most three equal elements. A hostile
/// page can make the parser compare for hours.
const MAX_COMPARED: usize = 1_000_000;

/// The maximum size in bytes of the pieces that the parser is fed with. A piece has at most one tag, and a tag
/// is at its end.
const PIECE: usize = 1024;

/// Parses a page like a browser without scripts. Invalid HTML is not an error.
///
/// # Errors
/// Execution when the page exceeds a limit; Timeout when cancelled.
pub(super) fn parse(text: &str, is_cancelled: &dyn Fn() -> bool) -> Result<Html, ToolError> {
    let options = TreeBuilderOpts {
        // Disabled, so that the contents of `noscript` are parsed.
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    let builder = TreeBuilder::new(HtmlTreeSink::new(Html::new_document()), options);
    let tokenizer = Tokenizer::new(CountingSink::new(builder), TokenizerOpts::default());
    let sink = &tokenizer.sink;
    let input = BufferQueue::default();
    let mut open_tag = OpenTag::default();
    let mut built = Built::default();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(open_tag.end_of_piece(rest));
        rest = after;
        input.push_back(StrTendril::from_slice(piece));
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
        if is_cancelled() {
            return Err(ToolError::Timeout);
        }
        open_tag.read(piece.as_bytes());
        let attributes = sink.attributes.take();
        assert!(!cfg!(test) || attributes <= open_tag.attributes, "{text:?}");
        if attributes.max(open_tag.attributes) > MAX_ATTRIBUTES
            || sink.root_attributes.get() > MAX_ATTRIBUTES
        {
            return Err(ToolError::Execution(format!(
                "a tag of the page has more than {MAX_ATTRIBUTES} attributes, and the page is not read"
            )));
        }
        if sink.has_token.take() {
            open_tag = OpenTag::after_token(piece);
        }
        built.check(&sink.builder.sink.0.borrow())?;
    }
    tokenizer.end();
    built.check(&sink.builder.sink.0.borrow())?;
    Ok(tokenizer.sink.builder.sink.finish())
}

/// Passes the tokens of the tokenizer to the tree builder and counts their attributes.
struct CountingSink {
    builder: TreeBuilder<NodeId, HtmlTreeSink>,
    /// Whether the last piece had a token.
    has_token: Cell<bool>,
    /// The number of attributes of the tag in the last piece.
    attributes: Cell<usize>,
    /// The number of attributes of all tags `html` and `body`. They are added up because the attributes of
    /// all tags of the same name become attributes of one element.
    root_attributes: Cell<usize>,
}

impl CountingSink {
    fn new(builder: TreeBuilder<NodeId, HtmlTreeSink>) -> Self {
        Self {
            builder,
            has_token: Cell::default(),
            attributes: Cell::default(),
            root_attributes: Cell::default(),
        }
    }
}

impl TokenSink for CountingSink {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line_number: u64) -> TokenSinkResult<NodeId> {
        if let Token::TagToken(tag) = &token {
            self.attributes.set(tag.attrs.len());
            if matches!(tag.name, local_name!("html") | local_name!("body")) {
                let count = self.root_attributes.get() + tag.attrs.len();
                self.root_attributes.set(count);
            }
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

/// The numbers of nodes and attributes that the parser has built.
#[derive(Default)]
struct Built {
    nodes: usize,
    attributes: usize,
    /// The number of attributes that the parser has compared with those of outer elements.
    compared: usize,
}

impl Built {
    /// Counts the nodes and attributes that were built since the previous check.
    ///
    /// # Errors
    /// Execution when the page exceeds a limit.
    fn check(&mut self, html: &Html) -> Result<(), ToolError> {
        let refuse = |reason: String| {
            Err(ToolError::Execution(format!(
                "{reason}, and the page is not read"
            )))
        };
        let mut nodes = html.tree.nodes();
        let new = nodes.len() - self.nodes;
        self.nodes = nodes.len();
        let elements = nodes.clone().rev().take(new).filter_map(ElementRef::wrap);
        let attributes = elements.map(|element| element.value().attrs.len());
        self.attributes += attributes.sum::<usize>();
        if self.nodes > MAX_NODES {
            return refuse(format!(
                "the page has more than {MAX_NODES} elements and texts"
            ));
        }
        if self.attributes > MAX_ALL_ATTRIBUTES {
            return refuse(format!(
                "the elements of the page have more than {MAX_ALL_ATTRIBUTES} attributes"
            ));
        }
        // The last node is the deepest since the previous check, because a piece has at most one tag.
        let Some(last) = nodes.next_back().filter(|_| new > 0) else {
            return Ok(());
        };
        if last.ancestors().count() > MAX_DEPTH {
            return refuse(format!(
                "the elements of the page are nested more than {MAX_DEPTH} levels deep"
            ));
        }
        self.compared += ElementRef::wrap(last).map_or(0, compared_attributes);
        if self.compared > MAX_COMPARED {
            return refuse("nested elements of the page have too many attributes".into());
        }
        Ok(())
    }
}

/// Returns the number of attributes that the parser compares for a new element.
fn compared_attributes(element: ElementRef<'_>) -> usize {
    let attributes = element.value().attrs.len();
    if attributes == 0 || !is_repeated(element.value().name()) {
        return 0;
    }
    let outer = element.ancestors().filter_map(ElementRef::wrap);
    let same = outer.filter(|outer| outer.value().name == element.value().name);
    same.count() * attributes
}

/// Whether the parser repeats an unclosed element in each following paragraph.
fn is_repeated(name: &str) -> bool {
    matches!(
        name,
        "a" | "b"
            | "big"
            | "code"
            | "em"
            | "font"
            | "i"
            | "nobr"
            | "s"
            | "small"
            | "strike"
            | "strong"
            | "tt"
            | "u"
    )
}

/// The tag or the comment that the tokenizer has begun to read: the text after its last token.
#[derive(Default)]
struct OpenTag {
    /// An upper bound of the number of attributes.
    attributes: usize,
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

impl OpenTag {
    /// Returns the state after a piece with a token. A token that ends at `<` is the text before a tag.
    fn after_token(piece: &str) -> Self {
        let state = match piece {
            "<" => TagState::Open,
            _ => TagState::Start,
        };
        Self {
            attributes: 0,
            state,
        }
    }

    /// Returns the length of the next piece, so that no token ends inside of a piece in which a tag begins.
    fn end_of_piece(&self, text: &str) -> usize {
        let max = text.floor_char_boundary(PIECE);
        let bytes = &text.as_bytes()[..max];
        let find = |end: u8| bytes.iter().position(|byte| *byte == end);
        let is_in_name =
            |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'-' || !byte.is_ascii();
        match self.state {
            TagState::Start => find(b'<').map_or(max, |at| at.max(1)),
            TagState::Comment => find(b'>').map_or(max, |at| at + 1),
            TagState::Quoted(quote) => find(quote).map_or(max, |at| at + 1),
            _ => bytes.iter().take_while(is_in_name).count().max(1),
        }
    }

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
            (TagState::Start, _) => TagState::Start,
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
            (TagState::Between | TagState::AfterName, _) if !is_blank => {
                self.attributes += 1;
                TagState::Attribute
            }
            _ => self.state,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

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
            (format!("x<<p a='>b=\"' {}>y", many("a ")), true),
            (format!("&am<p a='>b=\"' {}>y", many("a ")), true),
            (format!("<svg><![CDATA[]]><p {}>", many("a ")), true),
            (format!("<svg><![CDATA[ <p '>]]><p {}>", many("a ")), true),
            (format!("</><p {}>", many("a ")), true),
            (format!("<!x><p a='>' {}>", many("a ")), true),
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
            (format!("<svg><![CDATA[ <p {}]]>", many("a ")), false),
            (format!("<!DOCTYPE p {}>", many("a ")), false),
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

    proptest! {
        /// `parse` compares its count with the attributes of each tag.
        #[test]
        fn counts_at_least_the_attributes_of_each_tag(
            parts in vec(select(PARTS), 0..60)
        ) {
            let _ = parse(&parts.concat(), &|| false);
        }
    }

    /// The parts between which the tokenizer changes its state.
    const PARTS: &[&str] = &[
        "<",
        ">",
        "/",
        "=",
        "'",
        "\"",
        " ",
        "\n",
        "\r",
        "a",
        "b",
        "c",
        "p ",
        "<p ",
        "é",
        "1",
        "-",
        "!",
        "?",
        "&",
        "&am",
        "&amp;",
        "&#",
        ";",
        "]",
        "]]>",
        "<![CDATA[",
        "<!--",
        "-->",
        "--!>",
        "<!DOCTYPE ",
        "<svg>",
        "<math>",
        "<title>",
        "</title",
        "</title>",
        "<script>",
        "</script",
        "<style>",
        "</style>",
        "<textarea>",
        "</textarea",
        "<plaintext>",
        "\0",
        "\u{feff}",
    ];

    #[test]
    fn limits_the_attributes_that_are_copied_and_compared() {
        let attributes =
            |at: usize| -> String { (0..300).map(|name| format!(" a{at}x{name}=1")).collect() };
        let refused = |html: &str, reason: &str| {
            let error = parse(html, &|| false).map(|_| ()).expect_err(reason);
            assert!(error.to_string().contains(reason), "{error}");
        };
        refused(
            &format!("<p><b{}>{}", attributes(0), "<p>x".repeat(80_000)),
            "more than 500000 attributes",
        );
        let nested: String = (0..400)
            .map(|at| format!("<b{}>", attributes(at)))
            .collect();
        refused(&format!("<p>{nested}"), "have too many attributes");
        let links = "<a href=1 class=2 id=3>x</a>".repeat(20_000);
        assert!(parse(&links, &|| false).is_ok());
    }
}
