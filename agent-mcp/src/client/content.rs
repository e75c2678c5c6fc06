//! The result of a call as the value that the run gets.

use super::error::ERROR_TEXT;
use super::message::check_values;
use agent_runtime::__private::{BASE64, shortened};
use agent_runtime::media::Part;
use agent_runtime::redact::Redactor;
use agent_runtime::serde_json::{Map, Value};
use agent_runtime::{ToolContext, ToolError};
use agent_spec::{Type, Violations};
use base64::Engine;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

/// Returns the value of a result: its structured content, else its only text, else its parts. Texts and media
/// beside structured content are kept in the context, so that the model reads them, too. `output` is the type
/// of the result if the tool has an output schema. Then a text that is JSON of this type counts as structured
/// content, because servers of older revisions send no structured content.
///
/// # Errors
/// Execution with the text of the result, if the result is an error or is not of the type `output`. In the
/// second case the error reports that the tool was called, so that the model does not call it again without
/// need.
pub(crate) fn value_of(
    mut result: CallToolResult,
    output: Option<&Type>,
    context: &ToolContext,
    redactor: &Redactor,
) -> Result<Value, ToolError> {
    if result.is_error == Some(true) {
        return Err(ToolError::Execution(error_text(result)));
    }
    // Some servers write `null` for missing structured content.
    let structured = result.structured_content.take();
    let structured = structured.filter(|structured| !structured.is_null());
    let structured = structured.or_else(|| {
        let mut texts = result.content.iter().filter_map(ContentBlock::as_text);
        texts.find_map(|text| value_of_type(&text.text, output?))
    });
    let mut parts = parts_of(result.content, structured.as_ref());
    let fits = |value: &Value| output.map_or(Ok(()), |output| output.validate(value));
    let Some(structured) = structured else {
        let value = match parts.as_slice() {
            [] => Value::Null,
            [Part::Text(text)] => text.clone().into(),
            _ => context.keep_parts(parts.clone()),
        };
        fits(&value).map_err(|problems| unfit(&problems, text_of(&parts)))?;
        return Ok(value);
    };
    if let Err(problems) = fits(&structured) {
        parts.push(structured.to_string().into());
        return Err(unfit(&problems, text_of(&parts)));
    }
    for part in &mut parts {
        if let Part::Text(text) = part {
            *text = redactor.text(text);
        }
    }
    context.keep_beside(parts);
    Ok(structured)
}

/// The error of a result that is not of the type that the server promises.
fn unfit(problems: &Violations, text: String) -> ToolError {
    let text = format!(
        "the tool was called, and its result is not what its output schema says: {problems}; the result: {text}"
    );
    ToolError::Execution(shortened(&text, ERROR_TEXT))
}

/// Parses a text that is JSON of a type.
fn value_of_type(text: &str, ty: &Type) -> Option<Value> {
    let value = parsed(text)?;
    ty.validate(&value).is_ok().then_some(value)
}

/// Parses a text that is JSON, unless its values would take many times the memory of the text.
fn parsed(text: &str) -> Option<Value> {
    check_values(text.as_bytes()).ok()?;
    serde_json::from_str(text).ok()
}

/// Returns the text of a result that is an error, with its structured content.
fn error_text(result: CallToolResult) -> String {
    let structured = result.structured_content;
    let structured = structured.filter(|structured| !structured.is_null());
    let parts = parts_of(result.content, structured.as_ref());
    let structured = structured.map(|structured| structured.to_string());
    let texts = [text_of(&parts), structured.unwrap_or_default()];
    let texts = texts.iter().filter(|text| !text.trim().is_empty());
    let texts: Vec<&str> = texts.map(String::as_str).collect();
    match texts.is_empty() {
        true => "the tool failed and gave no reason".to_owned(),
        false => shortened(&texts.join("\n"), ERROR_TEXT),
    }
}

/// Returns parts as a text, for an error, which has no media.
fn text_of(parts: &[Part]) -> String {
    let texts = parts.iter().map(|part| match part {
        Part::Text(text) => text.clone(),
        part => format!("[{}]", part.kind()),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns the parts of a result, without the texts that repeat its structured content: servers write it as text, too, for
/// clients that read texts only.
fn parts_of(content: Vec<ContentBlock>, structured: Option<&Value>) -> Vec<Part> {
    let mut parts: Vec<Part> = content.into_iter().map(part_of).collect();
    if let Some(structured) = structured {
        let texts: Vec<&str> = parts.iter().filter_map(Part::as_text).collect();
        let is_repeated = is_list_of(&texts, structured);
        parts.retain(|part| match part.as_text() {
            Some(text) => !is_repeated && !repeats(text, structured),
            None => true,
        });
    }
    parts
}

/// The maximum number of members of structured content that are compared with each text, because a hostile server could
/// send very many of both.
const COMPARED: usize = 100;

/// Whether a text is structured content or one of its members.
fn repeats(text: &str, structured: &Value) -> bool {
    let members = structured.as_object().into_iter().flat_map(Map::values);
    let members = members.take(COMPARED);
    let mut values = std::iter::once(structured).chain(members);
    let text = text.trim();
    let parsed = parsed(text);
    text.is_empty() || values.any(|value| is_text(text, value) || parsed.as_ref() == Some(value))
}

/// Whether texts are the items of the list that is structured content or its only member. Some servers write a text for
/// each item.
fn is_list_of(texts: &[&str], structured: &Value) -> bool {
    let list = match structured {
        Value::Object(members) if members.len() == 1 => members.values().next(),
        structured => Some(structured),
    };
    list.and_then(Value::as_array).is_some_and(|items| {
        let mut pairs = texts.iter().zip(items);
        items.len() == texts.len()
            && pairs.all(|(text, item)| is_text(text, item) || parsed(text).as_ref() == Some(item))
    })
}

fn is_text(text: &str, value: &Value) -> bool {
    value.as_str().map(str::trim) == Some(text.trim())
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

/// Returns the part for bytes in base64. The first bytes determine the kind, because a provider refuses a
/// request whose bytes are not of the declared type. A text replaces bytes that no message can hold.
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
        value_of(result, None, &ToolContext::detached(), &Redactor::new())
    }

    #[test]
    fn structured_content_is_the_value() {
        let result = json!({
            "content": [{"type": "text", "text": "{\"a\": 1}"}],
            "structuredContent": {"a": 1},
        });
        assert_eq!(value(result), Ok(json!({"a": 1})));
        let of_none = json!({
            "content": [{"type": "text", "text": "hi"}],
            "structuredContent": null,
        });
        assert_eq!(value(of_none), Ok(json!("hi")));
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
