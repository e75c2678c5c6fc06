//! The parts that the wire formats of providers have in common.

mod body;
mod identifiers;
mod json;
pub(super) mod json_schema;
mod media_mark;
mod turns;

pub(super) use body::{Object, finish_body, member_mut, set};
pub(super) use identifiers::{WireIds, wire_name};
pub(super) use json::{
    arguments_text, count, has_error, kind, list, member, parse, raw_at, raw_items, take,
    take_items, text, word,
};
pub(super) use media_mark::base64_mark;
pub(super) use turns::{Turn, USER, add_turn};

use agent_core::__private::REFUSED;
use agent_core::conversation::{Message, Role, ToolCall};
use agent_core::model::{FinishReason, ModelReply};
use agent_spec::json::{MAX_ARGUMENT_VALUES, Ordered, has_more_values_than, parse_json};
use agent_tool::__private::BASE64;
use agent_tool::media::{Media, Part};
use base64::Engine;
use media_mark::text_mark;
use serde_core::Deserialize as _;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Returns the arguments of an earlier call: the model's own text if it is an object of allowed size, else an
/// empty object.
///
/// Servers that parse the arguments of earlier calls reject the request for any other text, and with it every
/// later request of the conversation. The result of the call has the reason why it failed.
pub(super) fn arguments(call: &ToolCall) -> &str {
    let text = call.args_text();
    // No tool was called with more values.
    let is_sent = !has_more_values_than(text.as_bytes(), MAX_ARGUMENT_VALUES)
        && serde_json::from_str::<Map<_, _>>(text).is_ok();
    if is_sent { text } else { "{}" }
}

/// Returns the arguments of an earlier call as an object, for formats in which they are no text.
pub(super) fn arguments_object(call: &ToolCall) -> Ordered {
    let text = arguments(call);
    let in_order = serde_json::from_str::<Ordered>(text);
    // `Ordered` rejects members that occur twice; in `Value` the last one counts.
    in_order.unwrap_or_else(|_| ordered(&parse_json(text).unwrap_or_default()))
}

/// Converts a JSON value.
pub(super) fn ordered(value: &Value) -> Ordered {
    Ordered::deserialize(value).unwrap_or(Ordered::Null)
}

/// Returns the texts of a result, for formats without a mark for failed calls. A mark stands in the place of media
/// that follow later.
pub(super) fn result_texts(message: &Message) -> Vec<String> {
    let mut texts = texts(message);
    if message.is_error() {
        match texts.first_mut() {
            Some(first) => first.insert_str(0, "Error: "),
            None => texts.push("Error: ".to_owned()),
        }
    }
    texts
}

/// Returns the texts of a result as one, for formats that have one text and no mark for failed calls.
pub(super) fn result_text(message: &Message) -> String {
    result_texts(message).join(PARAGRAPH)
}

/// Returns the texts of a result as one, for formats that have one text and a mark for failed calls.
pub(super) fn paragraphs(message: &Message) -> String {
    texts(message).join(PARAGRAPH)
}

/// Returns the text of an answer, with a mark in the place of media that follow later. Providers split the texts of
/// answers within sentences, so that nothing is put between two texts.
pub(super) fn answer_text(message: &Message) -> String {
    let mut joined = String::with_capacity(message.content().len());
    let mut after_mark = false;
    for (is_mark, text) in pieces(message) {
        if !joined.is_empty() && (is_mark || after_mark) {
            joined.push_str(PARAGRAPH);
        }
        joined.push_str(&text);
        after_mark = is_mark;
    }
    joined
}

/// Returns the texts of a message and the marks of its media, without blank texts beside others.
fn texts(message: &Message) -> Vec<String> {
    let mut texts: Vec<String> = pieces(message).map(|(_, text)| text.into_owned()).collect();
    if texts.len() > 1 {
        texts.retain(|text| !is_blank(text));
    }
    texts
}

/// Separates the parts of a message in formats that have one text.
pub(super) const PARAGRAPH: &str = "\n\n";

/// Returns the texts of a message, and marks such as `[image 1]` in the places of its media.
fn pieces(message: &Message) -> impl Iterator<Item = (bool, Cow<'_, str>)> {
    let mut media = 0;
    message.parts().iter().filter_map(move |part| match part {
        Part::Text(text) => Some((false, Cow::Borrowed(text.as_str()))),
        part => {
            part.media()?;
            media += 1;
            let mark = format!("[{} {media}]", part.kind());
            Some((true, Cow::Owned(mark)))
        }
    })
}

/// Returns the thoughts of a message that came from a provider.
pub(super) fn thoughts<'m>(message: &'m Message, provider: &str) -> impl Iterator<Item = &'m str> {
    message.parts().iter().filter_map(move |part| match part {
        Part::Thinking(thinking) if thinking.provider() == provider => Some(thinking.text()),
        _ => None,
    })
}

/// Returns the data of a message that its provider gets back.
pub(super) fn kept<'m>(message: &'m Message, provider: &str) -> Option<&'m Value> {
    message.parts().iter().find_map(|part| match part {
        Part::Provider(part) if part.provider() == provider => Some(part.data()),
        _ => None,
    })
}

/// Whether an entry among the calls of an answer is empty: some servers send such an entry beside every
/// answer. An entry with an id or arguments, but without a name, is a call that cannot be parsed.
pub(super) fn is_no_call(id: &str, name: &str, arguments: &str) -> bool {
    id.is_empty() && name.is_empty() && matches!(arguments.trim(), "" | "{}" | "null")
}

/// Returns a hash of texts that is the same in every process and version of the program: FNV-1a with 64 bits.
pub(super) fn stable_hash(texts: &[&str]) -> u64 {
    // No UTF-8 text contains this byte, so that the ends of the texts change the hash.
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Whether a text is empty or blank.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Returns the mark in the place of the text of a document whose bytes are text, for formats that accept this
/// text.
pub(super) fn document_text(media: &Media) -> Option<String> {
    let is_text = media.media_type().is_some_and(is_text_type);
    let bytes = media.bytes().filter(|_| is_text)?;
    std::str::from_utf8(bytes).ok().map(text_mark)
}

/// Returns the mark of a document's text after the document's name, for formats without a place for the name.
pub(super) fn named_document_text(media: &Media) -> Option<String> {
    let text = document_text(media)?;
    Some(match media.name() {
        Some(name) => format!("{name}\n{text}"),
        None => text,
    })
}

/// Returns the bytes of media as a URL.
pub(super) fn data_url(media: &Media) -> Option<String> {
    let media_type = media.media_type().unwrap_or_default();
    Some(format!("data:{media_type};base64,{}", base64_mark(media)?))
}

/// Whether documents of a media type are text.
fn is_text_type(media_type: &str) -> bool {
    media_type.starts_with("text/") || media_type == "application/json"
}

/// Messages with media for which a format has no place: answers, and in most formats results. The media
/// follow in a message of the user, after all results of the turn.
#[derive(Default)]
pub(super) struct LaterMedia<'m>(Vec<&'m Message>);

impl<'m> LaterMedia<'m> {
    pub(super) fn add(&mut self, message: &'m Message) {
        if message.media().next().is_some() {
            self.0.push(message);
        }
    }

    /// Returns the messages whose media precede the message `next`. `None` is the end of the history.
    pub(super) fn take_before(&mut self, next: Option<&Message>) -> Vec<&'m Message> {
        match next {
            Some(next) if next.role() == Role::Function => Vec::new(),
            _ => std::mem::take(&mut self.0),
        }
    }
}

/// Returns the text before media that follow their message.
pub(super) fn media_label(message: &Message) -> String {
    match message.name() {
        Some(tool) if message.role() == Role::Function => format!("From the result of `{tool}`:"),
        _ => "From your answer:".to_owned(),
    }
}

/// Writes the media of messages, each message's behind a label. `write` writes a part.
pub(super) fn labelled_media<'m>(
    from: impl IntoIterator<Item = &'m Message>,
    write: impl Fn(&Part) -> Option<Ordered>,
) -> Vec<Ordered> {
    let mut written = Vec::new();
    for message in from {
        written.extend(write(&Part::Text(media_label(message))));
        let media = message.parts().iter().filter(|part| part.media().is_some());
        written.extend(media.filter_map(&write));
    }
    written
}

/// Sets the reason of an answer with a refusal, which OpenAI ends like a complete one. `has_text` says that there is text
/// beside the refusal.
pub(super) fn refuse(reply: &mut ModelReply, has_text: bool) {
    if reply.finish_reason == FinishReason::Stop {
        reply.finish_reason = FinishReason::ContentFilter;
    }
    if !has_text && reply.tool_calls.is_empty() {
        reply.warnings.push(REFUSED.to_owned());
    }
}

/// Returns the bytes of a text in base64; `None` for other text.
pub(super) fn base64_bytes(text: &str) -> Option<Vec<u8>> {
    BASE64.decode(text).ok()
}
