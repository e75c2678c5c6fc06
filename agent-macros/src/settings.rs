//! Settings in attributes: a list of `word` and `word = value`.

use crate::report::Report;
use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Ident, LitBool, LitStr, Token};

/// `word` or `word = value`.
pub(crate) struct Setting {
    pub(crate) word: Ident,
    pub(crate) value: Option<TokenStream>,
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        // Keywords are words, too: `crate`, `enum`, `type`.
        let Ok(word) = Ident::parse_any(input) else {
            let found = skip_to_comma(input);
            return Err(syn::Error::new_spanned(
                found,
                "a setting begins with a word, as in `name = \"…\"`",
            ));
        };
        let mut value = None;
        if input.parse::<Option<Token![=]>>()?.is_some() {
            let tokens = skip_to_comma(input);
            if tokens.is_empty() {
                return Err(syn::Error::new(
                    word.span(),
                    format!("`{word} =` needs a value"),
                ));
            }
            value = Some(tokens);
        } else if !input.is_empty() && !input.peek(Token![,]) {
            let found = skip_to_comma(input);
            return Err(syn::Error::new_spanned(
                found,
                format!("a value comes after `=`: write `{word} = …`"),
            ));
        }
        Ok(Self { word, value })
    }
}

fn skip_to_comma(input: ParseStream<'_>) -> TokenStream {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        match input.parse::<proc_macro2::TokenTree>() {
            Ok(token) => tokens.extend([token]),
            Err(_) => break,
        }
    }
    tokens
}

/// A gram type that an attribute states in place of the one that rustc would find.
pub(crate) struct StatedType {
    pub(crate) ty: agent_spec::Type,
    /// The span of the setting.
    pub(crate) span: Span,
}

/// Reads settings one by one and reports their errors.
pub(crate) struct SettingsReader<'r> {
    report: &'r Report,
    seen: Vec<String>,
}

impl<'r> SettingsReader<'r> {
    pub(crate) fn new(report: &'r Report) -> Self {
        Self {
            report,
            seen: Vec::new(),
        }
    }

    /// Returns the report that receives the errors.
    pub(crate) fn report(&self) -> &'r Report {
        self.report
    }

    /// Parses a list of settings. Returns none if the list itself has an error.
    pub(crate) fn settings(&mut self, tokens: TokenStream) -> Vec<Setting> {
        let parser = Punctuated::<Setting, Token![,]>::parse_terminated;
        match parser.parse2(tokens) {
            Ok(settings) => settings.into_iter().collect(),
            Err(error) => {
                self.report.syn(&error);
                Vec::new()
            }
        }
    }

    /// Whether the setting occurs for the first time. Reports a repeated setting.
    pub(crate) fn is_new(&mut self, setting: &Setting) -> bool {
        let word = setting.word.to_string();
        let new = !self.seen.contains(&word);
        if new {
            self.seen.push(word);
        } else {
            self.report.error(
                setting.word.span(),
                format!("`{word}` is given twice; keep one of them"),
            );
        }
        new
    }

    /// Parses the value after `=`. Reports a missing or invalid value, with an example.
    pub(crate) fn value<T: Parse>(&self, setting: &Setting, example: &str) -> Option<T> {
        let word = &setting.word;
        match &setting.value {
            Some(tokens) => match syn::parse2(tokens.clone()) {
                Ok(value) => Some(value),
                Err(error) => {
                    self.report
                        .error(error.span(), format!("write `{word} = {example}`"));
                    None
                }
            },
            None => {
                self.report
                    .error(word.span(), format!("write `{word} = {example}`"));
                None
            }
        }
    }

    /// Parses the type expression after `=`. Reports an invalid one. The span is that of the
    /// literal.
    pub(crate) fn type_expression(&self, setting: &Setting, example: &str) -> Option<StatedType> {
        let literal: LitStr = self.value(setting, example)?;
        let span = literal.span();
        match agent_spec::Type::from_expression(&literal.value()) {
            Ok(ty) => Some(StatedType { ty, span }),
            Err(message) => {
                self.report.error(span, message);
                None
            }
        }
    }

    /// Reads a flag: a word alone, or with `true` or `false`. Returns its span if it is set.
    pub(crate) fn flag(&self, setting: &Setting) -> Option<Span> {
        let on = match &setting.value {
            None => true,
            Some(_) => self.value::<LitBool>(setting, "true")?.value,
        };
        on.then(|| setting.word.span())
    }

    /// Reports an unknown word, and suggests the nearest known one.
    pub(crate) fn unknown(&self, word: &Ident, known: &[&str], place: &str) {
        let name = word.to_string();
        let hint = match agent_spec::names::nearest(&name, known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("known here: {}", known.join(", ")),
        };
        self.report.error(
            word.span(),
            format!("`{name}` is not a setting of {place}; {hint}"),
        );
    }
}

/// The default folder of `export`.
pub(crate) const EXPORT_FOLDER: &str = "gram";

/// Reads a folder from a literal. Reports a folder that is not below the package's own, because the
/// export test must not write elsewhere.
pub(crate) fn read_folder(report: &Report, literal: &LitStr, example: &str) -> Option<String> {
    let folder = literal.value();
    let stays_inside = !folder.trim().is_empty()
        && !folder.starts_with(['/', '\\'])
        && !folder.contains(':')
        && !folder.split(['/', '\\']).any(|part| part == "..");
    if !stays_inside {
        report.error(
            literal.span(),
            format!(
                "the folder must be below that of the package's `Cargo.toml`: write `{example}`"
            ),
        );
        return None;
    }
    Some(folder)
}
