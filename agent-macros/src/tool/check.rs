//! The rules across the parts of a tool.

use super::parse::{ParsedParameter, ParsedTool, doc_of};
use crate::default::{Default, read_default};
use crate::naming::{camel_case, description_of};
use crate::report::Report;
use agent_spec::duration::duration_of;
use agent_spec::names::is_tool_name;
use proc_macro2::{Span, TokenStream};
use quote::quote;
use std::collections::HashMap;
use std::time::Duration;
use syn::spanned::Spanned;
use syn::{Attribute, Ident, Pat, ReturnType, Safety, Type, Visibility};

/// A tool free of mistakes.
pub(super) struct CheckedTool {
    pub(super) krate: TokenStream,
    pub(super) visibility: Visibility,
    pub(super) function: Ident,
    pub(super) type_name: Ident,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) is_async: bool,
    pub(super) inline: bool,
    pub(super) parameters: Vec<CheckedParameter>,
    /// What is returned, or nothing for `()`.
    pub(super) returns: Option<Type>,
    pub(super) timeout: Option<Duration>,
    pub(super) retryable: bool,
    pub(super) flags: Vec<Ident>,
    /// The `#[cfg(…)]` on the function, which hold for the tool as well.
    pub(super) conditions: Vec<Attribute>,
}

/// A parameter of a tool, or its context.
pub(super) struct CheckedParameter {
    pub(super) name: String,
    /// The type as written, without the `&` of a reference.
    pub(super) ty: Type,
    pub(super) is_reference: bool,
    pub(super) description: Option<String>,
    pub(super) default: Option<Default>,
    /// The `#[cfg(…)]` on it: without them it is not there.
    pub(super) conditions: Vec<Attribute>,
}

impl CheckedParameter {
    /// Whether it is a reference to something other than text or a slice. Only what names mean
    /// depends on it: whether it is a context, rustc decides.
    fn is_likely_context(&self) -> bool {
        self.is_reference && is_path_other_than_str(&self.ty)
    }
}

/// Checks all rules; gives nothing when a mistake leaves no tool to describe.
pub(super) fn check_tool(report: &Report, parsed: &ParsedTool) -> Option<CheckedTool> {
    let signature = &parsed.function.signature;
    let settings = &parsed.settings;
    refuse_unsupported(report, parsed);
    let name = match &settings.name {
        Some(name) => (name.value(), name.span()),
        None => (
            camel_case(&signature.ident.to_string()),
            signature.ident.span(),
        ),
    };
    if !is_tool_name(&name.0) {
        report.error(
            name.1,
            format!(
                "`{}` is not a name that every provider takes for a tool: a letter or `_`, then \
                 letters, digits, `_` or `-`, at most 63 in all; set one with `name = \"…\"`",
                name.0
            ),
        );
    }
    let description = check_description(report, parsed);
    let parameters = check_parameters(report, parsed);
    let timeout = settings.timeout.as_ref().and_then(|text| {
        let timeout = parse_duration(&text.value());
        if timeout.is_none() {
            report.error(
                text.span(),
                "a timeout is a length of time above 0, such as \"500ms\", \"10s\", \"2min\" or \"1h\"",
            );
        }
        timeout
    });
    if let (Some(_), Some(span)) = (settings.read_only, settings.destructive) {
        report.error(
            span,
            "a tool cannot be both `read_only` and `destructive`; remove one",
        );
    }
    if let (Some(text), Some(_)) = (&settings.timeout, settings.inline) {
        report.error(
            text.span(),
            "an `inline` tool runs on the caller's task and cannot be timed out; remove one",
        );
    }
    if let (Some(span), true) = (settings.inline, signature.asyncness.is_some()) {
        report.error(
            span,
            "`inline` is for functions that are not `async`; remove it",
        );
    }
    let flags = [
        (settings.idempotent, "idempotent"),
        (settings.read_only, "read_only"),
        (settings.destructive, "destructive"),
        (settings.requires_approval, "requires_approval"),
        (settings.sequential, "sequential"),
        (settings.inline, "inline"),
    ];
    Some(CheckedTool {
        krate: crate_path(parsed),
        visibility: parsed.function.visibility.clone(),
        function: signature.ident.clone(),
        type_name: type_name(parsed),
        name: name.0,
        description: description?,
        is_async: signature.asyncness.is_some(),
        inline: settings.inline.is_some(),
        parameters: parameters?,
        returns: match &signature.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some((**ty).clone()),
        },
        timeout,
        retryable: settings.retryable.unwrap_or(true),
        flags: flags
            .into_iter()
            .filter(|(set, _)| set.is_some())
            .map(|(_, name)| Ident::new(name, Span::call_site()))
            .collect(),
        conditions: parsed.function.conditions(),
    })
}

pub(super) fn crate_path(parsed: &ParsedTool) -> TokenStream {
    match &parsed.settings.krate {
        Some(path) => quote!(#path),
        None => quote!(::agent_runtime),
    }
}

pub(super) fn type_name(parsed: &ParsedTool) -> Ident {
    parsed
        .settings
        .type_name
        .clone()
        .unwrap_or_else(|| parsed.function.signature.ident.clone())
}

fn refuse_unsupported(report: &Report, parsed: &ParsedTool) {
    let signature = &parsed.function.signature;
    if let Some(parameter) = signature
        .generics
        .params
        .iter()
        .find(|p| !matches!(p, syn::GenericParam::Lifetime(_)))
    {
        report.error(
            parameter.span(),
            "a generic function cannot be a tool, since a model needs to know its types; \
             write one function for each type",
        );
    }
    if let Some(lifetime) = signature.generics.lifetimes().next() {
        report.error(
            lifetime.span(),
            "a tool cannot name lifetimes; write `&str` without one",
        );
    }
    if let Safety::Unsafe(token) = &signature.safety {
        report.error(
            token.span(),
            "an `unsafe` function cannot be a tool, since a model cannot keep its promises",
        );
    }
    if let Some(variadic) = &signature.variadic {
        report.error(variadic.span(), "a tool needs a fixed list of parameters");
    }
    if let ReturnType::Type(_, ty) = &signature.output
        && let Type::ImplTrait(found) = &**ty
    {
        report.error(
            found.span(),
            "a tool must name what it returns; write the type, or make the function `async`",
        );
    }
}

fn check_description(report: &Report, parsed: &ParsedTool) -> Option<String> {
    let function = &parsed.function;
    if let Some(text) = &parsed.settings.description {
        if text.value().trim().is_empty() {
            report.error(text.span(), "the description of a tool must not be empty");
        }
        return Some(text.value());
    }
    let description = description_of(&doc_of(&function.attributes));
    if description.is_empty() {
        report.error(
            function.signature.ident.span(),
            format!(
                "the tool `{}` needs a description: it is how a model knows when to call it; \
                 write a doc comment, or `#[tool(description = \"…\")]`",
                function.signature.ident
            ),
        );
        return None;
    }
    Some(description)
}

fn check_parameters(report: &Report, parsed: &ParsedTool) -> Option<Vec<CheckedParameter>> {
    let checked: Vec<Option<CheckedParameter>> = parsed
        .parameters
        .iter()
        .map(|parameter| check_parameter(report, parsed, parameter))
        .collect();
    let mut names: HashMap<&str, ()> = HashMap::new();
    for (parameter, source) in checked.iter().zip(&parsed.parameters) {
        if let Some(parameter) = parameter
            && !parameter.is_likely_context()
            // Of two that depend on conditions, one may be meant to stand for the other.
            && parameter.conditions.is_empty()
            && names.insert(&parameter.name, ()).is_some()
        {
            report.error(
                source.pattern.span(),
                format!("two parameters are called `{}`; rename one", parameter.name),
            );
        }
    }
    checked.into_iter().collect()
}

fn check_parameter(
    report: &Report,
    parsed: &ParsedTool,
    parameter: &ParsedParameter,
) -> Option<CheckedParameter> {
    let default = parameter
        .settings
        .default
        .as_ref()
        .map(|value| read_default(report, value));
    let name = match (&parameter.settings.name, &parameter.pattern) {
        (Some(name), _) => Some(name.value()),
        (None, Pat::Ident(pattern)) => Some(camel_case(&pattern.ident.to_string())),
        (None, Pat::Wild(_)) if matches!(bare(&parameter.ty), Type::Reference(_)) => {
            Some("_".to_owned())
        }
        (None, pattern) => {
            report.error(
                pattern.span(),
                "a parameter of a tool needs a name; give it one, and take it apart in the body",
            );
            None
        }
    };
    if let (Some(name), Some(text)) = (&name, &parameter.settings.name)
        && name.is_empty()
    {
        report.error(text.span(), "a parameter's name must not be empty");
    }
    let (ty, is_reference) = match bare(&parameter.ty) {
        Type::Reference(reference) => {
            if let Some(lifetime) = &reference.lifetime {
                report.error(lifetime.span(), "write the reference without a lifetime");
            }
            if reference.mutability.is_some() {
                report.error(
                    reference.span(),
                    "a parameter of a tool cannot be a mutable reference; take the value itself, \
                     or the context as `&ToolContext`",
                );
            }
            ((*reference.elem).clone(), true)
        }
        Type::ImplTrait(found) => {
            report.error(
                found.span(),
                "a parameter of a tool needs one type, since a model needs to know it; \
                 write the type itself",
            );
            return None;
        }
        Type::TraitObject(_) | Type::FnPtr(_) | Type::Ptr(_) | Type::Never(_) => {
            report.error(
                parameter.ty.span(),
                "a parameter of a tool is data that a model sends; it cannot be of this type",
            );
            return None;
        }
        ty => (ty.clone(), false),
    };
    if let Some(inner) = inner_reference(&ty) {
        report.error(
            inner.span(),
            "a parameter of a tool owns what it holds: write `String` for `&str`, `Vec<T>` for a slice",
        );
    }
    let description = match &parameter.settings.description {
        Some(text) => Some(text.value()),
        None => Some(description_of(&parameter.doc)).filter(|text| !text.is_empty()),
    };
    let is_context = is_reference && !matches!(ty, Type::Slice(_)) && is_path_other_than_str(&ty);
    if parsed.settings.require_descriptions.is_some() && description.is_none() && !is_context {
        report.error(
            parameter.pattern.span(),
            "`require_descriptions` wants a description for every parameter; \
             write a doc comment, or `#[tool(description = \"…\")]`",
        );
    }
    Some(CheckedParameter {
        name: name?,
        ty,
        is_reference,
        description,
        default: match default {
            Some(default) => Some(default?),
            None => None,
        },
        conditions: parameter.conditions.clone(),
    })
}

/// A type without the invisible groups and parentheses around it, which macros by example leave.
fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(paren) => bare(&paren.elem),
        ty => ty,
    }
}

/// A reference inside a type, such as that in `Option<&str>`.
fn inner_reference(ty: &Type) -> Option<&syn::TypeReference> {
    match ty {
        Type::Reference(reference) => Some(reference),
        Type::Group(group) => inner_reference(&group.elem),
        Type::Paren(paren) => inner_reference(&paren.elem),
        Type::Slice(slice) => inner_reference(&slice.elem),
        Type::Array(array) => inner_reference(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(inner_reference),
        Type::Path(path) => path.path.segments.iter().find_map(|segment| {
            let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments else {
                return None;
            };
            arguments.args.iter().find_map(|argument| match argument {
                syn::GenericArgument::Type(ty) => inner_reference(ty),
                _ => None,
            })
        }),
        _ => None,
    }
}

/// Only for wording: whether a reference is to something that is surely not text.
fn is_path_other_than_str(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if !path.path.is_ident("str"))
}

fn parse_duration(text: &str) -> Option<Duration> {
    let unit = text.find(|c: char| c.is_ascii_alphabetic())?;
    let amount: f64 = text[..unit].trim().parse().ok()?;
    duration_of(amount, &text[unit..])
}
