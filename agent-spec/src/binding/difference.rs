//! Where two types differ, to the very part.

use super::compare::{defaults_agree, find_field, same_text, wider_keyword};
use crate::types::{Field, Kind, Shape, Type, fields_of};
use crate::write::step::{
    DEFAULT, DESCRIPTION, ELEMENT, FIELD, FIELDS, OPTIONAL, TYPE, VALUE, step_of,
};
use agent_gram::print::writer::Trail;

/// How two types differ, and where in each. `inner` is the one whose values must all be allowed by
/// the `outer` one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) how: How,
    pub(super) inner: Trail,
    pub(super) outer: Trail,
}

/// How two types differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// The labels differ.
    Label,
    /// One is a map, any object, or an object with fields, and the other another of these.
    Shape,
    /// The inner type has a field that the outer one has not.
    Unknown,
    /// The outer type requires a field that the inner one has not.
    Missing,
    /// The inner one is optional and the outer one is not, or the other way round.
    Optional,
    /// The defaults differ.
    Default,
    /// The descriptions differ.
    Description,
    /// The inner one is narrowed less by a keyword.
    Keyword,
    /// The inner one is narrowed more by a keyword, where they should be equal.
    NarrowerKeyword,
}

/// The first difference of two types, apart from being optional at the top. `None` when every value
/// of the `inner` one means the same to the `outer` one; with `exact`, when they are equal.
pub(super) const fn difference(inner: &Type, outer: &Type, exact: bool) -> Option<Difference> {
    of_types(inner, outer, exact, (Trail::EMPTY, Trail::EMPTY))
}

type Trails = (Trail, Trail);

const fn found(how: How, at: Trails) -> Option<Difference> {
    Some(Difference {
        how,
        inner: at.0,
        outer: at.1,
    })
}

const fn then(at: Trails, step: u16) -> Trails {
    (at.0.then(step), at.1.then(step))
}

const fn of_types(inner: &Type, outer: &Type, exact: bool, at: Trails) -> Option<Difference> {
    if !same_text(inner.label(), outer.label()) {
        return found(How::Label, then(at, TYPE));
    }
    let nested = match (inner.kind(), outer.kind()) {
        (Kind::Array(a), Kind::Array(b)) => of_nested(a.get(), b.get(), exact, then(at, ELEMENT)),
        (Kind::Object(Shape::Map(a)), Kind::Object(Shape::Map(b))) => {
            of_nested(a.get(), b.get(), exact, then(at, VALUE))
        }
        (Kind::Object(Shape::Fields(a)), Kind::Object(Shape::Fields(b))) => {
            of_fields(fields_of(a), fields_of(b), exact, then(at, FIELDS))
        }
        (Kind::Object(Shape::Open), Kind::Object(Shape::Open)) => None,
        (Kind::Object(_), Kind::Object(_)) => found(How::Shape, at),
        _ => None,
    };
    if nested.is_some() {
        return nested;
    }
    let (ours, theirs) = (inner.constraints(), outer.constraints());
    if let Some(keyword) = wider_keyword(ours, theirs) {
        return found(How::Keyword, then(at, step_of(keyword)));
    }
    match wider_keyword(theirs, ours) {
        Some(keyword) if exact => found(How::NarrowerKeyword, then(at, step_of(keyword))),
        _ => None,
    }
}

const fn of_nested(inner: &Type, outer: &Type, exact: bool, at: Trails) -> Option<Difference> {
    if differ_in_optional(inner.is_optional(), outer.is_optional(), exact) {
        return found(How::Optional, then(at, OPTIONAL));
    }
    of_types(inner, outer, exact, at)
}

const fn differ_in_optional(inner: bool, outer: bool, exact: bool) -> bool {
    if exact {
        inner != outer
    } else {
        inner && !outer
    }
}

const fn of_fields(
    inner: &[Field],
    outer: &[Field],
    exact: bool,
    at: Trails,
) -> Option<Difference> {
    let mut index = 0;
    while index < inner.len() {
        let place = at.0.then(FIELD + index as u16);
        match find_field(outer, inner[index].name()) {
            None => return found(How::Unknown, (place, at.1)),
            Some(other) => {
                let places = (place, at.1.then(FIELD + other as u16));
                let difference = of_field(&inner[index], &outer[other], exact, places);
                if difference.is_some() {
                    return difference;
                }
            }
        }
        index += 1;
    }
    index = 0;
    while index < outer.len() {
        let is_required = exact || !outer[index].is_optional();
        if is_required && find_field(inner, outer[index].name()).is_none() {
            return found(How::Missing, (at.0, at.1.then(FIELD + index as u16)));
        }
        index += 1;
    }
    None
}

const fn of_field(inner: &Field, outer: &Field, exact: bool, at: Trails) -> Option<Difference> {
    // A wrong type makes a right default look wrong.
    if same_text(inner.ty().label(), outer.ty().label()) {
        if differ_in_optional(inner.is_optional(), outer.is_optional(), exact) {
            return found(How::Optional, then(at, OPTIONAL));
        }
        let same_presence = inner.default().is_some() == outer.default().is_some();
        if !defaults_agree(inner, outer) || (exact && !same_presence) {
            return found(How::Default, then(at, DEFAULT));
        }
    }
    let difference = of_types(inner.ty(), outer.ty(), exact, at);
    if difference.is_none() && exact {
        let same = match (inner.description(), outer.description()) {
            (None, None) => true,
            (Some(a), Some(b)) => same_text(a, b),
            _ => false,
        };
        if !same {
            return found(How::Description, then(at, DESCRIPTION));
        }
    }
    difference
}

#[cfg(test)]
mod tests;
