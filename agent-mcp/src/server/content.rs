//! Results of tools as content of the protocol.

use super::offered::{Offered, WRAPPER};
use agent_runtime::ToolContext;
use agent_runtime::media::{Media, Part};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, Resource, ResourceContents};
use serde::Serialize;
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;

/// The result of a call, before it is known which revision the client speaks. It takes half of the memory of
/// its message, because the message repeats most results as text.
pub(super) struct Output {
    value: Value,
    /// The images and other parts that replace the value, or accompany it.
    blocks: Vec<ContentBlock>,
    /// Whether the parts are the whole result.
    is_media: bool,
    offered: Arc<Offered>,
}

impl Output {
    /// Creates the answer of a tool. The context has the bytes of its media.
    pub(super) fn of_tool(offered: &Arc<Offered>, value: Value, context: &ToolContext) -> Self {
        let mut blocks = Vec::new();
        let is_media = offered.returns_media || context.keeps_parts();
        if is_media {
            let items = match &value {
                Value::Array(items) => items.as_slice(),
                item => std::slice::from_ref(item),
            };
            let parts = items.iter().filter_map(|item| context.part(item).ok());
            blocks.extend(parts.filter_map(|part| block(&part)));
        }
        let beside = context.kept_media().take_beside();
        blocks.extend(beside.iter().filter_map(block));
        Self {
            value,
            blocks,
            is_media,
            offered: Arc::clone(offered),
        }
    }

    /// Creates the answer of an agent, whose media come with the text.
    pub(super) fn of_agent(offered: &Arc<Offered>, value: Value, parts: &[Part]) -> Self {
        let media = parts.iter().filter(|part| part.media().is_some());
        Self {
            value,
            blocks: media.filter_map(block).collect(),
            is_media: false,
            offered: Arc::clone(offered),
        }
    }

    /// Returns the number of bytes of the message.
    pub(super) fn length(&self) -> usize {
        let value = match self.is_media {
            true => 0,
            false => json_length(&self.value),
        };
        2 * value + json_length(&self.blocks)
    }

    /// Returns the result for a revision.
    pub(super) fn result(self, is_current: bool) -> CallToolResult {
        let Self {
            value,
            mut blocks,
            is_media,
            offered,
        } = self;
        if is_media {
            return CallToolResult::success(blocks);
        }
        blocks.insert(0, ContentBlock::text(text(&value)));
        let mut result = CallToolResult::success(blocks);
        result.structured_content = if is_current || value.is_object() && !offered.wraps_objects() {
            Some(value)
        } else if offered.has_output_schema {
            Some(json!({ WRAPPER: value }))
        } else {
            // A client of an earlier revision accepts only objects, and the text contains the whole result.
            None
        };
        result
    }
}

/// Returns the text of a result, as a model reads it in a run.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// Returns the content of a part; `None` for a part that only a provider understands.
fn block(part: &Part) -> Option<ContentBlock> {
    let text = match part {
        Part::Text(text) => return Some(ContentBlock::text(text)),
        _ => part.media()?,
    };
    Some(media_block(part, text))
}

fn media_block(part: &Part, media: &Media) -> ContentBlock {
    let kind = part.kind();
    let media_type = media.media_type().unwrap_or("application/octet-stream");
    if let Some(bytes) = media.bytes() {
        return match part {
            Part::Image(_) => ContentBlock::image(BASE64_STANDARD.encode(bytes), media_type),
            Part::Audio(_) => ContentBlock::audio(BASE64_STANDARD.encode(bytes), media_type),
            _ => ContentBlock::resource(resource(media, bytes, media_type)),
        };
    }
    if let Some(url) = media.url() {
        let mut link = Resource::new(url, media.name().unwrap_or(kind));
        link.mime_type = media.media_type().map(str::to_owned);
        return ContentBlock::resource_link(link);
    }
    ContentBlock::text(match media.file_id() {
        Some((provider, _)) => format!("[{kind} in a file of {provider}]"),
        None => format!("[{kind} whose bytes are missing]"),
    })
}

/// Returns a document as a resource. Its name is the digest of its bytes, because it can be read nowhere.
fn resource(media: &Media, bytes: &[u8], media_type: &str) -> ResourceContents {
    let digest = media.sha256().map(|digest| digest.to_string());
    let uri = format!("urn:sha256:{}", digest.unwrap_or_default());
    let mime_type = Some(media_type.to_owned());
    match std::str::from_utf8(bytes) {
        Ok(text) if media_type.starts_with("text/") => ResourceContents::TextResourceContents {
            uri,
            mime_type,
            text: text.to_owned(),
            meta: None,
        },
        _ => ResourceContents::BlobResourceContents {
            uri,
            mime_type,
            blob: BASE64_STANDARD.encode(bytes),
            meta: None,
        },
    }
}

/// Returns the result of a failed call, with the text that a model reads in a run.
pub(super) fn failed(text: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Returns the number of bytes of a value as JSON.
pub(super) fn json_length(value: &impl Serialize) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    match serde_json::to_writer(&mut count, value) {
        Ok(()) => count.0,
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::json_length;
    use serde_json::json;

    #[test]
    fn the_length_of_json_is_counted() {
        for value in [json!(null), json!({"a": [1, "\u{1}\n"]}), json!("ä")] {
            assert_eq!(json_length(&value), value.to_string().len());
        }
    }
}
