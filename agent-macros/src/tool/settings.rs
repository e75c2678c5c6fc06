//! The settings in `#[tool(…)]`, on the function and on its parameters.

use crate::constraints::{SpannedConstraints, words_after};
use crate::doc::has_conditional;
use crate::export::read_export;
use crate::report::Report;
use crate::settings::{SettingsReader, StatedType};
use agent_effects::{Effect, Effects, PRIVATE};
use agent_spec::case::Case;
use proc_macro2::{Span, TokenStream};
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Ident, LitBool, LitStr, Meta, Path};

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
    /// The flags that are methods of `ToolSettings`, such as `read_only`.
    pub(crate) flags: Vec<Ident>,
    /// The statements about the effects of the tool.
    pub(crate) effects: Effects,
    pub(crate) require_descriptions: Option<Span>,
    /// The folder that the gram of the tool is written to.
    pub(crate) export: Option<String>,
}

impl FunctionSettings {
    /// Returns the span of a flag, if it is set.
    pub(crate) fn flag(&self, word: &str) -> Option<Span> {
        let mut flags = self.flags.iter();
        flags.find(|flag| *flag == word).map(Ident::span)
    }
}

/// Reads `#[tool(…)]` of a function.
pub(crate) fn read_function_settings(report: &Report, tokens: TokenStream) -> FunctionSettings {
    let mut reader = SettingsReader::new(report);
    let mut read = FunctionSettings::default();
    reader.each(tokens, |reader, setting| {
        match setting.word.to_string().as_str() {
            "name" => read.name = reader.value(setting, "\"sayHello\""),
            "rename_all" => read.rename_all = reader.case(setting),
            "description" => read.description = reader.value(setting, "\"Greets somebody\""),
            "type_name" => read.type_name = reader.value(setting, "SayHelloTool"),
            "crate" => read.krate = reader.crate_path(setting),
            "timeout" => read.timeout = reader.value(setting, "\"5s\""),
            "retryable" => {
                read.retryable = match setting.value {
                    None => Some(true),
                    Some(_) => reader
                        .value::<LitBool>(setting, "false")
                        .map(|flag| flag.value),
                };
            }
            "idempotent" | "read_only" | "destructive" | "requires_approval" | "sequential"
            | "inline" => {
                if reader.flag(setting).is_some() {
                    read.flags.push(setting.word.clone());
                }
            }
            "reads" => {
                if let Some(text) = reader.value::<LitStr>(setting, "\"private\"") {
                    match text.value() == PRIVATE {
                        true => read.effects = read.effects.with(Effect::ReadsPrivate, true),
                        false => reader
                            .report()
                            .error(text.span(), "write `reads = \"private\"`"),
                    }
                }
            }
            "untrusted" | "sends" | "writes" => {
                let is = match setting.value {
                    None => Some(true),
                    Some(_) => reader
                        .value::<LitBool>(setting, "false")
                        .map(|flag| flag.value),
                };
                if let (Some(is), Some(effect)) = (is, Effect::from_key(&setting.word.to_string()))
                {
                    read.effects = read.effects.with(effect, is);
                }
            }
            "require_descriptions" => read.require_descriptions = reader.flag(setting),
            "export" => read.export = read_export(reader, setting),
            _ => refuse_function_word(reader, &setting.word),
        }
    });
    read
}

/// Whether the attribute is `#[tool]`.
pub(crate) fn is_tool(attribute: &Attribute) -> bool {
    ToolAttribute::Tool.is(&attribute.meta)
}

/// An attribute that makes a tool of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolAttribute {
    Tool,
    AgentFn,
}

impl ToolAttribute {
    pub(crate) fn name(self) -> &'static str {
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
}

/// The settings of a parameter.
#[derive(Default)]
pub(crate) struct ParameterSettings {
    pub(crate) name: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) default: Option<Expr>,
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
        let Ok(list) = attribute.meta.require_list() else {
            report.error(
                attribute.path().span(),
                format!(
                    "on a parameter, say what it is about: `#[{}(description = \"…\")]`",
                    of.name()
                ),
            );
            continue;
        };
        reader.each(list.tokens.clone(), |reader, setting| {
            match setting.word.to_string().as_str() {
                "name" => read.name = reader.value(setting, "\"personName\""),
                "description" => read.description = reader.value(setting, "\"Who to greet\""),
                "default" => read.default = reader.value(setting, "\"world\""),
                "type" => read.stated = reader.type_expression(setting, "\"{id: Text}\""),
                _ if read.narrowing.read(reader, setting) => {}
                _ => refuse_parameter_word(reader, &setting.word, of),
            }
        });
    }
    read
}

const FUNCTION_WORDS: [&str; 19] = [
    "name",
    "rename_all",
    "description",
    "type_name",
    "crate",
    "timeout",
    "retryable",
    "idempotent",
    "read_only",
    "destructive",
    "requires_approval",
    "sequential",
    "inline",
    "reads",
    "untrusted",
    "sends",
    "writes",
    "require_descriptions",
    "export",
];

fn parameter_words() -> Vec<&'static str> {
    words_after(&["name", "description", "default", "type"])
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
        "skip" | "context" => {
            let host = match of {
                ToolAttribute::Tool => {
                    "take the context as `&ToolContext`, and what the host gives as `Extension<T>`"
                }
                ToolAttribute::AgentFn => "take the runtime that runs the agent as `&Runtime`",
            };
            format!("`{name}` is decided by the type: {host}")
        }
        _ => return reader.unknown(word, &parameter_words(), "a parameter"),
    };
    reader.report().error(word.span(), hint);
}
