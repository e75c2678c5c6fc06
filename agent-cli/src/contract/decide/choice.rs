//! Types with an `enum`: the values can be asked about one by one.

use super::several::several;
use super::{Answer, Extra, Place, first_escaping, takes};
use agent_spec::json::value_to_json;
use agent_spec::types::Constraints;
use agent_spec::{Kind, Type};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;

/// How many values an enumeration may have so that values outside of it are looked for.
const MOST_ALLOWED: usize = 2_000;

/// The values that the inner type lists.
pub(super) fn of_values(inner: &Type, outer: Place<'_>, extra: Extra) -> Answer {
    // Two lists of texts are compared as such: asking about each value would take their product.
    if let Some(outer_texts) = texts(outer.ty) {
        let unlisted = |value: &&Value| !matches!(value, Value::String(text) if outer_texts.contains(text.as_str()));
        let values: Vec<Value> = values(inner).collect();
        if let Some(value) = values.iter().find(unlisted) {
            return Answer::Escapes(value.clone());
        }
        if is_only_listed(outer.ty) {
            return Answer::Included;
        }
    }
    let refused = values(inner).find(|value| !takes(outer, value, extra));
    refused.map_or(Answer::Included, Answer::Escapes)
}

/// A value that the outer type does not list.
pub(super) fn into_values(inner: &Type, outer: Place<'_>, extra: Extra) -> Answer {
    let listed = outer.ty.constraints().enumeration().len();
    if listed > MOST_ALLOWED {
        return Answer::Open;
    }
    // One more than there are in the list: one of them is not in it.
    let found = several(inner, listed + 1);
    let all = found.all;
    match first_escaping(inner, outer, extra, found.values) {
        Some(answer) => answer,
        None if all => Answer::Included,
        None => Answer::Open,
    }
}

/// The values that a type lists and that it takes.
pub(super) fn values(ty: &Type) -> impl Iterator<Item = Value> {
    let listed = ty.constraints().enumeration().iter();
    // What the checker read, fits; of a type that was made in code, it may not.
    let plain = ty.clone().with_constraints(without_list(ty));
    listed.filter_map(value_to_json).filter(move |value| {
        let place = Place {
            ty: &plain,
            null: false,
        };
        takes(place, value, Extra::Refused)
    })
}

/// What narrows a type besides its list.
fn without_list(ty: &Type) -> Constraints {
    let mut rest = ty.constraints().clone();
    rest.enumeration = Cow::Borrowed(&[]);
    rest
}

/// The texts that a type of texts lists.
fn texts(ty: &Type) -> Option<HashSet<&str>> {
    let allowed = ty.constraints().enumeration();
    if allowed.is_empty() || !matches!(ty.kind(), Kind::Text) {
        return None;
    }
    Some(allowed.iter().filter_map(text_of).collect())
}

pub(super) fn text_of(value: &agent_gram::Value) -> Option<&str> {
    match value {
        agent_gram::Value::String(text) => Some(text.as_str()),
        agent_gram::Value::Tagged(tagged) => Some(tagged.get().content()),
        _ => None,
    }
}

/// Whether nothing but its list narrows a type of texts.
fn is_only_listed(ty: &Type) -> bool {
    without_list(ty).is_none()
}
