//! The keywords of numbers, texts and lists that gram has as well.

use super::Loss;
use super::source::{Json, Members};
use super::walk::Walk;
use crate::types::{Bound, Constraints, Kind};
use crate::validate::is_valid_pattern;
use agent_gram::value::{Decimal, Text};
use std::cmp::Ordering;

impl<'s> Walk<'s> {
    /// The constraints that go with a kind. What goes with another was reported before.
    pub(super) fn constraints(&mut self, members: Members<'s>, kind: &Kind) -> Constraints {
        let mut constraints = Constraints::NONE;
        match kind {
            Kind::Text => {
                constraints.format = self.text(members, "format");
                constraints.min_length = self.count(members, "minLength");
                constraints.max_length = self.count(members, "maxLength");
                constraints.pattern = self.pattern(members);
                let lengths = (constraints.min_length, constraints.max_length);
                self.refuse_empty_range(lengths, "minLength", "maxLength");
            }
            Kind::Int | Kind::Double => {
                let whole = matches!(kind, Kind::Int);
                constraints.minimum = self.bound(members, Side::Least, whole);
                constraints.maximum = self.bound(members, Side::Greatest, whole);
                let bounds = (&constraints.minimum, &constraints.maximum);
                if let (Some(least), Some(greatest)) = bounds
                    && order(least, greatest).is_gt()
                {
                    self.refuse_range("minimum", "maximum");
                }
            }
            Kind::Array(_) => {
                constraints.min_items = self.count(members, "minItems");
                constraints.max_items = self.count(members, "maxItems");
                let counts = (constraints.min_items, constraints.max_items);
                self.refuse_empty_range(counts, "minItems", "maxItems");
            }
            _ => {}
        }
        constraints
    }

    fn text(&mut self, members: Members<'s>, key: &'static str) -> Option<Text> {
        match members.get(key)? {
            Json::Text(text) => Some(Text::new(text)),
            other => {
                self.wrong(key, "a text", other);
                None
            }
        }
    }

    fn pattern(&mut self, members: Members<'s>) -> Option<Text> {
        let pattern = self.text(members, "pattern")?;
        if let Err(reason) = is_valid_pattern(&pattern) {
            self.report_at(
                "pattern",
                format!("the pattern cannot be used: {reason}"),
                "look-around and back-references are not supported",
            );
        }
        Some(pattern)
    }

    fn count(&mut self, members: Members<'s>, key: &'static str) -> Option<u64> {
        let value = members.get(key)?;
        let count = value.as_count();
        if count.is_none() {
            self.wrong(key, "a whole number, 0 or more", value);
        }
        count
    }

    /// The narrower of the bound that is included and the one that is not.
    fn bound(&mut self, members: Members<'s>, side: Side, whole: bool) -> Option<Bound> {
        let included = self.number(members, side.included());
        let excluded = self.number(members, side.excluded());
        let excluded = excluded.and_then(|bound| self.include(bound, side, whole));
        match (included, excluded) {
            (Some(a), Some(b)) if order(&a, &b) == side.narrower() => Some(a),
            (Some(_), Some(b)) => Some(b),
            (a, b) => a.or(b),
        }
    }

    /// A bound that allows what one that is itself excluded allows.
    fn include(&mut self, bound: Bound, side: Side, whole: bool) -> Option<Bound> {
        let next = match (&bound, side) {
            (Bound::Int(bound), Side::Least) => bound.checked_add(1),
            (Bound::Int(bound), Side::Greatest) => bound.checked_sub(1),
            (Bound::Double(bound), Side::Least) => integer(bound.value().floor() + 1.0),
            (Bound::Double(bound), Side::Greatest) => integer(bound.value().ceil() - 1.0),
        };
        if whole && let Some(next) = next {
            return Some(Bound::Int(next));
        }
        if !self.allows(Loss::ExclusiveBounds) {
            let (key, instead) = (side.excluded(), side.included());
            self.report_at(
                key,
                format!("gram has no word for `{key}` of numbers with a fraction"),
                format!("write `{instead}`, or allow `Loss::ExclusiveBounds`"),
            );
        }
        Some(bound)
    }

    fn number(&mut self, members: Members<'s>, key: &'static str) -> Option<Bound> {
        let value = members.get(key)?;
        let bound = match value {
            Json::Integer(value) => Some(Bound::Int(value)),
            Json::Number(value) => Decimal::new(value).ok().map(Bound::Double),
            _ => None,
        };
        if bound.is_none() {
            self.wrong(key, "a number", value);
        }
        bound
    }

    fn refuse_empty_range(
        &mut self,
        (least, greatest): (Option<u64>, Option<u64>),
        least_key: &'static str,
        greatest_key: &'static str,
    ) {
        if least.zip(greatest).is_some_and(|(a, b)| a > b) {
            self.refuse_range(least_key, greatest_key);
        }
    }

    fn refuse_range(&mut self, least: &'static str, greatest: &'static str) {
        let message = format!("`{least}` is above `{greatest}`, so no value is allowed");
        self.report_at(least, message, "");
    }
}

/// Which end of a range.
#[derive(Clone, Copy)]
enum Side {
    Least,
    Greatest,
}

impl Side {
    fn included(self) -> &'static str {
        match self {
            Side::Least => "minimum",
            Side::Greatest => "maximum",
        }
    }

    fn excluded(self) -> &'static str {
        match self {
            Side::Least => "exclusiveMinimum",
            Side::Greatest => "exclusiveMaximum",
        }
    }

    /// How the narrower of two bounds compares with the other.
    fn narrower(self) -> Ordering {
        match self {
            Side::Least => Ordering::Greater,
            Side::Greatest => Ordering::Less,
        }
    }
}

/// The integer that a double without a fraction is, where doubles still tell neighbours apart.
fn integer(value: f64) -> Option<i128> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (value.abs() < EXACT).then_some(value as i128)
}

fn order(left: &Bound, right: &Bound) -> Ordering {
    match (left, right) {
        (Bound::Int(left), Bound::Int(right)) => left.cmp(right),
        // Decimals are finite.
        _ => left.as_f64().total_cmp(&right.as_f64()),
    }
}
