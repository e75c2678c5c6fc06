//! The checks in the output of `agent!`: each is a `const` that panics with a message when a spec and
//! its tool disagree. Rustc shows the message at the span of the `const`.

use crate::binding::template_mistake::TemplateMistake;
use crate::binding::{
    Caller, Disagreement, Mismatch, Policy, description_matches, first_mismatch, missing_param,
    param_mismatch, return_mismatch, unmatched_param,
};
use crate::tool::{Contract, ToolDescriptor, ToolSpec};
use crate::tool_set::{BROKEN_TOOL, ListedTool, find_tool, first_double, first_of};
use agent_gram::print::writer::{Trail, Writer};
use agent_types::__private::same_text;
use agent_types::names::nearness;

/// The subject of one check. Each has a token of its own, where rustc shows the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Aspect {
    /// A tool of the name exists.
    Name,
    /// The description.
    Description,
    /// The tool has a parameter of this name.
    ParamName(usize),
    /// The label of a parameter's type.
    ParamType(usize),
    /// The type of a parameter below its label: all of it, or the part that a trail leads to.
    ParamDetail(usize, Trail),
    /// The optionality of a parameter.
    ParamOptional(usize),
    /// The default of a parameter.
    ParamDefault(usize),
    /// The description of a parameter.
    ParamDescription(usize),
    /// No required parameter is missing.
    MissingParam,
    /// The type of the result: all of it, or the part that a trail leads to.
    ReturnDetail(Trail),
}

impl Aspect {
    const fn of(mismatch: Mismatch) -> Self {
        match mismatch {
            Mismatch::Description => Self::Description,
            Mismatch::UnknownParam { spec, .. } => Self::ParamName(spec),
            Mismatch::ParamType { spec, .. } => Self::ParamType(spec),
            Mismatch::ParamDetails { spec, .. } => Self::ParamDetail(spec, Trail::EMPTY),
            Mismatch::ParamOptional { spec, .. } => Self::ParamOptional(spec),
            Mismatch::ParamDefault { spec, .. } => Self::ParamDefault(spec),
            Mismatch::ParamDescription { spec, .. } => Self::ParamDescription(spec),
            Mismatch::MissingParam { .. } => Self::MissingParam,
            Mismatch::Returns => Self::ReturnDetail(Trail::EMPTY),
        }
    }

    /// Whether both are about the same, apart from which part of a type.
    const fn same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Name, Self::Name)
            | (Self::Description, Self::Description)
            | (Self::MissingParam, Self::MissingParam)
            | (Self::ReturnDetail(_), Self::ReturnDetail(_)) => true,
            (Self::ParamName(a), Self::ParamName(b))
            | (Self::ParamType(a), Self::ParamType(b))
            | (Self::ParamDetail(a, _), Self::ParamDetail(b, _))
            | (Self::ParamOptional(a), Self::ParamOptional(b))
            | (Self::ParamDefault(a), Self::ParamDefault(b))
            | (Self::ParamDescription(a), Self::ParamDescription(b)) => a == b,
            _ => false,
        }
    }

    /// Returns how closely this matches the subject of a message; 0 when the subject is another one.
    const fn nearness(self, message: &Disagreement<'_>) -> usize {
        if !self.same(Self::of(message.mismatch)) {
            return 0;
        }
        match self {
            Self::ParamDetail(_, trail) | Self::ReturnDetail(trail) => {
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

/// The position of an aspect of a tool in a file, ready to be printed.
#[derive(Clone, Copy, Debug)]
pub struct FilePlace {
    /// The aspect at this position.
    pub aspect: Aspect,
    /// The place and the line.
    pub snippet: &'static str,
}

/// Returns the spec that a tool declares of itself, for an agent that only names the tool. A missing
/// tool gives an empty spec, because [`check_known`] reports it.
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

/// Panics with a message when an aspect of a spec disagrees with the tool. When one thing has several
/// aspects, such as a type and its parts, only the check of the nearest aspect panics. `own` is the
/// position of this check's aspect among them.
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

/// Whether a spec agrees with the tool in several aspects of one thing, so that no aspect needs a check
/// of its own.
#[must_use]
pub const fn agrees(
    spec: &ToolSpec,
    tool: Option<&'static ToolDescriptor>,
    aspects: &[Aspect],
    policy: Policy,
) -> bool {
    disagreement(spec, tool, aspects[0], policy).is_none()
}

/// Returns the mismatch of the thing that an aspect belongs to.
const fn disagreement<'a>(
    spec: &'a ToolSpec,
    tool: Option<&'static ToolDescriptor>,
    aspect: Aspect,
    policy: Policy,
) -> Option<Disagreement<'a>> {
    let Some(tool) = tool else { return None };
    let Contract::Signature(theirs) = tool.contract() else {
        return None;
    };
    // The macro of a broken tool reported its mistake at the tool.
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
        | Aspect::ParamDetail(at, _)
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
        Aspect::ReturnDetail(_) => return_mismatch(ours, theirs, policy),
    };
    match found {
        Some(mismatch) => Some(Disagreement {
            name: tool.name(),
            spec: (spec.description(), ours),
            tool: (tool.description(), theirs),
            mismatch,
            caller: Caller::Agent,
        }),
        None => None,
    }
}

/// Returns the aspect that is nearest to the subject of a message.
pub(super) const fn nearest(aspects: &[Aspect], message: &Disagreement<'_>) -> Option<usize> {
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

/// Panics with a message about a default that does not fit its type, unless the parameter disagrees
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

/// Panics with a message that shows the line in the file when a spec disagrees with its tool.
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
    stop_in_file(
        Disagreement {
            name: tool.name(),
            spec: ours,
            tool: theirs,
            mismatch,
            caller: Caller::Agent,
        },
        places,
    )
}

#[track_caller]
pub(super) const fn stop_in_file(message: Disagreement<'_>, places: &'static [FilePlace]) -> ! {
    let (mut place, mut most) = (None, 0);
    let mut at = 0;
    while at < places.len() {
        let nearness = places[at].aspect.nearness(&message);
        if nearness > most {
            (place, most) = (Some(places[at].snippet), nearness);
        }
        at += 1;
    }
    stop(&Finding::Mismatch { message, place })
}

/// The macro in which the tools of an agent are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListedIn {
    /// `agent! {tools: […]}`.
    Macro,
    /// `#[agent_fn(tools = […])]`.
    Attribute,
}

impl ListedIn {
    /// Returns the option before the list.
    const fn word(self) -> &'static str {
        match self {
            Self::Macro => "tools:",
            Self::Attribute => "tools =",
        }
    }
}

/// Panics with a message when no tool has the name. When another tool is broken, it may be the one that
/// was meant and was reported, so there is no message.
#[track_caller]
pub const fn check_known(
    name: &str,
    tools: &[ListedTool],
    listed_in: ListedIn,
    place: Option<&'static str>,
) {
    if find_tool(name, tools).is_none() && !has_broken(tools) {
        stop(&Finding::Unknown {
            name,
            tools,
            nearest: nearest_tool(name, tools),
            listed_in,
            place,
        });
    }
}

/// Panics with a message when an agent that is called has the name of a tool in the list.
#[track_caller]
pub const fn check_shared_name(
    name: &str,
    tools: &[ListedTool],
    listed_in: ListedIn,
    place: Option<&'static str>,
) {
    if find_tool(name, tools).is_some() {
        stop(&Finding::SharedName {
            name,
            listed_in,
            place,
        });
    }
}

const fn has_broken(tools: &[ListedTool]) -> bool {
    let mut at = 0;
    while at < tools.len() {
        if tools[at].tool().is_broken() {
            return true;
        }
        at += 1;
    }
    false
}

/// A list of tools in source code.
#[derive(Clone, Copy, Debug)]
pub struct WrittenList {
    /// The tools of all elements.
    pub tools: &'static [ListedTool],
    /// The elements as they are written, a line each: one text costs rustc less than many.
    pub elements: &'static str,
    /// The owner of the tools, such as `library`.
    pub owner: &'static str,
}

/// Panics with a message when a tool of one element of a list has the name of a tool of an element
/// before it. A `const` stops once, so further elements with the name are named in the message.
#[track_caller]
pub const fn check_unique(list: &WrittenList, element: usize) {
    if let Some(second) = first_double(list.tools, element) {
        stop(&Finding::Twice { list, second });
    }
}

/// Panics with a message when an element of a list is a function without `#[tool]`. A `const` stops once, so
/// further such functions are named in the message.
#[track_caller]
pub const fn check_tagged(list: &WrittenList, element: usize) {
    let at = first_of(list.tools, element);
    if at < list.tools.len() && list.tools[at].element() == element && list.tools[at].is_untagged()
    {
        stop(&Finding::Untagged { list, at });
    }
}

/// Panics with a message when a tool that is known only at run time is among the functions, too.
#[track_caller]
pub const fn check_dynamic(name: &str, tools: &[ListedTool]) {
    if find_tool(name, tools).is_some() {
        stop(&Finding::Dynamic { name });
    }
}

/// The limit on comparing names for a suggestion, in letters times letters. A `const` may run a limited
/// number of steps, which thousands of names would exceed.
const MOST: usize = 150_000;

/// Returns the name that is nearest to a misspelled one, within the limit.
const fn nearest_tool(name: &str, tools: &[ListedTool]) -> Option<&'static str> {
    let mut nearest: Option<(usize, &'static str)> = None;
    let mut at = 0;
    let mut compared = 0;
    while at < tools.len() && compared < MOST {
        let known = tools[at].tool().name();
        compared += name.len() * known.len();
        if let Some(distance) = nearness(name, known) {
            match nearest {
                Some((least, _)) if least <= distance => {}
                _ => nearest = Some((distance, known)),
            }
        }
        at += 1;
    }
    match nearest {
        Some((_, name)) => Some(name),
        None => None,
    }
}

/// The methods of a toolbox that are tools, block by block.
#[derive(Clone, Copy, Debug)]
pub struct MethodNames {
    names: &'static [&'static str],
    next: Option<&'static MethodNames>,
}

impl MethodNames {
    /// No methods.
    pub const NONE: &'static Self = &Self::new(&[], None);

    /// The methods of one block, and those of the blocks after it.
    #[must_use]
    pub const fn new(names: &'static [&'static str], next: Option<&'static MethodNames>) -> Self {
        Self { names, next }
    }

    /// The name that is nearest to a misspelled one.
    const fn nearest(&self, name: &str) -> Option<&'static str> {
        let mut nearest: Option<(usize, &'static str)> = None;
        let mut block = Some(self);
        while let Some(MethodNames { names, next }) = block {
            let mut at = 0;
            while at < names.len() {
                if let Some(distance) = nearness(name, names[at]) {
                    match nearest {
                        Some((least, _)) if least <= distance => {}
                        _ => nearest = Some((distance, names[at])),
                    }
                }
                at += 1;
            }
            block = *next;
        }
        match nearest {
            Some((_, name)) => Some(name),
            None => None,
        }
    }

    /// Writes the first few names.
    const fn write(&self, writer: &mut Writer<'_>) {
        let mut written = 0;
        let mut block = Some(self);
        while let Some(MethodNames { names, next }) = block {
            let mut at = 0;
            while at < names.len() {
                if written > 0 {
                    writer.text(", ");
                }
                if written == 10 {
                    writer.text("…");
                    return;
                }
                writer.text(names[at]);
                written += 1;
                at += 1;
            }
            block = *next;
        }
    }
}

/// Panics with a message: the toolbox `owner` has no tool method of the name.
///
/// # Panics
/// Always.
#[track_caller]
pub const fn stop_at_unknown_method(owner: &str, name: &str, methods: &MethodNames) -> ! {
    stop(&Finding::UnknownMethod {
        owner,
        name,
        methods,
    })
}

pub(super) const fn write_unknown_method(
    writer: &mut Writer<'_>,
    owner: &str,
    name: &str,
    methods: &MethodNames,
) {
    writer.text("`");
    writer.text(owner);
    writer.text("` has no tool `");
    writer.text(name);
    if let Some(nearest) = methods.nearest(name) {
        writer.text("`; did you mean `");
        writer.text(nearest);
        writer.text("`?");
        return;
    }
    writer.text("`: a method is a tool when it has `#[tool]` in a block with `#[toolbox]`; these are tools: ");
    methods.write(writer);
}

pub(super) enum Finding<'a> {
    Unknown {
        name: &'a str,
        tools: &'a [ListedTool],
        nearest: Option<&'static str>,
        listed_in: ListedIn,
        place: Option<&'static str>,
    },
    Twice {
        list: &'a WrittenList,
        second: usize,
    },
    Untagged {
        list: &'a WrittenList,
        at: usize,
    },
    Dynamic {
        name: &'a str,
    },
    UnknownMethod {
        owner: &'a str,
        name: &'a str,
        methods: &'a MethodNames,
    },
    Template(TemplateMistake<'a>),
    SharedName {
        name: &'a str,
        listed_in: ListedIn,
        place: Option<&'static str>,
    },
    Mismatch {
        message: Disagreement<'a>,
        place: Option<&'static str>,
    },
}

impl Finding<'_> {
    const fn write(&self, writer: &mut Writer<'_>) {
        match self {
            Finding::Unknown {
                name,
                tools,
                nearest,
                listed_in,
                place,
            } => {
                writer.text("no tool `");
                writer.text(name);
                writer.text("` among the tools of this agent");
                write_hint(writer, name, tools, *nearest, *listed_in);
                write_place(writer, place);
            }
            Finding::Twice { list, second } => {
                let tools = list.tools;
                if let Some(first) = tools[*second].double() {
                    let (first, again) = (tools[first].tool(), tools[*second].tool());
                    write_twice(writer, first, again, list.owner);
                    write_more(writer, list, *second);
                }
            }
            Finding::Untagged { list, at } => write_untagged(writer, list, *at),
            Finding::Dynamic { name } => {
                writer.text("the tool `");
                writer.text(name);
                writer.text(
                    "` has a function among the tools of this agent; remove `dynamic`, or the function",
                );
            }
            Finding::UnknownMethod {
                owner,
                name,
                methods,
            } => write_unknown_method(writer, owner, name, methods),
            Finding::Template(mistake) => mistake.write(writer),
            Finding::SharedName {
                name,
                listed_in,
                place,
            } => {
                writer.text("`");
                writer.text(name);
                writer.text("` is an agent of this document and a tool in `");
                writer.text(listed_in.word());
                writer.text(
                    " […]`, and agents and tools share one name space; rename the agent, or remove the tool",
                );
                write_place(writer, place);
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

/// Writes advice for an unknown tool.
const fn write_hint(
    writer: &mut Writer<'_>,
    name: &str,
    tools: &[ListedTool],
    nearest: Option<&str>,
    listed_in: ListedIn,
) {
    if tools.is_empty() {
        writer.text("; it is given none: add `");
        writer.text(listed_in.word());
        writer.text(" [function]` ");
        match listed_in {
            ListedIn::Macro => {
                writer.text("before the gram, or `tools: [dynamic ");
                writer.text(name);
                writer.text("]` if it is known only at run time");
            }
            ListedIn::Attribute => writer.text("to the attribute"),
        }
        return;
    }
    if let Some(nearest) = nearest {
        writer.text("; did you mean `");
        writer.text(nearest);
        writer.text("`?");
        return;
    }
    writer.text("; these are registered: ");
    let mut at = 0;
    while at < tools.len() {
        if at > 0 {
            writer.text(", ");
        }
        if at == 10 {
            writer.text("…");
            break;
        }
        writer.text(tools[at].tool().name());
        at += 1;
    }
    match listed_in {
        ListedIn::Macro => {
            writer.text("; a tool that is known only at run time is listed as `dynamic ");
            writer.text(name);
            writer.text("`");
        }
        ListedIn::Attribute => writer.text("; add its function to `tools = […]`"),
    }
}

const fn write_twice(
    writer: &mut Writer<'_>,
    first: &ToolDescriptor,
    second: &ToolDescriptor,
    owner: &str,
) {
    if same_text(first.description(), second.description()) {
        writer.text("`");
        writer.text(first.name());
        writer.text("` is already among the tools of this ");
        writer.text(owner);
        writer.text("; remove it here, or set another name");
    } else {
        writer.text("two tools of this ");
        writer.text(owner);
        writer.text(" are called `");
        writer.text(first.name());
        writer.text("`: ");
        writer.quoted(first.description(), b'"');
        writer.text(" and ");
        writer.quoted(second.description(), b'"');
        writer.text("; set another name for one of them");
    }
    writer.text(" with `#[tool(name = \"…\")]`");
}

/// Says that an element is a function without `#[tool]`, and names further ones.
const fn write_untagged(writer: &mut Writer<'_>, list: &WrittenList, first: usize) {
    writer.text("`");
    write_line(writer, list.elements, list.tools[first].element());
    writer.text("` is not a tool: write `#[tool]` above the function");
    let (mut at, mut more) = (first + 1, false);
    while at < list.tools.len() {
        if list.tools[at].is_untagged() {
            writer.text(if more {
                "`, `"
            } else {
                "; the same holds for `"
            });
            write_line(writer, list.elements, list.tools[at].element());
            more = true;
        }
        at += 1;
    }
    if more {
        writer.text("`");
    }
}

/// Names the elements after the second one that have a tool of the same name.
const fn write_more(writer: &mut Writer<'_>, list: &WrittenList, second: usize) {
    let tools = list.tools;
    let name = tools[second].tool().name();
    let mut last = tools[second].element();
    let mut at = second + 1;
    while at < tools.len() {
        let tool = &tools[at];
        if tool.element() != last && tool.double().is_some() && same_text(tool.tool().name(), name)
        {
            writer.text(if last == tools[second].element() {
                "; the same holds for `"
            } else {
                "`, `"
            });
            last = tool.element();
            write_line(writer, list.elements, last);
        }
        at += 1;
    }
    if last != tools[second].element() {
        writer.text("`");
    }
}

/// Writes one line of a text.
const fn write_line(writer: &mut Writer<'_>, text: &str, line: usize) {
    let bytes = text.as_bytes();
    let (mut at, mut left) = (0, line);
    while at < bytes.len() {
        if bytes[at] == b'\n' {
            if left == 0 {
                return;
            }
            left -= 1;
        } else if left == 0 {
            writer.byte(bytes[at]);
        }
        at += 1;
    }
}

/// Panics with a message. A `const` cannot allocate, so the text is measured first and then written into
/// the smallest of a few buffers. The part that exceeds the largest buffer is cut.
#[track_caller]
pub(super) const fn stop(finding: &Finding<'_>) -> ! {
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

#[cfg(test)]
mod tests {
    use super::{ListedIn, check_known};
    use crate::tool::{ToolDescriptor, ToolSettings};
    use crate::tool_set::{ToolSet, list_tools};
    use agent_types::types::Type;
    use agent_types::{Returns, Signature};

    const fn tool(name: &'static str) -> ToolDescriptor {
        let signature = Signature::from_static(&[], Returns::from_static(Type::ANY, None));
        ToolDescriptor::from_static(name, "d", signature, ToolSettings::DEFAULT)
    }

    static ALPHA: ToolDescriptor = tool("alpha");
    static BETA: ToolDescriptor = tool("beta");
    const SETS: &[ToolSet] = &[ToolSet::List(&[&ALPHA, &BETA])];

    #[test]
    fn accepts_registered_tools() {
        check_known("beta", &list_tools::<2>(SETS), ListedIn::Macro, None);
    }

    #[test]
    #[should_panic(
        expected = "no tool `gamma` among the tools of this agent; these are registered: alpha, beta"
    )]
    fn lists_the_registered_tools_when_a_name_is_unknown() {
        check_known("gamma", &list_tools::<2>(SETS), ListedIn::Macro, None);
    }

    #[test]
    #[should_panic(
        expected = "no tool `gamma` among the tools of this agent; these are registered: alpha, beta; add its \
                    function to `tools = […]`"
    )]
    fn names_the_setting_of_a_function() {
        check_known("gamma", &list_tools::<2>(SETS), ListedIn::Attribute, None);
    }

    #[test]
    #[should_panic(expected = "add `tools = [function]` to the attribute")]
    fn names_the_setting_of_a_function_without_tools() {
        check_known("gamma", &[], ListedIn::Attribute, None);
    }
}
