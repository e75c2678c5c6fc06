//! What stops a `const`, in words.

use super::compare::same_text;
use super::known::WrittenList;
use super::message::Message;
use super::method::{MethodNames, write_unknown_method};
use super::own_mistake::OwnMistake;
use super::tool_set::ListedTool;
use crate::tool::ToolDescriptor;
use agent_gram::print::writer::Writer;

pub(super) enum Finding<'a> {
    Unknown {
        name: &'a str,
        tools: &'a [ListedTool],
        nearest: Option<&'static str>,
        place: Option<&'static str>,
    },
    Twice {
        list: &'a WrittenList,
        second: usize,
    },
    UnknownMethod {
        owner: &'a str,
        name: &'a str,
        methods: &'a MethodNames,
    },
    Own(OwnMistake<'a>),
    Mismatch {
        message: Message<'a>,
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
                place,
            } => {
                writer.text("no tool `");
                writer.text(name);
                writer.text("` among the tools of this agent");
                write_hint(writer, tools, *nearest);
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
            Finding::UnknownMethod {
                owner,
                name,
                methods,
            } => write_unknown_method(writer, owner, name, methods),
            Finding::Own(mistake) => mistake.write(writer),
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

/// Says what would be right in place of an unknown tool.
const fn write_hint(writer: &mut Writer<'_>, tools: &[ListedTool], nearest: Option<&str>) {
    if tools.is_empty() {
        writer.text("; it is given none: add `tools: [function]` before the gram");
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
            return;
        }
        writer.text(tools[at].tool().name());
        at += 1;
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

/// Panics with what was found. A `const` cannot allocate: the text is counted first, then written
/// into the smallest of a few buffers; what does not fit the largest is left out.
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
