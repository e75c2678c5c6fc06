//! Texts: lengths, patterns and formats.

use super::{Answer, Extra, Place, first_escaping, takes};
use agent_spec::types::Constraints;
use agent_spec::validate::is_asserted_format;
use agent_spec::{Kind, Type};
use serde_json::Value;

/// The maximum length of a text that is tried, so that a person can read it.
const LONGEST: u64 = 4_000;

/// Finds a text of the inner type that the outer type refuses. The inner type has no `enum`.
///
/// Patterns and formats are compared by their texts: whether one is narrower than another is not decided.
pub(super) fn escape(inner: &Type, outer: &Type) -> Answer {
    let (own, other) = (inner.constraints(), outer.constraints());
    let (lengths, outer_lengths) = (Lengths::of(own), Lengths::of(other));
    if lengths.are_empty() {
        return Answer::Included;
    }
    let has_format = asserted_format(other).is_none() || own.format == other.format;
    let has_pattern = other.pattern.is_none() || own.pattern == other.pattern;
    if has_format && has_pattern && lengths.are_within(outer_lengths) {
        return Answer::Included;
    }
    let place = Place {
        ty: outer,
        null: false,
    };
    let tried = words()
        .chain(letters_around(lengths))
        .chain(letters_around(outer_lengths))
        .map(Value::from);
    first_escaping(inner, place, Extra::Refused, tried).unwrap_or(Answer::Open)
}

/// Returns a text of a type, if one of the texts that are tried is of the type.
pub(super) fn sample(ty: &Type) -> Option<String> {
    let place = Place { ty, null: false };
    words()
        .chain(letters_around(Lengths::of(ty.constraints())))
        .find(|text| takes(place, &Value::from(text.as_str()), Extra::Refused))
}

/// Returns different texts, most of which are of a type, and whether the type has no others.
pub(super) fn several(ty: &Type, count: usize) -> (Vec<Value>, bool) {
    debug_assert!(matches!(ty.kind(), Kind::Text), "a type of texts");
    let lengths = Lengths::of(ty.constraints());
    if lengths.most == Some(0) {
        return (vec![Value::from("")], true);
    }
    let least = lengths.least.clamp(1, LONGEST) as usize;
    let numbered = (0..count).map(|at| format!("{:a>least$}", numbered_word(at)));
    (words().chain(numbered).map(Value::from).collect(), false)
}

/// The format of a type, if validation asserts it; every other format is an annotation.
fn asserted_format(constraints: &Constraints) -> Option<&str> {
    let format = constraints.format.as_deref()?;
    is_asserted_format(format).then_some(format)
}

/// The lengths that a type allows, in characters.
#[derive(Clone, Copy)]
struct Lengths {
    least: u64,
    most: Option<u64>,
}

impl Lengths {
    fn of(constraints: &Constraints) -> Self {
        Self {
            least: constraints.min_length.unwrap_or(0),
            most: constraints.max_length,
        }
    }

    /// Whether no length is allowed.
    fn are_empty(self) -> bool {
        self.most.is_some_and(|most| most < self.least)
    }

    /// Whether the outer lengths allow all of these.
    fn are_within(self, outer: Self) -> bool {
        self.least >= outer.least
            && outer
                .most
                .is_none_or(|outer| self.most.is_some_and(|most| most <= outer))
    }
}

/// Short texts such as people write.
fn words() -> impl Iterator<Item = String> {
    ["text", "a", "A", "1", "word text"]
        .into_iter()
        .map(str::to_owned)
}

/// Texts of letters at the least and the greatest length and just beyond them.
fn letters_around(lengths: Lengths) -> impl Iterator<Item = String> {
    let least = [Some(lengths.least), lengths.least.checked_sub(1)];
    let most = [
        lengths.most,
        lengths.most.and_then(|most| most.checked_add(1)),
    ];
    least
        .into_iter()
        .chain(most)
        .flatten()
        .filter(|length| *length <= LONGEST)
        .map(|length| "text".chars().cycle().take(length as usize).collect())
}

/// Writes a number in letters: `b`, `c`, …, `ba`.
fn numbered_word(mut number: usize) -> String {
    let mut word = Vec::new();
    loop {
        word.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
        if number == 0 {
            return word.into_iter().rev().collect();
        }
    }
}
