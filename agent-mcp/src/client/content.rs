//! The result of a call as the value that the run gets.

use super::error::ERROR_TEXT;
use agent_runtime::__private::{BASE64, shortened};
use agent_runtime::media::Part;
use agent_runtime::serde_json::Value;
use agent_runtime::{ToolContext, ToolError};
use base64::Engine;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

/// Returns the value of a result: its structured content, else its only text, else its parts.
///
/// # Errors
/// Execution with the text of a result that is an error.
pub(crate) fn value_of(result: CallToolResult, context: &ToolContext) -> Result<Value, ToolError> {
    if result.is_error == Some(true) {
        return Err(ToolError::Execution(error_text(result)));
    }
    if let Some(structured) = result.structured_content {
        return Ok(structured);
    }
    let parts = result.content.into_iter();
    let parts: Vec<Part> = parts.map(part_of).collect();
    Ok(match parts.as_slice() {
        [] => Value::Null,
        [Part::Text(text)] => text.clone().into(),
        _ => context.keep_parts(parts),
    })
}

fn error_text(result: CallToolResult) -> String {
    let texts = result.content.iter().filter_map(ContentBlock::as_text);
    let texts: Vec<&str> = texts.map(|text| text.text.as_str()).collect();
    let text = match (texts.join("\n"), result.structured_content) {
        (text, None) if text.trim().is_empty() => "the tool failed and gave no reason".to_owned(),
        (text, Some(structured)) if text.trim().is_empty() => structured.to_string(),
        (text, _) => text,
    };
    shortened(&text, ERROR_TEXT)
}

fn part_of(block: ContentBlock) -> Part {
    match block {
        ContentBlock::Text(text) => text.text.into(),
        ContentBlock::Image(image) => media("image", &image.data, Some(&image.mime_type)),
        ContentBlock::Audio(audio) => media("audio", &audio.data, Some(&audio.mime_type)),
        ContentBlock::Resource(embedded) => match embedded.resource {
            ResourceContents::TextResourceContents { text, .. } => text.into(),
            ResourceContents::BlobResourceContents {
                blob, mime_type, ..
            } => media("resource", &blob, mime_type.as_deref()),
            _ => "[a resource of an unknown form]".into(),
        },
        ContentBlock::ResourceLink(link) => {
            let name = link.title.unwrap_or(link.name);
            match name.is_empty() || name == link.uri {
                true => link.uri.into(),
                false => format!("{name}: {}", link.uri).into(),
            }
        }
        _ => "[content of an unknown form]".into(),
    }
}

/// Returns the part for bytes in base64. Their beginning determines the kind, because a provider refuses a request with
/// bytes that are not what they are called. A text stands for bytes that no message can hold.
fn media(what: &str, data: &str, media_type: Option<&str>) -> Part {
    let of_type = match media_type {
        Some(media_type) => format!(" of the type `{}`", shortened(media_type, 100)),
        None => String::new(),
    };
    let Ok(bytes) = BASE64.decode(data) else {
        return format!("[{what}{of_type}: its data is not base64]").into();
    };
    let size = bytes.len();
    Part::from_bytes(bytes).unwrap_or_else(|| {
        format!("[{what}{of_type}, {size} bytes, which a message cannot hold]").into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_runtime::serde_json::json;

    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB";

    fn value(result: Value) -> Result<Value, ToolError> {
        let result = serde_json::from_value(result).expect("a result");
        value_of(result, &ToolContext::detached())
    }

    #[test]
    fn structured_content_is_the_value() {
        let result = json!({
            "content": [{"type": "text", "text": "{\"a\": 1}"}],
            "structuredContent": {"a": 1},
        });
        assert_eq!(value(result), Ok(json!({"a": 1})));
    }

    #[test]
    fn a_single_text_is_a_string() {
        let text = json!({"content": [{"type": "text", "text": "hi"}]});
        assert_eq!(value(text), Ok(json!("hi")));
        let embedded = json!({"uri": "file:///a", "text": "hi"});
        let embedded = json!({"content": [{"type": "resource", "resource": embedded}]});
        assert_eq!(value(embedded), Ok(json!("hi")));
        assert_eq!(value(json!({"content": []})), Ok(Value::Null));
    }

    #[test]
    fn several_parts_and_media_are_parts() {
        let result = json!({"content": [
            {"type": "text", "text": "Two:"},
            {"type": "image", "data": PNG, "mimeType": "image/png"},
            {"type": "resource", "resource":
                {"uri": "file:///a.pdf", "mimeType": "application/pdf", "blob": "JVBERi0xLjcK"}},
            {"type": "resource_link", "uri": "file:///b.txt", "name": "b.txt"},
            {"type": "audio", "data": "UklGRgAAAABXQVZF", "mimeType": "audio/wav"},
        ]});
        let value = value(result).expect("a value");
        let kinds: Vec<&str> = (0..5).filter_map(|at| value[at]["type"].as_str()).collect();
        assert_eq!(kinds, ["text", "image", "document", "text", "audio"]);
        assert_eq!(value[1]["mediaType"], "image/png");
        assert_eq!(value[3]["text"], "b.txt: file:///b.txt");
    }

    #[test]
    fn bytes_that_no_message_can_hold_are_named() {
        for (data, words) in [("AAEC", "cannot hold"), ("not base64!", "not base64")] {
            let result =
                json!({"content": [{"type": "image", "data": data, "mimeType": "image/x"}]});
            let value = value(result).expect("a value");
            let text = value.as_str().expect("a text");
            assert!(text.contains(words) && text.contains("image/x"), "{text}");
        }
    }

    #[test]
    fn an_error_is_the_text_of_the_server() {
        let failed = |content: Value| {
            let error = value(json!({"content": content, "isError": true}));
            error.expect_err("an error").to_string()
        };
        let text = failed(json!([{"type": "text", "text": "no such file"}]));
        assert_eq!(text, "no such file");
        assert!(failed(json!([])).contains("gave no reason"));
        let long = "x".repeat(100_000);
        let text = failed(json!([{"type": "text", "text": long}]));
        assert!(text.len() < 5_000);
    }
}
