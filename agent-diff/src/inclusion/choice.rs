//! Types with an `enum`: the values can be asked about one by one.

use super::several::several;
use super::{Answer, Extra, Place, first_escaping, first_refused, takes};
use agent_spec::Type;
use agent_spec::binding::same_value;
use agent_spec::json::value_to_json;
use serde_json::Value;
use std::borrow::Cow;

/// How many values an enumeration may have so that values outside of it are looked for.
const MOST_ALLOWED: usize = 2_000;

/// Finds a value of the inner type's `enum` that the outer type refuses.
pub(super) fn of_values(inner: &Type, outer: Place<'_>, extra: Extra) -> Answer {
    let allowed = outer.ty.constraints().enumeration();
    let (listed, values): (Vec<_>, Vec<_>) = listed(inner).unzip();
    let rest = without_list(outer.ty);
    let place = Place {
        ty: &rest,
        null: outer.null,
    };
    let mut refused = first_refused(place, &values, extra);
    if !allowed.is_empty() {
        let mut allowed = Allowed::new(allowed);
        let is_refused = |at: &usize| {
            let value = &values[*at];
            !(is_exact(value) && allowed.contains(listed[*at])) && !takes(outer, value, extra)
        };
        let unlisted = (0..refused.unwrap_or(values.len())).find(is_refused);
        refused = unlisted.or(refused);
    }
    let refused = refused.map(|at| values[at].clone());
    refused.map_or(Answer::Included, Answer::Escapes)
}

/// The values of an `enum` that others are looked up in. Two lists mostly have one order, so each search
/// begins where the last one ended: from the beginning, long lists would take quadratic time.
struct Allowed<'a> {
    values: &'a [agent_gram::Value],
    at: usize,
}

impl<'a> Allowed<'a> {
    const fn new(values: &'a [agent_gram::Value]) -> Self {
        Self { values, at: 0 }
    }

    /// Whether an equal value is listed.
    fn contains(&mut self, value: &agent_gram::Value) -> bool {
        let (before, behind) = self.values.split_at(self.at);
        let found = behind
            .iter()
            .chain(before)
            .position(|own| same_value(own, value));
        if let Some(steps) = found {
            self.at = (self.at + steps) % self.values.len();
        }
        found.is_some()
    }
}

/// Whether [`same_value`] compares all numbers of a value as the validator does, without rounding.
fn is_exact(value: &Value) -> bool {
    /// From here on, doubles are more than 1 apart.
    const BEYOND: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) => number.as_f64().is_some_and(|value| value.abs() < BEYOND),
        Value::Array(items) => items.iter().all(is_exact),
        Value::Object(members) => members.values().all(is_exact),
        _ => true,
    }
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
    listed(ty).map(|(_, value)| value)
}

/// The values of a type's `enum` that the type takes, as gram and as JSON.
fn listed(ty: &Type) -> impl Iterator<Item = (&agent_gram::Value, Value)> {
    let values = ty.constraints().enumeration().iter();
    let listed: Vec<_> = values
        .filter_map(|value| Some((value, value_to_json(value)?)))
        .collect();
    let rest = without_list(ty);
    let place = Place {
        ty: &rest,
        null: false,
    };
    // The checker has refused values that do not fit; a type that was made in code may have some.
    let all: Vec<Value> = listed.iter().map(|(_, value)| value.clone()).collect();
    let all_fit = first_refused(place, &all, Extra::Refused).is_none();
    listed.into_iter().filter(move |(_, value)| {
        let place = Place {
            ty: &rest,
            null: false,
        };
        all_fit || takes(place, value, Extra::Refused)
    })
}

/// Returns a type without its `enum`.
fn without_list(ty: &Type) -> Type {
    let mut rest = ty.constraints().clone();
    rest.enumeration = Cow::Borrowed(&[]);
    ty.clone().with_constraints(rest)
}
