//! `agent!`: parses gram, checks it, and emits the checks that only rustc can do.

mod binding_checks;
mod expand;
mod file;
mod function;
mod gram_text;
mod input;
mod locks;
mod models;
mod options;

pub(crate) use file::{GramFile, read as read_file, report_text};
pub(crate) use function::{FunctionAgent, expand_function_agent};
pub(crate) use gram_text::GramText;
pub(crate) use input::flat;
pub(crate) use input::{GramSource, Input, read_source};
pub(crate) use locks::Locks;
pub(crate) use models::Models;
pub(crate) use options::Options;
pub(crate) use options::{read_providers, start};

use crate::report::Report;
use agent_spec::__private::ListedIn;
use agent_spec::check::{self, AgentElement, AgentNode, Checked, choose_agent};
use agent_spec::names::nearest;
use agent_spec::{Diagnostic, Severity};
use binding_checks::{BindingChecks, ErrorLocation};
use options::Dynamic;
use proc_macro2::TokenStream;
use quote::quote;

/// Expands to the agent as a constant expression or as an item, with the checks against its tools.
pub(crate) fn expand_agent(input: TokenStream) -> TokenStream {
    let report = Report::new();
    let input = input::parse_input(&report, input);
    let rt = {
        let krate = &input.krate;
        quote!(#krate::__private)
    };
    let expanded = if report.is_empty() {
        expand_source(&report, &input, &rt)
    } else {
        None
    };
    let body = expanded.unwrap_or_else(|| expand::expand_skeleton(&rt, &input));
    let errors = report.finish();
    let value = quote!({ #errors #body });
    match &input.item {
        Some(item) => expand::expand_item(&rt, &input, item, &value),
        None => value,
    }
}

fn expand_source(report: &Report, input: &Input, rt: &TokenStream) -> Option<TokenStream> {
    with_checked(report, input, |checked, location, file, _| {
        expand_checked(report, input, rt, checked, location, file)
    })
}

/// Reads and checks the gram, reports its errors, and calls `then` with the location of further errors and the text. Returns `None`
/// if there is no file to read.
fn with_checked<R>(
    report: &Report,
    input: &Input,
    then: impl FnOnce(&Checked, ErrorLocation<'_>, Option<&GramFile>, &str) -> R,
) -> Option<R> {
    let lines = |path, text, literal| ErrorLocation::Lines {
        lines: binding_checks::Lines::new(path, text),
        literal,
    };
    Some(match &input.source {
        GramSource::Tokens(tokens) => {
            let text = GramText::of_tokens(tokens.clone());
            let checked = checked(&text.text, input);
            report_inline(report, &text, &errors(&checked));
            then(&checked, ErrorLocation::Tokens(&text), None, &text.text)
        }
        GramSource::Literal { text, span } => {
            let checked = checked(text, input);
            file::report_text(report, None, text, *span, &errors(&checked));
            then(&checked, lines(None, text, *span), None, text)
        }
        GramSource::File { path, span } => {
            let file = file::read(report, path, *span)?;
            let checked = checked(&file.text, input);
            file::report_text(report, Some(path), &file.text, *span, &errors(&checked));
            let location = lines(Some(path), &file.text, *span);
            then(&checked, location, Some(&file), &file.text)
        }
    })
}

fn expand_checked(
    report: &Report,
    input: &Input,
    rt: &TokenStream,
    checked: &Checked,
    location: ErrorLocation<'_>,
    file: Option<&GramFile>,
) -> TokenStream {
    let checks = BindingChecks {
        rt,
        location,
        exact: input.options.exact,
        listed_in: ListedIn::Macro,
    };
    match choose(report, input, checked) {
        Some(node) => {
            let called = called(node, checked);
            report_missing_dynamic(report, input, node, &called);
            expand::expand_agent(input, node, &called, &checks, file)
        }
        None => expand::expand_broken(input, &checked.tools, &checks),
    }
}

/// Returns the agents that an agent can call.
fn called<'c>(node: &AgentNode, checked: &'c Checked) -> Vec<&'c AgentNode> {
    let agents = node.agent.agents().into_iter();
    let node_of = |called: &agent_spec::Agent| {
        let mut nodes = checked.agents.iter();
        nodes.find(|node| node.agent.name() == called.name())
    };
    agents.filter_map(node_of).collect()
}

fn checked(text: &str, input: &Input) -> Checked {
    let providers: Vec<&str> = input.options.providers.iter().map(String::as_str).collect();
    check::check(
        text,
        check::Options {
            providers: &providers,
            keep_unknown_references: true,
            defer_bad_defaults: true,
            model_rules: Some(input.models.rules()),
            ..check::Options::default()
        },
    )
}

/// Reports each diagnostic at its token.
pub(crate) fn report_inline(report: &Report, text: &GramText, errors: &[Diagnostic]) {
    for found in errors {
        let (start, end) = text.spans(found.span());
        let message = inline_message(text, found);
        report.error_between(start, end, message);
    }
}

/// Formats a diagnostic for an error at its own token.
fn inline_message(text: &GramText, found: &Diagnostic) -> String {
    let mut message = found.message().to_owned();
    for (span, label) in found.labels() {
        let place = text.spans(span).0.start();
        let (line, column) = (place.line, place.column + 1);
        message.push_str(&format!("\nnote: {label}: line {line}, column {column}"));
    }
    if let Some(help) = found.help() {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    message
}

/// Returns the errors of a document; macros on stable Rust cannot warn. If there are errors, the
/// functions are not compared, so a default that does not fit its type is an error, too.
pub(crate) fn errors(checked: &Checked) -> Vec<Diagnostic> {
    let mut errors: Vec<Diagnostic> = checked
        .diagnostics
        .iter()
        .filter(|found| found.severity() == Severity::Error)
        .cloned()
        .collect();
    if !errors.is_empty() {
        let params = checked
            .tools
            .iter()
            .flat_map(|tool| &tool.places.signature.params);
        for found in params.filter_map(|param| param.bad_default.as_deref()) {
            let before = |error: &Diagnostic| error.span().start <= found.span().start;
            errors.insert(errors.partition_point(before), found.clone());
        }
    }
    errors
}

/// Reports tools that are known only at run time and that the agent does not have.
fn report_missing_dynamic(report: &Report, input: &Input, node: &AgentNode, called: &[&AgentNode]) {
    let named = expand::names_of(node, called);
    let is_agent_of = |node: &AgentNode, name: &str| {
        let is_meant = |element: &AgentElement| matches!(element, AgentElement::Agent { name: known, .. } if known == name);
        node.elements.iter().any(is_meant)
    };
    for Dynamic { name, start, end } in &input.options.dynamic {
        if is_agent_of(node, name) || called.iter().any(|node| is_agent_of(node, name)) {
            let message = format!(
                "`{name}` is an agent of this document, and agents and tools share one name space; rename the agent, \
                 or remove the tool"
            );
            report.error_between(*start, *end, message);
            continue;
        }
        if named.iter().any(|(known, _)| known == name) {
            continue;
        }
        let hint = match nearest(name, named.iter().map(|(known, _)| *known)) {
            Some(meant) => format!("; did you mean `{meant}`?"),
            None => String::new(),
        };
        let message = format!("the agent names no tool `{name}`{hint}");
        report.error_between(*start, *end, message);
    }
}

/// Returns the only agent of the document, or the one that the option `agent` names.
fn choose<'c>(report: &Report, input: &Input, checked: &'c Checked) -> Option<&'c AgentNode> {
    if checked.has_errors() {
        return None;
    }
    let given = input.options.agent.as_ref();
    let none = match choose_agent(&checked.agents, given.map(|(name, _)| name.as_str())) {
        Ok(node) => return Some(node),
        Err(none) => none,
    };
    let message = match none.choices.first() {
        _ if checked.agents.is_empty() => {
            "the document declares no agent\nhelp: an agent has the label `Agent`: `[name:Agent \
             {instruction: \"…\", model: \"Provider/model-id\"}]`"
                .to_owned()
        }
        None => format!("the document {}", none.reason),
        Some(first) => format!(
            "the document {}; choose one with `agent: \"{first}\"` before the gram",
            none.reason
        ),
    };
    let span = given.map_or_else(|| input.source.span(), |(_, span)| *span);
    report.error(span, message);
    None
}

#[cfg(test)]
mod tests;
