//! The settings in `#[tool(…)]`, on the function and on its parameters.

use crate::constraints;
use crate::constraints::SpannedConstraints;
use crate::doc::has_conditional;
use crate::expression::Expression;
use crate::report::Report;
use crate::settings::{EXPORT_FOLDER, Setting, SettingsReader, StatedType, read_folder};
use agent_spec::case::Case;
use proc_macro2::{Span, TokenStream};
use syn::parse::Parser;
use syn::spanned::Spanned as _;
use syn::{Attribute, Ident, LitBool, LitStr, Meta, Path};

/// The settings of a function. A flag is the span of its word.
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
    /// The folder that the gram of the tool is written to.
    pub(crate) export: Option<String>,
}

/// Reads `#[tool(…)]` of a function.
pub(crate) fn read_function_settings(report: &Report, tokens: TokenStream) -> FunctionSettings {
    let mut reader = SettingsReader::new(report);
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
            _ => refuse_function_word(&reader, &setting.word),
        }
    }
    read
}

pub(crate) fn read_case(reader: &SettingsReader<'_>, setting: &Setting) -> Option<Case> {
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

pub(crate) fn read_export(reader: &SettingsReader<'_>, setting: &Setting) -> Option<String> {
    if setting.value.is_none() {
        return Some(EXPORT_FOLDER.to_owned());
    }
    let literal: LitStr = reader.value(setting, "\"gram\"")?;
    read_folder(reader.report(), &literal, "export = \"gram\"")
}

/// Whether the attribute is `#[tool]`.
pub(crate) fn is_tool(attribute: &Attribute) -> bool {
    is_tool_meta(&attribute.meta)
}

/// Whether the attribute is `#[tool]`.
pub(crate) fn is_tool_meta(meta: &Meta) -> bool {
    ToolAttribute::Tool.is(meta)
}

/// An attribute that makes a tool of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolAttribute {
    Tool,
    AgentFn,
}

impl ToolAttribute {
    fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::AgentFn => "agent_fn",
        }
    }

    /// Whether an attribute is this one, or has the path of this crate, because other crates have an attribute of
    /// the name, too.
    pub(crate) fn is(self, meta: &Meta) -> bool {
        let segments = &meta.path().segments;
        let is_crate =
            |at: usize| segments[at].ident == "agent_runtime" || segments[at].ident == "agent_tool";
        match segments.len() {
            1 => segments[0].ident == self.name(),
            2 => segments[1].ident == self.name() && is_crate(0),
            _ => false,
        }
    }

    /// The value that the host gives, in a hint.
    fn host_hint(self) -> &'static str {
        match self {
            Self::Tool => {
                "take the context as `&ToolContext`, and what the host gives as `Extension<T>`"
            }
            Self::AgentFn => "take the runtime that runs the agent as `&Runtime`",
        }
    }
}

/// The settings of a parameter.
#[derive(Default)]
pub(crate) struct ParameterSettings {
    pub(crate) name: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) default: Option<Expression>,
    pub(crate) stated: Option<StatedType>,
    pub(crate) narrowing: SpannedConstraints,
}

/// Reads all `#[tool(…)]` or `#[agent_fn(…)]` of a parameter.
pub(crate) fn read_parameter_settings(
    report: &Report,
    attributes: &[Attribute],
    of: ToolAttribute,
) -> ParameterSettings {
    let mut reader = SettingsReader::new(report);
    let mut read = ParameterSettings::default();
    for attribute in attributes {
        if has_conditional(attribute, |meta| of.is(meta)) {
            report.error_on(
                &attribute.meta,
                "the settings of a parameter cannot depend on a condition; write the parameter \
                 once under `#[cfg(…)]` and once under `#[cfg(not(…))]`",
            );
        }
        if !of.is(&attribute.meta) {
            continue;
        }
        let tokens = match attribute.meta.require_list() {
            Ok(list) => list.tokens.clone(),
            Err(_) => {
                report.error(
                    attribute.path().span(),
                    format!(
                        "on a parameter, say what it is about: `#[{}(description = \"…\")]`",
                        of.name()
                    ),
                );
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
                TYPE => read.stated = reader.type_expression(&setting, "\"{id: Text}\""),
                _ if read.narrowing.read(&reader, &setting) => {}
                _ => refuse_parameter_word(&reader, &setting.word, of),
            }
        }
    }
    read
}

const NAME: &str = "name";
const DESCRIPTION: &str = "description";
// Words on a function.
const RENAME_ALL: &str = "rename_all";
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
const EXPORT: &str = "export";
// Words on a parameter, besides the constraints.
const DEFAULT: &str = "default";
const TYPE: &str = "type";

const FUNCTION_WORDS: [&str; 15] = [
    NAME,
    RENAME_ALL,
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
    EXPORT,
];

fn parameter_words() -> Vec<&'static str> {
    let own = [NAME, DESCRIPTION, DEFAULT, TYPE];
    own.into_iter().chain(constraints::words()).collect()
}

/// Reports a word that is not allowed on a function.
fn refuse_function_word(reader: &SettingsReader<'_>, word: &Ident) {
    let name = word.to_string();
    if parameter_words().contains(&name.as_str()) {
        reader.report().error(
            word.span(),
            format!("`{name}` belongs to a parameter: write `#[tool({name} = …)]` before it"),
        );
        return;
    }
    reader.unknown(word, &FUNCTION_WORDS, "a tool");
}

/// Reports a word that is not allowed on a parameter.
fn refuse_parameter_word(reader: &SettingsReader<'_>, word: &Ident, of: ToolAttribute) {
    let name = word.to_string();
    let hint = match name.as_str() {
        known if FUNCTION_WORDS.contains(&known) => {
            format!(
                "`{name}` belongs to the whole tool: write it in the `#[{}(…)]` above the function",
                of.name()
            )
        }
        "optional" | "required" => format!(
            "`{name}` is decided by the type: `Option<T>` may be missing, and so may what has a \
             `default`"
        ),
        "skip" | "context" => format!("`{name}` is decided by the type: {}", of.host_hint()),
        _ => return reader.unknown(word, &parameter_words(), "a parameter"),
    };
    reader.report().error(word.span(), hint);
}
