//! The checks of lists of tools in the output of the macros: that the tools which a document names are listed, and that
//! no name is listed twice. Each is a `const` that panics with a message.

use crate::tool_set::{ListedTool, find_tool, first_double, first_of};
use agent_gram::print::writer::{PANIC_TEXT, Writer, panic_with};
use agent_types::__private::same_text;
use agent_types::names::nearer;

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

/// Panics with a message when no tool has the name. When another tool is broken, there is no message, because
/// the broken tool may be the tool that was meant, and it was reported.
#[track_caller]
pub const fn check_known(
    name: &str,
    tools: &[ListedTool],
    listed_in: ListedIn,
    place: Option<&'static str>,
) {
    if find_tool(name, tools).is_some() || has_broken(tools) {
        return;
    }
    let mut buffer = [0; PANIC_TEXT];
    let mut writer = Writer::new(&mut buffer);
    writer.texts(&["no tool `", name, "` among the tools of this agent"]);
    write_hint(&mut writer, name, tools, listed_in);
    if let Some(place) = place {
        writer.texts(&["\n", place]);
    }
    writer.panic()
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
        let (line_end, place) = match place {
            Some(place) => ("\n", place),
            None => ("", ""),
        };
        panic_with(&[
            "`",
            name,
            "` is an agent of this document and a tool in `",
            listed_in.word(),
            " […]`, and agents and tools share one name space; rename the agent, or remove the tool",
            line_end,
            place,
        ]);
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
    let Some(second) = first_double(list.tools, element) else {
        return;
    };
    let Some(first) = list.tools[second].double() else {
        return;
    };
    let (first, again) = (list.tools[first].tool(), list.tools[second].tool());
    let (name, owner) = (first.name(), list.owner);
    let mut buffer = [0; PANIC_TEXT];
    let mut writer = Writer::new(&mut buffer);
    if same_text(first.description(), again.description()) {
        writer.texts(&["`", name, "` is already among the tools of this ", owner]);
        writer.text("; remove it here, or set another name");
    } else {
        writer.texts(&["two tools of this ", owner, " are called `", name, "`: "]);
        writer.quoted(first.description(), b'"');
        writer.text(" and ");
        writer.quoted(again.description(), b'"');
        writer.text("; set another name for one of them");
    }
    writer.text(" with `#[tool(name = \"…\")]`");
    let mut last = element;
    let mut at = second + 1;
    while at < list.tools.len() {
        let tool = &list.tools[at];
        if tool.element() != last && tool.double().is_some() && same_text(tool.tool().name(), name)
        {
            write_further(&mut writer, list, tool.element(), last == element);
            last = tool.element();
        }
        at += 1;
    }
    writer.panic()
}

/// Panics with a message when an element of a list is a function without `#[tool]`, or a private one. A `const` stops once, so
/// further such functions are named in the message.
#[track_caller]
pub const fn check_tagged(list: &WrittenList, element: usize) {
    let first = first_of(list.tools, element);
    if first == list.tools.len()
        || list.tools[first].element() != element
        || !list.tools[first].is_untagged()
    {
        return;
    }
    let mut buffer = [0; PANIC_TEXT];
    let mut writer = Writer::new(&mut buffer);
    writer.byte(b'`');
    write_line(&mut writer, list.elements, element);
    let is_private = list.tools[first].is_private();
    writer.text(if is_private {
        "` is private: write `pub(crate)` before its `fn`"
    } else {
        "` is not a tool: write `#[tool]` above the function"
    });
    let (mut at, mut is_first) = (first + 1, true);
    while at < list.tools.len() {
        if list.tools[at].is_untagged() && list.tools[at].is_private() == is_private {
            write_further(&mut writer, list, list.tools[at].element(), is_first);
            is_first = false;
        }
        at += 1;
    }
    writer.panic()
}

/// Writes that the message is about a further element, too.
const fn write_further(
    writer: &mut Writer<'_>,
    list: &WrittenList,
    element: usize,
    is_first: bool,
) {
    writer.text(if is_first {
        "; the same holds for `"
    } else {
        ", `"
    });
    write_line(writer, list.elements, element);
    writer.byte(b'`');
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

/// Panics with a message when a tool that is known only at run time is among the functions, too.
#[track_caller]
pub const fn check_dynamic(name: &str, tools: &[ListedTool]) {
    if find_tool(name, tools).is_some() {
        panic_with(&[
            "the tool `",
            name,
            "` has a function among the tools of this agent; remove `dynamic`, or the function",
        ]);
    }
}

/// The limit on comparing names for a suggestion, in letters times letters. A `const` may run a limited
/// number of steps, which thousands of names would exceed.
const MOST: usize = 150_000;

/// Returns the name that is nearest to a misspelled one, within the limit.
const fn nearest_tool(name: &str, tools: &[ListedTool]) -> Option<&'static str> {
    let mut nearest = None;
    let mut at = 0;
    let mut compared = 0;
    while at < tools.len() && compared < MOST {
        let known = tools[at].tool().name();
        compared += name.len() * known.len();
        nearest = nearer(name, known, nearest);
        at += 1;
    }
    match nearest {
        Some((_, name)) => Some(name),
        None => None,
    }
}

/// Writes advice for an unknown tool.
const fn write_hint(
    writer: &mut Writer<'_>,
    name: &str,
    tools: &[ListedTool],
    listed_in: ListedIn,
) {
    if tools.is_empty() {
        let list = listed_in.word();
        writer.texts(&["; it is given none: add `", list, " [function]` "]);
        match listed_in {
            ListedIn::Macro => writer.texts(&[
                "before the gram, or `tools: [dynamic ",
                name,
                "]` if it is known only at run time",
            ]),
            ListedIn::Attribute => writer.text("to the attribute"),
        }
        return;
    }
    if let Some(nearest) = nearest_tool(name, tools) {
        writer.texts(&["; did you mean `", nearest, "`?"]);
        return;
    }
    writer.text("; these are registered: ");
    let mut at = 0;
    while at < tools.len() && at < 10 {
        writer.texts(&[if at > 0 { ", " } else { "" }, tools[at].tool().name()]);
        at += 1;
    }
    if at < tools.len() {
        writer.text(", …");
    }
    match listed_in {
        ListedIn::Macro => writer.texts(&[
            "; a tool that is known only at run time is listed as `dynamic ",
            name,
            "`",
        ]),
        ListedIn::Attribute => writer.text("; add its function to `tools = […]`"),
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
        let mut nearest = None;
        let mut block = Some(self);
        while let Some(MethodNames { names, next }) = block {
            let mut at = 0;
            while at < names.len() {
                nearest = nearer(name, names[at], nearest);
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
    let mut buffer = [0; PANIC_TEXT];
    let mut writer = Writer::new(&mut buffer);
    writer.texts(&["`", owner, "` has no tool `", name]);
    if let Some(nearest) = methods.nearest(name) {
        writer.texts(&["`; did you mean `", nearest, "`?"]);
    } else {
        writer.text(
            "`: a method is a tool when it has `#[tool]` in a block with `#[toolbox]`; these are tools: ",
        );
        methods.write(&mut writer);
    }
    writer.panic()
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
