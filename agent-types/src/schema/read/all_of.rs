//! `allOf`, and keywords beside each other: the values that all parts allow.

use crate::compare::same_type;
use crate::constraints::Constraints;
use crate::keyword::Keyword;
use crate::schema::read::Loss;
use crate::schema::read::anything::{is_anything, is_explicit};
use crate::schema::read::converter::{Converter, ReadSchema};
use crate::schema::read::keep::with_parts_of;
use crate::types::{Field, Kind, Shape, Type, types_of};
use agent_gram::Value;
use agent_gram::value::Nest;
use std::borrow::Cow;
use std::collections::HashMap;

impl Converter<'_> {
    /// Returns the schema of the values that all parts allow.
    pub(super) fn together(&mut self, parts: Vec<ReadSchema>) -> Option<ReadSchema> {
        let mut parts = parts.into_iter();
        // An empty list of parts allows every value.
        let mut all = parts
            .next()
            .unwrap_or_else(|| ReadSchema::of(Type::new(Kind::Any)));
        for part in parts {
            let Meeting::Type(ty) = self.meet(&all.ty, &part.ty) else {
                if self.is_loss_of_arguments() && !self.is_spent() {
                    self.lose(Loss::Conditions, "several keywords each give arguments", "");
                    return Some(ReadSchema::of(Type::new(Kind::Object(Shape::Open))));
                }
                // Too many parts were reported already.
                if !self.is_spent() {
                    let (left, right) = (all.ty.label(), part.ty.label());
                    self.report(
                        format!(
                            "several keywords each give a type, `{left}` and `{right}`, and gram has one"
                        ),
                        "write one schema with the keywords of all parts",
                    );
                }
                return None;
            };
            *all.ty = ty;
            all.description = all.description.or(part.description);
            all.default = all.default.or(part.default);
            all.cases.extend(part.cases);
            // Further keys that one part refuses may be fields of another.
            all.closed = false;
        }
        Some(all)
    }
}

/// The values that two types have in common.
enum Meeting {
    /// The common values are those of a type.
    Type(Type),
    /// The types have no common value but, perhaps, `null`.
    Nothing,
    /// Gram cannot express the common values, or this reader does not compute them.
    Unclear,
}

impl Converter<'_> {
    fn meet(&mut self, left: &Type, right: &Type) -> Meeting {
        // Either type may be copied. Without a limit, each of many parts copies all fields of those before it.
        if !self.spend(1 + (weight(left) + weight(right)) / PARTS_A_COPY) {
            return Meeting::Unclear;
        }
        // `Any` allows `null` as well.
        if is_anything(left) {
            return Meeting::Type(right.clone());
        }
        if is_anything(right) || same_type(left, right) {
            return Meeting::Type(left.clone());
        }
        let optional = left.is_optional() && right.is_optional();
        let kind = match (left.kind(), right.kind()) {
            (Kind::Union(types), _) if left.constraints().is_none() => {
                let meet = |ty: &_| self.meet(ty, right);
                return alternatives(types_of(types), meet, optional);
            }
            (_, Kind::Union(types)) if right.constraints().is_none() => {
                let meet = |ty: &_| self.meet(left, ty);
                return alternatives(types_of(types), meet, optional);
            }
            (Kind::Text, Kind::Text) => Kind::Text,
            (Kind::Int, Kind::Int) => Kind::Int,
            // The values of an enumeration need not be whole.
            (Kind::Int, Kind::Double) | (Kind::Double, Kind::Int)
                if left.constraints().enumeration().is_empty()
                    && right.constraints().enumeration().is_empty() =>
            {
                Kind::Int
            }
            (Kind::Double, Kind::Double) => Kind::Double,
            (Kind::Bool, Kind::Bool) => Kind::Bool,
            // An object without known properties does not narrow another.
            (Kind::Object(Shape::Open), kind @ Kind::Object(_))
            | (kind @ Kind::Object(_), Kind::Object(Shape::Open)) => kind.clone(),
            // The further keys of a part without `properties` are those that the other part names or refuses.
            (Kind::Object(left), Kind::Object(right))
                if may_have_any(left) && may_have_any(right) =>
            {
                let further = match (left.values(), right.values()) {
                    (Some(left), Some(right)) => Some(if is_explicit(left) { left } else { right }),
                    (one, other) => one.or(other).filter(|values| is_explicit(values)),
                };
                let Some(fields) = self.fields_of_both(left.fields(), right.fields()) else {
                    return Meeting::Unclear;
                };
                let fields = Cow::Owned(fields);
                Kind::Object(match further {
                    Some(values) => Shape::Extended(fields, Nest::new(values.clone())),
                    None => Shape::Fields(fields),
                })
            }
            (left, right) if may_share(left, right) => return Meeting::Unclear,
            _ => return Meeting::Nothing,
        };
        match both(left.constraints(), right.constraints()) {
            Some(constraints) => Meeting::Type(
                Type::new(kind)
                    .with_constraints(constraints)
                    .with_optional(optional),
            ),
            None => Meeting::Unclear,
        }
    }

    /// The fields of two records. A value of both records has the fields of both, because each record ignores
    /// further keys.
    fn fields_of_both(&mut self, left: &[Field], right: &[Field]) -> Option<Vec<Field>> {
        let mut all = left.to_vec();
        let places = left.iter().enumerate();
        let mut places: HashMap<&str, usize> =
            places.map(|(at, field)| (field.name(), at)).collect();
        for field in right {
            match *places.entry(field.name()).or_insert(all.len()) {
                at if at == all.len() => all.push(field.clone()),
                held => all[held] = self.common_field(&all[held], field)?,
            }
        }
        Some(all)
    }

    /// A field that two records declare: required where one of them requires it.
    fn common_field(&mut self, left: &Field, right: &Field) -> Option<Field> {
        let required = |ty: &Type| ty.clone().with_optional(false);
        let Meeting::Type(ty) = self.meet(&required(left.ty()), &required(right.ty())) else {
            return None;
        };
        let optional = left.is_optional() && right.is_optional();
        let default = left.default().or(right.default()).filter(|_| optional);
        let keeps_null = left.ty().keeps_null() && right.ty().keeps_null();
        let ty = ty.with_optional(optional && default.is_none());
        let mut field = with_parts_of(left, ty.with_null_kept(keeps_null));
        if let Some(default) = default {
            field = field.with_default(default.clone());
        }
        if let (None, Some(description)) = (left.description(), right.description()) {
            field = field.with_description(description.to_owned());
        }
        Some(field)
    }
}

/// Whether the further keys of an object, if it has such keys, may have any values.
fn may_have_any(shape: &Shape) -> bool {
    match shape {
        Shape::Fields(_) => true,
        Shape::Extended(_, values) => is_anything(values),
        Shape::Open | Shape::Map(_) => false,
    }
}

/// The values that a union and another type have in common. `meet` returns the values that one type of the
/// union and the other type have in common.
fn alternatives(types: &[Type], mut meet: impl FnMut(&Type) -> Meeting, optional: bool) -> Meeting {
    let mut common = Vec::new();
    for ty in types {
        match meet(ty) {
            Meeting::Type(ty) => common.push(ty),
            Meeting::Nothing => {}
            Meeting::Unclear => return Meeting::Unclear,
        }
    }
    if common.is_empty() {
        return Meeting::Nothing;
    }
    // `null` is no value of an alternative.
    match Type::any_of(common) {
        Some(ty) => Meeting::Type(ty.with_optional(optional)),
        None => Meeting::Unclear,
    }
}

/// Whether values of two kinds can be equal, apart from kinds that are compared in detail.
fn may_share(left: &Kind, right: &Kind) -> bool {
    let list = |kind: &Kind| matches!(kind, Kind::Array(_) | Kind::Tuple(_));
    let number = |kind: &Kind| matches!(kind, Kind::Int | Kind::Double);
    match (left, right) {
        (Kind::Any | Kind::Union(_), _) | (_, Kind::Any | Kind::Union(_)) => true,
        (Kind::Object(_), Kind::Object(_)) => true,
        _ => (list(left) && list(right)) || (number(left) && number(right)),
    }
}

/// Returns the constraints of both, unless they have different values for one keyword.
fn both(left: &Constraints, right: &Constraints) -> Option<Constraints> {
    let mut both = left.clone();
    for (keyword, constraint) in right.iter() {
        match left.get(keyword) {
            // Filtering the values of an enumeration by keywords of the other part is not supported.
            Some(_) if keyword == Keyword::Enum => return None,
            Some(held) if held != constraint => return None,
            _ => both.set(keyword, constraint),
        }
    }
    let has_values = !both.enumeration().is_empty();
    let has_others = both.iter().any(|(keyword, _)| keyword != Keyword::Enum);
    (!has_values || !has_others).then_some(both)
}

/// The number of parts of a type that are copied in about the time in which one part of a schema is read.
const PARTS_A_COPY: usize = 8;

/// The size of a copy of a type, as a number of parts.
fn weight(ty: &Type) -> usize {
    let parts: usize = match ty.kind() {
        Kind::Array(of) => weight(of),
        Kind::Tuple(types) | Kind::Union(types) => types_of(types).iter().map(weight).sum(),
        Kind::Object(shape) => {
            let fields = shape.fields().iter().map(|field| weight(field.ty()));
            fields.sum::<usize>() + shape.values().map_or(0, weight)
        }
        _ => 0,
    };
    let listed = ty.constraints().enumeration().iter();
    1 + parts + listed.map(value_weight).sum::<usize>()
}

fn value_weight(value: &Value) -> usize {
    match value {
        Value::String(text) => 1 + text.len() / 64,
        Value::Array(items) => 1 + items.as_slice().iter().map(value_weight).sum::<usize>(),
        Value::Map(record) => {
            1 + record
                .iter()
                .map(|(_, value)| value_weight(value))
                .sum::<usize>()
        }
        _ => 1,
    }
}
