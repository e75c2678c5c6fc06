//! `gram!`: checks any gram and expands to its text. `providers: ["Acme"],` is allowed before it.

use crate::agent::{Document, errors, read_providers, read_source, start};
use crate::report::Report;
use crate::source_file::refuse_as_item;
use crate::tool_list::take_crate_path;
use agent_gram::format::format_source;
use agent_spec::check::{NOT_AN_AGENT, Options, check};
use agent_spec::{Code, Diagnostic};
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::LitStr;

/// Expands to the text as a string literal, in the canonical layout. For a file, the expansion also
/// names the file, so that cargo rebuilds when it changes.
pub(crate) fn expand_gram(input: TokenStream) -> TokenStream {
    let (krate, tokens) = take_crate_path(input);
    let rt = quote!(#krate::__private);
    let advice = "write `const NAME: &str = gram! { … };`";
    if let Some(misplaced) = refuse_as_item("gram", &tokens, advice) {
        return misplaced;
    }
    let report = Report::default();
    let document = read(&report, tokens.into_iter().collect());
    let tracked = document.as_ref().and_then(|document| document.tracked(&rt));
    let text = document.and_then(|document| format_source(document.text()).ok());
    let text = text.unwrap_or_default();
    let errors = report.finish();
    quote!({ #errors #tracked #text })
}

/// Reads the gram. Reports its errors.
fn read(report: &Report, tokens: Vec<TokenTree>) -> Option<Document> {
    let (providers, tokens) = providers_before(report, &tokens);
    let file = match tokens {
        [
            TokenTree::Ident(word),
            TokenTree::Punct(colon),
            TokenTree::Literal(path),
        ] if word == "file" && colon.as_char() == ':' => {
            syn::parse2::<LitStr>(TokenTree::Literal(path.clone()).into()).ok()
        }
        _ => None,
    };
    let rest = if file.is_some() { &[] } else { tokens };
    if let [TokenTree::Ident(word), TokenTree::Punct(colon), ..] = rest
        && colon.as_char() == ':'
    {
        let message = if word == "providers" {
            "`providers` is given twice; keep one of them".to_owned()
        } else {
            format!(
                "`{word}` is not allowed here; `gram!` takes gram, or `file: \"path\"`, and before it \
                 `providers: [\"Acme\"],`"
            )
        };
        report.error(word.span(), message);
    }
    let file = file.map(|path| (path.value(), path.span()));
    let source = read_source(report, file, rest, "write gram, such as `(a)-->(b)`");
    if !report.is_empty() {
        return None;
    }
    let document = Document::read(report, &source)?;
    document.report(report, &findings(document.text(), &providers));
    Some(document)
}

/// Reads `providers: ["Acme"],`, if it is there. Returns the names and the remaining tokens.
fn providers_before<'t>(
    report: &Report,
    tokens: &'t [TokenTree],
) -> (Vec<String>, &'t [TokenTree]) {
    let mut providers = Vec::new();
    let (word, value) = match tokens {
        [TokenTree::Ident(word), TokenTree::Punct(colon), value @ ..]
            if word == "providers" && colon.as_char() == ':' =>
        {
            (word, value)
        }
        _ => return (providers, tokens),
    };
    let rest = match read_providers(report, &mut providers, word.span(), value) {
        [TokenTree::Punct(comma), rest @ ..] if comma.as_char() == ',' => rest,
        rest => {
            // An invalid value was reported already.
            if report.is_empty() {
                let place = rest.first().map_or(word.span(), start);
                report.error(place, "a comma is missing after the value of `providers`");
            }
            rest
        }
    };
    (providers, rest)
}

/// Returns the diagnostics about the notation, and about agents and tools if there are any.
fn findings(text: &str, providers: &[String]) -> Vec<Diagnostic> {
    let providers: Vec<&str> = providers.iter().map(String::as_str).collect();
    let options = Options {
        providers: &providers,
        keep_unknown_references: true,
        ..Options::default()
    };
    let mut found = errors(&check(text, options));
    // `gram!` accepts any pattern, so a pattern that could be an agent is not an error.
    found.retain(|found| found.code() != Code::NothingDeclared && found.message() != NOT_AN_AGENT);
    found
}

#[cfg(test)]
mod tests {
    use super::expand_gram;

    fn expansion(source: &str) -> String {
        let input = format!("{{::agent_runtime}} {source}");
        expand_gram(input.parse().expect("test input lexes")).to_string()
    }

    #[test]
    fn expands_to_the_text() {
        let expanded = expansion("(a)-->(b   {k: 1})");
        assert!(!expanded.contains("compile_error"), "{expanded}");
        assert!(expanded.contains("\"(a)-->(b {k: 1})"), "{expanded}");
    }

    #[test]
    fn knows_the_providers_that_are_named() {
        let agent = "[a:Agent {instruction: \"i\", model: \"Acme/m\"}]";
        assert!(expansion(agent).contains("compile_error"));
        let expanded = expansion(&format!("providers: [\"Acme\"], {agent}"));
        assert!(!expanded.contains("compile_error"), "{expanded}");
    }
}
