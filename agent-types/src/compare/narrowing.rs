//! Comparing the constraints of types.

use super::literal::{first_beyond, surely_allows};
use super::rule::Rule;
use super::value::same_value;
use crate::constraints::{Bound, Constraint, Constraints};
use crate::host::IntRange;
use crate::keyword::{Keyword, Side};
use crate::multiple::{Amount, is_multiple};
use crate::text::same_text;
use crate::types::{Kind, Type, types_of};
use agent_gram::Value;

/// Returns the first keyword by which `inner` is not narrowed as much as `outer`; `None` when every
/// value that `inner` allows satisfies `outer`. Patterns and formats are compared as texts, because
/// whether one expression is narrower than another is not decided here.
///
/// For a result, other limits of `inner` may imply a limit of `outer`. For an argument, keywords are
/// compared one by one.
pub(super) const fn wider_keyword(
    inner: &Type,
    outer: &Constraints,
    rule: Rule,
) -> Option<Keyword> {
    if outer.is_none() {
        return None;
    }
    let mut at = 0;
    while at < Keyword::CONSTRAINTS.len() {
        let keyword = Keyword::CONSTRAINTS[at];
        if let Some(limit) = outer.get(keyword)
            && is_compared(inner.constraints(), keyword, rule)
            && !is_within(keyword.side(), inner.constraints().get(keyword), limit)
            && !(rule.is_result() && is_implied(inner, keyword, limit))
            && (rule.is_equal() || !has_length_within(inner, keyword, limit))
            && (rule.is_equal() || !has_end_within(inner, keyword, limit))
        {
            return Some(keyword);
        }
        at += 1;
    }
    None
}

/// Whether a keyword counts when types are compared. If a function calls an agent, limits of the arguments
/// are checked at the call. A limit of the answer counts only if the inner type states the keyword, too.
const fn is_compared(inner: &Constraints, keyword: Keyword, rule: Rule) -> bool {
    match rule {
        Rule::Equal | Rule::Argument | Rule::Result => true,
        Rule::Passed => keyword.is(Keyword::Enum),
        Rule::Answered => keyword.is(Keyword::Enum) || inner.get(keyword).is_some(),
    }
}

/// Whether the constraint `inner` allows no value that `outer` refuses.
const fn is_within(side: Side, inner: Option<Constraint<'_>>, outer: Constraint<'_>) -> bool {
    if let (Side::Least(_), Constraint::Count(0)) = (side, outer) {
        // Every count is at least 0.
        return true;
    }
    let Some(inner) = inner else {
        return false;
    };
    match side {
        Side::Least(_) => !inner.is_below(outer),
        Side::Greatest(_) => !outer.is_below(inner),
        Side::Multiple => match (inner, outer) {
            (Constraint::Number(inner), Constraint::Number(outer)) => {
                is_multiple(Amount::of(inner), Amount::of(outer))
            }
            _ => false,
        },
        Side::OneOf | Side::Exact => match (inner, outer) {
            (Constraint::Values(inner), Constraint::Values(outer)) => subset(inner, outer),
            (Constraint::Text(inner), Constraint::Text(outer)) => same_text(inner, outer),
            (Constraint::Number(inner), Constraint::Number(outer)) => {
                !inner.is_below(outer) && !outer.is_below(inner)
            }
            (Constraint::Count(inner), Constraint::Count(outer)) => inner == outer,
            _ => false,
        },
    }
}

/// Whether the bound of a type on the same side is within a limit, where one of the two is exclusive:
/// `exclusiveMinimum: 0` of an `Int` is within `minimum: 1`.
const fn has_end_within(ty: &Type, keyword: Keyword, limit: Constraint<'_>) -> bool {
    let (other, is_least) = match keyword {
        Keyword::Minimum => (Keyword::ExclusiveMinimum, true),
        Keyword::ExclusiveMinimum => (Keyword::Minimum, true),
        Keyword::Maximum => (Keyword::ExclusiveMaximum, false),
        Keyword::ExclusiveMaximum => (Keyword::Maximum, false),
        _ => return false,
    };
    let (Some(Constraint::Number(own)), Constraint::Number(limit)) =
        (ty.constraints().get(other), limit)
    else {
        return false;
    };
    // The next whole number beyond an exclusive end is the end of an `Int`.
    if let (Bound::Int(end), Kind::Int, true) = (own, ty.kind(), other.is_exclusive()) {
        let next = if is_least {
            end.saturating_add(1)
        } else {
            end.saturating_sub(1)
        };
        return is_end_within(&Bound::Int(next), limit, is_least);
    }
    if keyword.is_exclusive() {
        // An inclusive end must lie beyond an exclusive end.
        if is_least {
            limit.is_below(own)
        } else {
            own.is_below(limit)
        }
    } else {
        is_end_within(own, limit, is_least)
    }
}

const fn is_end_within(own: &Bound, limit: &Bound, is_least: bool) -> bool {
    if is_least {
        !own.is_below(limit)
    } else {
        !limit.is_below(own)
    }
}

/// Whether the number of a tuple's elements is within a limit.
const fn has_length_within(ty: &Type, keyword: Keyword, limit: Constraint<'_>) -> bool {
    let (Kind::Tuple(items), Constraint::Count(limit)) = (ty.kind(), limit) else {
        return false;
    };
    let count = types_of(items).len() as u64;
    match keyword {
        Keyword::MinItems => count >= limit,
        Keyword::MaxItems => count <= limit,
        _ => false,
    }
}

/// Whether the allowed values of a type, or the range of its Rust integer, are within a limit.
const fn is_implied(ty: &Type, keyword: Keyword, limit: Constraint<'_>) -> bool {
    if let (Some((lowest, highest)), Constraint::Number(limit)) = (ty.host_range(), limit) {
        let is_within = match keyword {
            Keyword::Minimum => !Bound::Int(*lowest).is_below(limit),
            Keyword::Maximum => !limit.is_below(&Bound::Int(*highest)),
            Keyword::ExclusiveMinimum => limit.is_below(&Bound::Int(*lowest)),
            Keyword::ExclusiveMaximum => Bound::Int(*highest).is_below(limit),
            _ => false,
        };
        if is_within {
            return true;
        }
    }
    let values = ty.constraints().enumeration();
    let (mut at, mut near) = (0, 0);
    while at < values.len() {
        if !surely_allows(keyword, limit, &values[at], &mut near) {
            return false;
        }
        at += 1;
    }
    !values.is_empty()
}

/// Returns the first keyword of an argument's type with a number that the Rust type cannot hold,
/// and the range of the Rust type. A missing limit is no mistake, because validation refuses values that do
/// not fit.
pub(super) const fn keyword_beyond(
    inner: &Constraints,
    rust: &Type,
) -> Option<(Keyword, &'static IntRange)> {
    if let Some(range) = rust.host_range() {
        let ends = [
            Keyword::Minimum,
            Keyword::Maximum,
            Keyword::ExclusiveMinimum,
            Keyword::ExclusiveMaximum,
        ];
        let mut at = 0;
        while at < ends.len() {
            if is_bound_beyond(inner, ends[at], range) {
                return Some((ends[at], range));
            }
            at += 1;
        }
    }
    let values = inner.enumeration();
    let mut at = 0;
    while at < values.len() {
        if let Some(range) = first_beyond(&values[at], rust) {
            return Some((Keyword::Enum, range));
        }
        at += 1;
    }
    None
}

/// Whether a bound is outside of the range of a Rust integer. The bound of an exclusive keyword may be one
/// step outside of the range, because the bound itself is not an allowed value.
pub(crate) const fn is_bound_beyond(
    constraints: &Constraints,
    keyword: Keyword,
    range: &IntRange,
) -> bool {
    let &(lowest, highest) = range;
    let (lowest, highest) = match keyword {
        Keyword::ExclusiveMinimum => (lowest.saturating_sub(1), highest.saturating_sub(1)),
        Keyword::ExclusiveMaximum => (lowest.saturating_add(1), highest.saturating_add(1)),
        _ => (lowest, highest),
    };
    match constraints.get(keyword) {
        Some(Constraint::Number(bound)) => {
            bound.is_below(&Bound::Int(lowest)) || Bound::Int(highest).is_below(bound)
        }
        _ => false,
    }
}

const fn subset(inner: &[Value], outer: &[Value]) -> bool {
    let mut at = 0;
    // Lists mostly have the same order, so the search continues at the last position. Otherwise long
    // lists would take quadratic time.
    let mut place = 0;
    while at < inner.len() {
        let mut tried = 0;
        while tried < outer.len() && !same_value(&inner[at], &outer[place]) {
            tried += 1;
            place = (place + 1) % outer.len();
        }
        if tried == outer.len() {
            return false;
        }
        at += 1;
    }
    true
}
