//! The checks that `agent!` leaves in the code it makes: each is a `const` whose evaluation stops
//! with a message when a spec and its tool disagree, and rustc shows that message at the token the
//! `const` was given.

use super::compare::same_text;
use super::message::Message;
use super::tool::{
    Mismatch, Policy, description_matches, first_mismatch, missing_param, param_mismatch,
    return_mismatch, unmatched_param,
};
use crate::names::nearness;
use crate::tool::{Contract, ToolDescriptor, ToolSpec};
use crate::types::{Kind, Type};
use agent_gram::Value;
use agent_gram::print::writer::Writer;

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

/// The tool of a name, if it is there.
#[must_use]
pub const fn find_tool(
    name: &str,
    tools: &'static [&'static ToolDescriptor],
) -> Option<&'static ToolDescriptor> {
    let mut at = 0;
    while at < tools.len() {
        if same_text(tools[at].name(), name) {
            return Some(tools[at]);
        }
        at += 1;
    }
    None
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

/// Stops with a message when there is no tool of the name.
#[track_caller]
pub const fn check_known(
    name: &str,
    tools: &'static [&'static ToolDescriptor],
    place: Option<&'static str>,
) {
    if find_tool(name, tools).is_none() {
        stop(&Finding::Unknown { name, tools, place });
    }
}

/// Stops with a message when a tool of a library has the name of one before it.
#[track_caller]
pub const fn check_unique(tools: &'static [&'static ToolDescriptor], at: usize) {
    let name = tools[at].name();
    // A tool with mistakes was reported where it stands.
    if !name.is_empty() && find_tool(name, tools.split_at(at).0).is_some() {
        stop(&Finding::Twice { name });
    }
}

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

/// Stops with a message when the default of a function's parameter does not fit its type. `ty` is
/// nothing for a context, which takes no default.
#[track_caller]
pub const fn check_own_default(ty: Option<&'static Type>, default: &'static Value) {
    match ty {
        None => panic!("the context of a call takes no default"),
        Some(ty) if !default_fits(default, ty) => {
            stop(&Finding::Default { ty, default });
        }
        Some(_) => {}
    }
}

/// Whether a literal is of a type. Functions have no constraints, so kinds and ranges say all.
const fn default_fits(value: &Value, ty: &Type) -> bool {
    match (ty.kind(), value) {
        (Kind::Any, _)
        | (Kind::Text, Value::String(_))
        | (Kind::Bool, Value::Boolean(_))
        | (Kind::Double, Value::Integer(_) | Value::Decimal(_)) => true,
        (Kind::Int, Value::Integer(value)) => match ty.host_range() {
            Some(&(lowest, highest)) => lowest <= *value && *value <= highest,
            None => true,
        },
        (Kind::Array(element), Value::Array(items)) => {
            let items = items.as_slice();
            let mut at = 0;
            while at < items.len() {
                if !default_fits(&items[at], element.get()) {
                    return false;
                }
                at += 1;
            }
            true
        }
        _ => false,
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

enum Finding<'a> {
    Unknown {
        name: &'a str,
        tools: &'static [&'static ToolDescriptor],
        place: Option<&'static str>,
    },
    Twice {
        name: &'a str,
    },
    Default {
        ty: &'a Type,
        default: &'a Value,
    },
    Mismatch {
        message: Message<'a>,
        place: Option<&'static str>,
    },
}

impl Finding<'_> {
    const fn write(&self, writer: &mut Writer<'_>) {
        match self {
            Finding::Unknown { name, tools, place } => {
                writer.text("no tool `");
                writer.text(name);
                writer.text("` among the tools of this agent");
                write_hint(writer, name, tools);
                write_place(writer, place);
            }
            Finding::Twice { name } => {
                writer.text("two tools of this library are called `");
                writer.text(name);
                writer.text("`; set another name with `#[tool(name = \"…\")]`");
            }
            Finding::Default { ty, default } => {
                writer.text("the default `");
                writer.value(default);
                writer.text("` does not fit the parameter, which is `");
                writer.text(ty.label());
                writer.text("`");
                if let (Value::Integer(_), Some(&(lowest, highest))) = (default, ty.host_range()) {
                    writer.text(" from ");
                    writer.integer(lowest);
                    writer.text(" to ");
                    writer.integer(highest);
                }
            }
            Finding::Mismatch {
                message,
                place: None,
            } => message.write(writer),
            Finding::Mismatch { message, place } => {
                message.write_summary(writer);
                write_place(writer, place);
                message.write_sides(writer);
            }
        }
    }
}

const fn write_place(writer: &mut Writer<'_>, place: &Option<&'static str>) {
    if let Some(place) = place {
        writer.byte(b'\n');
        writer.text(place);
    }
}

const fn write_hint(
    writer: &mut Writer<'_>,
    name: &str,
    tools: &'static [&'static ToolDescriptor],
) {
    if tools.is_empty() {
        writer.text("; it is given none: add `tools: [function]` before the gram");
        return;
    }
    let mut nearest: Option<(usize, &str)> = None;
    let mut at = 0;
    while at < tools.len() {
        if let Some(distance) = nearness(name, tools[at].name()) {
            match nearest {
                Some((least, _)) if least <= distance => {}
                _ => nearest = Some((distance, tools[at].name())),
            }
        }
        at += 1;
    }
    if let Some((_, nearest)) = nearest {
        writer.text("; did you mean `");
        writer.text(nearest);
        writer.text("`?");
        return;
    }
    writer.text("; these are registered: ");
    at = 0;
    while at < tools.len() {
        if at > 0 {
            writer.text(", ");
        }
        if at == 10 {
            writer.text("…");
            return;
        }
        writer.text(tools[at].name());
        at += 1;
    }
}

/// Panics with what was found. A `const` cannot allocate: the text is counted first, then written
/// into the smallest of a few buffers; what does not fit the largest is left out.
#[track_caller]
const fn stop(finding: &Finding<'_>) -> ! {
    let mut counter = Writer::new(&mut []);
    finding.write(&mut counter);
    match counter.len() {
        0..=1024 => stop_with::<1024>(finding),
        1025..=8192 => stop_with::<8192>(finding),
        _ => stop_with::<262_144>(finding),
    }
}

#[track_caller]
const fn stop_with<const N: usize>(finding: &Finding<'_>) -> ! {
    let mut buffer = [0; N];
    let mut writer = Writer::new(&mut buffer);
    finding.write(&mut writer);
    let len = if writer.len() < N { writer.len() } else { N };
    match std::str::from_utf8(buffer.split_at(len).0) {
        Ok(text) => panic!("{}", text),
        Err(_) => panic!("the agent and the function disagree"),
    }
}
