//! `agent!`: parses gram, checks it, and emits the checks that only rustc can do.

mod audit;
mod binding_checks;
mod document;
mod expand;
mod file;
mod function;
mod gram_text;
mod input;
mod locks;
mod models;
mod options;

pub(crate) use document::{Document, GramSource};
pub(crate) use function::{FunctionAgent, expand_function_agent};
pub(crate) use gram_text::GramText;
pub(crate) use input::{Input, flat, read_source};
pub(crate) use locks::Locks;
pub(crate) use models::Models;
pub(crate) use options::{Options, read_providers, read_texts, start};

use crate::report::Report;
use crate::source_file::refuse_as_item;
use crate::tool_list::take_crate_path;
use agent_spec::__private::ListedIn;
use agent_spec::check::{self, AgentElement, AgentNode, Checked, choose_agent};
use agent_spec::names::nearest;
use agent_spec::{Diagnostic, Severity};
use binding_checks::BindingChecks;
use options::Dynamic;
use proc_macro2::TokenStream;
use quote::quote;

/// The advice for an agent without a name outside of functions.
const AS_ITEM: &str = "begin with the name of a constant, `agent! { pub static NAME, … }`, or write `static NAME: Agent = \
                       agent! { … };`";

/// Expands to the agent as a constant expression or as an item, with the checks against its tools.
pub(crate) fn expand_agent(input: TokenStream) -> TokenStream {
    let report = Report::default();
    let (_, tokens) = take_crate_path(input.clone());
    let input = input::parse_input(&report, input);
    if input.item.is_none()
        && let Some(misplaced) = refuse_as_item("agent", &tokens, AS_ITEM)
    {
        // The other mistakes are reported once the macro is at a valid place.
        let _ = report.finish();
        return misplaced;
    }
    let krate = &input.krate;
    let rt = quote!(#krate::__private);
    let expanded = match report.is_empty() {
        true => expand_source(&report, &input, &rt),
        false => None,
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
    let (document, checked) = read_checked(report, input)?;
    let checks = BindingChecks {
        rt,
        document: &document,
        exact: input.options.exact,
        listed_in: ListedIn::Macro,
    };
    Some(match choose(report, input, &checked, None) {
        Some(node) => {
            let called = called(node, &checked);
            report_missing_dynamic(report, input, node, &called);
            if input.options.denied.unbounded {
                let rules = input.models.rules();
                audit::report_unbounded(report, &document, node, &called, &rules);
            }
            expand::expand_agent(input, node, &called, &checks)
        }
        None => expand::expand_broken(input, &checked.tools, &checks),
    })
}

/// Reads and checks the gram, and reports its errors. Returns `None` if there is no file to read.
fn read_checked(report: &Report, input: &Input) -> Option<(Document, Checked)> {
    let document = Document::read(report, &input.source)?;
    let providers: Vec<&str> = input.options.providers.iter().map(String::as_str).collect();
    let options = check::Options {
        providers: &providers,
        keep_unknown_references: true,
        defer_bad_defaults: true,
        model_rules: Some(input.models.rules()),
        ..check::Options::default()
    };
    let checked = check::check(document.text(), options);
    document.report(report, &errors(&checked));
    Some((document, checked))
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

/// Returns the only agent of the document, the agent that the option `agent` names, or the agent with the name of the
/// function that calls it. Reports an agent that is not found.
fn choose<'c>(
    report: &Report,
    input: &Input,
    checked: &'c Checked,
    function: Option<&str>,
) -> Option<&'c AgentNode> {
    if checked.has_errors() || !report.is_empty() {
        return None;
    }
    let agents = checked.agents.as_slice();
    let given = input.options.agent.as_ref();
    let by_function = function.filter(|_| given.is_none() && agents.len() > 1);
    let asked = given.map(|(name, _)| name.as_str()).or(by_function);
    let none = match choose_agent(agents, asked) {
        Ok(node) => return Some(node),
        Err(none) => none,
    };
    let message = match (by_function, none.choices.first()) {
        _ if agents.is_empty() => {
            "the document declares no agent\nhelp: an agent has the label `Agent`: `[name:Agent \
             {instruction: \"…\", model: \"Provider/model-id\"}]`"
                .to_owned()
        }
        (Some(name), _) => {
            let names: Vec<&str> = agents.iter().map(|node| node.agent.name()).collect();
            format!(
                "the document declares several agents, and none is called `{name}` as the function; choose one with \
                 `agent = \"…\"`: it declares {}",
                names.join(", ")
            )
        }
        (None, Some(first)) if function.is_none() => format!(
            "the document {}; choose one with `agent: \"{first}\"` before the gram",
            none.reason
        ),
        _ => format!("the document {}", none.reason),
    };
    let span = given.map_or_else(|| input.source.span(), |(_, span)| *span);
    report.error(span, message);
    None
}

#[cfg(test)]
mod tests;
