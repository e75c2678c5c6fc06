//! When an agent fits the function that calls it: the checks in the output of `#[agent_fn]`.
//!
//! The rule is not the one for tools, since the roles are changed: the function passes what the agent takes, and reads
//! what the agent answers.

use crate::agent::Agent;
use crate::binding::compile_time::{Aspect, FilePlace, Finding, nearest, stop, stop_in_file};
use crate::binding::template_mistake::TemplateMistake;
use crate::binding::{
    Caller, Disagreement, Mismatch, description_matches, nearest_param, same_label, unmatched_param,
};
use crate::tool::{Contract, ToolDescriptor};
use agent_types::__private::{Rule, difference, difference_with_null, find_field_near, same_text};
use agent_types::Signature;
use agent_types::names::nearness;

/// Panics with a message when an aspect of an agent disagrees with the function that calls the agent. As with
/// [`check_aspect`](super::compile_time::check_aspect), only the check of the nearest aspect panics.
#[track_caller]
pub const fn check_call(
    agent: &Agent,
    function: &'static ToolDescriptor,
    aspects: &[Aspect],
    own: usize,
) {
    if let Some(message) = call_disagreement(agent, function, aspects[own])
        && let Some(nearest) = nearest(aspects, &message)
        && nearest == own
    {
        stop(&Finding::Mismatch {
            message,
            place: None,
        });
    }
}

/// Whether an agent agrees with the function that calls it in several aspects of one thing.
#[must_use]
pub const fn call_agrees(
    agent: &Agent,
    function: &'static ToolDescriptor,
    aspects: &[Aspect],
) -> bool {
    call_disagreement(agent, function, aspects[0]).is_none()
}

/// Panics with a message that shows the line in the file when an agent disagrees with the function that calls it.
#[track_caller]
pub const fn check_call_in_file(
    agent: &Agent,
    function: &'static ToolDescriptor,
    places: &'static [FilePlace],
) {
    let Contract::Signature(theirs) = function.contract() else {
        return;
    };
    let ours = (description_of(agent), agent.signature());
    let theirs = (function.description(), theirs);
    if let Some(mismatch) = first_call_mismatch(ours, theirs) {
        stop_in_file(
            Disagreement {
                name: agent.name(),
                spec: ours,
                tool: theirs,
                mismatch,
                caller: Caller::Function,
            },
            places,
        )
    }
}

/// Returns the mismatch of the thing that an aspect of an agent belongs to, with the function that calls the agent.
const fn call_disagreement<'a>(
    agent: &'a Agent,
    function: &'static ToolDescriptor,
    aspect: Aspect,
) -> Option<Disagreement<'a>> {
    let Contract::Signature(theirs) = function.contract() else {
        return None;
    };
    let ours = agent.signature();
    let found = match aspect {
        Aspect::Name => None,
        Aspect::Description => {
            let described = function.description();
            if described.is_empty() || description_matches(description_of(agent), described) {
                None
            } else {
                Some(Mismatch::Description)
            }
        }
        Aspect::ParamName(at)
        | Aspect::ParamType(at)
        | Aspect::ParamDetail(at, _)
        | Aspect::ParamOptional(at)
        | Aspect::ParamDefault(at)
        | Aspect::ParamDescription(at) => passed_mismatch(ours, at, theirs),
        Aspect::MissingParam => unknown_to_agent(ours, theirs),
        Aspect::ReturnDetail(_) => answer_mismatch(ours, theirs),
    };
    match found {
        Some(mismatch) => Some(Disagreement {
            name: agent.name(),
            spec: (description_of(agent), ours),
            tool: (function.description(), theirs),
            mismatch,
            caller: Caller::Function,
        }),
        None => None,
    }
}

const fn description_of(agent: &Agent) -> &str {
    match agent.description() {
        Some(text) => text,
        None => "",
    }
}

/// Panics with a message when a variable in a template of an agent function is neither a parameter of the function
/// nor in the list of the variables that the host fills, or when it is a parameter whose values are media.
#[track_caller]
pub const fn check_filled(name: &str, function: &'static ToolDescriptor, listed: &[&str]) {
    let params = match function.signature() {
        Some(signature) => signature.params(),
        None => &[],
    };
    let mut at = 0;
    while at < listed.len() {
        if same_text(listed[at], name) {
            return;
        }
        at += 1;
    }
    let mut nearest: Option<(usize, &str)> = None;
    let mut at = 0;
    while at < params.len() {
        let (known, ty) = (params[at].name(), params[at].ty());
        if same_text(known, name) {
            if ty.holds_media() {
                let label = ty.label();
                stop(&Finding::Template(TemplateMistake::Media { name, label }));
            }
            return;
        }
        if let Some(distance) = nearness(name, known) {
            match nearest {
                Some((least, _)) if least <= distance => {}
                _ => nearest = Some((distance, known)),
            }
        }
        at += 1;
    }
    stop(&Finding::Template(TemplateMistake::Unfilled {
        name,
        meant: match nearest {
            Some((_, known)) => Some(known),
            None => None,
        },
    }))
}

/// Panics with a message when a variable that the host is to fill is a parameter of the function.
#[track_caller]
pub const fn check_host_fills(name: &str, function: &'static ToolDescriptor) {
    let params = match function.signature() {
        Some(signature) => signature.params(),
        None => &[],
    };
    let mut at = 0;
    while at < params.len() {
        if same_text(params[at].name(), name) {
            stop(&Finding::Template(TemplateMistake::FilledTwice { name }));
        }
        at += 1;
    }
}

/// Panics with a message when the function of an agent does not take the runtime that runs the agent exactly once.
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

/// Returns the mismatch of one parameter of an agent with the function that calls the agent, if it has one.
const fn passed_mismatch(agent: &Signature, at: usize, function: &Signature) -> Option<Mismatch> {
    let param = &agent.params()[at];
    let Some(other) = find_field_near(function.params(), param.name(), at) else {
        if param.is_optional() {
            return None;
        }
        let meant = match nearest_param(function, agent, param.name()) {
            None => unmatched_param(function, agent, count_unpassed(agent, function, at)),
            near => near,
        };
        return Some(Mismatch::UnknownParam { spec: at, meant });
    };
    let ours = &function.params()[other];
    if ours.ty().is_refused() {
        return None;
    }
    if !same_label(param.ty(), ours.ty()) {
        return Some(Mismatch::ParamType {
            spec: at,
            tool: other,
        });
    }
    if ours.is_optional() && !param.is_optional() {
        return Some(Mismatch::ParamOptional {
            spec: at,
            tool: other,
        });
    }
    if difference(ours.ty(), param.ty(), Rule::Passed).is_some() {
        return Some(Mismatch::ParamDetails {
            spec: at,
            tool: other,
        });
    }
    let is_described_alike = match (ours.description(), param.description()) {
        (None, _) => true,
        (Some(ours), Some(theirs)) => description_matches(ours, theirs),
        (Some(_), None) => false,
    };
    if is_described_alike {
        return None;
    }
    Some(Mismatch::ParamDescription {
        spec: at,
        tool: other,
    })
}

/// Returns the number of parameters before `at` that an agent requires and the function does not pass.
const fn count_unpassed(agent: &Signature, function: &Signature, at: usize) -> usize {
    let mut count = 0;
    let mut index = 0;
    while index < at {
        let param = &agent.params()[index];
        if !param.is_optional() && find_field_near(function.params(), param.name(), index).is_none()
        {
            count += 1;
        }
        index += 1;
    }
    count
}

/// The first parameter of a function that the agent it calls does not have, unless a parameter that the function
/// does not pass explains it: a renamed parameter is one mistake, not two.
const fn unknown_to_agent(agent: &Signature, function: &Signature) -> Option<Mismatch> {
    let unpassed = count_unpassed(agent, function, agent.params().len());
    match unmatched_param(function, agent, unpassed) {
        Some(tool) => Some(Mismatch::MissingParam { tool }),
        None => None,
    }
}

/// Returns the mismatch of the answer of an agent with the result of the function that calls the agent.
const fn answer_mismatch(agent: &Signature, function: &Signature) -> Option<Mismatch> {
    let (agent, function) = (agent.returns().ty(), function.returns().ty());
    match difference_with_null(agent, function, Rule::Answered) {
        Some(_) => Some(Mismatch::Returns),
        None => None,
    }
}

/// The first mismatch of an agent and the function that calls it.
const fn first_call_mismatch(
    agent: (&str, &Signature),
    function: (&str, &Signature),
) -> Option<Mismatch> {
    if !function.0.is_empty() && !description_matches(agent.0, function.0) {
        return Some(Mismatch::Description);
    }
    let mut at = 0;
    while at < agent.1.params().len() {
        if let Some(found) = passed_mismatch(agent.1, at, function.1) {
            return Some(found);
        }
        at += 1;
    }
    match unknown_to_agent(agent.1, function.1) {
        None => answer_mismatch(agent.1, function.1),
        found => found,
    }
}

#[cfg(test)]
mod tests {
    use super::{Caller, Disagreement, first_call_mismatch};
    use agent_gram::print::writer::to_string;

    /// The first line about an agent and a function that calls it.
    fn mistake(agent: &str, function: &str) -> String {
        let parsed = |text: &str| crate::parse_signature(text).expect(text);
        let (agent, function) = (parsed(agent), parsed(function));
        let (spec, tool) = (("", &agent), ("", &function));
        let Some(mismatch) = first_call_mismatch(spec, tool) else {
            return String::new();
        };
        let found = Disagreement {
            name: "a",
            spec,
            tool,
            mismatch,
            caller: Caller::Function,
        };
        let text = to_string(|writer| found.write_summary(writer));
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
            // Silence is fine.
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
                "parameter `a` has another `enum` in the function, which may pass what the agent does not allow",
            ),
            (
                "(a::Array {elementType: {type: \"Int\"}})==>(::String)",
                "(a::Array {elementType: {type: \"Int\", optional: true}})==>(::String)",
                "the elements of parameter `a` are required in the agent, but optional in the function",
            ),
            (
                "(a::Object {fields: {x: \"Int\"}})==>(::String)",
                "(a::Object {fields: {x: \"Int\", y: \"Int\"}})==>(::String)",
                "the field `a.y` is passed by the function, but unknown to the agent",
            ),
            (
                "(a::Text)==>(::String)",
                "(a::Text {description: \"d\"})==>(::String)",
                "parameter `a` is described differently in the function",
            ),
            (
                "()==>(::Int)",
                "()==>(::String)",
                "the agent declares the result `Int`, but the function returns `String`",
            ),
            (
                "()==>(::Double)",
                "()==>(::Int)",
                "the agent declares the result `Double`, but the function returns `Int`",
            ),
            (
                "()==>(::Int {maximum: 10})",
                "()==>(::Int {maximum: 9})",
                "the result has another `maximum` in the function: the agent allows values that the function does not \
                 take",
            ),
            (
                "()==>(::Object {fields: {x: {type: \"Int\", optional: true}}})",
                "()==>(::Object {fields: {x: \"Int\"}})",
                "the field `x` of the result is optional in the agent, but the function requires it",
            ),
        ] {
            assert_eq!(mistake(agent, function), expected, "{agent}, {function}");
        }
    }
}
