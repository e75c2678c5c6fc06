//! The settings in `#[tool(…)]`, on the function and on its parameters.

mod parameter;
mod words;

pub(crate) use parameter::{ParameterSettings, read_parameter_settings};

use crate::export_folder::{EXPORT_FOLDER, read_folder};
use crate::report::Report;
use crate::settings::{Reader, Setting};
use agent_spec::case::Case;
use proc_macro2::{Span, TokenStream};
use syn::parse::Parser;
use syn::{Attribute, Ident, LitBool, LitStr, Meta, Path};
use words::{
    CRATE, DESCRIPTION, DESTRUCTIVE, EXPORT, IDEMPOTENT, INLINE, NAME, READ_ONLY, RENAME_ALL,
    REQUIRE_DESCRIPTIONS, REQUIRES_APPROVAL, RETRYABLE, SEQUENTIAL, TIMEOUT, TYPE_NAME,
};

/// The settings of a function. A flag holds where it stands.
#[derive(Default)]
pub(crate) struct FunctionSettings {
    pub(crate) name: Option<LitStr>,
    pub(crate) rename_all: Option<Case>,
    pub(crate) description: Option<LitStr>,
    pub(crate) type_name: Option<Ident>,
    pub(crate) krate: Option<Path>,
    pub(crate) timeout: Option<LitStr>,
    pub(crate) retryable: Option<bool>,
    pub(crate) idempotent: Option<Span>,
    pub(crate) read_only: Option<Span>,
    pub(crate) destructive: Option<Span>,
    pub(crate) requires_approval: Option<Span>,
    pub(crate) sequential: Option<Span>,
    pub(crate) inline: Option<Span>,
    pub(crate) require_descriptions: Option<Span>,
    /// The folder that the tool's gram is written to.
    pub(crate) export: Option<String>,
}

/// Reads `#[tool(…)]` of a function.
pub(crate) fn read_function_settings(report: &Report, tokens: TokenStream) -> FunctionSettings {
    let mut reader = Reader::new(report);
    let mut read = FunctionSettings::default();
    for setting in reader.settings(tokens) {
        if !reader.is_new(&setting) {
            continue;
        }
        match setting.word.to_string().as_str() {
            NAME => read.name = reader.value(&setting, "\"sayHello\""),
            RENAME_ALL => read.rename_all = read_case(&reader, &setting),
            DESCRIPTION => read.description = reader.value(&setting, "\"Greets somebody\""),
            TYPE_NAME => read.type_name = reader.value(&setting, "SayHelloTool"),
            CRATE => read.krate = read_path(report, &setting),
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
            EXPORT => read.export = read_export(&reader, &setting),
            _ => words::refuse_function_word(&reader, &setting.word),
        }
    }
    read
}

pub(crate) fn read_case(reader: &Reader<'_>, setting: &Setting) -> Option<Case> {
    let literal: LitStr = reader.value(setting, "\"snake_case\"")?;
    let name = literal.value();
    let case = Case::from_name(&name);
    if case.is_none() {
        let hint = match agent_spec::names::nearest(&name, Case::ALL.map(Case::name)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("it is one of {}", Case::ALL.map(Case::name).join(", ")),
        };
        reader.report().error(
            literal.span(),
            format!("`{name}` is no case of names; {hint}"),
        );
    }
    case
}

pub(crate) fn read_path(report: &Report, setting: &Setting) -> Option<Path> {
    let path = setting
        .value
        .clone()
        .and_then(|tokens| Path::parse_mod_style.parse2(tokens).ok());
    if path.is_none() {
        report.error(
            setting.word.span(),
            "write the path of the crate: `crate = path::to::agent_runtime`",
        );
    }
    path
}

pub(crate) fn read_export(reader: &Reader<'_>, setting: &Setting) -> Option<String> {
    if setting.value.is_none() {
        return Some(EXPORT_FOLDER.to_owned());
    }
    let literal: LitStr = reader.value(setting, "\"gram\"")?;
    read_folder(reader.report(), &literal, "export = \"gram\"")
}

/// Whether an attribute is ours.
pub(crate) fn is_tool(attribute: &Attribute) -> bool {
    is_tool_meta(&attribute.meta)
}

/// Whether an attribute is ours: `#[tool]`, or with the path of this crate. Other crates have one of
/// that name, too.
pub(crate) fn is_tool_meta(meta: &Meta) -> bool {
    let segments = &meta.path().segments;
    let is_crate = |at: usize| segments[at].ident == "agent_runtime";
    match segments.len() {
        1 => segments[0].ident == "tool",
        2 => segments[1].ident == "tool" && is_crate(0),
        _ => false,
    }
}
