//! Checks the rules across the parts of the function of an agent.

use super::parse::ParsedAgentFn;
use super::settings::AgentSettings;
use crate::crate_path::{runtime_path, tool_path};
use crate::doc::{ArgumentDoc, Description};
use crate::report::Report;
use crate::tool::{
    CheckedParameter, ParsedParameter, ToolAttribute, UnsupportedType, check_default,
    check_parameter_name, check_parameters, check_stated_default, check_tool_name, description_of,
    name_of, types_in, unsupported_type, without_groups,
};
use agent_spec::case::Case;
use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Ident, ReturnType, Safety, Type};

/// The function of an agent without errors.
pub(super) struct CheckedAgentFn<'p> {
    pub(super) parsed: &'p ParsedAgentFn,
    /// The path of agent-runtime.
    pub(super) krate: TokenStream,
    pub(super) type_name: Ident,
    /// The name of the function in gram, or the name of the agent if it has no gram.
    pub(super) name: String,
    pub(super) description: Option<Description>,
    pub(super) parameters: Vec<CheckedParameter<'p>>,
    /// The names of the parameters in Rust.
    pub(super) idents: Vec<Ident>,
    /// The type of the result.
    pub(super) returns: Type,
    pub(super) conditions: Vec<Attribute>,
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
    let parameters = check_parameters(
        report,
        &parsed.doc,
        &parsed.parameters,
        |parameter, listed| check_parameter(report, parsed, parameter, listed),
    );
    let description = match &settings.properties.description {
        Some(text) => Some(Description::Known(text.value())),
        None => parsed.doc.description(),
    };
    let idents = parsed.parameters.iter();
    let idents = idents.filter_map(|parameter| name_of(&parameter.pattern).cloned());
    Some(CheckedAgentFn {
        parsed,
        krate: crate_path(settings),
        type_name: type_name(parsed),
        name,
        description,
        parameters: parameters?,
        idents: idents.collect(),
        returns: returns?,
        conditions: parsed.function.conditions(),
    })
}

fn refuse_unsupported(report: &Report, parsed: &ParsedAgentFn) {
    let function = &parsed.function;
    let signature = &function.signature;
    if runtime_path(parsed.settings.krate.as_ref()).is_none() {
        report.error(
            signature.ident.span(),
            "an agent function runs its agent with gramwork-runtime, which this package does not depend on; add \
             `gramwork-runtime` beside `gramwork-tool` to the dependencies in Cargo.toml",
        );
    }
    if let Some(receiver) = signature.receiver() {
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
    if let Safety::Unsafe(token) = &signature.safety {
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
    if let Some(variadic) = &signature.variadic {
        report.error(
            variadic.span(),
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
    let last = path.path.segments.last()?;
    types_in(last).next().map(without_groups)
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

/// Returns the name of the agent in gram. The name of a function is not sent to a model if the agent has its own in gram.
fn check_agent_name(report: &Report, parsed: &ParsedAgentFn) -> String {
    let (given, function) = (
        parsed.settings.properties.name.as_ref(),
        &parsed.function.signature.ident,
    );
    match parsed.settings.gram {
        Some(_) => Case::Camel.of_rust(&function.to_string()),
        None => check_tool_name(report, given, function, Case::Camel, ToolAttribute::AgentFn),
    }
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
        refuse_settings_of_gram(report, parameter);
    }
    let default = check_default(report, parameter);
    let Some(ident) = name_of(&parameter.pattern) else {
        report.error(
            parameter.pattern.span(),
            "a parameter of an agent function needs a name",
        );
        return None;
    };
    let of = ToolAttribute::AgentFn;
    let name = check_parameter_name(report, settings.name.as_ref(), ident, case, of);
    let ty = check_type(report, &parameter.ty)?;
    check_stated_default(report, parameter, default.as_ref());
    let function = &parsed.function.signature.ident;
    let kinds = ("AgentParameter", "agent_slot");
    Some(CheckedParameter {
        description: description_of(parameter, listed),
        default,
        ..CheckedParameter::new(function, parameter, name, ty, kinds)
    })
}

/// Reports settings of a parameter that its agent states in gram.
fn refuse_settings_of_gram(report: &Report, parameter: &ParsedParameter) {
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
    match found {
        None | Some(UnsupportedType::Reference(_)) => return Some((ty, is_reference)),
        Some(UnsupportedType::Impl(part)) => report.error_on(
            part,
            "an agent function cannot be generic, since its agent has one signature; write the type itself",
        ),
        Some(UnsupportedType::NoData(part)) => report.error_on(
            part,
            "a parameter of an agent function is data that its model reads; it cannot be of this type",
        ),
        // rustc reports the placeholder.
        Some(UnsupportedType::Placeholder) => {}
    }
    None
}
