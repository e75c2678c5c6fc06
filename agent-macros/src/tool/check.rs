//! Checks the rules across the parts of a tool.

use super::function::name_of;
use super::parse::{ParsedParameter, ParsedTool};
use super::settings::ToolAttribute;
use crate::constraints::SpannedConstraints;
use crate::crate_path::tool_path;
use crate::default::{ParameterDefault, read_parameter_default};
use crate::doc::{ArgumentDoc, Description, DocComment, arguments_of};
use crate::report::Report;
use agent_effects::Effect;
use agent_spec::case::Case;
use agent_spec::duration::duration_of;
use agent_spec::names::{
    PARAMETER_NAMES, is_parameter_name, is_tool_name, nearly_spells, not_a_parameter_name,
};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident};
use std::collections::HashMap;
use std::time::Duration;
use syn::spanned::Spanned;
use syn::{
    AssocType, Attribute, GenericArgument, Ident, LitStr, Pat, PathArguments, PathSegment,
    ReturnType, Safety, Type, TypeImplTrait, TypeParamBound, TypeReference,
};

/// A tool without errors.
pub(crate) struct CheckedTool<'p> {
    pub(crate) parsed: &'p ParsedTool,
    pub(crate) krate: TokenStream,
    pub(crate) function: &'p Ident,
    pub(crate) type_name: Ident,
    pub(crate) name: String,
    pub(crate) description: Description,
    /// Whether the call returns a future.
    pub(crate) is_async: bool,
    pub(crate) parameters: Vec<CheckedParameter<'p>>,
    /// The type of the result, or of the output of the future; `None` for `()`.
    pub(crate) returns: Option<Type>,
    pub(crate) timeout: Option<Duration>,
    /// The `#[cfg(…)]` attributes of the function, which apply to the tool, too.
    pub(crate) conditions: Vec<Attribute>,
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
    pub(crate) conditions: &'p [Attribute],
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
    let name = check_tool_name(
        report,
        settings.name.as_ref(),
        &signature.ident,
        case,
        ToolAttribute::Tool,
    );
    let description = check_description(report, parsed);
    let parameters = check_parameters(
        report,
        &parsed.doc,
        &parsed.parameters,
        |parameter, listed| check_parameter(report, parsed, parameter, listed, case),
    );
    let timeout = check_timeout(report, parsed);
    let returned = check_result(report, &signature.output);
    let is_future = returned.as_ref().is_some_and(|(_, is_future)| *is_future);
    let is_async = signature.asyncness.is_some() || is_future;
    refuse_contradictions(report, parsed, is_async);
    let (returns, _) = returned?;
    if signature.asyncness.is_some() && is_future {
        report.error_on(
            &signature.output,
            "an `async` function that returns a future has to be awaited twice; remove one of both",
        );
    }
    Some(CheckedTool {
        parsed,
        krate: crate_path(parsed),
        function: &signature.ident,
        type_name: type_name(parsed),
        name,
        description: description?,
        is_async,
        parameters: parameters?,
        returns,
        timeout,
        conditions: parsed.function.conditions(),
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
    if let (Some(_), Some(span)) = (settings.flag("read_only"), settings.flag("destructive")) {
        report.error(
            span,
            "a tool cannot be both `read_only` and `destructive`; remove one",
        );
    }
    if let (Some(span), Some(true)) = (
        settings.flag("read_only"),
        settings.effects.stated(Effect::Writes),
    ) {
        report.error(
            span,
            "a tool cannot be both `read_only` and `writes`; remove one",
        );
    }
    match (settings.flag("inline"), &settings.timeout) {
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

/// Returns the name of a tool.
pub(crate) fn check_tool_name(
    report: &Report,
    given: Option<&LitStr>,
    rust: &Ident,
    case: Case,
    of: ToolAttribute,
) -> String {
    let (name, place) = given_or_derived_name(given, rust, case);
    if !is_tool_name(&name) {
        let quoted = match name.as_str() {
            "" => "an empty name".to_owned(),
            name => format!("`{name}`"),
        };
        report.error(
            place,
            format!(
                "{quoted} is not a name that every provider takes for a tool: a letter or `_`, then letters, digits, \
                 `_` or `-`, at most 63 in all, and none outside ASCII{}",
                naming_hint(given, of)
            ),
        );
    }
    name
}

/// Returns the name of a parameter and its span.
pub(crate) fn check_parameter_name(
    report: &Report,
    given: Option<&LitStr>,
    rust: &Ident,
    case: Case,
    of: ToolAttribute,
) -> (String, Span) {
    let (name, place) = given_or_derived_name(given, rust, case);
    if !is_parameter_name(&name) {
        report.error(
            place,
            format!(
                "{}: {PARAMETER_NAMES}{}",
                not_a_parameter_name(&name),
                naming_hint(given, of)
            ),
        );
    }
    (name, place)
}

fn given_or_derived_name(given: Option<&LitStr>, rust: &Ident, case: Case) -> (String, Span) {
    match given {
        Some(name) => (name.value(), name.span()),
        None => (case.of_rust(&rust.to_string()), rust.span()),
    }
}

fn naming_hint(given: Option<&LitStr>, of: ToolAttribute) -> String {
    match given {
        Some(_) => String::new(),
        None => format!("; set one with `#[{}(name = \"…\")]`", of.name()),
    }
}

/// Checks all parameters. Returns `None` if one of them cannot be described.
pub(crate) fn check_parameters<'p>(
    report: &Report,
    doc: &DocComment,
    parameters: &'p [ParsedParameter],
    check: impl Fn(&'p ParsedParameter, &[ArgumentDoc]) -> Option<CheckedParameter<'p>>,
) -> Option<Vec<CheckedParameter<'p>>> {
    let listed = arguments_of(doc);
    let checked: Vec<Option<CheckedParameter<'p>>> = parameters
        .iter()
        .map(|parameter| check(parameter, &listed))
        .collect();
    refuse_same_names(report, parameters, &checked);
    refuse_misspelled_docs(report, parameters, &listed);
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
    let default = check_default(report, parameter);
    let name = check_name(report, parameter, case);
    let (ty, is_reference) = check_type(report, parsed, parameter)?;
    if is_reference && let Some(stated) = &settings.stated {
        report.error(
            stated.span,
            "a type is stated for a parameter that is taken by value; take this one by value",
        );
    } else {
        check_stated_default(report, parameter, default.as_ref());
    }
    let description = description_of(parameter, listed);
    let is_context = is_reference && !matches!(ty, Type::Slice(_)) && is_path_other_than_str(&ty);
    if parsed.settings.require_descriptions.is_some() && description.is_none() && !is_context {
        report.error(
            parameter.pattern.span(),
            "`require_descriptions` wants a description for every parameter; \
             write a doc comment, or `#[tool(description = \"…\")]`",
        );
    }
    let kinds = match is_reference {
        true => ("ToolReference", "slot"),
        false => ("ToolParameter", "slot"),
    };
    let function = &parsed.function.signature.ident;
    let checked = CheckedParameter::new(function, parameter, name?, (ty, is_reference), kinds);
    Some(CheckedParameter {
        description,
        default,
        ..checked
    })
}

impl<'p> CheckedParameter<'p> {
    /// A parameter of a function without a description and a default.
    pub(crate) fn new(
        function: &Ident,
        parameter: &'p ParsedParameter,
        (name, place): (String, Span),
        (ty, is_reference): (Type, bool),
        kinds: (&'static str, &'static str),
    ) -> Self {
        let settings = &parameter.settings;
        let rust = rust_name(&parameter.pattern).unwrap_or_default();
        Self {
            is_unnamed: settings.name.is_none() && matches!(parameter.pattern, Pat::Wild(_)),
            name,
            place,
            ty,
            is_reference,
            kinds,
            description: None,
            described_at: settings.description.as_ref().map(Spanned::span),
            default: None,
            default_item: format_ident!(
                "__default_{}_{}",
                function,
                rust.trim_start_matches("r#"),
                span = Span::mixed_site()
            ),
            stated: settings.stated.as_ref().map(|stated| &stated.ty),
            narrowing: &settings.narrowing,
            conditions: &parameter.conditions,
        }
    }
}

/// Returns the default of a parameter. Reports constraints that contradict each other, too.
pub(crate) fn check_default(
    report: &Report,
    parameter: &ParsedParameter,
) -> Option<ParameterDefault> {
    let settings = &parameter.settings;
    let expression = settings.default.as_ref();
    let default = expression.and_then(|value| read_parameter_default(report, value));
    let known = default.as_ref().and_then(ParameterDefault::known);
    settings.narrowing.check(report, known);
    default
}

/// Reports a default that does not fit the type that is stated for its parameter.
pub(crate) fn check_stated_default(
    report: &Report,
    parameter: &ParsedParameter,
    default: Option<&ParameterDefault>,
) {
    if let Some(stated) = &parameter.settings.stated
        && let Some(default) = default.and_then(ParameterDefault::known)
    {
        default.check_stated(report, &stated.ty);
    }
}

/// Returns the description of a parameter, which is in its attribute, in its doc comment, or in the list in the doc
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
    let (given, pattern) = (parameter.settings.name.as_ref(), &parameter.pattern);
    let place = pattern.span();
    let check = |rust: &Ident| {
        let of = ToolAttribute::Tool;
        Some(check_parameter_name(report, given, rust, case, of))
    };
    let message = match pattern {
        Pat::Ident(name) => return check(&name.ident),
        _ if given.is_some() => return check(&Ident::new("_", place)),
        Pat::Wild(_) => return Some(("_".to_owned(), place)),
        pattern => match newtype_name(pattern) {
            Some(inner) => &format!(
                "a parameter of a tool needs a name: write `{inner}` in place of the pattern; an \
                 `Extension` dereferences to its value, and anything else is taken apart in the body"
            ),
            None => {
                "a parameter of a tool needs a name; give it one, and take it apart in the body"
            }
        },
    };
    report.error(place, message);
    None
}

/// Returns the name in a pattern with one part, such as `Extension(name)`.
fn newtype_name(pattern: &Pat) -> Option<&Ident> {
    match pattern {
        Pat::TupleStruct(parts) if parts.elems.len() == 1 => name_of(parts.elems.first()?),
        _ => None,
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
    match unsupported_type(&ty) {
        None => return Some((ty, is_reference)),
        Some(UnsupportedType::Reference(reference)) => {
            let last = match without_groups(&reference.elem) {
                Type::Path(path) => path.path.segments.last(),
                _ => None,
            };
            // Only the message depends on the name.
            let message = match last.is_some_and(|last| last.ident == "ToolContext") {
                true => "the context of a call is always there: take it as `&ToolContext`",
                false => {
                    "a parameter of a tool owns what it holds: write `String` for `&str`, `Vec<T>` for a slice"
                }
            };
            match is_reference {
                true => report.error_on(&parameter.ty, message),
                false => report.error_on(reference, message),
            }
        }
        Some(UnsupportedType::Impl(part)) => report.error_on(
            part,
            "a parameter of a tool needs one type, since a model needs to know it; write the type itself",
        ),
        Some(UnsupportedType::NoData(part)) => report.error_on(
            part,
            "a parameter of a tool is data that a model sends; it cannot be of this type",
        ),
        // rustc reports the placeholder.
        Some(UnsupportedType::Placeholder) => {}
    }
    None
}

/// Reports the second of two parameters with one name. If they have one name in Rust, rustc reports
/// it.
fn refuse_same_names(
    report: &Report,
    parameters: &[ParsedParameter],
    checked: &[Option<CheckedParameter<'_>>],
) {
    let mut names: HashMap<&str, &Pat> = HashMap::new();
    for (parameter, source) in checked.iter().zip(parameters) {
        // Two parameters with conditions can exclude each other. rustc decides whether a reference
        // is to the context; here only its name matters.
        let Some(parameter) = parameter.as_ref().filter(|parameter| {
            parameter.conditions.is_empty()
                && !parameter.is_unnamed
                && !(parameter.kinds.0 == "ToolReference" && is_path_other_than_str(&parameter.ty))
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

fn rust_name(pattern: &Pat) -> Option<String> {
    name_of(pattern).map(Ident::to_string)
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
fn refuse_misspelled_docs(report: &Report, parameters: &[ParsedParameter], listed: &[ArgumentDoc]) {
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

/// Returns the types in the angle brackets of a name, such as `Result<T, E>`.
pub(crate) fn types_in(segment: &PathSegment) -> impl Iterator<Item = &Type> {
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    };
    let arguments = arguments.into_iter().flatten();
    arguments.filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// A part of a type that cannot be data.
pub(crate) enum UnsupportedType<'t> {
    /// A reference inside the type, as in `Option<&str>`.
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
        Type::Path(path) => path
            .path
            .segments
            .iter()
            .flat_map(types_in)
            .find_map(unsupported_type),
        _ => None,
    }
}

/// Whether a type is a path other than `str`. It is used for messages only.
fn is_path_other_than_str(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if !path.path.is_ident("str"))
}

/// Returns the type of the result, or of the output of a future, and whether it is a future. The type is `None` for `()`.
/// Reports a type that cannot be the result of a tool.
fn check_result(report: &Report, output: &ReturnType) -> Option<(Option<Type>, bool)> {
    let ReturnType::Type(_, ty) = output else {
        return Some((None, false));
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
            Some((Some(output?), true))
        }
        Type::Never(never) => {
            report.error(
                never.span(),
                "a model waits for what a tool returns, and this function never does; write `()`, \
                 or `Result<(), E>`",
            );
            None
        }
        _ => Some((Some((**ty).clone()), false)),
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
