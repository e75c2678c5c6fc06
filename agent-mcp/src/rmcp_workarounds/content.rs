//! The content of results.
//!
//! rmcp refuses a whole result for one part of its content that it does not know, such as a kind of a later revision of
//! the protocol. We need the other parts, and a text in the place of that one. Not reported.

use agent_runtime::__private::shortened;
use rmcp::model::ContentBlock;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The kinds of content that rmcp knows.
const KNOWN: [&str; 5] = ["text", "image", "audio", "resource", "resource_link"];

/// The maximum number of bytes of a kind in the text about it, because a server can send a kind of any length and the
/// model reads the text.
const MAX_KIND: usize = 100;

/// A part at the depth that it has in a message. `serde_json` bounds the depth of a whole message.
type InMessage = [[[ContentBlock; 1]; 1]; 1];

/// Replaces the parts of a result that cannot be read by texts about them. `None` if the message has no such parts.
pub(crate) fn with_known_content(message: &[u8]) -> Option<Vec<u8>> {
    #[derive(Deserialize)]
    struct Answer<'m> {
        #[serde(borrow)]
        result: Content<'m>,
    }
    #[derive(Deserialize)]
    struct Content<'m> {
        #[serde(borrow)]
        content: &'m RawValue,
    }
    let answer: Answer<'_> = serde_json::from_slice(message).ok()?;
    let list = answer.result.content.get();
    let parts: Vec<&RawValue> = serde_json::from_str(list).ok()?;
    // The text of the list is a part of the message.
    let start = list.as_ptr().addr() - message.as_ptr().addr();
    let mut known = message[..start].to_vec();
    known.push(b'[');
    let mut is_changed = false;
    for (at, part) in parts.into_iter().map(RawValue::get).enumerate() {
        if at > 0 {
            known.push(b',');
        }
        if serde_json::from_str::<InMessage>(&format!("[[[{part}]]]")).is_ok() {
            known.extend_from_slice(part.as_bytes());
            continue;
        }
        is_changed = true;
        let text = ContentBlock::text(text_about(part));
        serde_json::to_writer(&mut known, &text).ok()?;
    }
    known.push(b']');
    known.extend_from_slice(&message[start + list.len()..]);
    is_changed.then_some(known)
}

/// Returns the text in the place of a part that cannot be read.
fn text_about(part: &str) -> String {
    #[derive(Deserialize)]
    struct Kind {
        r#type: String,
    }
    match serde_json::from_str(part) {
        Ok(Kind { r#type: kind }) if KNOWN.contains(&kind.as_str()) => {
            format!("[content of the type {kind:?} that cannot be read]")
        }
        Ok(Kind { r#type: kind }) => {
            format!(
                "[content of the unknown type {:?}]",
                shortened(&kind, MAX_KIND)
            )
        }
        Err(_) => "[content without a type]".to_owned(),
    }
}
