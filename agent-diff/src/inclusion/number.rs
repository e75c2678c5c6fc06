//! Numbers. `Int` is a part of `Double`: a number without fraction is a whole one, however it is written.

use super::{Answer, Extra, Place, first_escaping};
use crate::bound::{ceiling, compare, floor, integer, number};
use agent_spec::types::Bound;
use agent_spec::{Kind, Type};
use serde_json::Value;

/// A number of the inner type that the outer one does not take.
pub(super) fn escape(inner: &Type, outer: &Type) -> Answer {
    let (least, most) = limits(inner);
    if let (Some(least), Some(most)) = (&least, &most)
        && compare(least, most).is_gt()
    {
        return Answer::Included;
    }
    let is_kind = is_whole(inner) || !is_whole(outer);
    let (outer_least, outer_most) = limits(outer);
    let above = match (&least, &outer_least) {
        (_, None) => true,
        (Some(least), Some(bound)) => compare(least, bound).is_ge(),
        (None, Some(_)) => false,
    };
    let below = match (&most, &outer_most) {
        (_, None) => true,
        (Some(most), Some(bound)) => compare(most, bound).is_le(),
        (None, Some(_)) => false,
    };
    if is_kind && above && below {
        return Answer::Included;
    }
    let place = Place {
        ty: outer,
        null: false,
    };
    let mut candidates = candidates(inner);
    for bound in [&outer_least, &outer_most].into_iter().flatten() {
        around(bound, &mut candidates);
    }
    // A value that shows it best comes first: outside of the bounds of a person's making.
    match first_escaping(inner, place, Extra::Refused, candidates) {
        Some(answer) => answer,
        None if is_single(&least, &most) => Answer::Included,
        None => Answer::Open,
    }
}

fn is_single(least: &Option<Bound>, most: &Option<Bound>) -> bool {
    matches!((least, most), (Some(least), Some(most)) if compare(least, most).is_eq())
}

/// Whether only whole numbers are of the type.
pub(super) fn is_whole(ty: &Type) -> bool {
    matches!(ty.kind(), Kind::Int)
}

/// The least and the greatest number of a type; of whole numbers, the least and greatest whole one.
pub(super) fn limits(ty: &Type) -> (Option<Bound>, Option<Bound>) {
    let constraints = ty.constraints();
    let (least, most) = (constraints.minimum.as_ref(), constraints.maximum.as_ref());
    if is_whole(ty) {
        (least.map(ceiling), most.map(floor))
    } else {
        (least.cloned(), most.cloned())
    }
}

/// Numbers that may be of a type, plain ones first.
pub(super) fn candidates(ty: &Type) -> Vec<Value> {
    let mut found = vec![
        Value::from(1),
        Value::from(0.5),
        Value::from(0),
        Value::from(-1),
    ];
    let (least, most) = limits(ty);
    for bound in [&least, &most].into_iter().flatten() {
        around(bound, &mut found);
    }
    if let (Some(least), Some(most)) = (&least, &most) {
        found.push(Value::from(f64::midpoint(least.as_f64(), most.as_f64())));
    }
    found
}

/// A bound, and the numbers that are just beyond it.
fn around(bound: &Bound, found: &mut Vec<Value>) {
    found.push(number(bound));
    if let Bound::Int(value) = bound {
        found.push(integer(value.saturating_add(1)));
        found.push(integer(value.saturating_sub(1)));
    }
    let value = bound.as_f64();
    let near = [
        value + 1.0,
        value - 1.0,
        value + 0.5,
        value - 0.5,
        value.next_up(),
        value.next_down(),
    ];
    found.extend(
        near.into_iter()
            .filter(|value| value.is_finite())
            .map(Value::from),
    );
    let (next, last) = (value.floor() + 1.0, value.ceil() - 1.0);
    found.extend(
        [next, last]
            .into_iter()
            .filter(|value| value.is_finite())
            .map(Value::from),
    );
}

/// So many different numbers of a type, if it has as many; and whether they are all.
pub(super) fn several(ty: &Type, count: usize) -> (Vec<Value>, bool) {
    let (least, most) = limits(ty);
    let wanted = count as i128;
    if is_whole(ty) {
        let (first, last) = match (&least, &most) {
            (Some(Bound::Int(least)), Some(Bound::Int(most))) => {
                (*least, (*most).min(least.saturating_add(wanted - 1)))
            }
            (Some(Bound::Int(least)), _) => (*least, least.saturating_add(wanted - 1)),
            (None, Some(Bound::Int(most))) => (most.saturating_sub(wanted - 1), *most),
            (None, None) => (1, wanted),
            // Beyond 128 bits, few candidates are enough.
            _ => return (candidates(ty), false),
        };
        let all = matches!(most, Some(Bound::Int(most)) if most == last)
            && matches!(least, Some(Bound::Int(least)) if least == first);
        return ((first..=last).map(integer).collect(), all);
    }
    if is_single(&least, &most) {
        return (least.iter().map(number).collect(), true);
    }
    let mut found = candidates(ty);
    let (from, to) = match (&least, &most) {
        (Some(least), Some(most)) => (least.as_f64(), most.as_f64()),
        (Some(least), None) => (least.as_f64(), least.as_f64() + count as f64),
        (None, Some(most)) => (most.as_f64() - count as f64, most.as_f64()),
        (None, None) => (0.0, count as f64),
    };
    let step = |at: usize| from + (to - from) * (at as f64) / (count as f64 + 1.0);
    found.extend(
        (1..=count)
            .map(step)
            .filter(|value| value.is_finite())
            .map(Value::from),
    );
    (found, false)
}
