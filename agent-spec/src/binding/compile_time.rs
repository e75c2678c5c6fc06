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
use agent_gram::print::writer::Trail;

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
    /// What a parameter's type says below its label: all of it, or the part that a trail leads to.
    ParamPart(usize, Trail),
    /// Whether a parameter is optional.
    ParamOptional(usize),
    /// The default of a parameter.
    ParamDefault(usize),
    /// The description of a parameter.
    ParamDescription(usize),
    /// That no required parameter is missing.
    MissingParam,
    /// The type of the result: all of it, or the part that a trail leads to.
    ReturnPart(Trail),
}

impl Aspect {
    const fn of(mismatch: Mismatch) -> Self {
        match mismatch {
            Mismatch::Description => Self::Description,
            Mismatch::UnknownParam { spec, .. } => Self::ParamName(spec),
            Mismatch::ParamType { spec, .. } => Self::ParamType(spec),
            Mismatch::ParamDetails { spec, .. } => Self::ParamPart(spec, Trail::EMPTY),
            Mismatch::ParamOptional { spec, .. } => Self::ParamOptional(spec),
            Mismatch::ParamDefault { spec, .. } => Self::ParamDefault(spec),
            Mismatch::ParamDescription { spec, .. } => Self::ParamDescription(spec),
            Mismatch::MissingParam { .. } => Self::MissingParam,
            Mismatch::Returns => Self::ReturnPart(Trail::EMPTY),
        }
    }

    /// Whether both are about the same, apart from which part of a type.
    const fn same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Name, Self::Name)
            | (Self::Description, Self::Description)
            | (Self::MissingParam, Self::MissingParam)
            | (Self::ReturnPart(_), Self::ReturnPart(_)) => true,
            (Self::ParamName(a), Self::ParamName(b))
            | (Self::ParamType(a), Self::ParamType(b))
            | (Self::ParamPart(a, _), Self::ParamPart(b, _))
            | (Self::ParamOptional(a), Self::ParamOptional(b))
            | (Self::ParamDefault(a), Self::ParamDefault(b))
            | (Self::ParamDescription(a), Self::ParamDescription(b)) => a == b,
            _ => false,
        }
    }

    /// How near this is to what a message is about: 0 when it is about something else.
    const fn nearness(self, message: &Message<'_>) -> usize {
        if !self.same(Self::of(message.mismatch)) {
            return 0;
        }
        match self {
            Self::ParamPart(_, trail) | Self::ReturnPart(trail) => {
                if trail.leads_to(&message.trail()) {
                    trail.steps().len() + 1
                } else {
                    0
                }
            }
            _ => 1,
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
/// is reported by [`check_known`](super::check_known); here it gives an empty spec, so that it is reported once.
#[must_use]
pub const fn spec_of(tool: Option<&'static ToolDescriptor>) -> ToolSpec {
    match tool {
        Some(tool) if tool.signature().is_some() => ToolSpec::of(tool),
        _ => ToolSpec::of(BROKEN_TOOL),
    }
}

/// What stands for a tool that could not be made. It has no name, as no other tool has.
pub const BROKEN_TOOL: &ToolDescriptor = &ToolDescriptor::from_static(
    "",
    "",
    crate::Signature::from_static(&[], crate::Returns::from_static(crate::Type::ANY, None)),
    crate::ToolSettings::DEFAULT,
);

/// Stops with a message when an aspect of a spec disagrees with the tool. Of several aspects of one
/// thing, such as a parameter, or a type and its parts, the one that is nearest to what disagrees
/// stops: `own` is the place of this check's aspect among them.
#[track_caller]
pub const fn check_aspect(
    spec: &ToolSpec,
    tool: Option<&'static ToolDescriptor>,
    aspects: &[Aspect],
    own: usize,
    policy: Policy,
) {
    if let Some(message) = disagreement(spec, tool, aspects[own], policy)
        && let Some(nearest) = nearest(aspects, &message)
        && nearest == own
    {
        stop(&Finding::Mismatch {
            message,
            place: None,
        });
    }
}

/// Whether a spec agrees with the tool in several aspects of one thing, so that none of them need be
/// looked at by itself.
#[must_use]
pub const fn agrees(
    spec: &ToolSpec,
    tool: Option<&'static ToolDescriptor>,
    aspects: &[Aspect],
    policy: Policy,
) -> bool {
    disagreement(spec, tool, aspects[0], policy).is_none()
}

/// What is wrong with the thing that an aspect belongs to.
const fn disagreement<'a>(
    spec: &'a ToolSpec,
    tool: Option<&'static ToolDescriptor>,
    aspect: Aspect,
    policy: Policy,
) -> Option<Message<'a>> {
    let Some(tool) = tool else { return None };
    let Contract::Signature(theirs) = tool.contract() else {
        return None;
    };
    // A tool that could not be made was reported where it stands.
    if tool.is_broken() {
        return None;
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
        | Aspect::ParamPart(at, _)
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
        Aspect::ReturnPart(_) => return_mismatch(ours, theirs, policy),
    };
    match found {
        Some(mismatch) => Some(Message {
            name: tool.name(),
            spec: (spec.description(), ours),
            tool: (tool.description(), theirs),
            mismatch,
        }),
        None => None,
    }
}

/// Which aspect is nearest to what a message is about.
const fn nearest(aspects: &[Aspect], message: &Message<'_>) -> Option<usize> {
    let (mut nearest, mut most) = (None, 0);
    let mut at = 0;
    while at < aspects.len() {
        let nearness = aspects[at].nearness(message);
        if nearness > most {
            (nearest, most) = (Some(at), nearness);
        }
        at += 1;
    }
    nearest
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
    if tool.is_broken() {
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
    let (mut place, mut most) = (None, 0);
    let mut at = 0;
    while at < places.len() {
        let nearness = places[at].aspect.nearness(&message);
        if nearness > most {
            (place, most) = (Some(places[at].snippet), nearness);
        }
        at += 1;
    }
    stop(&Finding::Mismatch { message, place });
}
