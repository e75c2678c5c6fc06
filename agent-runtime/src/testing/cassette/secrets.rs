//! Keeping secrets out of the file.

use crate::conversation::ToolCall;
use crate::model::{FinishReason, ModelReply, ReplyPart};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::ops::Range;

/// What stands in the place of a secret.
const MASK: &str = "[secret]";

/// How often a secret may have been put into JSON text, and that into JSON text again.
const ESCAPES: usize = 3;

/// Texts that must not be written.
#[derive(Default)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    /// Adds a text, and the forms it has inside of JSON text. A blank one is none.
    pub(super) fn add(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let mut form = text.to_owned();
        for _ in 0..=ESCAPES {
            if self.0.contains(&form) {
                return;
            }
            let quoted = Value::from(form.as_str()).to_string();
            self.0.push(form);
            form = quoted[1..quoted.len() - 1].to_owned();
        }
    }

    /// A text without secrets.
    pub(super) fn mask(&self, text: &str) -> String {
        let masked = self.mask_plainly(text);
        // JSON can say any character by its number.
        if masked.contains("\\u")
            && let Ok(json @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(&masked)
        {
            let without = self.mask_value(&json);
            if without != json {
                return without.to_string();
            }
        }
        masked.into_owned()
    }

    fn mask_plainly<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let places = self.places(text);
        if places.is_empty() {
            return Cow::Borrowed(text);
        }
        let (mut masked, mut done) = (String::new(), 0);
        for place in places {
            masked.push_str(&text[done..place.start]);
            masked.push_str(MASK);
            done = place.end;
        }
        masked.push_str(&text[done..]);
        Cow::Owned(masked)
    }

    /// Where secrets stand. What is masked already stays as it is, also when the secret is a part
    /// of the mask itself: what is replayed is masked again, to be compared.
    fn places(&self, text: &str) -> Vec<Range<usize>> {
        let ranges = |form: &str| -> Vec<Range<usize>> {
            let found = text.match_indices(form);
            found.map(|(at, found)| at..at + found.len()).collect()
        };
        let mut found: Vec<_> = self.0.iter().flat_map(|form| ranges(form)).collect();
        if found.is_empty() {
            return found;
        }
        let masks = ranges(MASK);
        found.retain(|place| {
            let mut masks = masks.iter();
            !masks.any(|mask| mask.start <= place.start && place.end <= mask.end)
        });
        found.sort_by_key(|place| place.start);
        let mut places: Vec<Range<usize>> = Vec::new();
        for place in found {
            match places.last_mut() {
                Some(last) if place.start < last.end => last.end = last.end.max(place.end),
                _ => places.push(place),
            }
        }
        places
    }

    /// A value without secrets: in texts, in names of members, and in numbers.
    pub(super) fn mask_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.mask(text).into(),
            Value::Number(number) => match self.mask_plainly(&number.to_string()) {
                Cow::Owned(masked) => masked.into(),
                Cow::Borrowed(_) => value.clone(),
            },
            Value::Array(items) => items.iter().map(|item| self.mask_value(item)).collect(),
            Value::Object(members) => {
                let mut masked = Map::new();
                for (key, value) in members {
                    masked.insert(self.mask(key), self.mask_value(value));
                }
                Value::Object(masked)
            }
            Value::Null | Value::Bool(_) => value.clone(),
        }
    }

    pub(super) fn mask_reply(&self, mut reply: ModelReply) -> ModelReply {
        for text in [&mut reply.content, &mut reply.id, &mut reply.model] {
            *text = text.as_ref().map(|text| self.mask(text));
        }
        for call in &mut reply.tool_calls {
            *call = ToolCall::new(
                self.mask(call.id()),
                self.mask(call.tool()),
                self.mask(call.args_text()),
            );
        }
        if let FinishReason::Other(word) = &mut reply.finish_reason {
            *word = self.mask(word);
        }
        let data = reply.provider_data.as_ref();
        reply.provider_data = data.map(|data| self.mask_value(data));
        reply
    }

    /// Parts of an answer without secrets, also without those that several parts hold together.
    pub(super) fn mask_parts(&self, mut parts: Vec<ReplyPart>) -> Vec<ReplyPart> {
        let mut told: Vec<Told> = Vec::new();
        for part in &mut parts {
            match part {
                ReplyPart::Call { tool, .. } => *tool = self.mask(tool),
                part => {
                    let of = Told::of(part);
                    if !told.contains(&of) {
                        told.push(of);
                    }
                }
            }
        }
        for of in told {
            let same = parts.iter_mut().filter(|part| Told::of(part) == of);
            self.mask_pieces(same.filter_map(text_of).collect());
        }
        parts.retain_mut(|part| text_of(part).is_none_or(|text| !text.is_empty()));
        parts
    }

    fn mask_pieces(&self, mut pieces: Vec<&mut String>) {
        let whole: String = pieces.iter().map(|piece| piece.as_str()).collect();
        let masked = self.mask(&whole);
        if masked == whole {
            return;
        }
        let each: Vec<String> = pieces.iter().map(|piece| self.mask(piece)).collect();
        let is_enough = each.concat() == masked;
        for (number, (piece, each)) in pieces.iter_mut().zip(each).enumerate() {
            **piece = match (is_enough, number) {
                (true, _) => each,
                (false, 0) => masked.clone(),
                (false, _) => String::new(),
            };
        }
    }
}

/// What a part is a piece of.
#[derive(PartialEq, Eq)]
enum Told {
    Text,
    Thought,
    Call,
    Arguments(usize),
}

impl Told {
    fn of(part: &ReplyPart) -> Self {
        match part {
            ReplyPart::Text(_) => Self::Text,
            ReplyPart::Thought(_) => Self::Thought,
            ReplyPart::Call { .. } => Self::Call,
            ReplyPart::Arguments { index, .. } => Self::Arguments(*index),
        }
    }
}

fn text_of(part: &mut ReplyPart) -> Option<&mut String> {
    match part {
        ReplyPart::Text(text) | ReplyPart::Thought(text) | ReplyPart::Arguments { text, .. } => {
            Some(text)
        }
        ReplyPart::Call { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn secrets(texts: &[&str]) -> Secrets {
        let mut secrets = Secrets::default();
        for text in texts {
            secrets.add(text);
        }
        secrets
    }

    #[test]
    fn a_secret_is_masked_in_every_form_that_json_gives_it() {
        let secrets = secrets(&["pa\"ss", "12345678"]);
        let inner = json!({"key": "pa\"ss"}).to_string();
        let twice = json!({"args": inner}).to_string();
        for text in ["a pa\"ss b", &inner, &twice, r#"{"key":"\u0070a\"ss"}"#] {
            let masked = secrets.mask(text);
            assert!(
                masked.contains("[secret]") && !masked.contains("ss"),
                "{masked}"
            );
        }
        let value = json!({"pa\"ss": [12_345_678, 123_456_789, 1]});
        let expected = json!({"[secret]": ["[secret]", "[secret]9", 1]});
        assert_eq!(secrets.mask_value(&value), expected);
    }

    #[test]
    fn masking_twice_is_masking_once() {
        let secrets = secrets(&["secret", "abcd", "cdef", "", " "]);
        assert_eq!(secrets.mask("abcdef, my secret"), "[secret], my [secret]");
        assert_eq!(secrets.mask("my [secret] secrets"), "my [secret] [secret]s");
    }

    #[test]
    fn a_secret_that_parts_divide_is_found() {
        let secrets = secrets(&["sk-1234"]);
        let parts = vec![
            ReplyPart::Text("It is sk-".into()),
            ReplyPart::call(0, "sk-1234"),
            ReplyPart::arguments(0, "{\"a\":\"sk-1234"),
            ReplyPart::Text("1234.".into()),
            ReplyPart::arguments(0, "\"}"),
        ];
        let expected = vec![
            ReplyPart::Text("It is [secret].".into()),
            ReplyPart::call(0, "[secret]"),
            ReplyPart::arguments(0, "{\"a\":\"[secret]"),
            ReplyPart::arguments(0, "\"}"),
        ];
        assert_eq!(secrets.mask_parts(parts), expected);
    }
}
