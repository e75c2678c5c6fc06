//! What stands in `agent!(…)`: options, then gram.

use crate::report::Report;
use agent_spec::names::nearest;
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::quote;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{LitStr, Path, Token};

const TOOLS: &str = "tools";
const FILE: &str = "file";
const AGENT: &str = "agent";
const EXACT: &str = "exact";

/// The options and where the gram is.
pub(super) struct Input {
    /// The path of agent-runtime.
    pub(super) krate: TokenStream,
    pub(super) tools: Vec<Path>,
    pub(super) agent: Option<(String, Span)>,
    pub(super) exact: bool,
    pub(super) source: Source,
}

/// Where the gram is.
pub(super) enum Source {
    /// In the macro's own tokens.
    Tokens(TokenStream),
    /// In one string literal.
    Literal { text: String, span: Span },
    /// In a file.
    File { path: String, span: Span },
}

/// Reads the options. The first token is the group with the path of agent-runtime, which the
/// public macro puts there.
pub(super) fn parse_input(report: &Report, input: TokenStream) -> Input {
    let mut tokens: Vec<TokenTree> = input.into_iter().collect();
    let krate = match tokens.first() {
        Some(TokenTree::Group(group)) => group.stream(),
        _ => quote!(::agent_runtime),
    };
    tokens.remove(0);
    let mut read = Input {
        krate,
        tools: Vec::new(),
        agent: None,
        exact: false,
        source: Source::Tokens(TokenStream::new()),
    };
    let mut file = None;
    let mut rest = tokens.as_slice();
    refuse_unknown_option(report, rest);
    while let Some((word, span, after)) = option_word(rest) {
        let value = &after[..end_of_value(after)];
        rest = &after[value.len()..];
        if let [TokenTree::Punct(_), more @ ..] = rest {
            rest = more;
        }
        refuse_unknown_option(report, rest);
        match word.as_str() {
            TOOLS => read.tools = read_tools(report, span, value),
            FILE => file = read_text(report, span, value, FILE, "agents/hello.gram"),
            AGENT => read.agent = read_text(report, span, value, AGENT, "hello_world_agent"),
            _ => read.exact = true,
        }
    }
    if let Some((path, span)) = file {
        if let Some(token) = rest.first() {
            report.error(
                token.span(),
                "with `file: \"…\"` no gram can follow; remove one of them",
            );
        }
        read.source = Source::File { path, span };
    } else if let [TokenTree::Literal(literal)] = rest
        && let Ok(text) = syn::parse2::<LitStr>(TokenTree::Literal(literal.clone()).into())
    {
        read.source = Source::Literal {
            text: text.value(),
            span: literal.span(),
        };
    } else {
        if rest.is_empty() && report.is_empty() {
            report.error(
                Span::call_site(),
                "write the agent: gram such as `[name:Agent {…} | …]`, or `file: \"path\"`",
            );
        }
        read.source = Source::Tokens(rest.iter().cloned().collect());
    }
    read
}

/// `word:` or `exact`, and what comes after. Gram itself never starts with a word and a colon.
fn option_word(tokens: &[TokenTree]) -> Option<(String, Span, &[TokenTree])> {
    let TokenTree::Ident(ident) = tokens.first()? else {
        return None;
    };
    let word = ident.to_string();
    let is_colon = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    match word.as_str() {
        EXACT if !is_colon(tokens.get(1)) => Some((word, ident.span(), &tokens[1..])),
        TOOLS | FILE | AGENT if is_colon(tokens.get(1)) && !is_colon(tokens.get(2)) => {
            Some((word, ident.span(), &tokens[2..]))
        }
        _ => None,
    }
}

/// Reports `word:` that is no option: gram itself never starts so.
fn refuse_unknown_option(report: &Report, tokens: &[TokenTree]) {
    let [TokenTree::Ident(ident), TokenTree::Punct(colon), ..] = tokens else {
        return;
    };
    let known = [TOOLS, FILE, AGENT, EXACT];
    let word = ident.to_string();
    if colon.as_char() != ':' || known.contains(&word.as_str()) {
        return;
    }
    let hint = match nearest(&word, known) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("known here: {}", known.join(", ")),
    };
    report.error(
        ident.span(),
        format!("`{word}` is not an option of `agent!`; {hint}"),
    );
}

fn end_of_value(tokens: &[TokenTree]) -> usize {
    tokens
        .iter()
        .position(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ','))
        .unwrap_or(tokens.len())
}

fn read_tools(report: &Report, span: Span, value: &[TokenTree]) -> Vec<Path> {
    const EXAMPLE: &str = "write `tools: [say_hello, get_time],`";
    let list: &Group = match value {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Bracket => group,
        [TokenTree::Group(group), next, ..] if group.delimiter() == Delimiter::Bracket => {
            report.error(next.span(), "a comma is missing after the list of tools");
            return Vec::new();
        }
        _ => {
            report.error(value.first().map_or(span, TokenTree::span), EXAMPLE);
            return Vec::new();
        }
    };
    let parser = Punctuated::<Path, Token![,]>::parse_terminated;
    match parser.parse2(list.stream()) {
        Ok(paths) => paths.into_iter().collect(),
        Err(error) => {
            report.error(
                error.span(),
                format!("a tool is named by its function; {EXAMPLE}"),
            );
            Vec::new()
        }
    }
}

fn read_text(
    report: &Report,
    span: Span,
    value: &[TokenTree],
    word: &str,
    example: &str,
) -> Option<(String, Span)> {
    let tokens: TokenStream = value.iter().cloned().collect();
    match syn::parse2::<LitStr>(tokens) {
        Ok(text) => Some((text.value(), text.span())),
        Err(_) => {
            let span = value.first().map_or(span, TokenTree::span);
            report.error(span, format!("write `{word}: \"{example}\",`"));
            None
        }
    }
}
