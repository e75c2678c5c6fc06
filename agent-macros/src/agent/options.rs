//! The options before the gram: `tools: […], mcp: […], providers: […], models: "…", deny: […], file: "…", agent: "…",
//! exact, export,`.

use crate::export::{EXPORT_FOLDER, read_folder};
use crate::report::Report;
use crate::tool_list::{Element, is_dynamic, read_list, refuse_repeated};
use agent_spec::names::nearest;
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use std::collections::HashSet;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{LitStr, Token, Type};

/// The options that have a value.
const WITH_VALUE: [&str; 7] = [
    "tools",
    "mcp",
    "providers",
    "models",
    "deny",
    "file",
    "agent",
];

/// A word of `deny` with its flag.
type Denial = (&'static str, fn(&mut Denied) -> &mut bool);

/// The words of `deny`.
const DENIALS: [Denial; 4] = [
    ("retired-model", |denied| &mut denied.retired_model),
    ("leak", |denied| &mut denied.leak),
    ("unbounded", |denied| &mut denied.unbounded),
    ("destructive", |denied| &mut denied.destructive),
];
const TOOLS_EXAMPLE: &str = "write `tools: [say_hello, get_time],`";
const DYNAMIC_EXAMPLE: &str =
    "after `dynamic` comes the name of a tool as in gram: `dynamic getWeather`";

/// A text and the span of its literal.
pub(crate) type SpannedText = (String, Span);

/// The options of `agent!`.
#[derive(Clone, Default)]
pub(crate) struct Options {
    pub(crate) tools: Vec<Element>,
    /// The tools that are known only at run time.
    pub(crate) dynamic: Vec<Dynamic>,
    /// The paths of the documents with the tools of MCP servers.
    pub(crate) mcp: Vec<SpannedText>,
    /// The providers that the program registers.
    pub(crate) providers: Vec<String>,
    /// The path of a catalogue of models.
    pub(crate) models: Option<SpannedText>,
    /// The findings that are errors.
    pub(crate) denied: Denied,
    pub(crate) file: Option<SpannedText>,
    pub(crate) agent: Option<SpannedText>,
    pub(crate) exact: bool,
    /// The folder to export to.
    pub(crate) export: Option<SpannedText>,
}

/// The findings that are errors only if `deny` names them.
#[derive(Clone, Copy, Default)]
pub(crate) struct Denied {
    /// A model that was switched off.
    pub(super) retired_model: bool,
    /// Private data, words of strangers and a tool that sends in one conversation.
    pub(super) leak: bool,
    /// A message whose requests, calls or dollars are not bounded.
    pub(super) unbounded: bool,
    /// A destructive tool whose calls nobody must approve.
    pub(super) destructive: bool,
}

/// A tool that is known only at run time: `dynamic getWeather`.
#[derive(Clone)]
pub(crate) struct Dynamic {
    /// The name in gram.
    pub(super) name: String,
    /// The first token of the name.
    pub(super) start: Span,
    /// The last token of the name.
    pub(super) end: Span,
}

/// An element of the list `tools`.
enum ListElement {
    Static(Element),
    Dynamic(Dynamic),
}

impl Parse for ListElement {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !is_dynamic(input) {
            return input.parse().map(Self::Static);
        }
        input.call(Ident::parse_any)?;
        if let Some(quoted) = input.parse::<Option<syn::LitStr>>()? {
            let message = format!(
                "a tool of run time is named as in gram, without quotes: `dynamic {}`",
                quoted.value()
            );
            return Err(syn::Error::new(quoted.span(), message));
        }
        let first = input.call(Ident::parse_any)?;
        let (mut name, mut end) = (first.unraw().to_string(), first.span());
        // Rust has no names with `-`, so a name with `-` is several tokens.
        while input.peek(Token![-]) {
            input.parse::<Token![-]>()?;
            let (text, span) = match input.parse::<TokenTree>()? {
                TokenTree::Ident(word) => (word.unraw().to_string(), word.span()),
                TokenTree::Literal(number) => (number.to_string(), number.span()),
                other => return Err(syn::Error::new(other.span(), DYNAMIC_EXAMPLE)),
            };
            name = format!("{name}-{text}");
            end = span;
        }
        if !input.is_empty() && !input.peek(Token![,]) {
            return Err(input.error(DYNAMIC_EXAMPLE));
        }
        Ok(Self::Dynamic(Dynamic {
            name,
            start: first.span(),
            end,
        }))
    }
}

/// Reads the options and returns the remaining tokens.
pub(super) fn read_options<'t>(
    report: &Report,
    tokens: &'t [TokenTree],
) -> (Options, &'t [TokenTree]) {
    let mut read = Options::default();
    // A repeated option is read as well, so that errors in it are reported, and then dropped.
    let mut dropped = Options::default();
    let mut seen: Vec<String> = Vec::new();
    let mut rest = tokens;
    while let Some((word, span, after)) = opt_word(report, rest) {
        let is_repeated = !word.is_empty() && seen.contains(&word);
        if is_repeated {
            report.error(span, format!("`{word}` is given twice; keep one of them"));
        }
        let options = match is_repeated {
            true => &mut dropped,
            false => &mut read,
        };
        let before = after;
        rest = match word.as_str() {
            // An unknown option was reported already.
            "" => after,
            "tools" => read_tools(report, options, span, after),
            "mcp" => read_documents(report, &mut options.mcp, span, after),
            "providers" => read_providers(report, &mut options.providers, span, after),
            "models" => read_text(
                report,
                &mut options.models,
                &word,
                "models.gram",
                span,
                after,
            ),
            "deny" => read_denied(report, &mut options.denied, span, after),
            "file" => read_text(
                report,
                &mut options.file,
                &word,
                "agents/hello.gram",
                span,
                after,
            ),
            "agent" => read_text(report, &mut options.agent, &word, "greeter", span, after),
            "export" if is_punct(after.first(), ':') => {
                read_export(report, &mut options.export, span, &after[1..])
            }
            "export" => {
                options.export = Some((EXPORT_FOLDER.to_owned(), span));
                after
            }
            _ => {
                options.exact = true;
                after
            }
        };
        rest = match rest {
            [TokenTree::Punct(comma), more @ ..] if comma.as_char() == ',' => more,
            [] => rest,
            [next, ..] => {
                // An invalid value was reported already.
                if report.is_empty() {
                    let what = match before.len() == rest.len() {
                        true => format!("`{word}`"),
                        false => format!("the value of `{word}`"),
                    };
                    report.error(start(next), format!("a comma is missing after {what}"));
                }
                after_comma(rest)
            }
        };
        seen.push(word);
    }
    refuse_after_gram(report, rest);
    (read, rest)
}

/// Reads `word:` or a word alone, and returns the tokens after it. Gram never begins with a word. Reports
/// unknown and malformed options, for which the word is empty.
fn opt_word<'t>(
    report: &Report,
    tokens: &'t [TokenTree],
) -> Option<(String, Span, &'t [TokenTree])> {
    let [TokenTree::Ident(ident), after @ ..] = tokens else {
        return None;
    };
    let word = ident.to_string();
    let colon = is_colon(after);
    match (word.as_str(), colon) {
        ("export", _) | ("exact", false) => return Some((word, ident.span(), after)),
        ("exact", true) => {
            report.error(after[0].span(), "`exact` takes no value; write `exact,`");
        }
        (known, true) if WITH_VALUE.contains(&known) => {
            return Some((word, ident.span(), &after[1..]));
        }
        (known, false) if WITH_VALUE.contains(&known) => {
            let place = after.first().map_or(ident.span(), TokenTree::span);
            report.error(place, format!("a colon is missing: write `{word}: …`"));
        }
        (_, true) => {
            let known = || WITH_VALUE.into_iter().chain(["exact", "export"]);
            let hint = match nearest(&word, known()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("known here: {}", known().collect::<Vec<_>>().join(", ")),
            };
            let message = format!("`{word}` is not an option of `agent!`; {hint}");
            report.error(ident.span(), message);
        }
        (_, false) => return None,
    }
    Some((String::new(), ident.span(), from_comma(after)))
}

/// Whether a colon is next, and not `::`.
fn is_colon(tokens: &[TokenTree]) -> bool {
    is_punct(tokens.first(), ':') && !is_punct(tokens.get(1), ':')
}

/// Reports options after the gram, where they would be parsed as gram.
fn refuse_after_gram(report: &Report, gram: &[TokenTree]) {
    for (at, token) in gram.iter().enumerate().skip(1) {
        let TokenTree::Ident(ident) = token else {
            continue;
        };
        let word = ident.to_string();
        let after = &gram[at + 1..];
        let is_option = match word.as_str() {
            "exact" | "export" => is_punct(gram.get(at - 1), ',') && after.len() < 2,
            word => WITH_VALUE.contains(&word) && is_colon(after),
        };
        if is_option {
            report.error(
                ident.span(),
                format!("options come before the gram; move `{word}` there"),
            );
            return;
        }
    }
}

/// Reads a list in brackets, or the name of a set.
fn read_tools<'t>(
    report: &Report,
    options: &mut Options,
    span: Span,
    value: &'t [TokenTree],
) -> &'t [TokenTree] {
    match value {
        [TokenTree::Group(list), rest @ ..] if list.delimiter() == Delimiter::Bracket => {
            for element in read_list(report, list.stream(), TOOLS_EXAMPLE) {
                match element {
                    ListElement::Static(tool) => options.tools.push(tool),
                    ListElement::Dynamic(tool) => options.dynamic.push(tool),
                }
            }
            refuse_repeated(report, &mut options.tools, "agent");
            refuse_repeated_dynamic(report, &mut options.dynamic);
            rest
        }
        [TokenTree::Ident(_), ..] => read_set(report, options, value),
        [TokenTree::Punct(punct), ..] if matches!(punct.as_char(), '<' | ':') => {
            read_set(report, options, value)
        }
        _ => {
            report.error(
                value.first().map_or(span, TokenTree::span),
                format!("{TOOLS_EXAMPLE} or the name of a set, `tools: GREETERS,`"),
            );
            from_comma(value)
        }
    }
}

fn refuse_repeated_dynamic(report: &Report, tools: &mut Vec<Dynamic>) {
    let mut seen = HashSet::new();
    tools.retain(|Dynamic { name, start, end }| {
        let is_new = seen.insert(name.clone());
        if !is_new {
            let message =
                format!("`{name}` is already among the tools of this agent; remove it here");
            report.error_between(*start, *end, message);
        }
        is_new
    });
}

/// Reads a list of string literals in brackets. Reports any other value, with an example.
pub(crate) fn read_texts<'t>(
    report: &Report,
    span: Span,
    value: &'t [TokenTree],
    may_be_empty: bool,
    example: &str,
) -> (Vec<LitStr>, &'t [TokenTree]) {
    let [TokenTree::Group(list), rest @ ..] = value else {
        report.error(value.first().map_or(span, start), example);
        return (Vec::new(), from_comma(value));
    };
    let parser = Punctuated::<LitStr, Token![,]>::parse_terminated;
    let place = match parser.parse2(list.stream()) {
        Ok(texts)
            if list.delimiter() == Delimiter::Bracket && (may_be_empty || !texts.is_empty()) =>
        {
            return (texts.into_iter().collect(), rest);
        }
        Ok(_) => list.span_open(),
        Err(error) => error.span(),
    };
    report.error(place, example);
    (Vec::new(), rest)
}

/// Reads a list of paths in brackets.
fn read_documents<'t>(
    report: &Report,
    documents: &mut Vec<SpannedText>,
    span: Span,
    value: &'t [TokenTree],
) -> &'t [TokenTree] {
    const EXAMPLE: &str = "write `mcp: [\"mcp/files.gram\"],`: the paths, as literals, of the documents that \
                           `agent mcp import` wrote";
    let (paths, rest) = read_texts(report, span, value, true, EXAMPLE);
    for path in paths {
        let (text, place) = (path.value(), path.span());
        if documents.iter().any(|(known, _)| *known == text) {
            report.error(place, format!("`{text}` is listed twice; keep one of them"));
        } else {
            documents.push((text, place));
        }
    }
    rest
}

/// Reads a list of words in brackets, each a finding that is an error only if it is named here.
fn read_denied<'t>(
    report: &Report,
    denied: &mut Denied,
    span: Span,
    value: &'t [TokenTree],
) -> &'t [TokenTree] {
    const EXAMPLE: &str = "write `deny: [\"retired-model\"],`";
    let (words, rest) = read_texts(report, span, value, false, EXAMPLE);
    for word in words {
        let text = word.value();
        let known = || DENIALS.into_iter().map(|(word, _)| word);
        let Some((_, flag)) = DENIALS.into_iter().find(|(word, _)| *word == text) else {
            let hint = match nearest(&text, known()) {
                Some(meant) => format!("did you mean \"{meant}\"?"),
                None => {
                    let known: Vec<String> = known().map(|word| format!("\"{word}\"")).collect();
                    format!("known here: {}", known.join(", "))
                }
            };
            let message = format!("\"{text}\" is not a word of `deny`; {hint}");
            report.error(word.span(), message);
            continue;
        };
        if std::mem::replace(flag(denied), true) {
            let message = format!("\"{text}\" is listed twice; keep one of them");
            report.error(word.span(), message);
        }
    }
    rest
}

fn read_set<'t>(report: &Report, options: &mut Options, value: &'t [TokenTree]) -> &'t [TokenTree] {
    let parser = |input: ParseStream<'_>| {
        let ty: Type = input.parse()?;
        let left = input.parse::<TokenStream>()?;
        Ok((ty, left.into_iter().count()))
    };
    match parser.parse2(value.iter().cloned().collect()) {
        Ok((ty, left)) => {
            options.tools = vec![Element::Spread(Box::new(ty))];
            &value[value.len() - left..]
        }
        Err(error) => {
            report.error(error.span(), TOOLS_EXAMPLE);
            from_comma(value)
        }
    }
}

/// Reads a string literal. Other expressions have no value during expansion.
fn read_text<'t>(
    report: &Report,
    text: &mut Option<SpannedText>,
    word: &str,
    example: &str,
    span: Span,
    value: &'t [TokenTree],
) -> &'t [TokenTree] {
    if let [TokenTree::Literal(literal), rest @ ..] = value
        && let Ok(read) = syn::parse2::<LitStr>(TokenTree::Literal(literal.clone()).into())
    {
        *text = Some((read.value(), read.span()));
        return rest;
    }
    let mut message = format!("write `{word}: \"{example}\",`");
    if matches!(value.first(), Some(TokenTree::Ident(_))) {
        message.push_str(
            ": a literal, since other macros and constants have no value yet when `agent!` runs",
        );
    }
    report.error(value.first().map_or(span, TokenTree::span), message);
    from_comma(value)
}

/// Reads the folder of `export`, which must be below the folder of the package.
fn read_export<'t>(
    report: &Report,
    folder: &mut Option<SpannedText>,
    span: Span,
    value: &'t [TokenTree],
) -> &'t [TokenTree] {
    let rest = read_text(report, folder, "export", EXPORT_FOLDER, span, value);
    if let Some((text, place)) = folder {
        let literal = LitStr::new(text, *place);
        read_folder(report, &literal, "export: \"gram\",");
    }
    rest
}

/// Returns the span at which a token begins. A group begins with its bracket.
pub(crate) fn start(token: &TokenTree) -> Span {
    match token {
        TokenTree::Group(group) => group.span_open(),
        token => token.span(),
    }
}

pub(super) fn from_comma(tokens: &[TokenTree]) -> &[TokenTree] {
    let comma = tokens.iter().position(|token| is_punct(Some(token), ','));
    &tokens[comma.unwrap_or(tokens.len())..]
}

pub(super) fn after_comma(tokens: &[TokenTree]) -> &[TokenTree] {
    from_comma(tokens).get(1..).unwrap_or(&[])
}

pub(super) fn is_punct(token: Option<&TokenTree>, ch: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ch)
}

/// Reads a list of names in brackets.
pub(crate) fn read_providers<'t>(
    report: &Report,
    providers: &mut Vec<String>,
    span: Span,
    value: &'t [TokenTree],
) -> &'t [TokenTree] {
    const EXAMPLE: &str = "write `providers: [\"Acme\"],`: the names, as literals, under which the program registers \
                           providers with its runtime";
    let (names, rest) = read_texts(report, span, value, false, EXAMPLE);
    for literal in names {
        let name = literal.value();
        if name.is_empty() || name.contains('/') {
            report.error(
                literal.span(),
                format!(
                    "`{name}` cannot be a provider: its name is the text before the `/` of a \
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
    rest
}
