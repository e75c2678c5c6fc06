//! The head of an agent that is an item: `pub static GREETER,`.

use super::options::start;
use crate::report::Report;
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::TokenStreamExt as _;

/// What the agent is called, and how it is seen.
pub(super) struct Item {
    /// Its attributes and visibility, as written.
    pub(super) before: TokenStream,
    /// `static` or `const`.
    pub(super) keyword: Ident,
    pub(super) name: Ident,
}

/// The head, if there is one, and what follows. Gram never starts so: what it has outside of
/// brackets are references to nothing.
pub(super) fn opt_item<'t>(
    report: &Report,
    tokens: &'t [TokenTree],
) -> (Option<Item>, &'t [TokenTree]) {
    let mut at = 0;
    while let [TokenTree::Punct(hash), TokenTree::Group(_), ..] = &tokens[at..]
        && hash.as_char() == '#'
    {
        at += 2;
    }
    if is_word(tokens.get(at), "pub") {
        at += 1;
        let is_restriction =
            |group: &proc_macro2::Group| group.delimiter() == Delimiter::Parenthesis;
        if matches!(tokens.get(at), Some(TokenTree::Group(group)) if is_restriction(group)) {
            at += 1;
        }
    }
    let (Some(TokenTree::Ident(keyword)), Some(TokenTree::Ident(name))) =
        (tokens.get(at), tokens.get(at + 1))
    else {
        return (None, tokens);
    };
    if !(keyword == "static" || keyword == "const") {
        return (None, tokens);
    }
    let mut before = TokenStream::new();
    before.append_all(&tokens[..at]);
    let item = Item {
        before,
        keyword: keyword.clone(),
        name: name.clone(),
    };
    let mut rest = &tokens[at + 2..];
    match rest {
        [TokenTree::Punct(comma), more @ ..] if comma.as_char() == ',' => rest = more,
        [TokenTree::Punct(colon), more @ ..] if colon.as_char() == ':' => {
            report.error(
                colon.span(),
                "an agent needs no type here; write a comma after its name",
            );
            rest = after_comma(more);
        }
        [TokenTree::Punct(equals), more @ ..] if equals.as_char() == '=' => {
            report.error(
                equals.span(),
                "write a comma after the name, then options and gram",
            );
            rest = after_comma(more);
        }
        [next, ..] => {
            report.error(start(next), format!("a comma is missing after `{name}`"));
        }
        [] => {}
    }
    (Some(item), rest)
}

fn after_comma(tokens: &[TokenTree]) -> &[TokenTree] {
    let comma =
        |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    match tokens.iter().position(comma) {
        Some(at) => &tokens[at + 1..],
        None => &[],
    }
}

fn is_word(token: Option<&TokenTree>, word: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(ident)) if ident == word)
}
