//! Comparing values and types, in a `const` as well as at run time.

use crate::constraints::{Constraint, Constraints};
use crate::text::same_text;
use crate::types::{Field, Kind, Shape, Type, fields_of};
use crate::vocabulary::{Keyword, Side};
use agent_gram::Value;
use agent_gram::value::{Number, Record};

/// Whether two values are equal: keys in any order, a whole number equal to a decimal of the same
/// value.
#[must_use]
pub const fn same_value(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Integer(a), Value::Integer(b)) => *a == *b,
        (Value::Decimal(a), Value::Decimal(b)) => a.value() == b.value(),
        (Value::Integer(a), Value::Decimal(b)) | (Value::Decimal(b), Value::Integer(a)) => {
            *a as f64 == b.value()
        }
        (Value::Boolean(a), Value::Boolean(b)) => *a == *b,
        (Value::String(a), Value::String(b)) => same_text(a.as_str(), b.as_str()),
        (Value::Symbol(a), Value::Symbol(b)) => same_text(a.as_str(), b.as_str()),
        (Value::Tagged(a), Value::Tagged(b)) => {
            let (a, b) = (a.get(), b.get());
            same_text(a.tag(), b.tag()) && same_text(a.content(), b.content())
        }
        // A tag only names the notation of a text; as a JSON value it is the text.
        (Value::Tagged(a), Value::String(b)) | (Value::String(b), Value::Tagged(a)) => {
            let a = a.get();
            same_text(a.content(), b.as_str())
        }
        (Value::Array(a), Value::Array(b)) => same_values(a.as_slice(), b.as_slice()),
        (Value::Map(a), Value::Map(b)) => a.len() == b.len() && record_within(a, b),
        (Value::Range(a), Value::Range(b)) => {
            let (a, b) = (a.get(), b.get());
            same_number(a.lower(), b.lower()) && same_number(a.upper(), b.upper())
        }
        (Value::Measurement(a), Value::Measurement(b)) => {
            let (a, b) = (a.get(), b.get());
            a.value() == b.value() && same_text(a.unit(), b.unit())
        }
        _ => false,
    }
}

const fn same_values(left: &[Value], right: &[Value]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if !same_value(&left[at], &right[at]) {
            return false;
        }
        at += 1;
    }
    true
}

const fn record_within(inner: &Record, outer: &Record) -> bool {
    let (inner, outer) = (inner.entries(), outer.entries());
    let mut at = 0;
    while at < inner.len() {
        let mut found = false;
        let mut other = 0;
        while other < outer.len() {
            if same_text(inner[at].0.as_str(), outer[other].0.as_str()) {
                found = same_value(&inner[at].1, &outer[other].1);
                break;
            }
            other += 1;
        }
        if !found {
            return false;
        }
        at += 1;
    }
    true
}

const fn same_number(left: Option<&Number>, right: Option<&Number>) -> bool {
    match (left, right) {
        (None, None) => true,
        (Some(Number::Integer(a)), Some(Number::Integer(b))) => *a == *b,
        (Some(Number::Decimal(a)), Some(Number::Decimal(b))) => a.value() == b.value(),
        (Some(Number::Measurement(a)), Some(Number::Measurement(b))) => {
            a.value() == b.value() && same_text(a.unit(), b.unit())
        }
        _ => false,
    }
}

/// Whether two types mean the same.
#[must_use]
pub const fn same_type(left: &Type, right: &Type) -> bool {
    left.is_optional() == right.is_optional() && same_required(left, right)
}

/// Whether two types mean the same, apart from being optional.
pub(crate) const fn same_required(left: &Type, right: &Type) -> bool {
    let kinds = match (left.kind(), right.kind()) {
        (Kind::Any, Kind::Any)
        | (Kind::Null, Kind::Null)
        | (Kind::Text, Kind::Text)
        | (Kind::Int, Kind::Int)
        | (Kind::Double, Kind::Double)
        | (Kind::Bool, Kind::Bool) => true,
        (Kind::Array(a), Kind::Array(b)) => same_type(a.get(), b.get()),
        (Kind::Object(a), Kind::Object(b)) => same_shape(a, b),
        _ => false,
    };
    kinds && same_constraints(left.constraints(), right.constraints())
}

const fn same_shape(left: &Shape, right: &Shape) -> bool {
    match (left, right) {
        (Shape::Open, Shape::Open) => true,
        (Shape::Map(a), Shape::Map(b)) => same_type(a.get(), b.get()),
        (Shape::Fields(a), Shape::Fields(b)) => {
            let (a, b) = (fields_of(a), fields_of(b));
            if a.len() != b.len() {
                return false;
            }
            let mut at = 0;
            while at < a.len() {
                match find_field(b, a[at].name()) {
                    Some(other) if same_field(&a[at], &b[other]) => {}
                    _ => return false,
                }
                at += 1;
            }
            true
        }
        _ => false,
    }
}

/// Whether two fields mean the same, descriptions included.
pub(crate) const fn same_field(left: &Field, right: &Field) -> bool {
    let descriptions = match (left.description(), right.description()) {
        (None, None) => true,
        (Some(a), Some(b)) => same_text(a, b),
        _ => false,
    };
    let defaults = match (left.default(), right.default()) {
        (None, None) => true,
        (Some(a), Some(b)) => same_value(a, b),
        _ => false,
    };
    same_text(left.name(), right.name())
        && left.is_optional() == right.is_optional()
        && descriptions
        && defaults
        && same_required(left.ty(), right.ty())
}

const fn same_constraints(left: &Constraints, right: &Constraints) -> bool {
    narrower(left, right) && narrower(right, left)
}

/// The place of a field by name.
pub(crate) const fn find_field(fields: &[Field], name: &str) -> Option<usize> {
    let mut at = 0;
    while at < fields.len() {
        if same_text(fields[at].name(), name) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Whether every value of the `inner` type means the same to the `outer` one, apart from being
/// optional at the top: equal at every depth, except that `inner` may be narrowed further and may
/// require what `outer` does not.
pub(crate) const fn fits(inner: &Type, outer: &Type) -> bool {
    let kinds = match (inner.kind(), outer.kind()) {
        (Kind::Any, Kind::Any)
        | (Kind::Null, Kind::Null)
        | (Kind::Text, Kind::Text)
        | (Kind::Int, Kind::Int)
        | (Kind::Double, Kind::Double)
        | (Kind::Bool, Kind::Bool) => true,
        (Kind::Array(a), Kind::Array(b)) => fits_nested(a.get(), b.get()),
        (Kind::Object(Shape::Open), Kind::Object(Shape::Open)) => true,
        (Kind::Object(Shape::Map(a)), Kind::Object(Shape::Map(b))) => fits_nested(a.get(), b.get()),
        (Kind::Object(Shape::Fields(a)), Kind::Object(Shape::Fields(b))) => {
            fields_fit(fields_of(a), fields_of(b))
        }
        _ => false,
    };
    kinds && narrower(inner.constraints(), outer.constraints())
}

const fn fits_nested(inner: &Type, outer: &Type) -> bool {
    (outer.is_optional() || !inner.is_optional()) && fits(inner, outer)
}

const fn fields_fit(inner: &[Field], outer: &[Field]) -> bool {
    let mut at = 0;
    while at < inner.len() {
        match find_field(outer, inner[at].name()) {
            Some(other) if field_fits(&inner[at], &outer[other]) => {}
            _ => return false,
        }
        at += 1;
    }
    at = 0;
    while at < outer.len() {
        if !outer[at].is_optional() && find_field(inner, outer[at].name()).is_none() {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether every value of the field `inner` means the same to the field `outer`.
pub(crate) const fn field_fits(inner: &Field, outer: &Field) -> bool {
    (outer.is_optional() || !inner.is_optional())
        && defaults_agree(inner, outer)
        && fits(inner.ty(), outer.ty())
}

/// Whether two defaults are equal, or one is missing.
pub(crate) const fn defaults_agree(left: &Field, right: &Field) -> bool {
    match (left.default(), right.default()) {
        (Some(a), Some(b)) => same_value(a, b),
        _ => true,
    }
}

/// Returns the first keyword by which `inner` is not narrowed as much as `outer`; `None` when every
/// value that satisfies `inner` satisfies `outer`. Patterns and formats are compared as texts, because
/// whether one expression is narrower than another is not decided here.
pub(crate) const fn wider_keyword(inner: &Constraints, outer: &Constraints) -> Option<Keyword> {
    let mut at = 0;
    while at < Keyword::CONSTRAINTS.len() {
        let keyword = Keyword::CONSTRAINTS[at];
        if let Some(outer) = outer.get(keyword)
            && !is_within(keyword.side(), inner.get(keyword), outer)
        {
            return Some(keyword);
        }
        at += 1;
    }
    None
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

/// Whether every value that satisfies `inner` satisfies `outer`.
pub(crate) const fn narrower(inner: &Constraints, outer: &Constraints) -> bool {
    wider_keyword(inner, outer).is_none()
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

/// Two types are equal when every value means the same to both; ranges of the implementation do
/// not count.
impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        same_type(self, other)
    }
}

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        same_field(self, other)
    }
}
