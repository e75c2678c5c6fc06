//! Signatures and tools as gram text, in a `const` as well as at run time.
//!
//! One writer makes the `SIGNATURE` and `GRAM` constants of `#[tool]`, the texts that compile
//! errors compare, and what is printed at run time, so these cannot differ.

mod entries;
mod json;
mod signature;
pub(crate) mod step;
mod tool;

pub(crate) use entries::{
    fields_text, is_label_only, is_plain_any, narrowed_text, portable_fields_text, type_text,
};
pub use json::{json_bytes, json_len, json_text};
pub use signature::{Part, write_signature};
pub use tool::{write_tool, write_tool_head};

use crate::binding::ToolSet;
use crate::signature::Signature;
use crate::tool::ToolDescriptor;
use agent_gram::print::writer::{Writer, to_string};

/// The canonical text of a signature: one line.
#[must_use]
pub fn signature_text(signature: &Signature) -> String {
    to_string(|writer| {
        write_signature(writer, signature, Part::Nothing);
    })
}

/// The number of bytes of a signature's text, for a `const`.
#[must_use]
pub const fn signature_len(tool: &ToolDescriptor) -> usize {
    let mut writer = Writer::new(&mut []);
    if let Some(signature) = tool.signature() {
        write_signature(&mut writer, signature, Part::Nothing);
    }
    writer.len()
}

/// The bytes of a signature's text, for a `const`; `N` is [`signature_len`].
#[must_use]
pub const fn signature_bytes<const N: usize>(tool: &ToolDescriptor) -> [u8; N] {
    let mut bytes = [0; N];
    if let Some(signature) = tool.signature() {
        write_signature(&mut Writer::new(&mut bytes), signature, Part::Nothing);
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

/// Writes a document: the tools in order, with a blank line between them.
const fn write_tools(writer: &mut Writer<'_>, tools: &ToolSet) {
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

/// Bytes that a writer made as text, for a `const`.
#[must_use]
pub const fn text_of(bytes: &'static [u8]) -> &'static str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("a writer makes UTF-8"),
    }
}

const fn write_descriptor(writer: &mut Writer<'_>, tool: &ToolDescriptor) {
    if let Some(signature) = tool.signature() {
        write_tool(writer, tool.name(), tool.description(), signature);
    }
}

impl ToolSet {
    /// The tools as a gram document, as a library prints them.
    #[must_use]
    pub fn to_gram(&self) -> String {
        to_string(|writer| write_tools(writer, self))
    }
}

impl ToolDescriptor {
    /// The tool as gram, in the canonical layout, without a final line end; `None` for a tool that
    /// has only JSON Schemas.
    #[must_use]
    pub fn to_gram(&self) -> Option<String> {
        self.signature()?;
        Some(to_string(|writer| write_descriptor(writer, self)))
    }
}
