//! The settings in `#[tool(…)]`, on the function and on its parameters.

use crate::report::Report;
use crate::settings::Reader;
use proc_macro2::{Span, TokenStream};
use syn::parse::Parser;
use syn::{Ident, LitBool, LitStr, Path};

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

/// Reads `#[tool(…)]` of a function.
pub(super) fn read_function_settings(report: &Report, tokens: TokenStream) -> FunctionSettings {
    let mut reader = Reader::new(report);
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
    let mut reader = Reader::new(report);
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
