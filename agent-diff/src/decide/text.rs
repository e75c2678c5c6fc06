//! Texts: lengths, patterns and formats.

use super::choice::text_of;
use super::language::{Bounds, Found, Language, search};
use super::{Answer, Extra, Place, first_escaping, takes};
use agent_spec::types::Constraints;
use agent_spec::{Kind, Type};
use serde_json::Value;

mod form;

use form::{form_of, of_length};

/// How long a text may be so that somebody reads it.
const LONGEST: u64 = 4_000;

/// The longest list of allowed texts that is read as a pattern.
pub(super) const MOST_LISTED: usize = 200;

/// A text of the inner type that the outer one does not take. The inner one lists no values.
pub(super) fn escape(inner: &Type, outer: &Type) -> Answer {
    let (own, other) = (inner.constraints(), outer.constraints());
    let (lengths, outer_lengths) = (Bounds::of(own), Bounds::of(other));
    if lengths.are_empty() {
        return Answer::Included;
    }
    let listed = other.enumeration();
    let has_form = form_of(other).is_none() || own.format == other.format;
    let matches = other.pattern.is_none() || own.pattern == other.pattern;
    if has_form && matches && listed.is_empty() && lengths.within(outer_lengths) {
        return Answer::Included;
    }
    let place = Place {
        ty: outer,
        null: false,
    };
    let mut tried = plain(own);
    for bounds in [lengths, outer_lengths] {
        tried.extend(of_lengths(own, bounds));
    }
    let tried = tried.into_iter().map(Value::from);
    if let Some(answer) = first_escaping(inner, place, Extra::Refused, tried) {
        return answer;
    }
    let mut wanted = Vec::new();
    if !matches {
        wanted.extend(other.pattern.as_ref().map(|pattern| Language::of(pattern)));
    }
    if !listed.is_empty() {
        wanted.push(Language::of_texts(listed.iter().filter_map(text_of)));
    }
    // What is not understood cannot be proven to be kept; some text may still show that it is not.
    let wanted: Option<Vec<Language>> = wanted.into_iter().collect();
    let outside = wanted.filter(|_| has_form);
    let outside = outside.as_deref().map(|wanted| (wanted, outer_lengths));
    let is_outside = |text: &str| {
        let value = Value::from(text);
        takes(
            Place {
                ty: inner,
                null: false,
            },
            &value,
            Extra::Refused,
        ) && !takes(place, &value, Extra::Refused)
    };
    match search(&languages(own), lengths, outside, is_outside) {
        Found::Text(text) => Answer::Escapes(Value::from(text)),
        // Without outer languages, the inner type has no text at all.
        Found::Nothing => Answer::Included,
        Found::Refused | Found::TooMany => Answer::Open,
    }
}

/// A text of a type.
pub(super) fn sample(ty: &Type) -> Option<String> {
    let own = ty.constraints();
    let lengths = Bounds::of(own);
    let fits = |text: &str| {
        let place = Place { ty, null: false };
        takes(place, &Value::from(text), Extra::Refused)
    };
    let mut tried = plain(own);
    tried.extend(of_lengths(own, lengths));
    if let Some(found) = tried.into_iter().find(|text| fits(text)) {
        return Some(found);
    }
    match search(&languages(own), lengths, None, fits) {
        Found::Text(text) => Some(text),
        _ => None,
    }
}

/// Different texts, most of which are of a type; and whether there are no others.
pub(super) fn several(ty: &Type, count: usize) -> (Vec<Value>, bool) {
    debug_assert!(matches!(ty.kind(), Kind::Text), "a type of texts");
    let own = ty.constraints();
    let lengths = Bounds::of(own);
    if lengths.most == Some(0) {
        return (vec![Value::from("")], true);
    }
    let mut found = plain(own);
    let least = lengths.least.clamp(1, LONGEST) as usize;
    found.extend((0..count).map(|at| format!("{:a>least$}", word(at))));
    if own.pattern.is_some() {
        let more = |text: &str| {
            found.push(text.to_owned());
            found.len() > 3 * count
        };
        search(&languages(own), lengths, None, more);
    }
    (found.into_iter().map(Value::from).collect(), false)
}

/// What a text must be like by its pattern and its format. What is not understood is left out, so
/// these are the texts of the type and maybe more.
fn languages(own: &Constraints) -> Vec<Language> {
    let pattern = own
        .pattern
        .as_ref()
        .and_then(|pattern| Language::of(pattern));
    let form = form_of(own).and_then(|form| Language::of(form.pattern));
    pattern.into_iter().chain(form).collect()
}

/// Texts as people write them, and those of the format.
fn plain(own: &Constraints) -> Vec<String> {
    let samples = form_of(own).map_or(&[][..], |form| form.samples);
    let words = ["text", "a", "A", "1", "word text"];
    samples
        .iter()
        .chain(&words)
        .map(|text| (*text).to_owned())
        .collect()
}

/// Texts at some bounds and just beyond them: of the format, if there is one, and of letters.
fn of_lengths(own: &Constraints, bounds: Bounds) -> impl Iterator<Item = String> {
    let readable = |length: &u64| *length <= LONGEST;
    bounds.around().filter(readable).flat_map(|length| {
        let format = own.format.as_deref();
        let formed = format.and_then(|format| of_length(format, length));
        formed.into_iter().chain([letters(length)])
    })
}

/// A text of so many letters.
fn letters(length: u64) -> String {
    const WORD: &str = "text";
    WORD.chars()
        .cycle()
        .take(usize::try_from(length).unwrap_or(0))
        .collect()
}

/// A number as a word: `b`, `c`, …, `ba`.
fn word(mut number: usize) -> String {
    let mut word = Vec::new();
    loop {
        word.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
        if number == 0 {
            return word.into_iter().rev().collect();
        }
    }
}
