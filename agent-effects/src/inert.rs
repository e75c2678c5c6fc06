//! Types whose values carry no words.

#[cfg(test)]
mod tests;

use agent_gram::Value;
use agent_types::types::{fields_of, types_of};
use agent_types::{Constraints, Field, Kind, Shape, Type};
use serde_json::Value as Json;
use std::borrow::Cow;

/// The maximum number of items of a list of an inert type, because a hostile page could spell an instruction in many
/// items.
pub const MAX_INERT_ITEMS: u64 = 16;

/// The maximum number of scalars in a value of an inert type, because a hostile page could spell an instruction in many
/// scalars.
pub const MAX_INERT_SCALARS: u64 = 64;

/// The maximum number of characters of a text that an `enum` allows in an inert type, because a longer text could be an
/// instruction for a model.
pub const MAX_INERT_WORD: usize = 32;

/// The formats of texts without words.
const FORMATS: [&str; 6] = ["date-time", "date", "time", "uuid", "ipv4", "ipv6"];

/// Whether no value of a type carries words, so that a text of a stranger cannot pass through it.
///
/// Inert are `Null`, `Bool` and numbers; texts whose `enum` lists them, each of at most [`MAX_INERT_WORD`] characters; texts
/// with the format of a date, a time, a UUID or an IP address; texts whose pattern matches the whole text and no letter, as far
/// as this function can read the pattern; and lists of at most [`MAX_INERT_ITEMS`] items, records and unions of these, if a
/// value has at most [`MAX_INERT_SCALARS`] scalars in all. Maps, open records, `Any`, media and every other text are not.
///
/// Inert means that a value has no words. It does not mean that the value is right: a stranger may choose each number. A
/// value of a record may have keys that are no fields, which validation allows: see [`is_inert_value`].
///
/// ```
/// use agent_effects::is_inert;
/// use agent_spec::parse_signature;
///
/// let signature = |text| parse_signature(text).expect("a signature");
/// let found = signature(r#"(mail::Text)==>(::Object {fields: {urgent: "Bool", amount: "Double"}})"#);
/// assert!(is_inert(found.returns().ty()));
/// let words = signature("(mail::Text)==>(::String)");
/// assert!(!is_inert(words.returns().ty()));
/// ```
#[must_use]
pub const fn is_inert(ty: &Type) -> bool {
    is_inert_in(ty, Vocabulary::Own)
}

/// The author of the names of fields and of the words of `enum` in a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vocabulary {
    /// Somebody who is trusted: the author of the document.
    Own,
    /// A stranger, such as the server of a tool. The names and words can make a sentence, so that records and texts with `enum`
    /// carry words.
    Foreign,
}

/// Whether no value of a type [carries words](is_inert). A stranger may have chosen the names and words in the type.
#[must_use]
pub const fn is_inert_in(ty: &Type, vocabulary: Vocabulary) -> bool {
    if matches!(vocabulary, Vocabulary::Foreign) && has_vocabulary(ty) {
        return false;
    }
    match scalars(ty) {
        Some(scalars) => scalars <= MAX_INERT_SCALARS,
        None => false,
    }
}

/// Whether a type is [inert](is_inert) and a value of it carries no words. The value is looked at, too, because validation allows
/// keys that are no fields, and a pattern or a format allows more than it seems to.
#[must_use]
pub fn is_inert_value(ty: &Type, vocabulary: Vocabulary, value: &Json) -> bool {
    is_inert_in(ty, vocabulary) && has_no_words(ty, value)
}

fn has_no_words(ty: &Type, value: &Json) -> bool {
    match (ty.kind(), value) {
        (_, Json::Null) | (Kind::Bool, Json::Bool(_)) => true,
        (Kind::Int | Kind::Double, Json::Number(number)) => {
            number.to_string().len() <= MAX_INERT_WORD
        }
        (Kind::Text, Json::String(text)) => {
            let words = &ty.constraints().enumeration;
            match words.is_empty() {
                true => is_code(text),
                false => words
                    .iter()
                    .any(|word| matches!(word, Value::String(word) if word.as_str() == text)),
            }
        }
        (Kind::Array(element), Json::Array(items)) => {
            let most = usize::try_from(MAX_INERT_ITEMS).unwrap_or(usize::MAX);
            items.len() <= most && items.iter().all(|item| has_no_words(element.get(), item))
        }
        (Kind::Tuple(elements), Json::Array(items)) => {
            let elements = types_of(elements);
            let mut pairs = elements.iter().zip(items);
            elements.len() == items.len() && pairs.all(|(ty, item)| has_no_words(ty, item))
        }
        (Kind::Object(Shape::Fields(fields)), Json::Object(members)) => {
            let fields = fields_of(fields);
            members.iter().all(|(key, member)| {
                let mut fields = fields.iter();
                let field = fields.find(|field| field.name() == key);
                field.is_some_and(|field| has_no_words(field.ty(), member))
            })
        }
        (Kind::Union(types), value) => types_of(types).iter().any(|ty| has_no_words(ty, value)),
        _ => false,
    }
}

/// Whether a text can be a date, a time, a UUID, an address of a network or a number: at most 64 characters, and no letters but
/// hexadecimal digits and the `T` and `Z` of times.
fn is_code(text: &str) -> bool {
    let is_allowed = |c: char| {
        c.is_ascii()
            && !c.is_ascii_control()
            && (!c.is_ascii_alphabetic()
                || c.is_ascii_hexdigit()
                || matches!(c, 'T' | 'Z' | 't' | 'z'))
    };
    text.len() <= 64 && text.chars().all(is_allowed)
}

/// Whether a type has names of fields or words of `enum`.
const fn has_vocabulary(ty: &Type) -> bool {
    match ty.kind() {
        Kind::Object(_) => true,
        Kind::Text => match &ty.constraints().enumeration {
            Cow::Borrowed(words) => !words.is_empty(),
            Cow::Owned(words) => !words.is_empty(),
        },
        Kind::Array(element) => has_vocabulary(element.get()),
        Kind::Tuple(types) | Kind::Union(types) => {
            let types = types_of(types);
            let mut at = 0;
            while at < types.len() {
                if has_vocabulary(&types[at]) {
                    return true;
                }
                at += 1;
            }
            false
        }
        _ => false,
    }
}

/// Returns the maximum number of scalars in a value of a type; none if a value may carry words.
const fn scalars(ty: &Type) -> Option<u64> {
    let constraints = ty.constraints();
    match ty.kind() {
        Kind::Null | Kind::Bool | Kind::Int | Kind::Double => Some(1),
        Kind::Text if is_inert_text(constraints) => Some(1),
        Kind::Array(element) => match constraints.max_items {
            Some(most) if most <= MAX_INERT_ITEMS => match scalars(element.get()) {
                Some(scalars) => Some(most * capped(scalars)),
                None => None,
            },
            _ => None,
        },
        Kind::Tuple(elements) => sum_of_types(types_of(elements)),
        Kind::Object(Shape::Fields(fields)) => sum_of_fields(fields_of(fields)),
        Kind::Union(types) => most_of(types_of(types)),
        _ => None,
    }
}

/// A number of scalars that does not grow beyond what is too many anyway.
const fn capped(scalars: u64) -> u64 {
    match scalars > MAX_INERT_SCALARS {
        true => MAX_INERT_SCALARS + 1,
        false => scalars,
    }
}

const fn sum_of_types(types: &[Type]) -> Option<u64> {
    let (mut sum, mut at) = (0, 0);
    while at < types.len() {
        match scalars(&types[at]) {
            Some(scalars) => sum = capped(sum + scalars),
            None => return None,
        }
        at += 1;
    }
    Some(sum)
}

const fn sum_of_fields(fields: &[Field]) -> Option<u64> {
    let (mut sum, mut at) = (0, 0);
    while at < fields.len() {
        match scalars(fields[at].ty()) {
            Some(scalars) => sum = capped(sum + scalars),
            None => return None,
        }
        at += 1;
    }
    Some(sum)
}

const fn most_of(types: &[Type]) -> Option<u64> {
    let (mut most, mut at) = (0, 0);
    while at < types.len() {
        match scalars(&types[at]) {
            Some(scalars) if scalars > most => most = scalars,
            Some(_) => {}
            None => return None,
        }
        at += 1;
    }
    Some(most)
}

const fn is_inert_text(constraints: &Constraints) -> bool {
    let words = match &constraints.enumeration {
        Cow::Borrowed(words) => words,
        Cow::Owned(words) => words.as_slice(),
    };
    if !words.is_empty() {
        return are_short(words);
    }
    let has_format = match &constraints.format {
        Some(format) => is_inert_format(format.as_str()),
        None => false,
    };
    let has_pattern = match &constraints.pattern {
        Some(pattern) => matches_no_letter(pattern.as_str().as_bytes()),
        None => false,
    };
    has_format || has_pattern
}

const fn are_short(words: &[Value]) -> bool {
    let mut at = 0;
    while at < words.len() {
        match &words[at] {
            Value::String(word) if characters(word.as_str()) <= MAX_INERT_WORD => {}
            _ => return false,
        }
        at += 1;
    }
    true
}

const fn characters(text: &str) -> usize {
    let (bytes, mut count, mut at) = (text.as_bytes(), 0, 0);
    while at < bytes.len() {
        // The bytes after the first one of a character are 0b10……
        if bytes[at] & 0b1100_0000 != 0b1000_0000 {
            count += 1;
        }
        at += 1;
    }
    count
}

const fn is_inert_format(format: &str) -> bool {
    let mut at = 0;
    while at < FORMATS.len() {
        if same_bytes(FORMATS[at].as_bytes(), format.as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn same_bytes(left: &[u8], right: &[u8]) -> bool {
    let mut at = 0;
    while at < left.len() && at < right.len() && left[at] == right[at] {
        at += 1;
    }
    at == left.len() && at == right.len()
}

/// Whether a pattern is seen to match whole texts without letters. What is not understood is taken to match letters: `.`, classes
/// that are negated, look-around, flags, and everything that is not ASCII.
const fn matches_no_letter(pattern: &[u8]) -> bool {
    let [b'^', inner @ .., b'$'] = pattern else {
        return false;
    };
    // `^*` matches anywhere.
    if let [b'*' | b'+' | b'?' | b'{', ..] = inner {
        return false;
    }
    let (mut at, mut depth) = (0, 0_u32);
    while at < inner.len() {
        match inner[at] {
            b'(' => {
                depth += 1;
                if let [_, b'?', b':', ..] = rest(inner, at) {
                    at += 2;
                } else if let [_, b'?', ..] = rest(inner, at) {
                    return false;
                }
            }
            b')' if depth > 0 => depth -= 1,
            // Outside of a group, an alternative has only one of the two anchors.
            b'|' if depth > 0 => {}
            b'[' => match end_of_class(inner, at) {
                Some(end) => at = end,
                None => return false,
            },
            b'\\' => match rest(inner, at) {
                [_, escaped, ..] if is_inert_escape(*escaped) => at += 1,
                _ => return false,
            },
            b')' | b'|' | b'.' | b'^' | b'$' => return false,
            byte if !is_inert_byte(byte) => return false,
            _ => {}
        }
        at += 1;
    }
    depth == 0
}

const fn rest(bytes: &[u8], at: usize) -> &[u8] {
    bytes.split_at(at).1
}

/// Returns the index of the `]` of the class that begins at `at`, if the class has no letter.
const fn end_of_class(pattern: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    // A `]` or `^` at the beginning has another meaning.
    if let [b'^' | b']', ..] = rest(pattern, at) {
        return None;
    }
    while at < pattern.len() {
        match rest(pattern, at) {
            [b']', ..] => return Some(at),
            // A class within a class, and operators on classes.
            [b'[', ..] | [b'&', b'&', ..] | [b'-', b'-', ..] | [b'~', b'~', ..] => return None,
            [b'\\', escaped, ..] if is_inert_escape(*escaped) => at += 2,
            [b'\\', ..] => return None,
            [low, b'-', high, ..] if *high != b']' => {
                if !is_inert_range(*low, *high) {
                    return None;
                }
                at += 3;
            }
            [byte, ..] if is_inert_byte(*byte) => at += 1,
            _ => return None,
        }
    }
    None
}

const fn is_inert_range(low: u8, high: u8) -> bool {
    let mut byte = low;
    while byte < high {
        if !is_inert_byte(byte) {
            return false;
        }
        byte += 1;
    }
    is_inert_byte(high) && high != b'\\' && high != b'['
}

const fn is_inert_escape(escaped: u8) -> bool {
    escaped == b'd' || escaped.is_ascii_punctuation()
}

const fn is_inert_byte(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphabetic() && !byte.is_ascii_control()
}
