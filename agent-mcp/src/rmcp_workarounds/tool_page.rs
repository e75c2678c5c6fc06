//! Pages of a server's list of tools.
//!
//! * rmcp refuses the whole page for one tool that breaks the protocol, such as a tool whose `inputSchema` is `true`. We
//!   need the other tools, and the reason for which the one cannot be used. Not reported.
//! * rmcp's types sort the properties of schemas. We need the server's order, because it is the order of the parameters.
//!   Not reported for tools; for questions to the user it was
//!   <https://github.com/modelcontextprotocol/rust-sdk/issues/1109>.
//! * rmcp reads the headers of tools (`x-mcp-header`) from a stream only if it handles the page before it handles the end of
//!   the stream. We need them always. Not reported.

use agent_spec::json::Ordered;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use rmcp::model::{ServerJsonRpcMessage, ServerResult, Tool};
use serde::Deserialize;
use serde_json::value::RawValue;
use sse_stream::{Error as SseError, Sse};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The maximum number of tools of a server that are read. A hostile server can list tools without end, which would fill
/// the memory.
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
        // Without a name, the tool can only be found by its position.
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
    // The position is removed, because it refers to a text that nobody sees.
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

/// Whether rmcp knows the form of a message. It reads a page with a tool that cannot be read as a result of another form.
pub(crate) fn is_understood(message: &ServerJsonRpcMessage) -> bool {
    let ServerJsonRpcMessage::Response(response) = message else {
        return true;
    };
    let result = &response.result;
    !matches!(
        result,
        ServerResult::TaskAckResult(_)
            | ServerResult::EmptyResult(_)
            | ServerResult::CustomResult(_)
    )
}

/// Whether a message is a page of a list of tools.
pub(crate) fn is_page(message: &ServerJsonRpcMessage) -> bool {
    matches!(message, ServerJsonRpcMessage::Response(response)
        if matches!(response.result, ServerResult::ListToolsResult(_)))
}

/// The newest page of a list, as the transport read it. Clones share the page.
#[derive(Clone, Default)]
pub(crate) struct PageSlot(Arc<Mutex<OrderedPage>>);

/// The schemas of a page, with their properties in order, by the names of the tools.
#[derive(Default)]
pub(crate) struct OrderedPage {
    schemas: HashMap<String, (Ordered, Option<Ordered>)>,
    /// The tools of the page that cannot be read, which have no schemas here.
    pub(crate) unreadable: Vec<UnreadableTool>,
}

impl PageSlot {
    /// Keeps the schemas of a message that is a page of a list. `text` is the message without the tools that cannot be
    /// read, which are kept, too.
    pub(crate) fn keep(
        &self,
        message: &ServerJsonRpcMessage,
        text: &[u8],
        unreadable: Vec<UnreadableTool>,
    ) {
        if is_page(message) {
            *self.lock() = OrderedPage {
                schemas: schemas_in(text).unwrap_or_default(),
                unreadable,
            };
        }
    }

    pub(crate) fn take(&self) -> OrderedPage {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, OrderedPage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OrderedPage {
    /// Changes the names of the tools.
    pub(crate) fn renamed(mut self, name: impl Fn(&str) -> String) -> Self {
        let schemas = self.schemas.into_iter();
        self.schemas = schemas.map(|(own, found)| (name(&own), found)).collect();
        for tool in &mut self.unreadable {
            tool.name = name(&tool.name);
        }
        self
    }

    /// The names of the tools that can be read.
    pub(crate) fn names(&self) -> BTreeSet<&str> {
        self.schemas.keys().map(String::as_str).collect()
    }

    /// Returns the schemas of the arguments and of the result of a tool.
    pub(crate) fn schemas_of(&self, name: &str) -> (Option<&Ordered>, Option<&Ordered>) {
        match self.schemas.get(name) {
            Some((input, output)) => (Some(input), output.as_ref()),
            None => (None, None),
        }
    }
}

/// Returns the schemas of a message that is a page, by the names of the tools. If two tools have one name,
/// the schemas of the first are kept.
fn schemas_in(message: &[u8]) -> serde_json::Result<HashMap<String, (Ordered, Option<Ordered>)>> {
    #[derive(Deserialize)]
    struct Answer {
        result: Page,
    }
    #[derive(Deserialize)]
    struct Page {
        tools: Vec<Schemas>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Schemas {
        name: String,
        input_schema: Ordered,
        output_schema: Option<Ordered>,
    }
    let Answer { result } = serde_json::from_slice(message)?;
    let tools = result.tools.into_iter().rev();
    Ok(tools
        .map(|tool| (tool.name, (tool.input_schema, tool.output_schema)))
        .collect())
}

/// The events of a response.
pub(crate) type Events = BoxStream<'static, Result<Sse, SseError>>;

/// Returns the page if it is the first message of a stream, and otherwise the whole stream. rmcp always reads the headers of
/// tools from a page without a stream.
pub(crate) async fn page_of(events: Events) -> Result<ServerJsonRpcMessage, Events> {
    let mut events = events.fuse();
    let mut read = Vec::new();
    while let Some(event) = events.next().await {
        let data = event.as_ref().ok().and_then(|event| event.data.as_deref());
        let data = data.unwrap_or_default();
        if let Ok(message @ ServerJsonRpcMessage::Response(_)) = serde_json::from_str(data) {
            return Ok(message);
        }
        // An event without data only has the id with which the stream is resumed.
        let is_message = event.is_err() || !data.is_empty();
        read.push(event);
        if is_message {
            break;
        }
    }
    Err(stream::iter(read).chain(events).boxed())
}
