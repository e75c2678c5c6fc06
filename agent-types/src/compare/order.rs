//! Bringing long lists into one order, before types are compared at run time.
//!
//! The comparison is a `const fn`, which has no maps. It searches each field and each allowed value from the
//! place of the last one on, which takes quadratic time for long lists in different orders.

use super::{same_value, value_key};
use crate::signature::{Returns, Signature};
use crate::types::{Field, Kind, Shape, Type, types_of};
use agent_gram::Value;
use agent_gram::value::Nest;
use std::borrow::Cow;
use std::collections::HashMap;

/// The maximum length of lists that are compared in any order.
const SHORT: usize = 64;

impl Signature {
    /// Returns the same signature with its long lists of parameters, of fields and of allowed values in the order of
    /// another signature. Binding takes linear time for signatures in the same order, and quadratic time
    /// otherwise.
    #[must_use]
    pub fn in_order_of(&self, other: &Signature) -> Cow<'_, Signature> {
        let params = reordered_fields(self.params(), other.params());
        let returns = self.returns();
        let result = reordered_type(returns.ty(), other.returns().ty()).map(|ty| {
            let result = Returns::new(ty);
            match returns.description() {
                Some(text) => result.with_description(text.to_owned()),
                None => result,
            }
        });
        if params.is_none() && result.is_none() {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Signature::new(
            params.unwrap_or_else(|| self.params().to_vec()),
            result.unwrap_or_else(|| returns.clone()),
        ))
    }
}

/// Returns fields in the order of other fields, as [`reordered_type`] does for their types. `None` if nothing changes.
fn reordered_fields(fields: &[Field], like: &[Field]) -> Option<Vec<Field>> {
    let is_long = fields.len().min(like.len()) > SHORT;
    let places = || like.iter().enumerate();
    let index: Option<HashMap<&str, usize>> =
        is_long.then(|| places().map(|(at, field)| (field.name(), at)).collect());
    let find = |at: usize, name: &str| match &index {
        _ if like.get(at).is_some_and(|other| other.name() == name) => Some(at),
        Some(index) => index.get(name).copied(),
        None => like.iter().position(|other| other.name() == name),
    };
    let mut is_changed = false;
    let mut placed: Vec<(usize, Cow<'_, Field>)> = Vec::with_capacity(fields.len());
    for (at, field) in fields.iter().enumerate() {
        let place = find(at, field.name());
        let ty = place.and_then(|place| reordered_type(field.ty(), like[place].ty()));
        let field = ty.map_or(Cow::Borrowed(field), |ty| Cow::Owned(field.with_type(ty)));
        is_changed |= matches!(field, Cow::Owned(_));
        placed.push((place.unwrap_or(usize::MAX), field));
    }
    if is_long && !placed.is_sorted_by_key(|(place, _)| *place) {
        placed.sort_by_key(|(place, _)| *place);
        is_changed = true;
    }
    is_changed.then(|| {
        let fields = placed.into_iter().map(|(_, field)| field.into_owned());
        fields.collect()
    })
}

/// Returns a type in the order of another type. `None` if nothing changes.
pub(super) fn reordered_type(ty: &Type, like: &Type) -> Option<Type> {
    let kind = reordered_kind(ty.kind(), like.kind());
    let values = reordered_values(
        ty.constraints().enumeration(),
        like.constraints().enumeration(),
    );
    if kind.is_none() && values.is_none() {
        return None;
    }
    let kind = kind.unwrap_or_else(|| ty.kind().clone());
    let mut constraints = ty.constraints().clone();
    if let Some(values) = values {
        constraints.enumeration = Cow::Owned(values);
    }
    Some(ty.with_parts(kind, constraints))
}

fn reordered_kind(kind: &Kind, like: &Kind) -> Option<Kind> {
    let nested = |ty: &Nest<Type>, like: &Nest<Type>| reordered_type(ty.get(), like.get());
    match (kind, like) {
        (Kind::Array(of), Kind::Array(like)) => {
            nested(of, like).map(|of| Kind::Array(Nest::new(of)))
        }
        (Kind::Tuple(types), Kind::Tuple(like)) => {
            reordered_types(types_of(types), types_of(like)).map(Kind::Tuple)
        }
        (Kind::Union(types), Kind::Union(like)) => {
            reordered_types(types_of(types), types_of(like)).map(Kind::Union)
        }
        (Kind::Object(shape), Kind::Object(like)) => reordered_shape(shape, like).map(Kind::Object),
        _ => None,
    }
}

fn reordered_shape(shape: &Shape, like: &Shape) -> Option<Shape> {
    let fields = reordered_fields(shape.fields(), like.fields());
    let values = match (shape.values(), like.values()) {
        (Some(values), Some(like)) => reordered_type(values, like),
        _ => None,
    };
    if fields.is_none() && values.is_none() {
        return None;
    }
    let fields_or = |old: &Cow<'static, [Field]>| fields.map_or_else(|| old.clone(), Cow::Owned);
    let values_or = |old: &Nest<Type>| values.map_or_else(|| old.clone(), Nest::new);
    Some(match shape {
        Shape::Open => Shape::Open,
        Shape::Fields(old) => Shape::Fields(fields_or(old)),
        Shape::Map(old) => Shape::Map(values_or(old)),
        Shape::Extended(old, others) => Shape::Extended(fields_or(old), values_or(others)),
    })
}

fn reordered_types(types: &[Type], like: &[Type]) -> Option<Cow<'static, [Type]>> {
    let changed: Vec<Option<Type>> = types
        .iter()
        .zip(like)
        .map(|(ty, like)| reordered_type(ty, like))
        .collect();
    if changed.iter().all(Option::is_none) {
        return None;
    }
    let mut changed = changed.into_iter();
    let types = types.iter().map(|ty| {
        let changed = changed.next().flatten();
        changed.unwrap_or_else(|| ty.clone())
    });
    Some(Cow::Owned(types.collect()))
}

/// Returns values in the order of the equal values of another list. `None` if nothing changes.
fn reordered_values(values: &[Value], like: &[Value]) -> Option<Vec<Value>> {
    let mut pairs = values.iter().zip(like);
    if values.len().min(like.len()) <= SHORT || pairs.all(|(value, other)| same_value(value, other))
    {
        return None;
    }
    // [`value_key`] leaves out the tags of texts, so values that differ only in their tags are found by their
    // whole debug text.
    let whole = |value: &Value| format!("{value:?}");
    let texts: Vec<[String; 2]> = like
        .iter()
        .map(|value| [whole(value), value_key(value)])
        .collect();
    let index = |form: usize| -> HashMap<&str, usize> {
        let places = texts.iter().enumerate();
        places.map(|(at, texts)| (&*texts[form], at)).collect()
    };
    let (places, places_of_keys) = (index(0), index(1));
    let mut placed: Vec<(usize, &Value)> = values
        .iter()
        .map(|value| {
            let place = places.get(&*whole(value));
            let place = place.or_else(|| places_of_keys.get(&*value_key(value)));
            (place.copied().unwrap_or(usize::MAX), value)
        })
        .collect();
    placed.sort_by_key(|(place, _)| *place);
    Some(placed.into_iter().map(|(_, value)| value.clone()).collect())
}
