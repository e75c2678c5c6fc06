//! The two parsers, each with a yes or a no.

/// Whether the official parser takes a text.
pub(crate) fn official_accepts(source: &str) -> bool {
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(&tree_sitter_gram::LANGUAGE.into())
        .expect("the grammar fits the parser");
    let tree = parser.parse(source, None).expect("no time limit is set");
    !tree.root_node().has_error()
}

/// Whether we take it.
pub(crate) fn we_accept(source: &str) -> bool {
    agent_gram::parse(source).errors.is_empty()
}
