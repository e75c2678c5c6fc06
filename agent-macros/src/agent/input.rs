//! Parses the input of `agent!(…)`: the head of an item, if there is one; options; gram.

use super::document::GramSource;
use super::locks::Locks;
use super::models::Models;
use super::options::{Options, SpannedText, after_comma, is_punct, read_options, start};
use crate::report::Report;
use crate::tool_list::take_crate_path;
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Attribute, LitStr, Path, Token, Visibility};

const EXAMPLE: &str = "write the agent: gram such as `[name:Agent {…} | …]`";

/// The parsed input.
pub(crate) struct Input {
    /// The path of agent-runtime.
    pub(crate) krate: TokenStream,
    /// The name of the agent as an item; `None` for an expression.
    pub(crate) item: Option<Item>,
    pub(crate) options: Options,
    pub(crate) source: GramSource,
    /// The tools of MCP servers.
    pub(crate) locks: Locks,
    pub(crate) models: Models,
}

/// Parses the input. Its first token is the group with the path of agent-runtime, which the public
/// macro adds.
pub(super) fn parse_input(report: &Report, input: TokenStream) -> Input {
    let (krate, tokens) = take_crate_path(input);
    let tokens: Vec<TokenTree> = flat(tokens).collect();
    let (item, rest) = opt_item(report, &tokens);
    let (mut options, rest) = read_options(report, rest);
    if let (Some((_, span)), None) = (&options.export, &item) {
        report.error(
            *span,
            "`export` adds a test, which is not allowed in an expression; write an item: \
             `agent! { pub static GREETER, export, … }`",
        );
    }
    let source = read_source(report, options.file.take(), rest, EXAMPLE);
    let locks = Locks::read(report, &options.mcp);
    let models = Models::read(
        report,
        options.models.as_ref(),
        options.denied.retired_model,
    );
    Input {
        krate,
        item,
        options,
        source,
        locks,
        models,
    }
}

/// Removes the invisible groups of arguments that a declarative macro passed on, such as a
/// `$text:literal`.
pub(crate) fn flat(tokens: TokenStream) -> Box<dyn Iterator<Item = TokenTree>> {
    Box::new(tokens.into_iter().flat_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => flat(group.stream()),
        token => Box::new(std::iter::once(token)),
    }))
}

/// The name and the visibility of an agent that is an item.
pub(crate) struct Item {
    /// Its attributes and visibility.
    pub(super) before: TokenStream,
    /// `static` or `const`.
    pub(super) keyword: Ident,
    pub(super) name: Ident,
}

/// Parses the head of an item, if there is one, and returns the remaining tokens. Gram never begins
/// with a head, because outside of brackets it has no names.
pub(super) fn opt_item<'t>(
    report: &Report,
    tokens: &'t [TokenTree],
) -> (Option<Item>, &'t [TokenTree]) {
    let head = |input: ParseStream<'_>| {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility: Visibility = input.parse()?;
        let item = Item {
            before: quote!(#(#attributes)* #visibility),
            keyword: input.call(Ident::parse_any)?,
            name: input.call(Ident::parse_any)?,
        };
        let rest: TokenStream = input.parse()?;
        Ok((item, rest.into_iter().count()))
    };
    let (item, mut rest) = match head.parse2(tokens.iter().cloned().collect()) {
        Ok((item, left)) if item.keyword == "static" || item.keyword == "const" => {
            (item, &tokens[tokens.len() - left..])
        }
        _ => return (None, tokens),
    };
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
            report.error(
                start(next),
                format!("a comma is missing after `{}`", item.name),
            );
        }
        [] => {}
    }
    (Some(item), rest)
}

/// Reads the source after the options. Reports tokens that cannot be gram; without tokens, shows an
/// example.
pub(crate) fn read_source(
    report: &Report,
    file: Option<SpannedText>,
    rest: &[TokenTree],
    example: &str,
) -> GramSource {
    if let Some((path, span)) = file {
        if let (Some(token), true) = (rest.first(), report.is_empty()) {
            report.error(
                start(token),
                "with `file: \"…\"` no gram can follow; remove one of them",
            );
        }
        return GramSource::File { path, span };
    }
    if let [TokenTree::Literal(literal), after @ ..] = rest
        && let Ok(text) = syn::parse2::<LitStr>(TokenTree::Literal(literal.clone()).into())
        && let [] | [TokenTree::Punct(_)] = after
        && (after.is_empty() || is_punct(after.first(), ','))
    {
        return GramSource::Literal {
            text: text.value(),
            span: literal.span(),
        };
    }
    if report.is_empty() {
        refuse_what_is_no_gram(report, rest, example);
    }
    GramSource::Tokens(rest.iter().cloned().collect())
}

/// Reports other macros and constants, which have no value during expansion.
fn refuse_what_is_no_gram(report: &Report, rest: &[TokenTree], example: &str) {
    let Some(first) = rest.first() else {
        report.error(Span::call_site(), format!("{example}, or `file: \"path\"`"));
        return;
    };
    let parser = |input: ParseStream<'_>| {
        let path = input.call(Path::parse_mod_style)?;
        let is_macro = input.peek(Token![!]);
        input.parse::<Option<Token![,]>>()?;
        let is_alone = input.is_empty();
        input.parse::<TokenStream>()?;
        Ok((
            quote!(#path).to_string().replace(' ', ""),
            is_macro,
            is_alone,
        ))
    };
    let Ok((path, is_macro, is_alone)) = parser.parse2(rest.iter().cloned().collect()) else {
        return;
    };
    if is_macro {
        let way_out = if path.ends_with("include_str") {
            "write `file: \"path\"`, relative to the folder of the package's Cargo.toml"
        } else {
            "write the text as one string literal, or `file: \"path\"`"
        };
        report.error(
            first.span(),
            format!(
                "`{path}!` is not allowed here: other macros are expanded after this one; {way_out}"
            ),
        );
    } else if is_alone {
        report.error(
            first.span(),
            format!(
                "`{path}` is no gram: constants have no value yet when this macro runs; write the \
                 gram itself, one string literal, or `file: \"path\"`"
            ),
        );
    }
}
