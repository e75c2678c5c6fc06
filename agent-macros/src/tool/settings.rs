//! The settings in `#[tool(…)]`, on the function and on its parameters.

use crate::report::Report;
use proc_macro2::{Span, TokenStream};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Ident, LitBool, LitStr, Path, Token};

// Words of `#[tool(…)]` on a function.
const NAME: &str = "name";
const DESCRIPTION: &str = "description";
const TYPE_NAME: &str = "type_name";
const CRATE: &str = "crate";
const TIMEOUT: &str = "timeout";
const RETRYABLE: &str = "retryable";
const IDEMPOTENT: &str = "idempotent";
const READ_ONLY: &str = "read_only";
const DESTRUCTIVE: &str = "destructive";
const REQUIRES_APPROVAL: &str = "requires_approval";
const SEQUENTIAL: &str = "sequential";
const INLINE: &str = "inline";
const REQUIRE_DESCRIPTIONS: &str = "require_descriptions";
// Words of `#[tool(…)]` on a parameter, besides `name` and `description`.
const DEFAULT: &str = "default";

const FUNCTION_WORDS: [&str; 13] = [
    NAME,
    DESCRIPTION,
    TYPE_NAME,
    CRATE,
    TIMEOUT,
    RETRYABLE,
    IDEMPOTENT,
    READ_ONLY,
    DESTRUCTIVE,
    REQUIRES_APPROVAL,
    SEQUENTIAL,
    INLINE,
    REQUIRE_DESCRIPTIONS,
];
const PARAMETER_WORDS: [&str; 3] = [NAME, DESCRIPTION, DEFAULT];

/// The settings of a function. A flag holds where it stands.
#[derive(Default)]
pub(super) struct FunctionSettings {
    pub(super) name: Option<LitStr>,
    pub(super) description: Option<LitStr>,
    pub(super) type_name: Option<Ident>,
    pub(super) krate: Option<Path>,
    pub(super) timeout: Option<LitStr>,
    pub(super) retryable: Option<bool>,
    pub(super) idempotent: Option<Span>,
    pub(super) read_only: Option<Span>,
    pub(super) destructive: Option<Span>,
    pub(super) requires_approval: Option<Span>,
    pub(super) sequential: Option<Span>,
    pub(super) inline: Option<Span>,
    pub(super) require_descriptions: Option<Span>,
}

/// The settings of a parameter.
#[derive(Default)]
pub(super) struct ParameterSettings {
    pub(super) name: Option<LitStr>,
    pub(super) description: Option<LitStr>,
    pub(super) default: Option<syn::Expr>,
}

/// `word` or `word = value`.
struct Setting {
    word: Ident,
    value: Option<TokenStream>,
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let word = if input.peek(Token![crate]) {
            let token: Token![crate] = input.parse()?;
            Ident::new("crate", token.span)
        } else {
            input.parse()?
        };
        let mut value = None;
        if input.parse::<Option<Token![=]>>()?.is_some() {
            let mut tokens = TokenStream::new();
            while !input.is_empty() && !input.peek(Token![,]) {
                tokens.extend([input.parse::<proc_macro2::TokenTree>()?]);
            }
            if tokens.is_empty() {
                return Err(syn::Error::new(
                    word.span(),
                    format!("`{word} =` needs a value"),
                ));
            }
            value = Some(tokens);
        }
        Ok(Self { word, value })
    }
}

/// Reads settings one by one, reporting what is wrong with each.
struct Reader<'r> {
    report: &'r Report,
    seen: Vec<String>,
}

impl Reader<'_> {
    fn settings(&mut self, tokens: TokenStream) -> Vec<Setting> {
        let parser = Punctuated::<Setting, Token![,]>::parse_terminated;
        match parser.parse2(tokens) {
            Ok(settings) => settings.into_iter().collect(),
            Err(error) => {
                self.report.syn(&error);
                Vec::new()
            }
        }
    }

    fn is_new(&mut self, setting: &Setting) -> bool {
        let word = setting.word.to_string();
        let new = !self.seen.contains(&word);
        if new {
            self.seen.push(word);
        } else {
            self.report
                .error(setting.word.span(), format!("`{word}` is given twice"));
        }
        new
    }

    fn value<T: Parse>(&self, setting: &Setting, example: &str) -> Option<T> {
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

    /// A word that stands alone, or is set to `true` or `false`.
    fn flag(&self, setting: &Setting) -> Option<Span> {
        let on = match &setting.value {
            None => true,
            Some(_) => self.value::<LitBool>(setting, "true")?.value,
        };
        on.then(|| setting.word.span())
    }

    fn unknown(&self, word: &Ident, known: &[&str], place: &str) {
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

/// Reads `#[tool(…)]` of a function.
pub(super) fn read_function_settings(report: &Report, tokens: TokenStream) -> FunctionSettings {
    let mut reader = Reader {
        report,
        seen: Vec::new(),
    };
    let mut read = FunctionSettings::default();
    for setting in reader.settings(tokens) {
        if !reader.is_new(&setting) {
            continue;
        }
        match setting.word.to_string().as_str() {
            NAME => read.name = reader.value(&setting, "\"sayHello\""),
            DESCRIPTION => read.description = reader.value(&setting, "\"Greets somebody\""),
            TYPE_NAME => read.type_name = reader.value(&setting, "SayHelloTool"),
            CRATE => {
                read.krate = setting.value.clone().and_then(|tokens| {
                    Path::parse_mod_style
                        .parse2(tokens)
                        .map_err(|_| report.error(setting.word.span(), "write `crate = path::to`"))
                        .ok()
                });
            }
            TIMEOUT => read.timeout = reader.value(&setting, "\"5s\""),
            RETRYABLE => {
                read.retryable = match setting.value {
                    None => Some(true),
                    Some(_) => reader
                        .value::<LitBool>(&setting, "false")
                        .map(|flag| flag.value),
                };
            }
            IDEMPOTENT => read.idempotent = reader.flag(&setting),
            READ_ONLY => read.read_only = reader.flag(&setting),
            DESTRUCTIVE => read.destructive = reader.flag(&setting),
            REQUIRES_APPROVAL => read.requires_approval = reader.flag(&setting),
            SEQUENTIAL => read.sequential = reader.flag(&setting),
            INLINE => read.inline = reader.flag(&setting),
            REQUIRE_DESCRIPTIONS => read.require_descriptions = reader.flag(&setting),
            _ => reader.unknown(&setting.word, &FUNCTION_WORDS, "a tool"),
        }
    }
    read
}

/// Reads all `#[tool(…)]` of a parameter.
pub(super) fn read_parameter_settings(
    report: &Report,
    attributes: &[syn::Attribute],
) -> ParameterSettings {
    let mut reader = Reader {
        report,
        seen: Vec::new(),
    };
    let mut read = ParameterSettings::default();
    for attribute in attributes.iter().filter(|attribute| is_tool(attribute)) {
        let tokens = match attribute.meta.require_list() {
            Ok(list) => list.tokens.clone(),
            Err(error) => {
                report.error(error.span(), "write `#[tool(description = \"…\")]`");
                continue;
            }
        };
        for setting in reader.settings(tokens) {
            if !reader.is_new(&setting) {
                continue;
            }
            match setting.word.to_string().as_str() {
                NAME => read.name = reader.value(&setting, "\"personName\""),
                DESCRIPTION => read.description = reader.value(&setting, "\"Who to greet\""),
                DEFAULT => read.default = reader.value(&setting, "\"world\""),
                _ => reader.unknown(&setting.word, &PARAMETER_WORDS, "a parameter"),
            }
        }
    }
    read
}

/// Whether an attribute of a parameter is ours.
pub(super) fn is_tool(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("tool")
}
