//! Pages of a list of tools without the tools that cannot be read.
//!
//! rmcp refuses the whole page for one tool that breaks the protocol, such as a tool whose `inputSchema` is `true`.

use rmcp::model::Tool;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// The maximum number of tools of a server that are read.
pub(crate) const MAX_TOOLS: usize = 2_000;

/// A tool that breaks the protocol.
#[derive(Debug)]
pub(crate) struct UnreadableTool {
    /// The server's own name of the tool, or empty if the tool has no name.
    pub(crate) name: String,
    /// The reason.
    pub(crate) reason: String,
}

/// The tools of a message, at the depth that they have there. `serde_json` bounds the depth of a whole message.
type InMessage = [[[Tool; 1]; 1]; 1];

/// Removes the tools that cannot be read from a message that is a page of a list. Returns the rest of the message and the
/// removed tools, of which the first [`MAX_TOOLS`] are kept. `None` if the message has no such tools.
pub(crate) fn without_unreadable_tools(message: &[u8]) -> Option<(Vec<u8>, Vec<UnreadableTool>)> {
    #[derive(Deserialize)]
    struct Answer<'m> {
        #[serde(borrow)]
        result: Page<'m>,
    }
    #[derive(Deserialize)]
    struct Page<'m> {
        #[serde(borrow)]
        tools: &'m RawValue,
    }
    let answer: Answer<'_> = serde_json::from_slice(message).ok()?;
    let list = answer.result.tools.get();
    let tools: Vec<&RawValue> = serde_json::from_str(list).ok()?;
    // The text of the list is a part of the message.
    let start = list.as_ptr().addr() - message.as_ptr().addr();
    let mut rest = message[..start].to_vec();
    rest.push(b'[');
    let (mut unreadable, mut has_removed, mut has_kept) = (Vec::new(), false, false);
    for (at, tool) in tools.into_iter().enumerate() {
        let tool = tool.get();
        let error = match serde_json::from_str::<InMessage>(&format!("[[[{tool}]]]")) {
            Ok(_) => {
                if has_kept {
                    rest.push(b',');
                }
                rest.extend_from_slice(tool.as_bytes());
                has_kept = true;
                continue;
            }
            Err(error) => error,
        };
        has_removed = true;
        if unreadable.len() < MAX_TOOLS {
            unreadable.push(described(at, tool, &error));
        }
    }
    rest.push(b']');
    rest.extend_from_slice(&message[start + list.len()..]);
    has_removed.then_some((rest, unreadable))
}

/// The members of a JSON object.
type Members<'t> = HashMap<String, &'t RawValue>;

/// The JSON types of the members of a tool.
const MEMBERS: [(&str, &str); 8] = [
    ("name", "a text"),
    ("title", "a text"),
    ("description", "a text"),
    ("inputSchema", "an object"),
    ("outputSchema", "an object"),
    ("annotations", "an object"),
    ("icons", "a list"),
    ("_meta", "an object"),
];

/// The JSON types of the members of a tool's annotations.
const ANNOTATIONS: [(&str, &str); 5] = [
    ("title", "a text"),
    ("readOnlyHint", "a boolean"),
    ("destructiveHint", "a boolean"),
    ("idempotentHint", "a boolean"),
    ("openWorldHint", "a boolean"),
];

/// The members that a tool must have.
const REQUIRED: [&str; 2] = ["name", "inputSchema"];

/// Describes a tool of a page that could not be read.
fn described(at: usize, tool: &str, error: &serde_json::Error) -> UnreadableTool {
    let members: Option<Members<'_>> = serde_json::from_str(tool).ok();
    let name = members.as_ref().and_then(|members| members.get("name"));
    let name: Option<String> = name.and_then(|name| serde_json::from_str(name.get()).ok());
    let problem = match &members {
        Some(members) => problem_of(members),
        None => Some(format!("it is {}, and must be an object", kind_of(tool))),
    };
    let problem = problem.unwrap_or_else(|| words(error));
    let reason = match &name {
        Some(_) => problem,
        // The position is all that there is to find the tool by.
        None => format!("{problem} (`tools[{at}]` of its page of the list)"),
    };
    UnreadableTool {
        name: name.unwrap_or_default(),
        reason,
    }
}

/// Returns the problem of the first member that has the wrong type or is missing.
fn problem_of(members: &Members<'_>) -> Option<String> {
    if let Some(missing) = REQUIRED.iter().find(|name| !members.contains_key(**name)) {
        return Some(format!("it has no `{missing}`"));
    }
    let problem = problem_among(members, "", &MEMBERS);
    problem.or_else(|| {
        let annotations = members.get("annotations")?.get();
        let annotations: Members<'_> = serde_json::from_str(annotations).ok()?;
        problem_among(&annotations, "annotations.", &ANNOTATIONS)
    })
}

fn problem_among(members: &Members<'_>, path: &str, types: &[(&str, &str)]) -> Option<String> {
    types.iter().find_map(|(name, wanted)| {
        let found = kind_of(members.get(*name)?.get());
        let is_right = found == *wanted || found == "null" && !REQUIRED.contains(name);
        (!is_right).then(|| format!("its `{path}{name}` is {found}, and must be {wanted}"))
    })
}

/// Returns the type of a JSON text, in words.
fn kind_of(text: &str) -> &'static str {
    match text.trim_start().as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b'"') => "a text",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// The maximum number of bytes of an error of the parser, which may quote what the server wrote.
const MAX_ERROR: usize = 500;

fn words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // The position is one in a text that nobody sees.
    let text = text
        .rsplit_once(" at line ")
        .map_or(&*text, |(text, _)| text);
    match text {
        "recursion limit exceeded" => {
            "its objects and lists are inside each other too deeply; 127 levels are the most for the whole message"
                .to_owned()
        }
        text if text.len() > MAX_ERROR => "it is no tool as the protocol describes it".to_owned(),
        text => format!("it cannot be read: {text}"),
    }
}
