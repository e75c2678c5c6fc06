//! When a tool's implementation fits its spec: the rule that `agent!` applies at compile time and
//! the runtime at run time.
//!
//! The whole rule is `const fn`, so that there is one rule and not two that must agree.

pub(crate) mod agent_function;
pub(crate) mod compile_time;
pub(crate) mod listed_tools;
mod marked_lines;
mod message;

pub use agent_types::__private::{Difference, DifferenceKind};
pub use message::Message;

use crate::tool::{ToolDescriptor, ToolSpec};
use agent_effects::Effects;
use agent_gram::print::writer::Trail;
use agent_types::__private::{
    FIELD, PARAMS, RESULT, Rule, Trails, field_difference, find_field, find_field_near, same_text,
    type_difference,
};
use agent_types::names::nearness;
use agent_types::{Field, Keyword, Kind, Signature, Type};

/// The strictness of the comparison of a tool with its spec.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Policy {
    /// Every call that the spec allows means the same to the tool, every result of the tool is one that
    /// the spec allows, and the descriptions are equal.
    #[default]
    Compatible,
    /// The schemas are equal, descriptions of parameters included.
    Exact,
    /// Only the names are equal. Arguments are still validated against the spec.
    Name,
}

/// A difference between a spec and a tool, because of which they do not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// The descriptions differ.
    Description,
    /// The tool has no parameter of this name.
    UnknownParam {
        /// The position of the parameter in the spec.
        spec: usize,
        /// The position of the tool's parameter that was probably meant. The spec has no parameter of
        /// its name.
        meant: Option<usize>,
    },
    /// The types, the defaults or the descriptions of a parameter differ.
    Param {
        /// The position of the parameter in the spec.
        spec: usize,
        /// The position of the parameter in the tool.
        tool: usize,
        /// The part that differs. The spec is the inner side.
        difference: Difference,
    },
    /// The spec does not name a parameter that the tool requires; under [`Policy::Exact`], a parameter that the
    /// tool has.
    MissingParam {
        /// The position of the parameter in the tool.
        tool: usize,
    },
    /// The tool may return a value that the spec does not allow; under [`Policy::Exact`], the results are of
    /// different types.
    Returns {
        /// The part that differs. The tool is the inner side.
        difference: Difference,
    },
}

/// The comparison of a spec with a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// The function is a tool that accepts every call that the spec allows.
    Compatible,
    /// The function is a tool with the same schemas as the spec.
    Exact,
    /// The function calls the agent whose signature the spec is. In a [`Difference`], the sides are the other way
    /// round than for a tool.
    Call,
}

impl Comparison {
    const fn of(policy: Policy) -> Self {
        match policy {
            Policy::Exact => Self::Exact,
            Policy::Compatible | Policy::Name => Self::Compatible,
        }
    }

    const fn is_call(self) -> bool {
        matches!(self, Self::Call)
    }
}

/// The description and the signature of a tool, or of an agent that a function calls.
type Side<'a> = (&'a str, &'a Signature);

/// Returns the reason why a spec does not match a tool whose effects it takes back, if it does.
#[must_use]
pub fn effects_reason(spec: &ToolSpec, tool: &ToolDescriptor) -> Option<String> {
    let effect = spec.effects().taken_back(tool.settings().effects)?;
    let [document, function] = Effects::taken_back_parts(effect);
    Some(format!(
        "tool `{}`: the document says `{document}`, and the tool says {function}{}",
        spec.name(),
        compile_time::TAKEN_BACK
    ))
}

/// Whether two descriptions are equal, where a single line break counts as a blank.
#[must_use]
pub const fn description_matches(left: &str, right: &str) -> bool {
    if same_text(left, right) {
        return true;
    }
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if single_break_as_blank(left, at) != single_break_as_blank(right, at) {
            return false;
        }
        at += 1;
    }
    true
}

const fn single_break_as_blank(text: &[u8], at: usize) -> u8 {
    let doubled =
        (at > 0 && text[at - 1] == b'\n') || (at + 1 < text.len() && text[at + 1] == b'\n');
    if text[at] == b'\n' && !doubled {
        b' '
    } else {
        text[at]
    }
}

const fn description_mismatch(spec: &str, tool: &str, comparison: Comparison) -> Option<Mismatch> {
    // A function needs no doc comment to call an agent.
    if description_matches(spec, tool) || (comparison.is_call() && tool.is_empty()) {
        return None;
    }
    Some(Mismatch::Description)
}

/// Returns the trail to a parameter in its signature.
const fn param_trail(at: usize) -> Trail {
    Trail::EMPTY.then(PARAMS).then(FIELD + at as u16)
}

/// Returns the mismatch of one parameter of the spec, if it has one.
const fn param_mismatch(
    spec: &Signature,
    at: usize,
    tool: &Signature,
    comparison: Comparison,
) -> Option<Mismatch> {
    let ours = &spec.params()[at];
    let Some(other) = find_field_near(tool.params(), ours.name(), at) else {
        if comparison.is_call() && ours.may_be_missing() {
            return None;
        }
        let meant = match nearest_param(tool, spec, ours.name()) {
            None => unmatched_param(tool, spec, count_unknown(spec, tool, at, comparison)),
            near => near,
        };
        return Some(Mismatch::UnknownParam { spec: at, meant });
    };
    let theirs = &tool.params()[other];
    if theirs.ty().is_refused() {
        return None;
    }
    let (own, tools) = (param_trail(at), param_trail(other));
    let found = match comparison {
        Comparison::Compatible => field_difference(ours, theirs, Rule::Argument, (own, tools)),
        Comparison::Exact => field_difference(ours, theirs, Rule::Equal, (own, tools)),
        Comparison::Call => match field_difference(theirs, ours, Rule::Passed, (tools, own)) {
            None => described_otherwise(theirs, ours, (tools, own)),
            found => found,
        },
    };
    match found {
        Some(difference) => Some(Mismatch::Param {
            spec: at,
            tool: other,
            difference,
        }),
        None => None,
    }
}

/// Returns the difference between the descriptions of a parameter in a function and in the agent that the
/// function calls. The function may have no description.
const fn described_otherwise(function: &Field, agent: &Field, at: Trails) -> Option<Difference> {
    let is_alike = match (function.description(), agent.description()) {
        (None, _) => true,
        (Some(ours), Some(theirs)) => description_matches(ours, theirs),
        (Some(_), None) => false,
    };
    if is_alike {
        return None;
    }
    Some(Difference {
        how: DifferenceKind::Unequal,
        inner: at.0.then(Keyword::Description.step()),
        outer: at.1.then(Keyword::Description.step()),
    })
}

/// Returns the number of parameters before `at` in the spec that the tool does not have. For a call of an
/// agent, optional parameters do not count, because a call may omit them.
const fn count_unknown(
    spec: &Signature,
    tool: &Signature,
    at: usize,
    comparison: Comparison,
) -> usize {
    let mut count = 0;
    let mut index = 0;
    while index < at {
        let param = &spec.params()[index];
        if !(comparison.is_call() && param.may_be_missing())
            && find_field_near(tool.params(), param.name(), index).is_none()
        {
            count += 1;
        }
        index += 1;
    }
    count
}

/// The place of the `nth` parameter of `of`, required ones first, that `other` does not have.
const fn unmatched_param(of: &Signature, other: &Signature, nth: usize) -> Option<usize> {
    let mut left = nth;
    let mut optional = false;
    loop {
        let mut at = 0;
        while at < of.params().len() {
            let param = &of.params()[at];
            if param.may_be_missing() == optional
                && find_field_near(other.params(), param.name(), at).is_none()
            {
                if left == 0 {
                    return Some(at);
                }
                left -= 1;
            }
            at += 1;
        }
        if optional {
            return None;
        }
        optional = true;
    }
}

/// The place of the parameter of `of` that `other` does not have and whose name is nearest to a
/// misspelt one.
const fn nearest_param(of: &Signature, other: &Signature, name: &str) -> Option<usize> {
    let (mut nearest, mut least) = (None, usize::MAX);
    let mut at = 0;
    while at < of.params().len() {
        let known = of.params()[at].name();
        if let Some(distance) = nearness(name, known)
            && distance < least
            && find_field(other.params(), known).is_none()
        {
            (nearest, least) = (Some(at), distance);
        }
        at += 1;
    }
    nearest
}

/// Returns the first parameter of the function that the spec lacks, unless a parameter that the spec misnames
/// explains it: a renamed parameter is one mistake, not two.
const fn missing_param(
    spec: &Signature,
    tool: &Signature,
    comparison: Comparison,
) -> Option<Mismatch> {
    let misnamed = count_unknown(spec, tool, spec.params().len(), comparison);
    match unmatched_param(tool, spec, misnamed) {
        Some(at)
            if !matches!(comparison, Comparison::Compatible)
                || !tool.params()[at].may_be_missing() =>
        {
            Some(Mismatch::MissingParam { tool: at })
        }
        _ => None,
    }
}

/// Returns the mismatch of results: the spec must allow every result of the tool, and the function must read
/// every answer of the agent that it calls.
const fn return_mismatch(
    spec: &Signature,
    tool: &Signature,
    comparison: Comparison,
) -> Option<Mismatch> {
    let (spec, tool) = (spec.returns().ty(), tool.returns().ty());
    let result = Trail::EMPTY.then(RESULT);
    let at: Trails = (result, result);
    let found = match comparison {
        Comparison::Compatible if is_left_to_the_call(spec, tool) => None,
        Comparison::Compatible => type_difference(tool, spec, Rule::Result, at),
        Comparison::Exact => type_difference(tool, spec, Rule::Equal, at),
        Comparison::Call => type_difference(spec, tool, Rule::Answered, at),
    };
    match found {
        Some(difference) => Some(Mismatch::Returns { difference }),
        None => None,
    }
}

/// Whether each result is validated against the spec instead of being compared here: the tool does not
/// declare the type of its result, like a tool that returns a `serde_json::Value`, and the spec narrows
/// `Any`.
const fn is_left_to_the_call(spec: &Type, tool: &Type) -> bool {
    matches!(tool.kind(), Kind::Any)
        && tool.constraints().is_none()
        && same_text(spec.label(), tool.label())
        && spec.is_optional() == tool.is_optional()
}

/// Returns the mismatch of the part of a spec that a trail leads to.
const fn mismatch_at(
    trail: &Trail,
    spec: Side<'_>,
    tool: Side<'_>,
    comparison: Comparison,
) -> Option<Mismatch> {
    match trail.steps() {
        [PARAMS] => missing_param(spec.1, tool.1, comparison),
        [PARAMS, param, ..] => {
            param_mismatch(spec.1, (*param - FIELD) as usize, tool.1, comparison)
        }
        [RESULT, ..] => return_mismatch(spec.1, tool.1, comparison),
        _ => description_mismatch(spec.0, tool.0, comparison),
    }
}

/// The first mismatch of a spec and a tool of the same name.
#[must_use]
pub const fn first_mismatch(
    spec: (&str, &Signature),
    tool: (&str, &Signature),
    policy: Policy,
) -> Option<Mismatch> {
    match policy {
        Policy::Name => None,
        policy => first_mismatch_by(spec, tool, Comparison::of(policy)),
    }
}

const fn first_mismatch_by(
    spec: Side<'_>,
    tool: Side<'_>,
    comparison: Comparison,
) -> Option<Mismatch> {
    let mut found = description_mismatch(spec.0, tool.0, comparison);
    let mut at = 0;
    while found.is_none() && at < spec.1.params().len() {
        found = param_mismatch(spec.1, at, tool.1, comparison);
        at += 1;
    }
    if found.is_none() {
        found = missing_param(spec.1, tool.1, comparison);
    }
    if found.is_none() {
        found = return_mismatch(spec.1, tool.1, comparison);
    }
    found
}

/// All mismatches of a spec and a tool of the same name.
#[must_use]
pub fn mismatches(
    spec: (&str, &Signature),
    tool: (&str, &Signature),
    policy: Policy,
) -> Vec<Mismatch> {
    if policy == Policy::Name {
        return Vec::new();
    }
    let by = Comparison::of(policy);
    let params = 0..spec.1.params().len();
    description_mismatch(spec.0, tool.0, by)
        .into_iter()
        .chain(params.filter_map(|at| param_mismatch(spec.1, at, tool.1, by)))
        .chain(missing_param(spec.1, tool.1, by))
        .chain(return_mismatch(spec.1, tool.1, by))
        .collect()
}
