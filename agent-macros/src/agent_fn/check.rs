//! Checks the rules across the parts of the function of an agent.

use super::parse::ParsedAgentFn;
use super::settings::{AgentSettings, Property};
use crate::agent::GramSource;
use crate::crate_path::{runtime_path, tool_path};
use crate::default::{ParameterDefault, read_parameter_default};
use crate::doc::{ArgumentDoc, Description, arguments_of};
use crate::report::Report;
use crate::tool::{
    CheckedParameter, ParsedParameter, PatternKind, UnsupportedType, check_parameter_name,
    check_stated_default, description_of, refuse_misspelled_docs, unsupported_type, without_groups,
};
use agent_spec::case::Case;
use agent_spec::names::is_tool_name;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, format_ident};
use std::collections::HashSet;
use syn::spanned::Spanned as _;
use syn::{Attribute, GenericArgument, Ident, PathArguments, ReturnType, Type};

/// The function of an agent without errors.
pub(super) struct CheckedAgentFn<'p> {
    pub(super) parsed: &'p ParsedAgentFn,
    /// The path of agent-runtime.
    pub(super) krate: TokenStream,
    pub(super) type_name: Ident,
    /// The name of the function in gram, or that of the agent if it has no gram.
    pub(super) name: String,
    pub(super) description: Option<Description>,
    pub(super) parameters: Vec<CheckedParameter<'p>>,
    /// The names of the parameters in Rust.
    pub(super) idents: Vec<Ident>,
    /// The type of the result.
    pub(super) returns: Type,
    pub(super) conditions: Vec<Attribute>,
    pub(super) allowed: Vec<TokenStream>,
}

pub(super) fn crate_path(settings: &AgentSettings) -> TokenStream {
    let given = settings.krate.as_ref();
    runtime_path(given).unwrap_or_else(|| tool_path(given))
}

pub(super) fn type_name(parsed: &ParsedAgentFn) -> Ident {
    let given = parsed.settings.type_name.clone();
    given.unwrap_or_else(|| parsed.function.signature.ident.clone())
}

/// Checks all rules. Returns `None` if an error leaves no function to describe.
pub(super) fn check_agent_fn<'p>(
    report: &Report,
    parsed: &'p ParsedAgentFn,
) -> Option<CheckedAgentFn<'p>> {
    let settings = &parsed.settings;
    refuse_unsupported(report, parsed);
    let returns = check_result(report, parsed);
    let name = check_agent_name(report, parsed);
    let listed = arguments_of(&parsed.doc);
    let parameters: Vec<Option<CheckedParameter<'p>>> = parsed
        .parameters
        .iter()
        .map(|parameter| check_parameter(report, parsed, parameter, &listed))
        .collect();
    refuse_misspelled_docs(report, &parsed.parameters, &listed);
    let parameters: Vec<CheckedParameter<'p>> = parameters.into_iter().collect::<Option<_>>()?;
    refuse_same_names(report, &parameters);
    let description = match &settings.properties.description {
        Some(text) => Some(Description::Known(text.value())),
        None => parsed.doc.description(),
    };
    let idents = parsed.parameters.iter();
    let idents = idents.filter_map(|parameter| parameter.pattern.name().cloned());
    Some(CheckedAgentFn {
        parsed,
        krate: crate_path(settings),
        type_name: type_name(parsed),
        name,
        description,
        parameters,
        idents: idents.collect(),
        returns: returns?,
        conditions: parsed.function.conditions(),
        allowed: parsed.function.allowed(),
    })
}

fn refuse_unsupported(report: &Report, parsed: &ParsedAgentFn) {
    let function = &parsed.function;
    let signature = &function.signature;
    if runtime_path(parsed.settings.krate.as_ref()).is_none() {
        report.error(
            signature.ident.span(),
            "an agent function runs its agent with agent-runtime, which this package does not depend on; add \
             `agent-runtime` beside `agent-tool` to the dependencies in Cargo.toml",
        );
    }
    if let Some(receiver) = function.receiver() {
        report.error(
            receiver.self_token.span,
            "an agent function has no `self`: a model cannot read it; take what the agent needs as parameters",
        );
    } else if let Some(place) = function.self_type() {
        report.error(place, "an agent function is a free function; name the type");
    }
    if let Some(parameter) = signature.generics.params.first() {
        report.error(
            parameter.span(),
            "an agent function cannot be generic, since its agent has one signature; write a function for each type, \
             and references without a lifetime",
        );
    }
    if signature.asyncness.is_none() {
        report.error(
            signature.fn_token.span,
            "an agent function waits for a model; write `async fn`",
        );
    }
    if let Some(token) = &signature.constness {
        report.error(
            token.span(),
            "a `const` function cannot call a model; remove `const`",
        );
    }
    if let Some(token) = &signature.unsafety {
        report.error(
            token.span(),
            "an agent function keeps no promises of yours; remove `unsafe`",
        );
    }
    if let Some(abi) = &signature.abi {
        report.error_on(
            abi,
            "an agent function is a function of Rust; remove `extern`",
        );
    }
    if let Some(variadic) = signature.variadic() {
        report.error(
            variadic,
            "an agent function needs a fixed list of parameters",
        );
    }
}

/// Returns the type of the result.
fn check_result(report: &Report, parsed: &ParsedAgentFn) -> Option<Type> {
    let signature = &parsed.function.signature;
    let ReturnType::Type(_, ty) = &signature.output else {
        report.error(
            signature.ident.span(),
            "an agent function returns what its model answers: write `-> Result<String, Error>`",
        );
        return None;
    };
    match without_groups(ty) {
        Type::ImplTrait(_) | Type::Infer(_) | Type::Never(_) => {
            report.error_on(
                ty,
                "an agent function names the type of its answer: write `Result<String, Error>`",
            );
            None
        }
        plain => {
            let answer = answer_of(plain);
            if let Some((part, message)) = answer.and_then(unreadable_answer) {
                report.error_on(&part, message);
                return None;
            }
            Some((**ty).clone())
        }
    }
}

/// Returns the type of the answer, which is the first argument of the `Result` or of its alias.
fn answer_of(result: &Type) -> Option<&Type> {
    let Type::Path(path) = result else {
        return None;
    };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(without_groups(ty)),
        _ => None,
    })
}

/// Returns the part of an answer that no answer of a model can be read into, and the message. Otherwise rustc would
/// report the traits of serde several times.
fn unreadable_answer(answer: &Type) -> Option<(TokenStream, String)> {
    if matches!(answer, Type::Tuple(tuple) if tuple.elems.is_empty()) {
        let message = "an agent function returns what its model answers; write `Result<String, E>` for a text, or the \
                       type of the answer";
        return Some((answer.to_token_stream(), message.to_owned()));
    }
    let Some(UnsupportedType::Reference(reference)) = unsupported_type(answer) else {
        return None;
    };
    let owned = match without_groups(&reference.elem) {
        Type::Path(path) if path.path.is_ident("str") => "String".to_owned(),
        Type::Slice(slice) => format!("Vec<{}>", plain(&slice.elem)),
        other => plain(other),
    };
    let message = format!(
        "an answer is read from the text of the model, which nothing keeps for a reference; return `{owned}`"
    );
    Some((reference.to_token_stream(), message))
}

/// Returns a type as it is written.
fn plain(ty: &Type) -> String {
    ty.to_token_stream().to_string().replace(' ', "")
}

/// Returns the name of the agent in gram.
fn check_agent_name(report: &Report, parsed: &ParsedAgentFn) -> String {
    let function = &parsed.function.signature.ident;
    let given = parsed.settings.properties.name.as_ref();
    let (name, place) = match given {
        Some(name) => (name.value(), name.span()),
        None => (Case::Camel.of_rust(&function.to_string()), function.span()),
    };
    if parsed.settings.gram.is_none() && !is_tool_name(&name) {
        report.error(
            place,
            format!(
                "`{name}` is not a name that every provider takes for a tool: a letter or `_`, then letters, digits, \
                 `_` or `-`, at most 63 in all, and none outside ASCII; set one with `name = \"…\"`"
            ),
        );
    }
    name
}

fn check_parameter<'p>(
    report: &Report,
    parsed: &ParsedAgentFn,
    parameter: &'p ParsedParameter,
    listed: &[ArgumentDoc],
) -> Option<CheckedParameter<'p>> {
    let settings = &parameter.settings;
    let case = parsed.settings.rename_all.unwrap_or(Case::Camel);
    if parsed.settings.gram.is_some() {
        refuse_what_gram_says(report, parameter);
    }
    let default = settings.default.as_ref();
    let default = default.map(|value| read_parameter_default(report, value));
    let known = default.iter().flatten().find_map(ParameterDefault::known);
    settings.narrowing.check(report, known);
    let PatternKind::Name(ident) = &parameter.pattern.kind else {
        report.error(
            parameter.pattern.span(),
            "a parameter of an agent function needs a name",
        );
        return None;
    };
    let (name, place) = check_parameter_name(report, settings.name.as_ref(), ident, case);
    let (ty, is_reference) = check_type(report, &parameter.ty)?;
    let stated = settings.stated.as_ref().map(|stated| {
        check_stated_default(report, &stated.ty, known);
        &stated.ty
    });
    let description = description_of(parameter, listed);
    Some(CheckedParameter {
        name,
        place,
        is_unnamed: false,
        ty,
        is_reference,
        kinds: ("AgentParameter", "agent_slot"),
        description,
        described_at: settings.description.as_ref().map(syn::LitStr::span),
        default: match default {
            Some(default) => Some(default?),
            None => None,
        },
        default_item: format_ident!(
            "__default_{}_{}",
            parsed.function.signature.ident,
            ident.to_string().trim_start_matches("r#"),
            span = Span::mixed_site()
        ),
        stated,
        narrowing: &settings.narrowing,
        conditions: parameter.conditions.clone(),
    })
}

/// Reports settings of a parameter that its agent states in gram.
fn refuse_what_gram_says(report: &Report, parameter: &ParsedParameter) {
    let settings = &parameter.settings;
    let default = settings.default.as_ref().map(|default| default.span());
    for (word, place) in [
        ("the default", default),
        ("what narrows a parameter", settings.narrowing.place()),
    ] {
        if let Some(place) = place {
            let message = format!("{word} is written in the gram of the agent; write it there");
            report.error(place, message);
        }
    }
}

/// Returns the type without the `&` of a reference, and whether there was one.
fn check_type(report: &Report, written: &Type) -> Option<(Type, bool)> {
    let (ty, is_reference) = match without_groups(written) {
        Type::Reference(reference) => {
            if reference.mutability.is_some() {
                report.error_on(
                    reference,
                    "an agent function only reads its parameters; take `&T` or the value itself",
                );
                return None;
            }
            ((*reference.elem).clone(), true)
        }
        ty => (ty.clone(), false),
    };
    let mut found = unsupported_type(&ty);
    // A reference inside a type is only read, too.
    while let Some(UnsupportedType::Reference(reference)) = found {
        found = unsupported_type(&reference.elem);
    }
    let (part, message) = match found {
        None | Some(UnsupportedType::Reference(_)) => return Some((ty, is_reference)),
        Some(UnsupportedType::Impl(part)) => (
            part.to_token_stream(),
            "an agent function cannot be generic, since its agent has one signature; write the type itself",
        ),
        Some(UnsupportedType::NoData(part)) => (
            part.to_token_stream(),
            "a parameter of an agent function is data that its model reads; it cannot be of this type",
        ),
        // rustc reports it.
        Some(UnsupportedType::Placeholder) => return None,
    };
    report.error_on(&part, message);
    None
}

/// Reports the second of two parameters with one name in gram.
fn refuse_same_names(report: &Report, parameters: &[CheckedParameter<'_>]) {
    let mut names = HashSet::new();
    for parameter in parameters {
        // Two parameters with conditions can exclude each other.
        if parameter.conditions.is_empty() && !names.insert(&parameter.name) {
            report.error(
                parameter.place,
                format!("two parameters are called `{}`; rename one", parameter.name),
            );
        }
    }
}

impl CheckedAgentFn<'_> {
    pub(super) fn settings(&self) -> &AgentSettings {
        &self.parsed.settings
    }

    /// Returns the gram of the agent, if it is written in gram.
    pub(super) fn gram(&self) -> Option<&GramSource> {
        self.settings().gram.as_ref()
    }

    /// Returns the value of a property of the agent with its place.
    pub(super) fn property(&self, key: &str) -> Option<&Property> {
        let mut properties = self.settings().properties.others.iter();
        properties.find(|property| property.key == key)
    }
}
