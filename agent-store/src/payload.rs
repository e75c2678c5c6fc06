//! Large texts in records, which are kept once for all records that have them.
//!
//! The start of a run has the whole conversation, with its images, and so has the start of the next run.

use std::borrow::Cow;

/// The least number of bytes of a text that is kept apart. A chat has each of its messages in the start of every later run,
/// so that the file would otherwise grow with the square of its length.
const LARGE: usize = 4 * 1024;

/// The JSON of a record without its large texts.
pub(crate) struct Split<'j> {
    pub(crate) json: Cow<'j, str>,
    /// The large texts, each with the number of bytes of `json` before it.
    pub(crate) texts: Vec<(usize, &'j str)>,
}

/// Takes the texts of at least [`LARGE`] bytes out of JSON, as they are written between their quotes.
pub(crate) fn split(json: &str) -> Split<'_> {
    let (mut rest, mut texts, mut begin) = (String::new(), Vec::new(), 0);
    if json.len() >= LARGE {
        let mut at = 0;
        while let Some(quote) = json[at..].find('"') {
            let text = at + quote + 1;
            let end = end_of_text(json, text);
            if end - text >= LARGE {
                rest.push_str(&json[begin..text]);
                texts.push((rest.len(), &json[text..end]));
                begin = end;
            }
            at = (end + 1).min(json.len());
        }
    }
    if texts.is_empty() {
        return Split {
            json: Cow::Borrowed(json),
            texts,
        };
    }
    rest.push_str(&json[begin..]);
    Split {
        json: Cow::Owned(rest),
        texts,
    }
}

/// Returns the place of the quote that ends the text which begins at a place.
fn end_of_text(json: &str, begin: usize) -> usize {
    let mut at = begin;
    while let Some(quote) = json[at..].find('"') {
        let end = at + quote;
        let before = json.as_bytes()[begin..end].iter().rev();
        let backslashes = before.take_while(|byte| **byte == b'\\').count();
        if backslashes % 2 == 0 {
            return end;
        }
        at = end + 1;
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_core::journal::Record;
    use std::sync::Arc;

    #[track_caller]
    fn check(json: &str, count: usize) {
        let Split { json: rest, texts } = split(json);
        assert_eq!(texts.len(), count);
        assert!(rest.len() < 2 * LARGE, "{}", rest.len());
        let texts = texts.into_iter();
        let texts = texts.map(|(place, text)| (place, Arc::from(text)));
        let record = Record::stored_in_parts(&*rest, texts.collect(), Record::first_checksum());
        assert_eq!(record.json(), json);
    }

    #[test]
    fn large_texts_are_taken_out_and_put_back() {
        let large = "é\\\"\\\\".repeat(LARGE / 4);
        check("", 0);
        check("{\"a\":\"b\"}", 0);
        check(&format!("{{\"a\":\"{large}\"}}"), 1);
        check(&format!("[\"{large}\",\"small\",\"{large}\"]"), 2);
        check(&format!("[\"{}\"]", "x".repeat(LARGE - 1)), 0);
        check(&format!("[\"{}\"]", "x".repeat(LARGE)), 1);
        // A journal keeps any text, also one that is no JSON.
        check(&format!("\"{large}"), 1);
        check(&format!("{}\"\\", "[".repeat(LARGE)), 0);
        check(&large, 1);
    }
}
