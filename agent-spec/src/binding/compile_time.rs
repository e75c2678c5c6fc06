//! The checks that `agent!` leaves in the code it makes: each is a `const` whose evaluation stops
//! with a message when a spec and its tool disagree, and rustc shows that message at the token the
//! `const` was given.

use super::message::Message;
use super::stop::{Finding, stop};
use super::tool::{
    Mismatch, Policy, description_matches, first_mismatch, missing_param, param_mismatch,
    return_mismatch, unmatched_param,
};
use crate::tool::{Contract, ToolDescriptor, ToolSpec};

/// What one check is about. Each stands at a token of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Aspect {
    /// That there is a tool of the name.
    Name,
    /// The description.
    Description,
    /// That the tool has a parameter of this name.
    ParamName(usize),
    /// The label of a parameter's type.
    ParamType(usize),
    /// What a parameter's type says below its label.
    ParamDetails(usize),
    /// Whether a parameter is optional.
    ParamOptional(usize),
    /// The default of a parameter.
    ParamDefault(usize),
    /// The description of a parameter.
    ParamDescription(usize),
    /// That no required parameter is missing.
    MissingParam,
    /// The type of the result.
    Returns,
}

impl Aspect {
    const fn of(mismatch: Mismatch) -> Self {
        match mismatch {
            Mismatch::Description => Self::Description,
            Mismatch::UnknownParam { spec, .. } => Self::ParamName(spec),
            Mismatch::ParamType { spec, .. } => Self::ParamType(spec),
            Mismatch::ParamDetails { spec, .. } => Self::ParamDetails(spec),
            Mismatch::ParamOptional { spec, .. } => Self::ParamOptional(spec),
            Mismatch::ParamDefault { spec, .. } => Self::ParamDefault(spec),
            Mismatch::ParamDescription { spec, .. } => Self::ParamDescription(spec),
            Mismatch::MissingParam { .. } => Self::MissingParam,
            Mismatch::Returns => Self::Returns,
        }
    }

    const fn same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Name, Self::Name)
            | (Self::Description, Self::Description)
            | (Self::MissingParam, Self::MissingParam)
            | (Self::Returns, Self::Returns) => true,
            (Self::ParamName(a), Self::ParamName(b))
            | (Self::ParamType(a), Self::ParamType(b))
            | (Self::ParamDetails(a), Self::ParamDetails(b))
            | (Self::ParamOptional(a), Self::ParamOptional(b))
            | (Self::ParamDefault(a), Self::ParamDefault(b))
            | (Self::ParamDescription(a), Self::ParamDescription(b)) => a == b,
            _ => false,
        }
    }
}

/// Where an aspect of a tool stands in a file: the place and the line, as they are shown.
#[derive(Clone, Copy, Debug)]
pub struct FilePlace {
    /// What stands there.
    pub aspect: Aspect,
    /// The place and the line.
    pub snippet: &'static str,
}

/// The spec that a tool declares of itself, for an agent that only names it. One that is not there
/// is reported by [`check_known`]; here it gives an empty spec, so that it is reported once.
#[must_use]
pub const fn spec_of(tool: Option<&'static ToolDescriptor>) -> ToolSpec {
    match tool {
        Some(tool) if tool.signature().is_some() => ToolSpec::of(tool),
        _ => ToolSpec::of(BROKEN_TOOL),
    }
}

/// What stands for a tool that could not be made.
pub const BROKEN_TOOL: &ToolDescriptor = &ToolDescriptor::from_static(
    "",
    "",
    crate::Signature::from_static(&[], crate::Returns::from_static(crate::Type::ANY, None)),
    crate::ToolSettings::DEFAULT,
);

/// Stops with a message when an aspect of a spec disagrees with the tool.
#[track_caller]
pub const fn check_aspect(
    spec: &ToolSpec,
    tool: Option<&'static ToolDescriptor>,
    aspect: Aspect,
    policy: Policy,
) {
    let Some(tool) = tool else { return };
    let Contract::Signature(theirs) = tool.contract() else {
        return;
    };
    // A tool that could not be made was reported where it stands.
    if tool.name().is_empty() {
        return;
    }
    let ours = spec.signature();
    let found = match aspect {
        Aspect::Name => None,
        Aspect::Description => {
            if description_matches(spec.description(), tool.description()) {
                None
            } else {
                Some(Mismatch::Description)
            }
        }
        Aspect::ParamName(at)
        | Aspect::ParamType(at)
        | Aspect::ParamDetails(at)
        | Aspect::ParamOptional(at)
        | Aspect::ParamDefault(at)
        | Aspect::ParamDescription(at) => param_mismatch(ours, at, theirs, policy),
        Aspect::MissingParam => match (missing_param(ours, theirs), policy) {
            (None, Policy::Exact) if ours.params().len() < theirs.params().len() => {
                match unmatched_param(theirs, ours, 0) {
                    Some(tool) => Some(Mismatch::MissingParam { tool }),
                    None => None,
                }
            }
            (found, _) => found,
        },
        Aspect::Returns => return_mismatch(ours, theirs, policy),
    };
    if let Some(mismatch) = found
        && Aspect::of(mismatch).same(aspect)
    {
        let spec = (spec.description(), ours);
        let message = Message {
            name: tool.name(),
            spec,
            tool: (tool.description(), theirs),
            mismatch,
        };
        stop(&Finding::Mismatch {
            message,
            place: None,
        });
    }
}

/// Stops with a message about a default that does not fit its type, unless the parameter disagrees
/// with the function's: then the type may be what is wrong, and that is reported.
#[track_caller]
pub const fn check_default(
    spec: &ToolSpec,
    tool: Option<&'static ToolDescriptor>,
    at: usize,
    policy: Policy,
    message: &'static str,
) {
    if let Some(tool) = tool
        && let Contract::Signature(theirs) = tool.contract()
        && param_mismatch(spec.signature(), at, theirs, policy).is_some()
    {
        return;
    }
    panic!("{}", message)
}

/// Stops with a message that shows the line in the file when a spec disagrees with its tool.
#[track_caller]
pub const fn check_in_file(
    spec: &ToolSpec,
    tool: Option<&'static ToolDescriptor>,
    policy: Policy,
    places: &'static [FilePlace],
) {
    let Some(tool) = tool else { return };
    let Contract::Signature(theirs) = tool.contract() else {
        return;
    };
    if tool.name().is_empty() {
        return;
    }
    let ours = (spec.description(), spec.signature());
    let theirs = (tool.description(), theirs);
    let Some(mismatch) = first_mismatch(ours, theirs, policy) else {
        return;
    };
    let message = Message {
        name: tool.name(),
        spec: ours,
        tool: theirs,
        mismatch,
    };
    let aspect = Aspect::of(mismatch);
    let mut place = None;
    let mut at = 0;
    while at < places.len() {
        if places[at].aspect.same(aspect) {
            place = Some(places[at].snippet);
        }
        at += 1;
    }
    stop(&Finding::Mismatch { message, place });
}
