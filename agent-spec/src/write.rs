//! Tools and agents as gram text, for a `const`. The writer of signatures and types is that of `agent-types`.

use crate::tool::{ToolDescriptor, ToolSpec};
use crate::tool_set::ToolSet;
use agent_gram::print::writer::Writer;
use agent_types::__private::{write_signature, write_signature_line, write_tool, write_tool_head};
use agent_types::Signature;

/// The number of bytes of a signature's text, for a `const`.
#[must_use]
pub const fn signature_len(tool: &ToolDescriptor) -> usize {
    let mut writer = Writer::new(&mut []);
    if let Some(signature) = tool.signature() {
        write_signature(&mut writer, signature);
    }
    writer.len()
}

/// The bytes of a signature's text, for a `const`; `N` is [`signature_len`].
#[must_use]
pub const fn signature_bytes<const N: usize>(tool: &ToolDescriptor) -> [u8; N] {
    let mut bytes = [0; N];
    if let Some(signature) = tool.signature() {
        write_signature(&mut Writer::new(&mut bytes), signature);
    }
    bytes
}

/// The number of bytes of a tool's gram text, for a `const`.
#[must_use]
pub const fn gram_len(tool: &ToolDescriptor) -> usize {
    let mut writer = Writer::new(&mut []);
    write_descriptor(&mut writer, tool);
    writer.len()
}

/// The bytes of a tool's gram text, for a `const`; `N` is [`gram_len`].
#[must_use]
pub const fn gram_bytes<const N: usize>(tool: &ToolDescriptor) -> [u8; N] {
    let mut bytes = [0; N];
    write_descriptor(&mut Writer::new(&mut bytes), tool);
    bytes
}

/// The number of bytes of the gram text of several tools, for a `const`.
#[must_use]
pub const fn tools_len(tools: &ToolSet) -> usize {
    let mut writer = Writer::new(&mut []);
    write_tools(&mut writer, tools);
    writer.len()
}

/// The bytes of the gram text of several tools, for a `const`; `N` is [`tools_len`].
#[must_use]
pub const fn tools_bytes<const N: usize>(tools: &ToolSet) -> [u8; N] {
    let mut bytes = [0; N];
    write_tools(&mut Writer::new(&mut bytes), tools);
    bytes
}

/// The parts of an agent whose signature and tools only rustc knows, for its gram text.
#[derive(Debug)]
pub struct AgentText {
    /// The text up to the description, with the name and the opening brace.
    pub before: &'static str,
    /// The description, if only rustc knows it.
    pub description: Option<&'static str>,
    /// The text after the description, up to the closing brace.
    pub after: &'static str,
    /// The signature of the agent.
    pub signature: &'static Signature,
    /// The tools of the agent.
    pub tools: &'static [ToolSpec],
}

/// The number of bytes of an agent's gram text, for a `const`.
#[must_use]
pub const fn agent_len(agent: &AgentText) -> usize {
    let mut writer = Writer::new(&mut []);
    write_agent(&mut writer, agent);
    writer.len()
}

/// The bytes of an agent's gram text, for a `const`; `N` is [`agent_len`].
#[must_use]
pub const fn agent_bytes<const N: usize>(agent: &AgentText) -> [u8; N] {
    let mut bytes = [0; N];
    write_agent(&mut Writer::new(&mut bytes), agent);
    bytes
}

const fn write_agent(writer: &mut Writer<'_>, agent: &AgentText) {
    writer.text(agent.before);
    if let Some(description) = agent.description {
        writer.quoted(description, b'"');
    }
    writer.text(agent.after);
    writer.text(" |");
    writer.line(2);
    let count = agent.tools.len();
    let comma = if count == 0 { 0 } else { 1 };
    write_signature_line(writer, agent.signature, 2, comma);
    let mut at = 0;
    while at < count {
        let tool = &agent.tools[at];
        writer.byte(b',');
        writer.line(2);
        let (properties, stated) = tool.effects().properties();
        let properties = properties.split_at(stated).0;
        write_tool_head(writer, tool.name(), tool.description(), properties, false);
        writer.line(4);
        write_signature_line(writer, tool.signature(), 4, 0);
        writer.line(2);
        writer.byte(b']');
        at += 1;
    }
    writer.line(0);
    writer.byte(b']');
}

/// Writes a document: the tools in order, with a blank line between them.
pub(crate) const fn write_tools(writer: &mut Writer<'_>, tools: &ToolSet) {
    let mut at = 0;
    while let Some(tool) = tools.get(at) {
        if tool.signature().is_some() {
            if !writer.is_empty() {
                writer.byte(b'\n');
            }
            write_descriptor(writer, tool);
            writer.byte(b'\n');
        }
        at += 1;
    }
}

/// Returns the bytes that a writer made as text, for a `const`.
#[must_use]
pub const fn text_of(bytes: &'static [u8]) -> &'static str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("a writer makes UTF-8"),
    }
}

pub(crate) const fn write_descriptor(writer: &mut Writer<'_>, tool: &ToolDescriptor) {
    if let Some(signature) = tool.signature() {
        let (properties, stated) = tool.settings().effects.properties();
        let properties = properties.split_at(stated).0;
        write_tool(
            writer,
            tool.name(),
            tool.description(),
            properties,
            signature,
        );
    }
}
