//! Candidate values of a type: short enough to read, and the same at every run.

use super::accept::{NullableType, UndeclaredMembers, accepts, first_refused};
use super::bound::{bound_to_json, bounds_of, compare, integer_to_json, is_whole};
use agent_spec::json::value_to_json;
use agent_spec::types::{Bound, Constraints, fields_of};
use agent_spec::{Field, Kind, Shape, Type};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The maximum [`node_count`] of a value that a person is expected to read. A `minItems` of a billion, which an MCP server
/// can send, would fill the memory.
pub(super) const MAX_NODES: usize = 5_000;

/// The maximum length of a generated text, so that a person can read the text. A `minLength` of a billion, which an MCP
/// server can send, would fill the memory.
const MAX_TEXT_LENGTH: u64 = 4_000;

/// Counts the values in a value, itself included. A long text counts as several.
pub(super) fn node_count(value: &Value) -> usize {
    1 + match value {
        Value::String(text) => text.len() / 16,
        Value::Array(items) => items.iter().map(node_count).sum(),
        Value::Object(members) => members.values().map(node_count).sum(),
        _ => 0,
    }
}

/// Returns a value of a type, not `null` if the type has another one. `None` means that no candidate is of
/// the type, not that the type is empty.
pub(super) fn sample(ty: &Type) -> Option<Value> {
    // The validator here does not know which values a JSON Schema allows.
    if ty.constraints().schema.is_some() {
        return None;
    }
    if !ty.constraints().enumeration().is_empty() {
        return enum_values(ty).map(|(_, value)| value).next();
    }
    let is_of_type = |value: &Value| {
        accepts(
            NullableType::required(ty),
            value,
            UndeclaredMembers::Refused,
        )
    };
    let value = match ty.kind() {
        Kind::Any => Value::from("text"),
        Kind::Null => Value::Null,
        Kind::Text => texts([ty.constraints()]).find(is_of_type)?,
        Kind::Bool => Value::from(true),
        Kind::Int | Kind::Double => numbers(ty).into_iter().find(is_of_type)?,
        Kind::Array(of) => list_of_length(of, ty.constraints().min_items.unwrap_or(0), None)?,
        Kind::Object(shape) => Value::Object(required_members(shape.fields())?),
        Kind::Tuple(types) => Value::Array(types.iter().map(sample).collect::<Option<_>>()?),
        Kind::Union(types) => types.iter().filter_map(sample).find(is_of_type)?,
        Kind::Media(media) => sample(media.form())?,
        _ => return None,
    };
    (node_count(&value) <= MAX_NODES).then_some(value)
}

/// An `enum` or a union has at most this many times the candidates that are asked for. Unions inside of unions, which
/// an MCP server can send, would multiply their candidates otherwise.
const MOST_TIMES: usize = 10;

/// Values that are tried against a type. Most of them are of the type they were made for.
pub(super) struct Candidates {
    pub(super) values: Vec<Value>,
    /// Whether the type has no other values.
    pub(super) are_all: bool,
}

/// Returns about `count` different values for a type. The caller validates each value that it uses.
pub(super) fn candidates(ty: &Type, count: usize) -> Candidates {
    if !ty.constraints().enumeration().is_empty() {
        let mut listed = enum_values(ty).map(|(_, value)| value);
        let values = listed.by_ref().take(count * MOST_TIMES).collect();
        return Candidates {
            values,
            are_all: listed.next().is_none(),
        };
    }
    let (values, are_all) = match ty.kind() {
        Kind::Null => (vec![Value::Null], true),
        Kind::Bool => (vec![Value::from(true), Value::from(false)], true),
        Kind::Int => whole_numbers(ty, count),
        Kind::Double => doubles(ty, count),
        Kind::Text => different_texts(ty.constraints(), count),
        // The validator here does not know which values a JSON Schema allows.
        Kind::Any if ty.constraints().schema.is_some() => (Vec::new(), false),
        Kind::Any => (values_of_any_kind(count), false),
        Kind::Array(of) => (lists(ty, of, count), ty.constraints().max_items == Some(0)),
        Kind::Object(shape) => (objects(shape, count), false),
        Kind::Tuple(types) => (tuples(types, count), false),
        Kind::Union(types) => of_alternatives(types, count),
        Kind::Media(media) => return candidates(media.form(), count),
        _ => (Vec::new(), false),
    };
    Candidates { values, are_all }
}

fn values_of_any_kind(count: usize) -> Vec<Value> {
    let kinds = [
        Value::from("text"),
        Value::from(true),
        Value::from(0.5),
        Value::Array(Vec::new()),
        Value::Object(Map::new()),
    ];
    let numbers = (1..=count).map(Value::from);
    kinds
        .into_iter()
        .chain(numbers)
        .chain([Value::Null])
        .collect()
}

/// The number of values of an `enum` that are JSON at the same time. An object takes a kilobyte, so the objects of a long
/// list would take gigabytes.
pub(super) const ENUM_CHUNK: usize = 1_000;

/// Returns the values of a type's `enum` that the type accepts, as gram and as JSON.
pub(super) fn enum_values(ty: &Type) -> impl Iterator<Item = (&agent_gram::Value, Value)> {
    let rest = without_enum(ty);
    let chunks = ty.constraints().enumeration().chunks(ENUM_CHUNK);
    chunks.flat_map(move |chunk| {
        let as_json = |value| Some((value, value_to_json(value)?));
        let mut listed: Vec<_> = chunk.iter().filter_map(as_json).collect();
        // The checker has refused values that do not fit; a type that was made in code may list some.
        let values: Vec<Value> = listed.iter().map(|(_, value)| value.clone()).collect();
        let (rest, refused) = (NullableType::required(&rest), UndeclaredMembers::Refused);
        if first_refused(rest, &values, refused).is_some() {
            listed.retain(|(_, value)| accepts(rest, value, refused));
        }
        listed
    })
}

/// Returns a type without its `enum`.
pub(super) fn without_enum(ty: &Type) -> Type {
    let mut rest = ty.constraints().clone();
    rest.enumeration = Cow::Borrowed(&[]);
    ty.clone().with_constraints(rest)
}

/// Returns texts for types with these constraints: a few words, then letters of each least and greatest
/// length and just beyond it.
pub(super) fn texts<'a>(
    of: impl IntoIterator<Item = &'a Constraints>,
) -> impl Iterator<Item = Value> {
    let lengths = of.into_iter().flat_map(|constraints| {
        let least = constraints.min_length.unwrap_or(0);
        let most = constraints.max_length;
        let around_least = [Some(least), least.checked_sub(1)];
        let around_most = [most, most.and_then(|most| most.checked_add(1))];
        around_least.into_iter().chain(around_most).flatten()
    });
    let letters =
        |length: u64| -> String { "text".chars().cycle().take(length as usize).collect() };
    let of_lengths = lengths
        .filter(|length| *length <= MAX_TEXT_LENGTH)
        .map(letters);
    words().chain(of_lengths).map(Value::from)
}

fn words() -> impl Iterator<Item = String> {
    ["text", "a", "A", "1", "word text"]
        .into_iter()
        .map(str::to_owned)
}

/// Returns different texts, and whether there are no others.
fn different_texts(constraints: &Constraints, count: usize) -> (Vec<Value>, bool) {
    if constraints.max_length == Some(0) {
        return (vec![Value::from("")], true);
    }
    let least = constraints.min_length.unwrap_or(0);
    let least = least.clamp(1, MAX_TEXT_LENGTH) as usize;
    let numbered = (0..count).map(|at| format!("{:a>least$}", number_in_letters(at)));
    (words().chain(numbered).map(Value::from).collect(), false)
}

/// Writes a number in letters: `b`, `c`, …, `ba`.
fn number_in_letters(mut number: usize) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
        if number == 0 {
            return letters.into_iter().rev().collect();
        }
    }
}

/// Returns numbers that may be of a type, plain ones first, then those at its bounds.
pub(super) fn numbers(ty: &Type) -> Vec<Value> {
    let mut found = vec![
        Value::from(1),
        Value::from(0.5),
        Value::from(0),
        Value::from(-1),
    ];
    let (least, most) = bounds_of(ty);
    for bound in [&least, &most].into_iter().flatten() {
        found.extend(numbers_around(bound));
    }
    if let (Some(least), Some(most)) = (&least, &most) {
        found.push(Value::from(f64::midpoint(least.as_f64(), most.as_f64())));
    }
    if let Some(of) = &ty.constraints().multiple_of {
        found.extend(multiples(of, least.as_ref().or(most.as_ref())));
    }
    found
}

/// Returns multiples of a number, the first ones on both sides of a bound.
fn multiples(of: &Bound, near: Option<&Bound>) -> Vec<Value> {
    match (of, near) {
        (Bound::Int(of), Some(Bound::Int(near))) if *of > 0 => {
            let first = near - near.rem_euclid(*of);
            let steps = [first, first.saturating_add(*of), first.saturating_sub(*of)];
            steps.map(integer_to_json).to_vec()
        }
        _ => {
            let size = of.as_f64();
            let first = near.map_or(0.0, |near| (near.as_f64() / size).floor());
            let steps = [first, first + 1.0, first + 2.0].map(|count| count * size);
            let finite = steps.into_iter().filter(|value| value.is_finite());
            finite.map(Value::from).chain([bound_to_json(of)]).collect()
        }
    }
}

/// Returns a bound and the numbers just beyond it on both sides.
pub(super) fn numbers_around(bound: &Bound) -> Vec<Value> {
    let mut found = vec![bound_to_json(bound)];
    if let Bound::Int(value) = bound {
        found.push(integer_to_json(value.saturating_add(1)));
        found.push(integer_to_json(value.saturating_sub(1)));
    }
    let value = bound.as_f64();
    let near = [
        value + 1.0,
        value - 1.0,
        value + 0.5,
        value - 0.5,
        value.next_up(),
        value.next_down(),
        value.floor() + 1.0,
        value.ceil() - 1.0,
    ];
    let finite = near.into_iter().filter(|value| value.is_finite());
    found.extend(finite.map(Value::from));
    found
}

/// Whether a least and a greatest number are given and equal.
pub(super) fn is_single(least: Option<&Bound>, most: Option<&Bound>) -> bool {
    matches!((least, most), (Some(least), Some(most)) if compare(least, most).is_eq())
}

/// Returns different whole numbers of a type, and whether the type has no others.
fn whole_numbers(ty: &Type, count: usize) -> (Vec<Value>, bool) {
    debug_assert!(is_whole(ty), "a type of whole numbers");
    let (least, most) = bounds_of(ty);
    let more = count as i128 - 1;
    let (first, last) = match (&least, &most) {
        (Some(Bound::Int(least)), Some(Bound::Int(most))) => {
            (*least, (*most).min(least.saturating_add(more)))
        }
        (Some(Bound::Int(least)), _) => (*least, least.saturating_add(more)),
        (None, Some(Bound::Int(most))) => (most.saturating_sub(more), *most),
        (None, None) => (1, count as i128),
        // A bound is beyond 128 bits.
        _ => return (numbers(ty), false),
    };
    let are_all = matches!(most, Some(Bound::Int(most)) if most == last)
        && matches!(least, Some(Bound::Int(least)) if least == first);
    ((first..=last).map(integer_to_json).collect(), are_all)
}

/// Returns different numbers of a type, and whether the type has no others.
fn doubles(ty: &Type, count: usize) -> (Vec<Value>, bool) {
    let (least, most) = bounds_of(ty);
    if is_single(least.as_ref(), most.as_ref()) {
        return (least.iter().map(bound_to_json).collect(), true);
    }
    let (from, to) = match (&least, &most) {
        (Some(least), Some(most)) => (least.as_f64(), most.as_f64()),
        (Some(least), None) => (least.as_f64(), least.as_f64() + count as f64),
        (None, Some(most)) => (most.as_f64() - count as f64, most.as_f64()),
        (None, None) => (0.0, count as f64),
    };
    let between = |at: usize| from + (to - from) * (at as f64) / (count as f64 + 1.0);
    let spread = (1..=count).map(between).filter(|value| value.is_finite());
    let mut found = numbers(ty);
    found.extend(spread.map(Value::from));
    (found, false)
}

/// Returns a list of a length, which begins with an item if one is given. `None` if no element is found or
/// the list would be too long to read.
pub(super) fn list_of_length(element: &Type, length: u64, first: Option<Value>) -> Option<Value> {
    let mut list: Vec<Value> = first.into_iter().collect();
    let missing = usize::try_from(length).ok()?.saturating_sub(list.len());
    if missing > 0 {
        let item = sample(element)?;
        if missing.saturating_mul(node_count(&item)) > MAX_NODES {
            return None;
        }
        list.extend(std::iter::repeat_n(item, missing));
    }
    Some(Value::Array(list))
}

fn lists(ty: &Type, element: &Type, count: usize) -> Vec<Value> {
    let least = ty.constraints().min_items.unwrap_or(0);
    let shortest = list_of_length(element, least, None);
    let items = candidates(element, count).values.into_iter();
    let lists = items.filter_map(|item| list_of_length(element, least.max(1), Some(item)));
    shortest.into_iter().chain(lists).take(count + 1).collect()
}

/// Returns lists of elements of these types that differ in one element.
fn tuples(types: &[Type], count: usize) -> Vec<Value> {
    let Some(base) = types.iter().map(sample).collect::<Option<Vec<_>>>() else {
        return Vec::new();
    };
    let mut found = vec![Value::Array(base.clone())];
    for (at, ty) in types.iter().enumerate() {
        if found.len() >= count {
            break;
        }
        for value in candidates(ty, count).values {
            let mut items = base.clone();
            items[at] = value;
            found.push(Value::Array(items));
        }
    }
    found
}

/// Returns an equal share of values for each type of a union, and whether the union has no other values.
fn of_alternatives(types: &[Type], count: usize) -> (Vec<Value>, bool) {
    let share = (count * MOST_TIMES / types.len().max(1)).max(1);
    // With many types, each has only a few values, because unions inside of them multiply these again.
    let count = (2 * count / types.len().max(1)).clamp(1, count.max(1));
    let mut values = Vec::new();
    let mut are_all = true;
    for ty in types {
        let found = candidates(ty, count);
        are_all &= found.are_all && found.values.len() <= share;
        values.extend(found.values.into_iter().take(share));
    }
    (values, are_all)
}

/// Returns the fields of a shape, if it declares them and no further keys.
pub(super) fn declared_fields(shape: &Shape) -> Option<&[Field]> {
    match shape {
        Shape::Fields(fields) => Some(fields_of(fields)),
        _ => None,
    }
}

/// Returns an object of all required fields and no others. `None` if no value is found for one of them.
pub(super) fn required_members(fields: &[Field]) -> Option<Map<String, Value>> {
    let required = fields.iter().filter(|field| !field.is_optional());
    required
        .map(|field| Some((field.name().to_owned(), sample(field.ty())?)))
        .collect()
}

fn objects(shape: &Shape, count: usize) -> Vec<Value> {
    let fields = shape.fields();
    if fields.is_empty() && declared_fields(shape).is_none() {
        let members = match shape {
            Shape::Map(of) => candidates(of, count).values,
            _ => values_of_any_kind(count),
        };
        let empty = Value::Object(Map::new());
        let key = unused_name(std::iter::empty());
        let with_member = |value| Value::Object(Map::from_iter([(key.clone(), value)]));
        return std::iter::once(empty)
            .chain(members.into_iter().map(with_member))
            .collect();
    }
    let Some(base) = required_members(fields) else {
        return Vec::new();
    };
    let mut found = vec![Value::Object(base.clone())];
    for field in fields {
        if found.len() >= count {
            break;
        }
        for value in candidates(field.ty(), count).values {
            let mut members = base.clone();
            members.insert(field.name().to_owned(), value);
            found.push(Value::Object(members));
        }
    }
    if let Some(values) = shape.values() {
        let key = unused_name(fields.iter().map(Field::name));
        for value in candidates(values, count).values {
            let mut members = base.clone();
            members.insert(key.clone(), value);
            found.push(Value::Object(members));
        }
    }
    found
}

/// Returns a name that is not among these.
pub(super) fn unused_name<'a>(names: impl Iterator<Item = &'a str> + Clone) -> String {
    const WORDS: [&str; 4] = ["extra", "other", "undeclared", "zzz"];
    let is_unused = |word: &str| names.clone().all(|name| name != word);
    let plain = WORDS.into_iter().find(|word| is_unused(word));
    match plain {
        Some(word) => word.to_owned(),
        None => (1..)
            .map(|at| format!("extra{at}"))
            .find(|word| is_unused(word))
            .unwrap_or_default(),
    }
}

/// Returns another spelling of a name, which the validator reports as a misspelling of the name.
pub(super) fn misspelling(name: &str) -> String {
    format!("{name}_")
}
