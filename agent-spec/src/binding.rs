//! When a tool's implementation fits its spec: the rule that `agent!` applies at compile time and
//! the runtime at run time.
//!
//! All of it is `const fn`, so there is one rule and not two that agree.

pub(crate) mod agent_function;
pub(crate) mod compile_time;
mod message;
mod template_mistake;

pub use message::Message;

pub(crate) use message::{Caller, Disagreement};

use agent_gram::Value;
use agent_types::__private::{
    IntRange, Rule, defaults_agree, difference, difference_with_null, find_field, find_field_near,
    first_beyond, same_opt_text, same_text,
};
use agent_types::names::nearness;
use agent_types::{Field, Kind, Signature, Type};

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
    /// The labels of the types differ.
    ParamType {
        /// The position of the parameter in the spec.
        spec: usize,
        /// The position of the parameter in the tool.
        tool: usize,
    },
    /// The types differ below their labels: in fields, elements, values or constraints.
    ParamDetails {
        /// The position of the parameter in the spec.
        spec: usize,
        /// The position of the parameter in the tool.
        tool: usize,
    },
    /// The spec makes the parameter optional, and the tool requires it; under [`Policy::Exact`] also the
    /// reverse.
    ParamOptional {
        /// The position of the parameter in the spec.
        spec: usize,
        /// The position of the parameter in the tool.
        tool: usize,
    },
    /// Both have a default, and the defaults differ; or the default of the spec does not fit the Rust type
    /// of the tool's parameter.
    ParamDefault {
        /// The position of the parameter in the spec.
        spec: usize,
        /// The position of the parameter in the tool.
        tool: usize,
    },
    /// The descriptions of a parameter differ; only under [`Policy::Exact`].
    ParamDescription {
        /// The position of the parameter in the spec.
        spec: usize,
        /// The position of the parameter in the tool.
        tool: usize,
    },
    /// The spec does not name a parameter that the tool requires.
    MissingParam {
        /// The position of the parameter in the tool.
        tool: usize,
    },
    /// The tool may return what the spec does not allow; under [`Policy::Exact`], the results are of
    /// different types.
    Returns,
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

/// Returns the mismatch of one parameter of the spec, if it has one.
pub(crate) const fn param_mismatch(
    spec: &Signature,
    at: usize,
    tool: &Signature,
    policy: Policy,
) -> Option<Mismatch> {
    let param = &spec.params()[at];
    let Some(other) = find_field_near(tool.params(), param.name(), at) else {
        let meant = match nearest_param(tool, spec, param.name()) {
            None => unmatched_param(tool, spec, count_unknown(spec, tool, at)),
            near => near,
        };
        return Some(Mismatch::UnknownParam { spec: at, meant });
    };
    let theirs = &tool.params()[other];
    if theirs.ty().is_refused() {
        return None;
    }
    if !same_label(param.ty(), theirs.ty()) {
        return Some(Mismatch::ParamType {
            spec: at,
            tool: other,
        });
    }
    let exact = matches!(policy, Policy::Exact);
    if param.is_optional() != theirs.is_optional() && (exact || !theirs.is_optional()) {
        return Some(Mismatch::ParamOptional {
            spec: at,
            tool: other,
        });
    }
    let same_presence = param.default().is_some() == theirs.default().is_some();
    if !defaults_agree(param, theirs)
        || (exact && !same_presence)
        || default_beyond(param, theirs).is_some()
    {
        return Some(Mismatch::ParamDefault {
            spec: at,
            tool: other,
        });
    }
    let rule = if exact { Rule::Equal } else { Rule::Argument };
    if difference(param.ty(), theirs.ty(), rule).is_some() {
        return Some(Mismatch::ParamDetails {
            spec: at,
            tool: other,
        });
    }
    if exact && !same_opt_text(param.description(), theirs.description()) {
        return Some(Mismatch::ParamDescription {
            spec: at,
            tool: other,
        });
    }
    None
}

/// Returns the integer of a parameter's default that the Rust type of the tool's parameter cannot hold.
const fn default_beyond<'p>(
    param: &'p Field,
    theirs: &Field,
) -> Option<(&'p Value, &'static IntRange)> {
    match param.default() {
        Some(default) => first_beyond(default, theirs.ty()),
        None => None,
    }
}

/// Whether two types have one label. A union has the labels of its types, which are compared with the
/// details.
const fn same_label(left: &Type, right: &Type) -> bool {
    matches!(left.kind(), Kind::Union(_))
        || matches!(right.kind(), Kind::Union(_))
        || same_text(left.label(), right.label())
}

/// Returns the number of parameters before `at` in the spec that the tool does not have.
const fn count_unknown(spec: &Signature, tool: &Signature, at: usize) -> usize {
    let mut count = 0;
    let mut index = 0;
    while index < at {
        if find_field_near(tool.params(), spec.params()[index].name(), index).is_none() {
            count += 1;
        }
        index += 1;
    }
    count
}

/// The place of the `nth` parameter of `of`, required ones first, that `other` does not have.
pub(crate) const fn unmatched_param(
    of: &Signature,
    other: &Signature,
    nth: usize,
) -> Option<usize> {
    let mut left = nth;
    let mut optional = false;
    loop {
        let mut at = 0;
        while at < of.params().len() {
            let param = &of.params()[at];
            if param.is_optional() == optional
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

/// The first parameter that the tool requires and the spec does not name, unless a parameter that
/// the spec misnames explains it: a renamed parameter is one mistake, not two.
pub(crate) const fn missing_param(spec: &Signature, tool: &Signature) -> Option<Mismatch> {
    let misnamed = count_unknown(spec, tool, spec.params().len());
    match unmatched_param(tool, spec, misnamed) {
        Some(at) if !tool.params()[at].is_optional() => Some(Mismatch::MissingParam { tool: at }),
        _ => None,
    }
}

/// Returns the mismatch of results: the spec must allow every result of the tool.
pub(crate) const fn return_mismatch(
    spec: &Signature,
    tool: &Signature,
    policy: Policy,
) -> Option<Mismatch> {
    let (spec, tool) = (spec.returns().ty(), tool.returns().ty());
    let fits = if matches!(policy, Policy::Exact) {
        difference_with_null(tool, spec, Rule::Equal).is_none()
    } else {
        is_left_to_the_call(spec, tool) || difference_with_null(tool, spec, Rule::Result).is_none()
    };
    if fits { None } else { Some(Mismatch::Returns) }
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

/// The first mismatch of a spec and a tool of the same name.
#[must_use]
pub const fn first_mismatch(
    spec: (&str, &Signature),
    tool: (&str, &Signature),
    policy: Policy,
) -> Option<Mismatch> {
    if matches!(policy, Policy::Name) {
        return None;
    }
    if !description_matches(spec.0, tool.0) {
        return Some(Mismatch::Description);
    }
    let mut at = 0;
    while at < spec.1.params().len() {
        if let Some(found) = param_mismatch(spec.1, at, tool.1, policy) {
            return Some(found);
        }
        at += 1;
    }
    if let Some(found) = missing_param(spec.1, tool.1) {
        return Some(found);
    }
    if matches!(policy, Policy::Exact) && spec.1.params().len() != tool.1.params().len() {
        let Some(at) = unmatched_param(tool.1, spec.1, 0) else {
            return None;
        };
        return Some(Mismatch::MissingParam { tool: at });
    }
    return_mismatch(spec.1, tool.1, policy)
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
    let mut found = Vec::new();
    if !description_matches(spec.0, tool.0) {
        found.push(Mismatch::Description);
    }
    found.extend(
        (0..spec.1.params().len()).filter_map(|at| param_mismatch(spec.1, at, tool.1, policy)),
    );
    found.extend(missing_param(spec.1, tool.1));
    if policy == Policy::Exact && found.is_empty() {
        found
            .extend(unmatched_param(tool.1, spec.1, 0).map(|tool| Mismatch::MissingParam { tool }));
    }
    found.extend(return_mismatch(spec.1, tool.1, policy));
    found
}
