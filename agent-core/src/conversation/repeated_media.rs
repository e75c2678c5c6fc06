//! Messages that share media: their JSON has the bytes once.
//!
//! In memory, parts with the same digest share their bytes. A conversation may have one image in any number of messages,
//! and a copy of it in base64 for each of them would take any amount of memory.

use super::{Media, Message, Sha256};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

/// Returns messages in which the last part with some bytes keeps them, and earlier parts have only their
/// digest. The last part keeps the bytes, so that readers of the last message find its media.
pub(crate) fn without_repeated_media(messages: &[Message]) -> Cow<'_, [Message]> {
    let media = messages.iter().flat_map(Message::media);
    let mut with_bytes = media.filter(|media| media.bytes().is_some());
    // If only one part has bytes, no digests are needed.
    if with_bytes.nth(1).is_none() {
        return Cow::Borrowed(messages);
    }
    let mut seen = BTreeSet::new();
    let backwards = messages.iter().rev();
    let mut once: Vec<Message> = backwards
        .map(|message| without_seen(message, &mut seen))
        .collect();
    once.reverse();
    Cow::Owned(once)
}

/// Returns a message without the bytes that were seen, and marks its other bytes as seen.
fn without_seen(message: &Message, seen: &mut BTreeSet<Sha256>) -> Message {
    if message.media().next().is_none() {
        return message.clone();
    }
    let (mut parts, mut is_changed) = (message.parts().to_vec(), false);
    for part in parts.iter_mut().rev() {
        let media = part.media().filter(|media| media.bytes().is_some());
        let Some(sha256) = media.and_then(Media::sha256) else {
            continue;
        };
        if !seen.insert(sha256) {
            *part = part
                .clone()
                .map_media(|media| media.with_digest_only(sha256));
            is_changed = true;
        }
    }
    match is_changed {
        true => message.clone().with_parts(parts),
        false => message.clone(),
    }
}

/// Returns messages with the bytes of other parts in the place of their digests.
pub(crate) fn with_repeated_media(messages: Vec<Message>) -> Vec<Message> {
    let media = || messages.iter().flat_map(Message::media);
    if !media().any(Media::is_missing) {
        return messages;
    }
    let with_bytes = media().filter(|media| media.bytes().is_some());
    let found: BTreeMap<Sha256, Media> = with_bytes
        .filter_map(|media| Some((media.sha256()?, media.clone())))
        .collect();
    let mut find = |sha256: Sha256| Ok(found.get(&sha256).cloned());
    let messages = messages.into_iter();
    let filled: Result<_, Infallible> = messages
        .map(|message| message.with_media(&mut find))
        .collect();
    match filled {
        Ok(filled) => filled,
        Err(never) => match never {},
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Exactness, Image, Part, messages_from_json, messages_to_json};
    use agent_tool::__private::MediaForm;

    #[test]
    fn bytes_that_messages_share_are_written_once_and_read_as_shared() {
        let bytes = [b"\x89PNG\r\n\x1a\n".as_slice(), &[7; 30_000]].concat();
        let said = |name: &str| {
            let image = Image::new(bytes.as_slice()).with_name(name);
            Message::user_parts([Part::from("Look"), image.into()])
        };
        let other = Message::user_parts([Image::new(b"\x89PNG\r\n\x1a\n1".as_slice()).into()]);
        let messages = vec![
            said("a"),
            said("b"),
            Message::assistant("I do"),
            other,
            said("c"),
        ];
        let once = without_repeated_media(&messages);
        let json = messages_to_json(&once, Exactness::Exact, MediaForm::Data);
        let length = json.to_string().len();
        assert!(length < 45_000, "{length}");
        assert!(json[4]["content"][1]["data"].is_string(), "the last one");
        let read = messages_from_json(&json).expect("messages");
        let read = with_repeated_media(read);
        assert_eq!(read, messages);
        let bytes_of = |at: usize| {
            let media = read[at].media().next().expect("media");
            media.bytes().expect("bytes").as_ptr()
        };
        assert_eq!(bytes_of(0), bytes_of(4));
        assert_eq!(bytes_of(1), bytes_of(4));
    }

    #[test]
    fn media_whose_bytes_are_nowhere_keep_their_digest() {
        let missing = Message::user_parts([Part::from(Image::of(Media::of_sha256(Sha256::of(
            b"bytes",
        ))))]);
        let messages = vec![missing.clone(), missing];
        assert!(matches!(
            without_repeated_media(&messages),
            Cow::Borrowed(_)
        ));
        assert_eq!(with_repeated_media(messages.clone()), messages);
    }
}
