//! Secrets in texts: the keys of providers, known by their form, and what stands under a name such as
//! `apiKey`.
//!
//! No document should hold one, and where one does, nothing that is shown of the document may repeat
//! it. What is found is never certain: a key without a form of its own looks like any other word.

mod form;
mod named;

pub use named::is_key_name;

use std::borrow::Cow;
use std::ops::Range;

/// Where the keys of providers stand in a text, judging by their form, such as `sk-…`. In source order.
///
/// ```
/// # use agent_spec::secret::known_keys;
/// assert_eq!(known_keys("My key is sk-proj-0123456789abcdef."), [10..34]);
/// assert_eq!(known_keys("The sk-learn documentation"), []);
/// ```
#[must_use]
pub fn known_keys(text: &str) -> Vec<Range<usize>> {
    form::known_keys(text)
}

/// A text of gram or JSON in which every secret is replaced by a word: the keys of providers, and the
/// texts under names such as `apiKey`.
///
/// ```
/// # use agent_spec::secret::replaced;
/// assert_eq!(replaced(r#"{"api_key":"hunter2","n":1}"#, "[key]"), r#"{"api_key":"[key]","n":1}"#);
/// ```
#[must_use]
pub fn replaced<'a>(text: &'a str, by: &str) -> Cow<'a, str> {
    written_over(text, &places(text), |_, out| out.push_str(by))
}

/// A text of gram or JSON in which every secret is covered by stars. It has as many bytes as before, and
/// its lines are where they were, so that places in it stay right.
#[must_use]
pub fn covered(text: &str) -> Cow<'_, str> {
    written_over(text, &places(text), cover)
}

/// A text in which the keys of providers are covered by stars.
pub(crate) fn without_known_keys(text: String) -> String {
    match written_over(&text, &known_keys(&text), cover) {
        Cow::Owned(covered) => covered,
        Cow::Borrowed(_) => text,
    }
}

/// Where secrets stand: in source order, and apart from each other.
fn places(text: &str) -> Vec<Range<usize>> {
    let mut found = known_keys(text);
    found.extend(named::named_values(text));
    found.sort_by_key(|place| place.start);
    let mut places: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for place in found {
        match places.last_mut() {
            Some(last) if place.start < last.end => last.end = last.end.max(place.end),
            _ => places.push(place),
        }
    }
    places
}

fn cover(secret: &str, out: &mut String) {
    for c in secret.chars() {
        match c {
            '\n' | '\r' => out.push(c),
            _ => out.extend(std::iter::repeat_n('*', c.len_utf8())),
        }
    }
}

fn written_over<'a>(
    text: &'a str,
    places: &[Range<usize>],
    mut write: impl FnMut(&str, &mut String),
) -> Cow<'a, str> {
    if places.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for place in places {
        out.push_str(&text[done..place.start]);
        write(&text[place.clone()], &mut out);
        done = place.end;
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_covered_text_keeps_its_places() {
        for (text, expected) in [
            (
                "{apiKey: \"geheim-é\", n: 1}",
                "{apiKey: \"*********\", n: 1}",
            ),
            ("{apiKey: '''ab\ncd'''}", "{apiKey: '''**\n**'''}"),
            ("{a: \"x\"}", "{a: \"x\"}"),
        ] {
            assert_eq!(covered(text), expected);
            assert_eq!(covered(text).len(), text.len());
        }
    }

    #[test]
    fn a_key_under_a_name_is_one_place() {
        let text = r#"{"Authorization":"Bearer sk-proj-0123456789abcdef"}"#;
        assert_eq!(replaced(text, "[key]"), r#"{"Authorization":"[key]"}"#);
    }
}
