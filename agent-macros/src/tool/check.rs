//! Checks the rules across the parts of a tool.

use super::function::{Pattern, PatternKind};
use super::parse::{ParsedParameter, ParsedTool};
use crate::constraints::SpannedConstraints;
use crate::crate_path::tool_path;
use crate::default::{DefaultValue, ParameterDefault, read_parameter_default};
use crate::doc::{ArgumentDoc, Description, arguments_of};
use crate::report::Report;
use agent_spec::case::Case;
use agent_spec::duration::duration_of;
use agent_spec::names::{
    PARAMETER_NAMES, is_parameter_name, is_tool_name, nearly_spells, not_a_parameter_name,
};
use agent_spec::validate::fits_value;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident};
use std::collections::HashMap;
use std::time::Duration;
use syn::spanned::Spanned;
use syn::{
    AssocType, Attribute, GenericArgument, Ident, LitStr, PathArguments, ReturnType, Type,
    TypeImplTrait, TypeParamBound, TypeReference, Visibility,
};

/// A tool without errors.
pub(crate) struct CheckedTool<'p> {
    pub(crate) krate: TokenStream,
    pub(crate) visibility: Visibility,
    pub(crate) function: Ident,
    pub(crate) type_name: Ident,
    pub(crate) name: String,
    pub(crate) description: Description,
    /// Whether the call returns a future.
    pub(crate) is_async: bool,
    pub(crate) inline: bool,
    pub(crate) parameters: Vec<CheckedParameter<'p>>,
    /// The type of the result, or of the output of the future; `None` for `()`.
    pub(crate) returns: Option<Type>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) retryable: bool,
    pub(crate) flags: Vec<Ident>,
    /// The folder that the gram of the tool is written to.
    pub(crate) export: Option<&'p str>,
    /// The `#[cfg(…)]` attributes of the function, which apply to the tool, too.
    pub(crate) conditions: Vec<Attribute>,
    /// The lints that the function allows, because the tool has the same types.
    pub(crate) allowed: Vec<TokenStream>,
}

/// A parameter of a tool, or its context.
pub(crate) struct CheckedParameter<'p> {
    pub(crate) name: String,
    /// The span of its name.
    pub(crate) place: Span,
    /// Whether the pattern is `_`, which is allowed only for a value of the host.
    pub(crate) is_unnamed: bool,
    /// The type as written, without the `&` of a reference.
    pub(crate) ty: Type,
    pub(crate) is_reference: bool,
    /// The trait of the types that the parameter can have, and the function that checks the type.
    pub(crate) kinds: (&'static str, &'static str),
    pub(crate) description: Option<Description>,
    /// The span of the attribute that describes it.
    pub(crate) described_at: Option<Span>,
    pub(crate) default: Option<ParameterDefault>,
    /// The name of the constant that holds a default with variants.
    pub(crate) default_item: Ident,
    /// A gram type that is stated in place of the one that rustc would find.
    pub(crate) stated: Option<&'p agent_spec::Type>,
    pub(crate) narrowing: &'p SpannedConstraints,
    /// The `#[cfg(…)]` attributes of the parameter.
    pub(crate) conditions: Vec<Attribute>,
}

impl CheckedTool<'_> {
    /// Whether a type of the function is nested in another, as in `Vec<Row>`.
    pub(crate) fn has_nested_types(&self) -> bool {
        let parameters = self.parameters.iter().map(|parameter| &parameter.ty);
        parameters.chain(&self.returns).any(|ty| {
            let mut tokens = ty.to_token_stream().into_iter();
            tokens.any(|token| matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '<'))
        })
    }
}

/// Checks all rules. Returns `None` if an error leaves no tool to describe. If rustc rejects the
/// function itself, no error is reported here.
pub(crate) fn check_tool<'p>(report: &Report, parsed: &'p ParsedTool) -> Option<CheckedTool<'p>> {
    let signature = &parsed.function.signature;
    let settings = &parsed.settings;
    let case = settings.rename_all.unwrap_or(Case::Camel);
    refuse_unsupported(report, parsed);
    let name = check_tool_name(report, parsed, case);
    let description = check_description(report, parsed);
    let parameters = check_parameters(report, parsed, case);
    let timeout = check_timeout(report, parsed);
    let returned = check_result(report, &signature.output);
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
    tool_path(parsed.settings.krate.as_ref())
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
    if let Some(token) = &signature.unsafety {
        report.error(
            token.span(),
            "an `unsafe` function cannot be a tool, since a model cannot keep its promises; \
             write a safe function that keeps them, and calls this one",
        );
    }
    if let Some(variadic) = signature.variadic() {
        report.error(variadic, "a tool needs a fixed list of parameters");
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

/// Returns the name of the tool.
fn check_tool_name(report: &Report, parsed: &ParsedTool, case: Case) -> String {
    let function = &parsed.function.signature.ident;
    let (name, place) = given_or_derived_name(parsed.settings.name.as_ref(), function, case);
    if !is_tool_name(&name) {
        report.error(
            place,
            format!(
                "{} is not a name that every provider takes for a tool: a letter or `_`, then \
                 letters, digits, `_` or `-`, at most 63 in all, and none outside ASCII{}",
                quoted_name(&name),
                naming_hint(parsed.settings.name.as_ref())
            ),
        );
    }
    name
}

/// Returns the name of a parameter and its span.
pub(crate) fn check_parameter_name(
    report: &Report,
    given: Option<&LitStr>,
    rust: &syn::Ident,
    case: Case,
) -> (String, Span) {
    let (name, place) = given_or_derived_name(given, rust, case);
    if !is_parameter_name(&name) {
        report.error(
            place,
            format!(
                "{}: {PARAMETER_NAMES}{}",
                not_a_parameter_name(&name),
                naming_hint(given)
            ),
        );
    }
    (name, place)
}

fn given_or_derived_name(given: Option<&LitStr>, rust: &syn::Ident, case: Case) -> (String, Span) {
    match given {
        Some(name) => (name.value(), name.span()),
        None => (case.of_rust(&rust.to_string()), rust.span()),
    }
}

fn quoted_name(name: &str) -> String {
    if name.is_empty() {
        "an empty name".to_owned()
    } else {
        format!("`{name}`")
    }
}

fn naming_hint(given: Option<&LitStr>) -> &'static str {
    match given {
        Some(_) => "",
        None => "; set one with `#[tool(name = \"…\")]`",
    }
}

/// Checks all parameters. Returns `None` if one of them cannot be described.
fn check_parameters<'p>(
    report: &Report,
    parsed: &'p ParsedTool,
    case: Case,
) -> Option<Vec<CheckedParameter<'p>>> {
    let listed = arguments_of(&parsed.doc);
    let checked: Vec<Option<CheckedParameter<'p>>> = parsed
        .parameters
        .iter()
        .map(|parameter| check_parameter(report, parsed, parameter, &listed, case))
        .collect();
    refuse_same_names(report, parsed, &checked);
    refuse_misspelled_docs(report, &parsed.parameters, &listed);
    checked.into_iter().collect()
}

fn check_parameter<'p>(
    report: &Report,
    parsed: &ParsedTool,
    parameter: &'p ParsedParameter,
    listed: &[ArgumentDoc],
    case: Case,
) -> Option<CheckedParameter<'p>> {
    let settings = &parameter.settings;
    let default = settings.default.as_ref();
    let default = default.map(|value| read_parameter_default(report, value));
    let known = default.iter().flatten().find_map(ParameterDefault::known);
    settings.narrowing.check(report, known);
    let name = check_name(report, parameter, case);
    let (ty, is_reference) = check_type(report, parsed, parameter)?;
    let stated = settings.stated.as_ref().map(|stated| {
        if is_reference {
            report.error(
                stated.span,
                "a type is stated for a parameter that is taken by value; take this one by value",
            );
        } else {
            check_stated_default(report, &stated.ty, known);
        }
        &stated.ty
    });
    let description = description_of(parameter, listed);
    let is_context = is_reference && !matches!(ty, Type::Slice(_)) && is_path_other_than_str(&ty);
    if parsed.settings.require_descriptions.is_some() && description.is_none() && !is_context {
        report.error(
            parameter.pattern.span(),
            "`require_descriptions` wants a description for every parameter; \
             write a doc comment, or `#[tool(description = \"…\")]`",
        );
    }
    let (name, place) = name?;
    Some(CheckedParameter {
        is_unnamed: settings.name.is_none() && matches!(parameter.pattern.kind, PatternKind::Wild),
        name,
        place,
        ty,
        is_reference,
        kinds: if is_reference {
            ("ToolReference", "slot")
        } else {
            ("ToolParameter", "slot")
        },
        description,
        described_at: settings.description.as_ref().map(Spanned::span),
        default: match default {
            Some(default) => Some(default?),
            None => None,
        },
        default_item: format_ident!(
            "__default_{}_{}",
            parsed.function.signature.ident,
            rust_name(&parameter.pattern)
                .unwrap_or_default()
                .trim_start_matches("r#"),
            span = Span::mixed_site()
        ),
        stated,
        narrowing: &settings.narrowing,
        conditions: parameter.conditions.clone(),
    })
}

/// Reports a default that does not fit the type that is stated for its parameter.
pub(crate) fn check_stated_default(
    report: &Report,
    stated: &agent_spec::Type,
    default: Option<&DefaultValue>,
) {
    if let Some(default) = default
        && let Err(reason) = fits_value(stated, &default.value)
    {
        let message = format!("the default does not fit the type that is stated: {reason}");
        report.error(default.span, message);
    }
}

/// Returns the description of a parameter: that of its attribute, of its doc comment, or of the list in the doc
/// comment of the function.
pub(crate) fn description_of(
    parameter: &ParsedParameter,
    listed: &[ArgumentDoc],
) -> Option<Description> {
    match &parameter.settings.description {
        Some(text) => Some(Description::Known(text.value())),
        None => parameter
            .doc
            .description()
            .or_else(|| listed_for(parameter, listed)),
    }
}

/// Returns the name and its span. A parameter `_` can be a value of the host.
fn check_name(report: &Report, parameter: &ParsedParameter, case: Case) -> Option<(String, Span)> {
    let place = parameter.pattern.span();
    match (&parameter.settings.name, &parameter.pattern.kind) {
        (given, PatternKind::Name(name)) => {
            Some(check_parameter_name(report, given.as_ref(), name, case))
        }
        (Some(given), _) => {
            let nameless = syn::Ident::new("_", place);
            Some(check_parameter_name(report, Some(given), &nameless, case))
        }
        (None, PatternKind::Wild) => Some(("_".to_owned(), place)),
        (None, kind) => {
            let message = match kind {
                PatternKind::Newtype(inner) => &format!(
                    "a parameter of a tool needs a name: write `{inner}` in place of the pattern; an \
                     `Extension` dereferences to its value, and anything else is taken apart in the body"
                ),
                _ => {
                    "a parameter of a tool needs a name; give it one, and take it apart in the body"
                }
            };
            report.error(place, message);
            None
        }
    }
}

/// Returns the type without the `&` of a reference, and whether there was one.
fn check_type(
    report: &Report,
    parsed: &ParsedTool,
    parameter: &ParsedParameter,
) -> Option<(Type, bool)> {
    let (ty, is_reference) = match without_groups(&parameter.ty) {
        Type::Reference(reference) => {
            if reference.mutability.is_some() {
                report.error_on(
                    reference,
                    "a parameter of a tool cannot be a mutable reference; take the value itself, \
                     or the context as `&ToolContext`",
                );
                return None;
            }
            // A lifetime that the function declares is reported at its declaration.
            if let Some(lifetime) = &reference.lifetime
                && parsed.function.signature.generics.params.is_empty()
            {
                report.error(lifetime.span(), "write the reference without a lifetime");
            }
            ((*reference.elem).clone(), true)
        }
        // For a `dyn Trait` without a pointer, rustc reports that its size is unknown.
        Type::TraitObject(_) => return None,
        ty => (ty.clone(), false),
    };
    if let Some(found) = unsupported_type(&ty) {
        match found.message() {
            Some((_, message))
                if matches!(found, UnsupportedType::Reference(_)) && is_reference =>
            {
                report.error_on(&parameter.ty, message);
            }
            Some((part, message)) => report.error_on(&part, message),
            None => {}
        }
        return None;
    }
    Some((ty, is_reference))
}

/// Reports the second of two parameters with one name. If they have one name in Rust, rustc reports
/// it.
fn refuse_same_names(
    report: &Report,
    parsed: &ParsedTool,
    checked: &[Option<CheckedParameter<'_>>],
) {
    let mut names: HashMap<&str, &Pattern> = HashMap::new();
    for (parameter, source) in checked.iter().zip(&parsed.parameters) {
        // Two parameters with conditions can exclude each other. rustc decides whether a reference
        // is to the context; here only its name matters.
        let Some(parameter) = parameter.as_ref().filter(|parameter| {
            parameter.conditions.is_empty()
                && !parameter.is_unnamed
                && !(parameter.is_reference && is_path_other_than_str(&parameter.ty))
        }) else {
            continue;
        };
        let Some(first) = names.insert(&parameter.name, &source.pattern) else {
            continue;
        };
        if rust_name(first).is_none() || rust_name(first) != rust_name(&source.pattern) {
            report.error(
                parameter.place,
                format!("two parameters are called `{}`; rename one", parameter.name),
            );
        }
    }
}

fn rust_name(pattern: &Pattern) -> Option<String> {
    pattern.name().map(Ident::to_string)
}

/// Returns the description of a parameter in a list, found by its name in Rust or in gram.
fn listed_for(parameter: &ParsedParameter, listed: &[ArgumentDoc]) -> Option<Description> {
    let item = listed.iter().find(|item| names(item, parameter))?;
    Some(Description::Known(item.text.clone())).filter(|_| !item.text.is_empty())
}

fn names(item: &ArgumentDoc, parameter: &ParsedParameter) -> bool {
    let plain = |name: &str| name.strip_prefix("r#").unwrap_or(name).to_owned();
    let given = parameter.settings.name.as_ref();
    given.is_some_and(|name| name.value() == item.name)
        || rust_name(&parameter.pattern).is_some_and(|name| plain(&name) == plain(&item.name))
}

/// Reports list items with a misspelled name. To be an error, the item must nearly spell a
/// parameter that no other item describes, because a comment should rarely break a build.
pub(crate) fn refuse_misspelled_docs(
    report: &Report,
    parameters: &[ParsedParameter],
    listed: &[ArgumentDoc],
) {
    for item in listed {
        if parameters.iter().any(|known| names(item, known)) {
            continue;
        }
        let meant = parameters.iter().find_map(|parameter| {
            let name = rust_name(&parameter.pattern)?;
            let is_listed = listed.iter().any(|item| names(item, parameter));
            (!is_listed && nearly_spells(&item.name, &name)).then_some(name)
        });
        if let Some(meant) = meant {
            report.error(
                item.span,
                format!(
                    "there is no parameter `{}` to describe; did you mean `{meant}`?",
                    item.name
                ),
            );
        }
    }
}

/// Removes the invisible groups and parentheses that declarative macros put around a type.
pub(crate) fn without_groups(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => without_groups(&group.elem),
        Type::Paren(paren) => without_groups(&paren.elem),
        ty => ty,
    }
}

/// A part of a type that cannot be data.
pub(crate) enum UnsupportedType<'t> {
    /// A reference inside the type, such as that in `Option<&str>`.
    Reference(&'t TypeReference),
    /// `impl Trait`.
    Impl(&'t Type),
    /// A trait object, a function or a pointer.
    NoData(&'t Type),
    /// `_`, which rustc rejects in signatures.
    Placeholder,
}

/// Returns the first part of a type that no parameter can have.
pub(crate) fn unsupported_type(ty: &Type) -> Option<UnsupportedType<'_>> {
    match ty {
        Type::Reference(reference) => Some(UnsupportedType::Reference(reference)),
        Type::ImplTrait(_) => Some(UnsupportedType::Impl(ty)),
        Type::TraitObject(_) | Type::FnPtr(_) | Type::Ptr(_) | Type::Never(_) => {
            Some(UnsupportedType::NoData(ty))
        }
        Type::Infer(_) => Some(UnsupportedType::Placeholder),
        Type::Group(group) => unsupported_type(&group.elem),
        Type::Paren(paren) => unsupported_type(&paren.elem),
        Type::Slice(slice) => unsupported_type(&slice.elem),
        Type::Array(array) => unsupported_type(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(unsupported_type),
        Type::Path(path) => path.path.segments.iter().find_map(|segment| {
            let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
                return None;
            };
            arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(ty) => unsupported_type(ty),
                _ => None,
            })
        }),
        _ => None,
    }
}

/// Returns the last name of a type's path. It is used for messages only.
fn last_name(ty: &Type) -> Option<&Ident> {
    match without_groups(ty) {
        Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        _ => None,
    }
}

/// Whether a type is a path other than `str`. It is used for messages only.
fn is_path_other_than_str(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if !path.path.is_ident("str"))
}

impl UnsupportedType<'_> {
    /// Returns the part of the type and the message, or `None` if rustc reports it.
    fn message(&self) -> Option<(TokenStream, &'static str)> {
        Some(match self {
            UnsupportedType::Reference(reference) => {
                let what = last_name(&reference.elem);
                let message = match what {
                    Some(name) if name == "ToolContext" => {
                        "the context of a call is always there: take it as `&ToolContext`"
                    }
                    _ => {
                        "a parameter of a tool owns what it holds: write `String` for `&str`, \
                         `Vec<T>` for a slice"
                    }
                };
                (reference.to_token_stream(), message)
            }
            UnsupportedType::Impl(ty) => (
                ty.to_token_stream(),
                "a parameter of a tool needs one type, since a model needs to know it; write the \
                 type itself",
            ),
            UnsupportedType::NoData(ty) => (
                ty.to_token_stream(),
                "a parameter of a tool is data that a model sends; it cannot be of this type",
            ),
            UnsupportedType::Placeholder => return None,
        })
    }
}

/// The result of a function.
struct Returned {
    /// The type, or the output of the future; `None` for `()`.
    ty: Option<Type>,
    is_future: bool,
}

/// Returns the result. Reports a type that cannot be the result of a tool.
fn check_result(report: &Report, output: &ReturnType) -> Option<Returned> {
    let ReturnType::Type(_, ty) = output else {
        return Some(Returned {
            ty: None,
            is_future: false,
        });
    };
    match without_groups(ty) {
        Type::ImplTrait(found) => {
            let output = future_output(found);
            if output.is_none() {
                report.error_on(
                    ty,
                    "a tool must name what it returns; write the type itself, or \
                     `impl Future<Output = T>`",
                );
            }
            Some(Returned {
                ty: Some(output?),
                is_future: true,
            })
        }
        Type::Never(never) => {
            report.error(
                never.span(),
                "a model waits for what a tool returns, and this function never does; write `()`, \
                 or `Result<(), E>`",
            );
            None
        }
        _ => Some(Returned {
            ty: Some((**ty).clone()),
            is_future: false,
        }),
    }
}

/// Returns the `T` of `impl Future<Output = T>`. rustc checks that it is the future of the standard
/// library when it is awaited.
fn future_output(found: &TypeImplTrait) -> Option<Type> {
    found.bounds.iter().find_map(|bound| {
        let TypeParamBound::Trait(bound) = bound else {
            return None;
        };
        let last = bound.path.segments.last()?;
        let PathArguments::AngleBracketed(arguments) = &last.arguments else {
            return None;
        };
        arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::AssocType(AssocType { ident, ty, .. }) if ident == "Output" => {
                Some(ty.clone())
            }
            _ => None,
        })
    })
}
