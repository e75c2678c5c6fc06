//! The checks in the output of `agent!`: each is a `const` that panics with a message when a spec and
//! its tool disagree. Rustc shows the message at the span of the `const`.

use super::{
    Comparison, Message, Mismatch, Policy, Side, first_mismatch_by, mismatch_at, param_mismatch,
};
use crate::tool::{Contract, ToolDescriptor, ToolSpec};
use crate::tool_set::{BROKEN_TOOL, ListedTool};
use agent_effects::Effects;
use agent_gram::print::writer::{PANIC_TEXT, Trail, Writer, panic_with};

/// The position of a part of a tool in a file, ready to be printed.
#[derive(Clone, Copy, Debug)]
pub struct FilePlace {
    /// The trail to the part in the signature; empty for the description.
    pub trail: Trail,
    /// The place and the line.
    pub snippet: &'static str,
}

/// Returns the spec that a tool declares of itself, for an agent that only names the tool. A missing
/// tool gives an empty spec, because [`check_known`](super::listed_tools::check_known) reports it.
#[must_use]
pub const fn spec_of(tool: Option<&'static ToolDescriptor>) -> ToolSpec {
    match tool {
        Some(tool) if tool.signature().is_some() => ToolSpec::of(tool),
        _ => ToolSpec::of(BROKEN_TOOL),
    }
}

/// Returns the specs that the tools of a list declare of themselves, for an agent that names all of them; `N` is the
/// length of the list.
#[must_use]
pub const fn specs_of<const N: usize>(tools: &'static [ListedTool]) -> [ToolSpec; N] {
    let mut specs = [const { ToolSpec::of(BROKEN_TOOL) }; N];
    let mut at = 0;
    while at < N {
        let spec = spec_of(Some(tools[at].tool()));
        // A `const` cannot run the destructor of the placeholder, which owns no memory.
        std::mem::forget(std::mem::replace(&mut specs[at], spec));
        at += 1;
    }
    specs
}

/// Panics with a message when a part of a spec disagrees with the tool. Several parts can be about one thing, such as
/// a type and what is inside of it, and each has a check at its own span. Only the check of the part that is nearest to
/// the difference panics. `trails` has the trails to all of these parts, and the one at `own` is that of this check.
#[track_caller]
pub const fn check_part(
    spec: &ToolSpec,
    tool: Option<&'static ToolDescriptor>,
    trails: &[Trail],
    own: usize,
    policy: Policy,
) {
    if let Some((name, sides)) = sides(spec, tool) {
        stop_at_nearest(name, sides, Comparison::of(policy), trails, own);
    }
}

/// Whether a spec agrees with the tool in several parts of one thing, so that no part needs a check of
/// its own.
#[must_use]
pub const fn agrees(
    spec: &ToolSpec,
    tool: Option<&'static ToolDescriptor>,
    trails: &[Trail],
    policy: Policy,
) -> bool {
    match sides(spec, tool) {
        Some((_, (spec, tool))) => {
            mismatch_at(&trails[0], spec, tool, Comparison::of(policy)).is_none()
        }
        None => true,
    }
}

/// Panics with a message that shows the line in the file when a spec disagrees with its tool.
#[track_caller]
pub const fn check_in_file(
    spec: &ToolSpec,
    tool: Option<&'static ToolDescriptor>,
    places: &'static [FilePlace],
    policy: Policy,
) {
    if let Some((name, sides)) = sides(spec, tool) {
        stop_in_file(name, sides, Comparison::of(policy), places);
    }
}

/// Panics with a message when a spec takes back an effect that its function states. `place` shows the line in a file.
#[track_caller]
pub const fn check_effects(
    spec: &ToolSpec,
    tool: Option<&'static ToolDescriptor>,
    place: Option<&'static str>,
) {
    let Some(tool) = tool else { return };
    let Some(effect) = spec.effects().taken_back(tool.settings().effects) else {
        return;
    };
    let [document, function] = Effects::taken_back_parts(effect);
    let (line_end, place) = match place {
        Some(place) => ("\n", place),
        None => ("", ""),
    };
    panic_with(&[
        "the document says `",
        document,
        "` of `",
        spec.name(),
        "`, and its function says ",
        function,
        TAKEN_BACK,
        line_end,
        place,
    ]);
}

/// The end of a message about an effect that a document takes back.
pub(crate) const TAKEN_BACK: &str = "; a document can add an effect, and cannot take one back";

/// Panics with a message about a default that does not fit its type, unless the parameter disagrees with the
/// function's: then the type may be the mistake, which another check reports.
#[track_caller]
pub const fn check_default(
    spec: &ToolSpec,
    tool: Option<&'static ToolDescriptor>,
    at: usize,
    policy: Policy,
    message: &'static str,
) {
    if let Some((_, (spec, tool))) = sides(spec, tool)
        && param_mismatch(spec.1, at, tool.1, Comparison::of(policy)).is_some()
    {
        return;
    }
    panic!("{}", message)
}

/// Returns the name of a tool, and the descriptions and signatures of its spec and its function. A tool that
/// is missing or broken is reported elsewhere, and a tool with JSON Schemas is compared when it is bound.
const fn sides<'a>(
    spec: &'a ToolSpec,
    tool: Option<&'static ToolDescriptor>,
) -> Option<(&'static str, (Side<'a>, Side<'static>))> {
    let Some(tool) = tool else { return None };
    match tool.contract() {
        Contract::Signature(signature) if !tool.is_broken() => {
            let spec = (spec.description(), spec.signature());
            Some((tool.name(), (spec, (tool.description(), signature))))
        }
        _ => None,
    }
}

/// Panics with a message when two sides disagree and the trail at `own` is nearest to the difference.
#[track_caller]
pub(super) const fn stop_at_nearest(
    name: &str,
    sides: (Side<'_>, Side<'_>),
    by: Comparison,
    trails: &[Trail],
    own: usize,
) {
    let mismatch = mismatch_at(&trails[own], sides.0, sides.1, by);
    let Some((message, found)) = message_about(name, sides, by, mismatch) else {
        return;
    };
    let own_length = trails[own].steps().len();
    let mut at = 0;
    while at < trails.len() {
        let length = trails[at].steps().len();
        let is_nearer = length > own_length || (length == own_length && at < own);
        if trails[at].leads_to(&found) && is_nearer {
            return;
        }
        at += 1;
    }
    if trails[own].leads_to(&found) {
        stop(&message, by, None);
    }
}

/// Panics with a message that shows the line in the file when two sides disagree.
#[track_caller]
pub(super) const fn stop_in_file(
    name: &str,
    sides: (Side<'_>, Side<'_>),
    by: Comparison,
    places: &'static [FilePlace],
) {
    let mismatch = first_mismatch_by(sides.0, sides.1, by);
    let Some((message, found)) = message_about(name, sides, by, mismatch) else {
        return;
    };
    let mut nearest: Option<&FilePlace> = None;
    let mut at = 0;
    while at < places.len() {
        let trail = &places[at].trail;
        let is_nearer = match nearest {
            Some(other) => trail.steps().len() > other.trail.steps().len(),
            None => true,
        };
        if trail.leads_to(&found) && is_nearer {
            nearest = Some(&places[at]);
        }
        at += 1;
    }
    match nearest {
        Some(place) => stop(&message, by, Some(place.snippet)),
        None => stop(&message, by, None),
    }
}

/// Returns the message about a mismatch, and the trail to the part of the spec that differs.
const fn message_about<'a>(
    name: &'a str,
    (spec, tool): (Side<'a>, Side<'a>),
    by: Comparison,
    mismatch: Option<Mismatch>,
) -> Option<(Message<'a>, Trail)> {
    let Some(mismatch) = mismatch else {
        return None;
    };
    let message = Message {
        name,
        spec,
        tool,
        mismatch,
    };
    let (found, _) = message.trails(by);
    Some((message, found))
}

#[track_caller]
const fn stop(message: &Message<'_>, by: Comparison, snippet: Option<&str>) -> ! {
    let mut buffer = [0; PANIC_TEXT];
    let mut writer = Writer::new(&mut buffer);
    message.write_summary(&mut writer, by);
    if let Some(snippet) = snippet {
        writer.texts(&["\n", snippet]);
    }
    message.write_sides(&mut writer, by);
    writer.panic()
}
