//! MCP servers: `[name:Mcp {command: ["…"]} | [name_tool:Tool {remote: "tool", …} | …], …]`.

use super::definitions::Definitions;
use super::places::{ParamPlaces, SignaturePlaces, ToolNode};
use crate::binding::{Message, Mismatch, Policy, mismatches};
use crate::check::reader::{Quoted, Reader, items, read_url};
use crate::check::shapes::{Member, Shape};
use crate::diagnostic::{Code, Diagnostic};
use crate::instruction::{InstructionPart, parts};
use crate::mcp::{McpLock, McpTool, McpTransport};
use crate::secret::is_key_name;
use crate::tool::ToolSpec;
use crate::vocabulary::{Keyword, MCP_KEYS, REMOTE, TOOL_LABELS};
use agent_gram::Span;
use agent_gram::syntax::{Name, Property, Value, ValueKind};
use agent_gram::value::{self, Text};
use agent_types::duration::duration_text;
use agent_types::names::{is_tool_name, nearly_spells};
use std::collections::HashMap;

/// The tools of the documents of MCP servers, by their names.
pub type ServedTools = HashMap<String, ServedTool>;

/// A tool of the document of an MCP server.
#[derive(Clone, Debug, PartialEq)]
pub struct ServedTool {
    /// The tool as the document has it.
    pub spec: ToolSpec,
    /// The name of the document, for messages.
    pub file: String,
}

/// Compares a definition of a tool with the document of the tool's server. Reports the differences, and gives
/// the definition the stricter settings of both.
pub(super) fn compare_with_server(reader: &mut Reader<'_>, mut node: ToolNode) -> ToolNode {
    let served = reader.options.served;
    let Some(served) = served.and_then(|served| served.get(node.spec.name())) else {
        return node;
    };
    let file = &served.file;
    let sides = [&node.spec, &served.spec].map(|spec| (spec.description(), spec.signature()));
    for mismatch in mismatches(sides[0], sides[1], Policy::Compatible) {
        let message = Message {
            name: node.spec.name(),
            spec: sides[0],
            tool: sides[1],
            mismatch,
        };
        let (place, theirs) = match mismatch {
            Mismatch::Description => (
                node.places.description,
                format!("{:?}", served.spec.description()),
            ),
            _ => (
                place_of(mismatch, &node.places.signature),
                served.spec.signature().to_string(),
            ),
        };
        let found = Diagnostic::new(Code::ConflictingTools, place, message.summary());
        reader.report(found.with_help(format!(
            "`{file}`, the document of its server, says: {theirs}"
        )));
    }
    let tightened = node.spec.tightened_by(&served.spec);
    let mut stricter = Vec::new();
    if tightened.requires_approval() != node.spec.requires_approval() {
        stricter.push("requiresApproval: true".to_owned());
    }
    // A definition without a timeout leaves it to the server's document.
    if let (Some(ours), Some(theirs)) = (node.spec.timeout(), tightened.timeout())
        && theirs < ours
    {
        stricter.push(format!("timeout: {}", duration_text(theirs)));
    }
    for setting in stricter {
        let name = node.spec.name();
        let message = format!(
            "the tool `{name}` has `{setting}` in `{file}`, the document of its server, which holds here, too"
        );
        let found = Diagnostic::new(Code::LooserTool, node.places.name, message);
        reader.report(found.with_help(format!("write `{setting}` here, too")));
    }
    node.spec = tightened;
    node
}

/// Returns the place in a signature that must change.
fn place_of(mismatch: Mismatch, places: &SignaturePlaces) -> Span {
    let param = |at: usize, place: fn(&ParamPlaces) -> Span| {
        places.params.get(at).map_or(places.whole, place)
    };
    match mismatch {
        Mismatch::UnknownParam { spec, .. } => param(spec, |param| param.name),
        Mismatch::Param {
            spec, difference, ..
        } => match difference.inner.steps() {
            [_, _, step] if *step == Keyword::Type.step() => param(spec, |param| param.label),
            [_, _, step] if *step == Keyword::Optional.step() => {
                param(spec, |param| param.optional)
            }
            [_, _, step] if *step == Keyword::Default.step() => param(spec, |param| param.default),
            _ => param(spec, |param| param.details),
        },
        Mismatch::MissingParam { .. } => places.last_arrow,
        Mismatch::Returns { .. } => places.returns.whole,
        Mismatch::Description => places.whole,
    }
}

/// Reads a server, whose tools are defined already. Returns `None` when it has an error.
pub(super) fn read_server(
    reader: &mut Reader<'_>,
    shape: &Shape<'_>,
    definitions: &Definitions<'_>,
) -> Option<McpLock> {
    let before = reader.errors();
    let name = read_name(reader, shape);
    let read = match reader.is_broken(shape.before_elements()) {
        true => None,
        false => Some(read_record(reader, shape)),
    };
    let tools: Vec<McpTool> = match name {
        Some(name) => {
            let elements = shape.elements.iter();
            elements
                .filter_map(|element| read_server_tool(reader, name, *element, definitions))
                .collect()
        }
        None => Vec::new(),
    };
    refuse_one_remote_twice(reader, &tools, definitions);
    if reader.errors() > before || reader.is_broken(shape.span) {
        return None;
    }
    let ServerRecord {
        transport,
        version,
        protocol,
    } = read?;
    let mut lock = McpLock::new(Text::new(name?), transport?, tools);
    (lock.version, lock.protocol) = (version, protocol);
    Some(lock)
}

/// Refuses two tools with the same name at the server, because their order would decide which of the two is
/// the contract.
fn refuse_one_remote_twice(
    reader: &mut Reader<'_>,
    tools: &[McpTool],
    definitions: &Definitions<'_>,
) {
    let mut first: HashMap<&str, &str> = HashMap::new();
    for tool in tools {
        let name = tool.spec.name();
        let Some(other) = first.insert(tool.remote(), name) else {
            continue;
        };
        if let (Some(node), Some(other)) = (definitions.tool(name), definitions.tool(other)) {
            let message = format!(
                "the tools `{}` and `{name}` have the same `{REMOTE}`, `{}`",
                other.spec.name(),
                tool.remote()
            );
            let found = Diagnostic::new(Code::BadServer, node.places.name, message);
            let found = found.with_label(other.places.name, "the other tool");
            reader.report(found.with_help("remove one of them"));
        }
    }
}

fn read_name<'t>(reader: &mut Reader<'_>, shape: &Shape<'t>) -> Option<&'t str> {
    let Some(name) = shape.identity.filter(|name| !name.text().is_empty()) else {
        let found = Diagnostic::new(
            Code::MissingName,
            shape.head,
            "an MCP server needs a name, with which the names of its tools begin",
        );
        reader.report(found.with_help("write the name before the label: `[files:Mcp …`"));
        return None;
    };
    if !is_tool_name(name.text()) && !reader.is_broken(name.span()) {
        let message = format!("`{}` is no name of an MCP server", name.text());
        let found = Diagnostic::new(Code::BadName, name.span(), message);
        let help = "write a letter or `_`, then letters, digits, `_` or `-`";
        reader.report(found.with_help(help));
        return None;
    }
    Some(name.text())
}

struct ServerRecord {
    transport: Option<McpTransport>,
    version: Option<Text>,
    protocol: Option<Text>,
}

fn read_record(reader: &mut Reader<'_>, shape: &Shape<'_>) -> ServerRecord {
    let before = reader.errors();
    reader.refuse_duplicate_keys(shape.properties.iter().copied());
    let (mut command, mut env, mut url, mut headers) = (None, None, None, None);
    let (mut version, mut protocol) = (None, None);
    for property in &shape.properties {
        let (key, value) = (property.key(), property.value());
        let what = Quoted(key.text());
        match key.text() {
            "command" => command = Some((key.span(), read_texts(reader, value, what))),
            "env" => env = Some((key.span(), read_variables(reader, value))),
            "url" => url = Some((key.span(), read_url(reader, value, what).map(Text::new))),
            "headers" => headers = Some((key.span(), read_headers(reader, value))),
            "version" => version = reader.owned_text(value, what),
            "protocol" => protocol = reader.owned_text(value, what),
            other => {
                if MCP_KEYS.iter().any(|known| nearly_spells(other, known)) {
                    reader.unknown_key(key, "an MCP server", MCP_KEYS);
                }
            }
        }
    }
    let belongs = |reader: &mut Reader<'_>, key: &str, to: &str, span: Span| {
        let message = format!("`{key}` belongs to a server with {to}");
        reader.error(Code::BadServer, span, message);
    };
    let transport = match (command, url) {
        (Some((_, command)), None) => {
            if let Some((span, _)) = headers {
                belongs(reader, "headers", "a `url`", span);
            }
            command
                .filter(|command| !command.is_empty())
                .map(|command| {
                    let env = env.map_or_else(Vec::new, |(_, env)| env);
                    McpTransport::Command { command, env }
                })
        }
        (None, Some((_, url))) => {
            if let Some((span, _)) = env {
                belongs(reader, "env", "a `command`", span);
            }
            url.map(|url| {
                let headers = headers.map_or_else(Vec::new, |(_, headers)| headers);
                McpTransport::Http { url, headers }
            })
        }
        (Some((first, _)), Some((second, _))) => {
            let message = "a server has a `command` or a `url`, and this one has both";
            let found = Diagnostic::new(Code::BadServer, first.max(second), message);
            reader.report(found.with_label(first.min(second), "the other one"));
            None
        }
        (None, None) => {
            if reader.errors() == before {
                let message = "the MCP server has neither a `command` nor a `url`";
                let found = Diagnostic::new(Code::BadServer, shape.head, message);
                let help =
                    "write `{command: [\"program\", \"argument\"]}` or `{url: \"https://…\"}`";
                reader.report(found.with_help(help));
            }
            None
        }
    };
    ServerRecord {
        transport,
        version,
        protocol,
    }
}

/// Reads a list of texts, or one text. An empty list is an error.
fn read_texts(reader: &mut Reader<'_>, value: Value<'_>, what: Quoted<'_>) -> Option<Vec<Text>> {
    let items = items(value);
    if items.is_empty() {
        return reader.wrong(value, what, "a list of texts, the first of them a program");
    }
    let texts = items.into_iter();
    texts.map(|item| reader.owned_text(item, what)).collect()
}

/// Reads names of variables of the environment. A document contains the names and never the values.
fn read_variables(reader: &mut Reader<'_>, value: Value<'_>) -> Vec<Text> {
    let is_name = |name: &str| {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        !name.is_empty() && name.chars().all(is_word)
    };
    let mut names = Vec::new();
    for item in items(value) {
        match reader.text(item, "`env`") {
            Some(name) if is_name(name) => names.push(Text::new(name)),
            Some(_) => {
                let message = "`env` has the names of variables, and no values";
                let found = Diagnostic::new(Code::BadServer, item.span(), message);
                let help = "write the name alone, such as `env: [\"GITHUB_TOKEN\"]`; its value comes \
                            from the environment of whoever runs the agent";
                reader.report(found.with_help(help));
            }
            None => {}
        }
    }
    names
}

fn read_headers(reader: &mut Reader<'_>, value: Value<'_>) -> Vec<(Text, Text)> {
    let ValueKind::Map(record) = value.kind() else {
        let expected = "a record, such as `{authorization: \"Bearer {{TOKEN}}\"}`";
        return reader
            .wrong(value, "`headers`", expected)
            .unwrap_or_default();
    };
    reader.refuse_duplicate_keys(record.properties());
    let properties: Vec<Property<'_>> = record.properties().collect();
    let headers = properties.iter();
    let headers = headers.filter_map(|header| read_header(reader, header.key(), header.value()));
    headers.collect()
}

fn read_header(reader: &mut Reader<'_>, key: Name<'_>, value: Value<'_>) -> Option<(Text, Text)> {
    let is_header = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if key.text().is_empty() || !key.text().chars().all(is_header) {
        let message = format!("`{}` is no name of a header", key.text());
        reader.error(Code::BadServer, key.span(), message);
        return None;
    }
    let text = reader.text(value, Quoted(key.text()))?;
    let parts = parts(text);
    let has = |is: fn(&InstructionPart<'_>) -> bool| parts.iter().any(is);
    let problem = if has(|part| matches!(part, InstructionPart::Malformed(_))) {
        "has double braces that are no variable"
    } else if text.chars().any(char::is_control) {
        "has a control character, which no header can have"
    } else if is_key_name(key.text()) && !has(|part| matches!(part, InstructionPart::Variable(_))) {
        "has a value of its own, and a document must not hold a key"
    } else {
        return Some((Text::new(key.text()), Text::new(text)));
    };
    let message = format!("the header `{}` {problem}", key.text());
    let found = Diagnostic::new(Code::BadServer, value.span(), message);
    reader.report(found.with_help(
        "write `{{NAME}}` for the value of a variable of the environment: `\"Bearer {{TOKEN}}\"`",
    ));
    None
}

/// Reads the server's part of a tool that [`super::tool::read_tool`] has read already.
fn read_server_tool(
    reader: &mut Reader<'_>,
    server: &str,
    element: Member<'_>,
    definitions: &Definitions<'_>,
) -> Option<McpTool> {
    let shape = element.shape();
    let Some(shape) = shape.filter(|shape| shape.label(&TOOL_LABELS).is_some()) else {
        if !reader.is_broken(element.span()) {
            let message = "the elements of an MCP server are its tools";
            let found = Diagnostic::new(Code::BadServer, element.span(), message);
            let help = "write `[name:Tool {remote: \"…\", description: \"…\"} | (…)==>(…)]`";
            reader.report(found.with_help(help));
        }
        return None;
    };
    // A tool with an error was reported.
    let node = definitions.tool(shape.identity?.text())?;
    let name = node.spec.name();
    let has_prefix = name
        .strip_prefix(server)
        .is_some_and(|rest| rest.starts_with('_'));
    if !has_prefix {
        let message = format!("the name of the tool `{name}` does not begin with `{server}_`");
        let found = Diagnostic::new(Code::BadServer, node.places.name, message);
        let help = format!("the names of a server's tools begin with its own: `{server}_{name}`");
        reader.report(found.with_help(help));
    }
    match node.spec.extra().get(REMOTE) {
        Some(value::Value::String(remote)) if !remote.is_empty() => {
            Some(McpTool::new(node.spec.clone(), remote.clone()))
        }
        found => {
            let message = match found {
                None => format!("the tool `{name}` has no `{REMOTE}`, its name at the server"),
                Some(_) => {
                    format!("`{REMOTE}` of the tool `{name}` must be its name at the server")
                }
            };
            let found = Diagnostic::new(Code::BadServer, shape.head, message);
            reader.report(found.with_help(format!("add `{REMOTE}: \"…\"`")));
            None
        }
    }
}
