//! `providers: ["Acme"]`: names that the program registers with its runtime.

use super::options::{from_comma, start};
use crate::report::Report;
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{LitStr, Token};

const EXAMPLE: &str = "write `providers: [\"Acme\"],`: the names, as literals, under which the \
                       program registers providers with its runtime";

/// Reads a list of names in brackets.
pub(crate) fn read_providers<'t>(
    report: &Report,
    providers: &mut Vec<String>,
    span: Span,
    value: &'t [TokenTree],
) -> &'t [TokenTree] {
    match value {
        [TokenTree::Group(list), rest @ ..] if list.delimiter() == Delimiter::Bracket => {
            read_names(report, providers, list.span_open(), list.stream());
            rest
        }
        _ => {
            report.error(value.first().map_or(span, start), EXAMPLE);
            from_comma(value)
        }
    }
}

fn read_names(report: &Report, providers: &mut Vec<String>, span: Span, list: TokenStream) {
    let parser = Punctuated::<LitStr, Token![,]>::parse_terminated;
    let names = match parser.parse2(list) {
        Ok(names) if !names.is_empty() => names,
        Ok(_) => return report.error(span, EXAMPLE),
        Err(error) => return report.error(error.span(), EXAMPLE),
    };
    for literal in names {
        let name = literal.value();
        if name.is_empty() || name.contains('/') {
            report.error(
                literal.span(),
                format!(
                    "`{name}` cannot be a provider: its name is what stands before the `/` of a \
                     model, such as `Acme` of `Acme/large`"
                ),
            );
        } else if providers.contains(&name) {
            report.error(
                literal.span(),
                format!("the provider `{name}` is listed twice; keep one of them"),
            );
        } else {
            providers.push(name);
        }
    }
}
