//! Lists.

use super::sample::{Budget, sample};
use super::{Answer, Extra, Place, escape as escape_element, first_escaping};
use agent_spec::Type;
use serde_json::Value;

/// A list of the inner type that the outer one does not take. Each side comes with the type of its
/// elements.
pub(super) fn escape(inner: (&Type, &Type), outer: (&Type, &Type), extra: Extra) -> Answer {
    let (least, most) = limits(inner.0);
    if least > most {
        return Answer::Included;
    }
    let (outer_least, outer_most) = limits(outer.0);
    let place = Place {
        ty: outer.0,
        null: false,
    };
    let mut open = false;
    let mut lengths = Vec::new();
    if least < outer_least {
        lengths.push(least);
    }
    if outer_most < most {
        lengths.push(least.max(outer_most.saturating_add(1)));
    }
    for length in lengths {
        let found = of_length(inner.1, length, None);
        match found.and_then(|list| first_escaping(inner.0, place, extra, [list])) {
            Some(answer) => return answer,
            None => open = true,
        }
    }
    if most == 0 {
        return if open { Answer::Open } else { Answer::Included };
    }
    match escape_element(Place::of(inner.1), Place::of(outer.1), extra) {
        Answer::Included if open => Answer::Open,
        Answer::Included => Answer::Included,
        Answer::Escapes(value) => {
            let list = of_length(inner.1, least.max(1), Some(value));
            let answer = list.and_then(|list| first_escaping(inner.0, place, extra, [list]));
            answer.unwrap_or(Answer::Open)
        }
        Answer::Open => Answer::Open,
    }
}

fn limits(ty: &Type) -> (u64, u64) {
    let constraints = ty.constraints();
    (
        constraints.min_items.unwrap_or(0),
        constraints.max_items.unwrap_or(u64::MAX),
    )
}

/// A list of a length, with a first item if there is to be a certain one. Nothing when no element is
/// found, or when the list would be too large to be shown.
pub(super) fn of_length(element: &Type, length: u64, first: Option<Value>) -> Option<Value> {
    let mut list: Vec<Value> = first.into_iter().collect();
    let missing = usize::try_from(length).ok()?.saturating_sub(list.len());
    if missing > 0 {
        let item = sample(element)?;
        if missing.saturating_mul(Budget::nodes(&item)) > Budget::MOST {
            return None;
        }
        list.extend(std::iter::repeat_n(item, missing));
    }
    Some(Value::Array(list))
}
