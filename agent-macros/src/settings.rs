//! Settings in attributes: a list of `word` and `word = value`.

use crate::report::Report;
use agent_spec::case::Case;
use agent_spec::names::nearest;
use proc_macro2::{Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Ident, LitBool, LitStr, Path, Token};

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

impl Setting {
    /// Returns the tokens of the value, if there is one.
    pub(crate) fn value(&self) -> Vec<TokenTree> {
        self.value.iter().cloned().flatten().collect()
    }
}

/// Returns the tokens before the next comma.
pub(crate) fn skip_to_comma(input: ParseStream<'_>) -> TokenStream {
    let mut tokens = TokenStream::new();
    while !input.peek(Token![,])
        && let Ok(token) = input.parse::<TokenTree>()
    {
        tokens.extend([token]);
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

    /// Parses a list of settings, and calls a function with each. Reports a repeated setting instead.
    pub(crate) fn each(&mut self, tokens: TokenStream, mut take: impl FnMut(&Self, &Setting)) {
        let parser = Punctuated::<Setting, Token![,]>::parse_terminated;
        let settings = match parser.parse2(tokens) {
            Ok(settings) => settings,
            Err(error) => return self.report.syn(&error),
        };
        for setting in &settings {
            let word = setting.word.to_string();
            if self.seen.contains(&word) {
                let message = format!("`{word}` is given twice; keep one of them");
                self.report.error(setting.word.span(), message);
            } else {
                self.seen.push(word);
                take(self, setting);
            }
        }
    }

    /// Parses the value after `=`. Reports a missing or invalid value, with an example.
    pub(crate) fn value<T: Parse>(&self, setting: &Setting, example: &str) -> Option<T> {
        let word = &setting.word;
        let parsed = setting.value.clone().map(syn::parse2);
        let place = match parsed {
            Some(Ok(value)) => return Some(value),
            Some(Err(error)) => error.span(),
            None => word.span(),
        };
        let message = format!("write `{word} = {example}`");
        self.report.error(place, message);
        None
    }

    /// Parses the type expression after `=`. Reports an invalid one. The span is the span of the
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

    /// Parses the case of names after `=`.
    pub(crate) fn case(&self, setting: &Setting) -> Option<Case> {
        let literal: LitStr = self.value(setting, "\"snake_case\"")?;
        let name = literal.value();
        let case = Case::from_name(&name);
        if case.is_none() {
            let hint = match nearest(&name, Case::ALL.map(Case::name)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("it is one of {}", Case::ALL.map(Case::name).join(", ")),
            };
            let message = format!("`{name}` is no case of names; {hint}");
            self.report.error(literal.span(), message);
        }
        case
    }

    /// Parses the path of a crate after `=`.
    pub(crate) fn crate_path(&self, setting: &Setting) -> Option<Path> {
        let tokens = setting.value.clone();
        let path = tokens.and_then(|tokens| Path::parse_mod_style.parse2(tokens).ok());
        if path.is_none() {
            let message = "write the path of the crate: `crate = path::to::agent_runtime`";
            self.report.error(setting.word.span(), message);
        }
        path
    }

    /// Reports an unknown word, and suggests the nearest known one.
    pub(crate) fn unknown(&self, word: &Ident, known: &[&str], place: &str) {
        let name = word.to_string();
        let hint = match nearest(&name, known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("known here: {}", known.join(", ")),
        };
        let message = format!("`{name}` is not a setting of {place}; {hint}");
        self.report.error(word.span(), message);
    }
}
