//! The rules across the parts of a tool.

mod name;
mod parameter;
mod result;
mod shape;

use super::parse::ParsedTool;
use crate::constraints::Narrowing;
use crate::default::Given;
use crate::doc::Description;
use crate::report::Report;
use crate::runtime_path::runtime_path;
use agent_spec::case::Case;
use agent_spec::duration::duration_of;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use std::time::Duration;
use syn::spanned::Spanned;
use syn::{Attribute, Ident, Safety, Type, Visibility};

/// A tool free of mistakes.
pub(crate) struct CheckedTool<'p> {
    pub(crate) krate: TokenStream,
    pub(crate) visibility: Visibility,
    pub(crate) function: Ident,
    pub(crate) type_name: Ident,
    pub(crate) name: String,
    pub(crate) description: Description,
    /// Whether the call gives a future.
    pub(crate) is_async: bool,
    pub(crate) inline: bool,
    pub(crate) parameters: Vec<CheckedParameter<'p>>,
    /// What is returned, or what the future gives; nothing for `()`.
    pub(crate) returns: Option<Type>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) retryable: bool,
    pub(crate) flags: Vec<Ident>,
    /// The folder that the tool's gram is written to.
    pub(crate) export: Option<&'p str>,
    /// The `#[cfg(…)]` on the function, which hold for the tool as well.
    pub(crate) conditions: Vec<Attribute>,
    /// The lints that the function allows, which the tool would be told of for the same types.
    pub(crate) allowed: Vec<TokenStream>,
}

/// A parameter of a tool, or its context.
pub(crate) struct CheckedParameter<'p> {
    pub(crate) name: String,
    /// Where its name stands.
    pub(crate) place: Span,
    /// Whether it is `_`, which only something of the host's may be.
    pub(crate) is_unnamed: bool,
    /// The type as written, without the `&` of a reference.
    pub(crate) ty: Type,
    pub(crate) is_reference: bool,
    pub(crate) description: Option<Description>,
    /// Where an attribute describes it.
    pub(crate) described_at: Option<Span>,
    pub(crate) default: Option<Given>,
    /// What the constant is called that holds a default which names variants.
    pub(crate) default_item: Ident,
    /// A gram type that is stated in place of the one that rustc would find.
    pub(crate) stated: Option<&'p agent_spec::Type>,
    pub(crate) narrowing: &'p Narrowing,
    /// The `#[cfg(…)]` on it: without them it is not there.
    pub(crate) conditions: Vec<Attribute>,
}

impl CheckedTool<'_> {
    /// Whether a type of the function stands in another, as in `Vec<Row>`.
    pub(crate) fn has_nested_types(&self) -> bool {
        let parameters = self.parameters.iter().map(|parameter| &parameter.ty);
        parameters.chain(&self.returns).any(|ty| {
            let mut tokens = ty.to_token_stream().into_iter();
            tokens.any(|token| matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '<'))
        })
    }
}

/// Checks all rules; gives nothing when a mistake leaves no tool to describe. It may give nothing
/// without a report, where rustc refuses the function itself and says so.
pub(crate) fn check_tool<'p>(report: &Report, parsed: &'p ParsedTool) -> Option<CheckedTool<'p>> {
    let signature = &parsed.function.signature;
    let settings = &parsed.settings;
    let case = settings.rename_all.unwrap_or(Case::Camel);
    refuse_unsupported(report, parsed);
    let name = name::check_tool_name(report, parsed, case);
    let description = check_description(report, parsed);
    let parameters = parameter::check_parameters(report, parsed, case);
    let timeout = check_timeout(report, parsed);
    let returned = result::check_result(report, &signature.output);
    let is_async = signature.asyncness.is_some()
        || returned.as_ref().is_some_and(|returned| returned.is_future);
    refuse_contradictions(report, parsed, is_async);
    let returned = returned?;
    if signature.asyncness.is_some() && returned.is_future {
        report.error_on(
            &signature.output,
            "an `async` function that returns a future has to be awaited twice; remove one of both",
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
        name,
        description: description?,
        is_async,
        inline: settings.inline.is_some(),
        parameters: parameters?,
        returns: returned.ty,
        timeout,
        retryable: settings.retryable.unwrap_or(true),
        flags: flags
            .into_iter()
            .filter(|(set, _)| set.is_some())
            .map(|(_, name)| Ident::new(name, Span::call_site()))
            .collect(),
        export: settings.export.as_deref(),
        conditions: parsed.function.conditions(),
        allowed: parsed.function.allowed(),
    })
}

pub(crate) fn crate_path(parsed: &ParsedTool) -> TokenStream {
    runtime_path(parsed.settings.krate.as_ref())
}

pub(crate) fn type_name(parsed: &ParsedTool) -> Ident {
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
    } else if let Some(lifetime) = signature.generics.lifetimes().next() {
        report.error(
            lifetime.span(),
            "a tool cannot name lifetimes: write `&str` without one, and return what owns its text, \
             such as `String`",
        );
    }
    if let Safety::Unsafe(token) = &signature.safety {
        report.error(
            token.span(),
            "an `unsafe` function cannot be a tool, since a model cannot keep its promises; \
             write a safe function that keeps them, and calls this one",
        );
    }
    if let Some(variadic) = &signature.variadic {
        report.error(variadic.span(), "a tool needs a fixed list of parameters");
    }
}

fn refuse_contradictions(report: &Report, parsed: &ParsedTool, is_async: bool) {
    let settings = &parsed.settings;
    if let (Some(_), Some(span)) = (settings.read_only, settings.destructive) {
        report.error(
            span,
            "a tool cannot be both `read_only` and `destructive`; remove one",
        );
    }
    match (settings.inline, &settings.timeout) {
        (Some(span), _) if is_async => report.error(
            span,
            "`inline` is for functions that are not `async`; remove it",
        ),
        (Some(_), Some(text)) => report.error(
            text.span(),
            "an `inline` tool runs on the caller's task and cannot be timed out; remove one",
        ),
        _ => {}
    }
}

fn check_description(report: &Report, parsed: &ParsedTool) -> Option<Description> {
    let function = &parsed.function;
    if let Some(text) = &parsed.settings.description {
        if text.value().trim().is_empty() {
            report.error(text.span(), "the description of a tool must not be empty");
        }
        return Some(Description::Known(text.value()));
    }
    let description = parsed.doc.description();
    if description.is_none() {
        report.error(
            function.signature.ident.span(),
            format!(
                "the tool `{}` needs a description: it is how a model knows when to call it; \
                 write a doc comment, or `#[tool(description = \"…\")]`",
                function.signature.ident
            ),
        );
    }
    description
}

fn check_timeout(report: &Report, parsed: &ParsedTool) -> Option<Duration> {
    let text = parsed.settings.timeout.as_ref()?;
    let timeout = parse_duration(&text.value());
    if timeout.is_none() {
        report.error(
            text.span(),
            "a timeout is a length of time above 0, such as \"500ms\", \"10s\", \"2min\" or \"1h\"",
        );
    }
    timeout
}

fn parse_duration(text: &str) -> Option<Duration> {
    let unit = text.find(|c: char| c.is_ascii_alphabetic())?;
    let amount: f64 = text[..unit].trim().parse().ok()?;
    duration_of(amount, &text[unit..])
}
