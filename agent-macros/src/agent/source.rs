//! Where the gram is.

use super::options::{Spanned, is_punct, start};
use crate::report::Report;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::TokenStreamExt as _;
use syn::LitStr;

/// Where the gram is.
pub(crate) enum Source {
    /// In the macro's own tokens.
    Tokens(TokenStream),
    /// In one string literal.
    Literal { text: String, span: Span },
    /// In a file.
    File { path: String, span: Span },
}

impl Source {
    /// What rustc marks when a finding is about all of it.
    pub(super) fn span(&self) -> Span {
        match self {
            Source::Tokens(tokens) => tokens
                .clone()
                .into_iter()
                .next()
                .map_or_else(Span::call_site, |token| token.span()),
            Source::Literal { span, .. } | Source::File { span, .. } => *span,
        }
    }
}

/// What stands after the options. Reports what can never be gram; where nothing stands, what to
/// write.
pub(crate) fn read_source(
    report: &Report,
    file: Option<Spanned>,
    rest: &[TokenTree],
    example: &str,
) -> Source {
    if let Some((path, span)) = file {
        if let (Some(token), true) = (rest.first(), report.is_empty()) {
            report.error(
                start(token),
                "with `file: \"…\"` no gram can follow; remove one of them",
            );
        }
        return Source::File { path, span };
    }
    if let [TokenTree::Literal(literal), after @ ..] = rest
        && let Ok(text) = syn::parse2::<LitStr>(TokenTree::Literal(literal.clone()).into())
        && let [] | [TokenTree::Punct(_)] = after
        && (after.is_empty() || is_punct(after.first(), ','))
    {
        return Source::Literal {
            text: text.value(),
            span: literal.span(),
        };
    }
    if report.is_empty() {
        refuse_what_is_no_gram(report, rest, example);
    }
    let mut tokens = TokenStream::new();
    tokens.append_all(rest);
    Source::Tokens(tokens)
}

/// Other macros and constants: they have no value yet.
fn refuse_what_is_no_gram(report: &Report, rest: &[TokenTree], example: &str) {
    let Some(first) = rest.first() else {
        report.error(Span::call_site(), format!("{example}, or `file: \"path\"`"));
        return;
    };
    let is_path =
        |token: &TokenTree| matches!(token, TokenTree::Ident(_)) || is_punct(Some(token), ':');
    let path: String = rest
        .iter()
        .take_while(|token| is_path(token))
        .map(ToString::to_string)
        .collect();
    if path.is_empty() {
        return;
    }
    let after = &rest[rest.iter().take_while(|token| is_path(token)).count()..];
    if is_punct(after.first(), '!') {
        let way_out = if path.ends_with("include_str") {
            "write `file: \"path\"`, relative to the folder of the package's Cargo.toml"
        } else {
            "write the text as one string literal, or `file: \"path\"`"
        };
        report.error(
            first.span(),
            format!(
                "`{path}!` cannot stand here: other macros are expanded after this one; {way_out}"
            ),
        );
    } else if after.is_empty() || (is_punct(after.first(), ',') && after.len() == 1) {
        report.error(
            first.span(),
            format!(
                "`{path}` is no gram: constants have no value yet when this macro runs; write the \
                 gram itself, one string literal, or `file: \"path\"`"
            ),
        );
    }
}
