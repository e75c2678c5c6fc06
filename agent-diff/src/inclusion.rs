//! Whether one type takes every value that another allows, and a value that shows it when not.
//!
//! The question is decided part by part. Where both types are narrowed in ways that cannot be compared,
//! candidates are tried; whatever is given as a value that shows the difference was put to the validator
//! itself.

mod array;
mod choice;
mod number;
mod object;
mod sample;
mod several;
mod spelling;
mod text;

use super::accept::first_refused;
pub(super) use super::accept::takes;
pub(super) use object::{Members, members};
pub(super) use sample::{Budget, sample};

use agent_spec::binding::same_type;
use agent_spec::{Kind, Type};
use serde_json::Value;

/// What becomes of the members of an object that its type does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extra {
    /// They would be dropped, so whoever gives them is not obeyed: they count as refused. This is
    /// how arguments are taken.
    Refused,
    /// They are left alone, as a reader of results does.
    Ignored,
}

/// Whether every value of one type is taken by another.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    /// Every one is.
    Included,
    /// This one is not.
    Escapes(Value),
    /// Neither is proven.
    Open,
}

impl Answer {
    /// The value that is not taken, if one is known.
    pub(super) fn escaped(self) -> Option<Value> {
        match self {
            Answer::Escapes(value) => Some(value),
            Answer::Included | Answer::Open => None,
        }
    }
}

/// A type in its place: a place may take `null` although the type does not.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The type, whose own word on being optional does not count.
    pub(super) ty: &'a Type,
    /// Whether `null` is taken as no value.
    pub(super) null: bool,
}

impl<'a> Place<'a> {
    /// A type that speaks for itself.
    pub(super) const fn of(ty: &'a Type) -> Self {
        Self {
            ty,
            null: ty.is_optional(),
        }
    }
}

/// A value of the inner type that the outer one does not take, if there is one. Of the inner type, no
/// value has members that it does not name.
pub(super) fn escape(inner: Place<'_>, outer: Place<'_>, extra: Extra) -> Answer {
    if inner.null && !takes(outer, &Value::Null, extra) {
        return Answer::Escapes(Value::Null);
    }
    if same_type(inner.ty, outer.ty) {
        return Answer::Included;
    }
    let answer = structural(inner.ty, outer, extra);
    if answer != Answer::Open {
        return answer;
    }
    let tried = several::several(inner.ty, several::MOST_TRIED);
    first_escaping(inner.ty, outer, extra, tried.values).unwrap_or(Answer::Open)
}

/// The same, by the parts of the types. A value that is `null` was looked at already.
fn structural(inner: &Type, outer: Place<'_>, extra: Extra) -> Answer {
    let allowed = inner.constraints().enumeration();
    if !allowed.is_empty() {
        return choice::of_values(inner, outer, extra);
    }
    if !outer.ty.constraints().enumeration().is_empty() {
        return choice::into_values(inner, outer, extra);
    }
    match (inner.kind(), outer.ty.kind()) {
        (_, Kind::Any) | (Kind::Bool, Kind::Bool) => Answer::Included,
        (Kind::Null, _) if takes(outer, &Value::Null, extra) => Answer::Included,
        (Kind::Text, Kind::Text) => text::escape(inner, outer.ty),
        (Kind::Int | Kind::Double, Kind::Int | Kind::Double) => number::escape(inner, outer.ty),
        (Kind::Array(of), Kind::Array(to)) => array::escape((inner, of), (outer.ty, to), extra),
        (Kind::Object(of), Kind::Object(to)) => object::escape((inner, of), (outer, to), extra),
        // Of values of another kind, nearly any will do; only those of `Any` are of many.
        _ => Answer::Open,
    }
}

/// The first of some values that the inner type has and the outer one does not take.
fn first_escaping(
    inner: &Type,
    outer: Place<'_>,
    extra: Extra,
    values: impl IntoIterator<Item = Value>,
) -> Option<Answer> {
    let own = Place {
        ty: inner,
        null: false,
    };
    let escaped = values
        .into_iter()
        .find(|value| takes(own, value, Extra::Refused) && !takes(outer, value, extra));
    escaped.map(Answer::Escapes)
}
