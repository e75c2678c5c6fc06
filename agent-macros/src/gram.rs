//! `gram!`: any gram, checked, as text.

use crate::agent::{GramText, Source, errors, read_file, read_source, report_inline, report_text};
use crate::report::Report;
use crate::tool_list::take_crate_path;
use agent_spec::check::{Options, check};
use agent_spec::{Code, Diagnostic};
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::LitStr;

/// The text as a string literal, in the canonical layout. For a file, the file is named besides, so
/// that cargo builds again when it changes.
pub(crate) fn expand_gram(input: TokenStream) -> TokenStream {
    let (krate, tokens) = take_crate_path(input);
    let rt = quote!(#krate::__private);
    let report = Report::new();
    let (text, tracked) = read(&report, tokens.into_iter().collect());
    let tracked = tracked.map(|path| quote!(const _: &[#rt::u8] = #rt::include_bytes!(#path);));
    let text = text.unwrap_or_default();
    let errors = report.finish();
    quote!({ #errors #tracked #text })
}

/// The text, and the file that it comes from. Reports what is wrong with it.
fn read(report: &Report, tokens: Vec<TokenTree>) -> (Option<String>, Option<String>) {
    let file = match tokens.as_slice() {
        [
            TokenTree::Ident(word),
            TokenTree::Punct(colon),
            TokenTree::Literal(path),
        ] if word == "file" && colon.as_char() == ':' => {
            syn::parse2::<LitStr>(TokenTree::Literal(path.clone()).into()).ok()
        }
        _ => None,
    };
    let rest = if file.is_some() {
        &[]
    } else {
        tokens.as_slice()
    };
    if let [TokenTree::Ident(word), TokenTree::Punct(colon), ..] = rest
        && colon.as_char() == ':'
    {
        let message =
            format!("`{word}` cannot stand here; `gram!` takes gram, or `file: \"path\"`");
        report.error(word.span(), message);
    }
    let file = file.map(|path| (path.value(), path.span()));
    let source = read_source(report, file, rest, "write gram, such as `(a)-->(b)`");
    if !report.is_empty() {
        return (None, None);
    }
    match source {
        Source::Tokens(tokens) => {
            let text = GramText::of_tokens(tokens);
            report_inline(report, &text, &findings(&text.text));
            (formatted(&text.text), None)
        }
        Source::Literal { text, span } => {
            report_text(report, None, &text, span, &findings(&text));
            (formatted(&text), None)
        }
        Source::File { path, span } => match read_file(report, &path, span) {
            Some(file) => {
                report_text(report, Some(&path), &file.text, span, &findings(&file.text));
                (formatted(&file.text), Some(file.absolute))
            }
            None => (None, None),
        },
    }
}

/// What is wrong with the notation, and with the agents and tools, if there are any.
fn findings(text: &str) -> Vec<Diagnostic> {
    let options = Options {
        keep_unknown_references: true,
        ..Options::default()
    };
    let mut found = errors(&check(text, options));
    found.retain(|found| found.code() != Code::NothingDeclared);
    found
}

fn formatted(text: &str) -> Option<String> {
    agent_gram::format::format_source(text).ok()
}
