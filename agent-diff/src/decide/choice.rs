//! Types with an `enum`: the values can be asked about one by one.

use super::several::several;
use super::{Answer, Extra, Place, first_escaping, takes};
use agent_spec::Type;
use agent_spec::json::value_to_json;
use agent_spec::types::Constraints;
use serde_json::{Number, Value};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

/// How many values an enumeration may have so that values outside of it are looked for.
const MOST_ALLOWED: usize = 2_000;

/// The values that the inner type lists.
pub(super) fn of_values(inner: &Type, outer: Place<'_>, extra: Extra) -> Answer {
    let listed = Listed::of(outer.ty);
    let is_taken = |value: &Value| match &listed {
        Some(listed) => listed.has(value, extra),
        None => takes(outer, value, extra),
    };
    // What is said of a value is what the validator says.
    let is_refused = |value: &Value| !is_taken(value) && !takes(outer, value, extra);
    let refused = values(inner).find(is_refused);
    refused.map_or(Answer::Included, Answer::Escapes)
}

/// The values that a type lists, to be looked up: to compare each value of one list with each of another
/// would take their product.
struct Listed {
    keys: HashSet<String>,
    /// What narrows the type besides.
    rest: Type,
}

impl Listed {
    fn of(ty: &Type) -> Option<Self> {
        let listed = ty.constraints().enumeration();
        if listed.is_empty() {
            return None;
        }
        let values = listed.iter().filter_map(value_to_json);
        Some(Self {
            keys: values.filter_map(|value| key(&value)).collect(),
            rest: ty.clone().with_constraints(without_list(ty)),
        })
    }

    /// Whether a value is known to be taken.
    fn has(&self, value: &Value, extra: Extra) -> bool {
        let place = Place {
            ty: &self.rest,
            null: false,
        };
        key(value).is_some_and(|key| self.keys.contains(&key)) && takes(place, value, extra)
    }
}

/// A text that is the same for values that are equal, and only for them: `5.0` is `5`, and the members of
/// an object have no order. Nothing for numbers beyond 64 bits, which are not kept to the last digit.
fn key(value: &Value) -> Option<String> {
    Some(match value {
        Value::Number(number) => number_key(number)?,
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(key).collect();
            format!("[{}]", items?.join(","))
        }
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                Some(format!("{}:{}", Value::from(name.as_str()), key(value)?))
            };
            let members: Option<BTreeSet<String>> = members.iter().map(member).collect();
            let members: Vec<String> = members?.into_iter().collect();
            format!("{{{}}}", members.join(","))
        }
        other => other.to_string(),
    })
}

fn number_key(number: &Number) -> Option<String> {
    /// From here on, doubles are not next to each other.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.is_i64() || number.is_u64() {
        return Some(number.to_string());
    }
    let double = number.as_f64().filter(|double| double.abs() < EXACT)?;
    Some(if double.fract() == 0.0 {
        (double as i64).to_string()
    } else {
        double.to_string()
    })
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

/// The text that a value of gram is, if it is one.
pub(super) fn text_of(value: &agent_gram::Value) -> Option<&str> {
    match value {
        agent_gram::Value::String(text) => Some(text.as_str()),
        agent_gram::Value::Tagged(tagged) => Some(tagged.get().content()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::key;
    use serde_json::{Value, json};

    #[test]
    fn equal_values_and_no_others_have_one_key() {
        let values = [
            json!(null),
            json!(true),
            json!(5),
            json!(5.5),
            json!("5"),
            json!("[5]"),
            json!([5]),
            json!([5, 5]),
            json!({"a": 1, "b": 2}),
            json!({"a": 1, "b": 3}),
            json!({"a\":1,\"b": 2}),
        ];
        for (at, one) in values.iter().enumerate() {
            for (place, other) in values.iter().enumerate() {
                assert_eq!(key(one) == key(other), at == place, "{one} {other}");
            }
        }
        let same = |text: &str| key(&serde_json::from_str::<Value>(text).expect("JSON"));
        assert_eq!(same("5"), same("5.0"));
        assert_eq!(same("0"), same("-0.0"));
        assert_eq!(same("{\"a\":1,\"b\":2}"), same("{\"b\":2.0,\"a\":1}"));
        assert_eq!(same("1e300"), None);
    }
}
