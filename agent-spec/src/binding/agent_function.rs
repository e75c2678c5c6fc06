//! The checks in the output of `#[agent_fn]`: that an agent fits the function that calls it, and that the variables of
//! its templates are filled.

use super::compile_time::{FilePlace, stop_at_nearest, stop_in_file};
use super::{Comparison, Side, mismatch_at};
use crate::agent::Agent;
use crate::tool::{Contract, ToolDescriptor};
use agent_gram::print::writer::{Trail, panic_with};
use agent_types::__private::same_text;
use agent_types::Param;
use agent_types::names::nearer;

/// Panics with a message when a part of an agent disagrees with the function that calls the agent. As with
/// [`check_part`](super::compile_time::check_part), only the check of the nearest part panics.
#[track_caller]
pub const fn check_call(
    agent: &Agent,
    function: &'static ToolDescriptor,
    trails: &[Trail],
    own: usize,
) {
    if let Some(sides) = sides(agent, function) {
        stop_at_nearest(agent.name(), sides, Comparison::Call, trails, own);
    }
}

/// Whether an agent agrees with the function that calls it in several parts of one thing.
#[must_use]
pub const fn call_agrees(
    agent: &Agent,
    function: &'static ToolDescriptor,
    trails: &[Trail],
) -> bool {
    match sides(agent, function) {
        Some((agent, function)) => {
            mismatch_at(&trails[0], agent, function, Comparison::Call).is_none()
        }
        None => true,
    }
}

/// Panics with a message that shows the line in the file when an agent disagrees with the function that calls it.
#[track_caller]
pub const fn check_call_in_file(
    agent: &Agent,
    function: &'static ToolDescriptor,
    places: &'static [FilePlace],
) {
    if let Some(sides) = sides(agent, function) {
        stop_in_file(agent.name(), sides, Comparison::Call, places);
    }
}

/// Returns the descriptions and the signatures of an agent and of the function that calls it.
const fn sides<'a>(
    agent: &'a Agent,
    function: &'static ToolDescriptor,
) -> Option<(Side<'a>, Side<'static>)> {
    let Contract::Signature(signature) = function.contract() else {
        return None;
    };
    let description = match agent.description() {
        Some(text) => text,
        None => "",
    };
    let function = (function.description(), signature);
    Some(((description, agent.signature()), function))
}

const fn params_of(function: &'static ToolDescriptor) -> &'static [Param] {
    match function.signature() {
        Some(signature) => signature.params(),
        None => &[],
    }
}

/// Panics with a message when a variable in a template of an agent function is neither a parameter of the function
/// nor in the list of the variables that the host fills, or when it is a parameter whose values are media.
#[track_caller]
pub const fn check_filled(name: &str, function: &'static ToolDescriptor, listed: &[&str]) {
    let mut at = 0;
    while at < listed.len() {
        if same_text(listed[at], name) {
            return;
        }
        at += 1;
    }
    let params = params_of(function);
    let mut nearest = None;
    let mut at = 0;
    while at < params.len() {
        let (known, ty) = (params[at].name(), params[at].ty());
        if same_text(known, name) && ty.holds_media() {
            panic_with(&[
                "`",
                name,
                "` is `",
                ty.label(),
                "`, which cannot be inserted into a text; remove it here: it is a part of the user message \
                 without being named",
            ]);
        }
        if same_text(known, name) {
            return;
        }
        nearest = nearer(name, known, nearest);
        at += 1;
    }
    let unknown = "` is no parameter of the function and is not in `variables`";
    match nearest {
        Some((_, meant)) => panic_with(&["`", name, unknown, "; did you mean `", meant, "`?"]),
        None => panic_with(&[
            "`",
            name,
            unknown,
            "; add a parameter, or, if the program that runs the agent fills it, `variables = [\"",
            name,
            "\"]`",
        ]),
    }
}

/// Panics with a message when a variable that the host is to fill is a parameter of the function.
#[track_caller]
pub const fn check_host_fills(name: &str, function: &'static ToolDescriptor) {
    let params = params_of(function);
    let mut at = 0;
    while at < params.len() {
        if same_text(params[at].name(), name) {
            panic_with(&[
                "`",
                name,
                "` is a parameter of the function, so the program cannot fill it; remove it from `variables`, or \
                 rename the parameter",
            ]);
        }
        at += 1;
    }
}

/// Panics with a message when the function of an agent does not have exactly one parameter for the runtime
/// that runs the agent.
#[track_caller]
pub const fn check_one_runtime(count: usize) {
    if count == 0 {
        panic!(
            "the function does not say which runtime runs its agent; add a parameter, `runtime: &Runtime`"
        );
    }
    if count > 1 {
        panic!("the function takes several runtimes, and one runs its agent; remove the others");
    }
}

#[cfg(test)]
mod tests {
    use crate::binding::{Comparison, Message, first_mismatch_by};
    use agent_gram::print::writer::to_string;

    /// The first line about an agent and a function that calls it.
    fn mistake(agent: &str, function: &str) -> String {
        let parsed = |text: &str| crate::parse_signature(text).expect(text);
        let (agent, function) = (parsed(agent), parsed(function));
        let (spec, tool) = (("", &agent), ("", &function));
        let Some(mismatch) = first_mismatch_by(spec, tool, Comparison::Call) else {
            return String::new();
        };
        let found = Message {
            name: "a",
            spec,
            tool,
            mismatch,
        };
        let text = to_string(|writer| found.write_summary(writer, Comparison::Call));
        text.trim_start_matches("agent `a`: ").to_owned()
    }

    #[test]
    fn a_function_passes_what_its_agent_takes() {
        for (agent, function) in [
            ("(a::Text)", "(a::Text)"),
            ("(a::Text {optional: true})", "()"),
            ("(a::Text {default: \"x\"})", "()"),
            ("(a::Text {optional: true})", "(a::Text)"),
            ("(a::Text {default: \"x\"})", "(a::Text {optional: true})"),
            ("(b::Int)==>(a::Text)", "(a::Text)==>(b::Int)"),
            (
                "(a::Text {enum: [\"x\", \"y\"]})",
                "(a::Text {enum: [\"y\"]})",
            ),
            // Checked at the call.
            ("(a::Int {minimum: 1, maximum: 9})", "(a::Int)"),
            ("(a::Int {minimum: 1})", "(a::Int {minimum: 0})"),
            ("(a::Text {pattern: \"^x\", minLength: 3})", "(a::Text)"),
            ("(a::Text {format: \"email\"})", "(a::Text)"),
            (
                "(a::Array {elementType: \"Int\", maxItems: 3})",
                "(a::Array {elementType: \"Int\"})",
            ),
            // Records.
            (
                "(a::Object {fields: {x: \"Int\", y: {type: \"Int\", optional: true}}})",
                "(a::Object {fields: {x: \"Int\"}})",
            ),
            (
                "(a::Object {fields: {x: {type: \"Int\", default: 1}}})",
                "(a::Object {fields: {x: {type: \"Int\", default: 2}}})",
            ),
            (
                "(a::Object {valueType: \"Int\"})",
                "(a::Object {valueType: \"Int\"})",
            ),
            ("(a::Any {anyOf: [\"Int\", \"Text\"]})", "(a::Text)"),
        ] {
            let [agent, function] =
                [agent, function].map(|params| format!("{params}==>(::String)"));
            assert_eq!(mistake(&agent, &function), "", "{agent}, {function}");
        }
    }

    #[test]
    fn a_function_reads_what_its_agent_answers() {
        for (agent, function) in [
            ("(::String)", "(::String)"),
            ("(::Int)", "(::Int {optional: true})"),
            (
                "(::Text {enum: [\"x\"]})",
                "(::Text {enum: [\"x\", \"y\"]})",
            ),
            ("(::Text {enum: [\"x\"]})", "(::String)"),
            // A constraint that only the function states is accepted.
            ("(::Int)", "(::Int {minimum: 1, maximum: 9})"),
            ("(::Int {minimum: 2})", "(::Int {minimum: 1, maximum: 9})"),
            ("(::Text)", "(::Text {format: \"uuid\"})"),
            // Further fields.
            (
                "(::Object {fields: {x: \"Int\", more: \"Text\"}})",
                "(::Object {fields: {x: \"Int\"}})",
            ),
            (
                "(::Array {elementType: {type: \"Object\", fields: {x: \"Int\", more: \"Text\"}}})",
                "(::Array {elementType: {type: \"Object\", fields: {x: \"Int\"}}})",
            ),
            (
                "(::Object {fields: {x: \"Int\"}})",
                "(::Object {fields: {x: \"Int\", y: {type: \"Text\", optional: true}}})",
            ),
        ] {
            let [agent, function] = [agent, function].map(|returns| format!("()==>{returns}"));
            assert_eq!(mistake(&agent, &function), "", "{agent}, {function}");
        }
    }

    #[test]
    fn names_what_differs_between_an_agent_and_its_function() {
        for (agent, function, expected) in [
            (
                "(a::Text)==>(::String)",
                "(a::Int)==>(::String)",
                "parameter `a` is `Text` in the agent, but the function passes `Int`",
            ),
            (
                "(a::Double)==>(::String)",
                "(a::Int)==>(::String)",
                "parameter `a` is `Double` in the agent, but the function passes `Int`",
            ),
            (
                "(a::Text)==>(b::Text)==>(::String)",
                "(a::Text)==>(::String)",
                "the function does not pass the required parameter `b`; add it to the function, or make it `optional` \
                 here",
            ),
            (
                "(a::Text)==>(::String)",
                "(a::Text)==>(c::Bool)==>(::String)",
                "the agent has no parameter `c`, which the function passes",
            ),
            (
                "(a::Text)==>(::String)",
                "(a::Text {optional: true})==>(::String)",
                "parameter `a` is required in the agent, but optional in the function",
            ),
            (
                "(a::Text {enum: [\"x\"]})==>(::String)",
                "(a::Text)==>(::String)",
                "parameter `a` has no `enum` in the function, but one in the agent; the function must be at least as \
                 strict, keyword by keyword",
            ),
            (
                "(a::Array {elementType: {type: \"Int\"}})==>(::String)",
                "(a::Array {elementType: {type: \"Int\", optional: true}})==>(::String)",
                "parameter `a[]` is required in the agent, but optional in the function",
            ),
            (
                "(a::Object {fields: {x: \"Int\"}})==>(::String)",
                "(a::Object {fields: {x: \"Int\", y: \"Int\"}})==>(::String)",
                "parameter `a.y` is unknown to the agent",
            ),
            (
                "(a::Text)==>(::String)",
                "(a::Text {description: \"d\"})==>(::String)",
                "parameter `a` has another `description` in the function",
            ),
            (
                "()==>(::Int)",
                "()==>(::String)",
                "the result is `Int` in the agent, but the function returns `String`",
            ),
            (
                "()==>(::Double)",
                "()==>(::Int)",
                "the result is `Double` in the agent, but the function returns `Int`",
            ),
            (
                "()==>(::Int {maximum: 10})",
                "()==>(::Int {maximum: 9})",
                "the result has another `maximum` in the function; the agent must be at least as strict, keyword by \
                 keyword",
            ),
            (
                "()==>(::Object {fields: {x: {type: \"Int\", optional: true}}})",
                "()==>(::Object {fields: {x: \"Int\"}})",
                "the field `x` of the result is optional in the agent, but required in the function",
            ),
        ] {
            assert_eq!(mistake(agent, function), expected, "{agent}, {function}");
        }
    }
}
