//! The rules for parameters.

use super::CheckedParameter;
use super::name::check_parameter_name;
use super::shape::{Refused, bare, is_path_other_than_str, refused};
use crate::default::{Given, read_given};
use crate::doc::{ArgumentDoc, Description, arguments_of};
use crate::report::Report;
use crate::tool::parse::{ParsedParameter, ParsedTool};
use agent_spec::case::Case;
use agent_spec::names::nearly_spells;
use agent_spec::validate::fits_value;
use proc_macro2::Span;
use quote::format_ident;
use std::collections::HashMap;
use syn::spanned::Spanned;
use syn::{Pat, Type};

/// Checks all parameters; nothing when one of them cannot be described.
pub(super) fn check_parameters<'p>(
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
    refuse_misspelled_docs(report, parsed, &listed);
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
    let default = default.map(|value| read_given(report, value));
    let known = default.as_ref().and_then(|given| match given {
        Some(Given::Known(default)) => Some(default),
        _ => None,
    });
    settings.narrowing.check(report, known);
    let name = check_name(report, parameter, case);
    let (ty, is_reference) = check_type(report, parsed, parameter)?;
    let stated = settings.stated.as_ref().map(|stated| {
        if is_reference {
            report.error(
                stated.span,
                "a type is stated for a parameter that is taken by value; take this one by value",
            );
        } else if let Some(default) = known
            && let Err(reason) = fits_value(&stated.ty, &default.value)
        {
            let message = format!("the default does not fit the type that is stated: {reason}");
            report.error(default.span, message);
        }
        &stated.ty
    });
    let description = match &settings.description {
        Some(text) => Some(Description::Known(text.value())),
        None => parameter
            .doc
            .description()
            .or_else(|| listed_for(parameter, listed)),
    };
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
        is_unnamed: settings.name.is_none() && matches!(parameter.pattern, Pat::Wild(_)),
        name,
        place,
        ty,
        is_reference,
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

/// The name, and where it stands. A parameter that is `_` may be something of the host's.
fn check_name(report: &Report, parameter: &ParsedParameter, case: Case) -> Option<(String, Span)> {
    let place = parameter.pattern.span();
    match (&parameter.settings.name, &parameter.pattern) {
        (given, Pat::Ident(pattern)) => Some(check_parameter_name(
            report,
            given.as_ref(),
            &pattern.ident,
            case,
        )),
        (Some(given), _) => {
            let nameless = syn::Ident::new("_", place);
            Some(check_parameter_name(report, Some(given), &nameless, case))
        }
        (None, Pat::Wild(_)) => Some(("_".to_owned(), place)),
        (None, pattern) => {
            let message = match taken_apart(pattern) {
                Some(inner) => &format!(
                    "a parameter of a tool needs a name: write `{inner}` in place of the pattern; an \
                     `Extension` dereferences to its value, and anything else is taken apart in the body"
                ),
                None => {
                    "a parameter of a tool needs a name; give it one, and take it apart in the body"
                }
            };
            report.error(place, message);
            None
        }
    }
}

/// The name in a pattern of one part, such as `Extension(store)`.
fn taken_apart(pattern: &Pat) -> Option<&syn::Ident> {
    let Pat::TupleStruct(pattern) = pattern else {
        return None;
    };
    match (pattern.elems.len(), pattern.elems.first()) {
        (1, Some(Pat::Ident(inner))) => Some(&inner.ident),
        _ => None,
    }
}

/// The type without the `&` of a reference, and whether there was one.
fn check_type(
    report: &Report,
    parsed: &ParsedTool,
    parameter: &ParsedParameter,
) -> Option<(Type, bool)> {
    let (ty, is_reference) = match bare(&parameter.ty) {
        Type::Reference(reference) => {
            if reference.mutability.is_some() {
                report.error_on(
                    reference,
                    "a parameter of a tool cannot be a mutable reference; take the value itself, \
                     or the context as `&ToolContext`",
                );
                return None;
            }
            // One that the function declares is reported where it is declared.
            if let Some(lifetime) = &reference.lifetime
                && parsed.function.signature.generics.params.is_empty()
            {
                report.error(lifetime.span(), "write the reference without a lifetime");
            }
            ((*reference.elem).clone(), true)
        }
        // Of `dyn Trait` as it is, rustc says that its size is not known.
        Type::TraitObject(_) => return None,
        ty => (ty.clone(), false),
    };
    if let Some(found) = refused(&ty) {
        match found.message() {
            Some((_, message)) if matches!(found, Refused::Reference(_)) && is_reference => {
                report.error_on(&parameter.ty, message);
            }
            Some((part, message)) => report.error_on(&part, message),
            None => {}
        }
        return None;
    }
    Some((ty, is_reference))
}

/// Of two parameters with one name the second is reported; of two with one name in Rust, rustc
/// says it.
fn refuse_same_names(
    report: &Report,
    parsed: &ParsedTool,
    checked: &[Option<CheckedParameter<'_>>],
) {
    let mut names: HashMap<&str, &Pat> = HashMap::new();
    for (parameter, source) in checked.iter().zip(&parsed.parameters) {
        // Of two that depend on conditions, one may be meant to stand for the other. Whether a
        // reference is to the context, rustc decides: here it only matters what its name means.
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

fn rust_name(pattern: &Pat) -> Option<String> {
    match pattern {
        Pat::Ident(pattern) => Some(pattern.ident.to_string()),
        _ => None,
    }
}

/// What a list of arguments says of a parameter, by its name in Rust or in gram.
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

/// A comment breaks no build, unless it is clearly about a parameter that is spelled otherwise: one
/// that no other item is about.
fn refuse_misspelled_docs(report: &Report, parsed: &ParsedTool, listed: &[ArgumentDoc]) {
    for item in listed {
        if parsed.parameters.iter().any(|known| names(item, known)) {
            continue;
        }
        let meant = parsed.parameters.iter().find_map(|parameter| {
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
