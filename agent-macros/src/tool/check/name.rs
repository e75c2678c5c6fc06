//! The names that models know a tool and its parameters by.

use super::ParsedTool;
use crate::report::Report;
use agent_spec::case::Case;
use agent_spec::names::{PARAMETER_NAMES, is_parameter_name, is_tool_name, not_a_parameter_name};
use proc_macro2::Span;
use syn::LitStr;

/// The name of the tool.
pub(super) fn check_tool_name(report: &Report, parsed: &ParsedTool, case: Case) -> String {
    let function = &parsed.function.signature.ident;
    let (name, place) = given_or_made(parsed.settings.name.as_ref(), function, case);
    if !is_tool_name(&name) {
        report.error(
            place,
            format!(
                "{} is not a name that every provider takes for a tool: a letter or `_`, then \
                 letters, digits, `_` or `-`, at most 63 in all, and none outside ASCII{}",
                shown(&name),
                way_out(parsed.settings.name.as_ref())
            ),
        );
    }
    name
}

/// The name of a parameter, and where it stands.
pub(super) fn check_parameter_name(
    report: &Report,
    given: Option<&LitStr>,
    rust: &syn::Ident,
    case: Case,
) -> (String, Span) {
    let (name, place) = given_or_made(given, rust, case);
    if !is_parameter_name(&name) {
        report.error(
            place,
            format!(
                "{}: {PARAMETER_NAMES}{}",
                not_a_parameter_name(&name),
                way_out(given)
            ),
        );
    }
    (name, place)
}

fn given_or_made(given: Option<&LitStr>, rust: &syn::Ident, case: Case) -> (String, Span) {
    match given {
        Some(name) => (name.value(), name.span()),
        None => (case.of_rust(&rust.to_string()), rust.span()),
    }
}

fn shown(name: &str) -> String {
    if name.is_empty() {
        "an empty name".to_owned()
    } else {
        format!("`{name}`")
    }
}

fn way_out(given: Option<&LitStr>) -> &'static str {
    match given {
        Some(_) => "",
        None => "; set one with `#[tool(name = \"…\")]`",
    }
}
