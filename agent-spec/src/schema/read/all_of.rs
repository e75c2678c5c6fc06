//! `allOf`, and keywords beside each other: the values that all parts allow.

use crate::compare::same_type;
use crate::constraints::Constraints;
use crate::schema::read::convert::{Converter, ReadSchema, is_anything};
use crate::types::{Field, Kind, Shape, Type, types_of};
use crate::vocabulary::Keyword;
use std::borrow::Cow;

impl Converter<'_> {
    /// Returns the schema of the values that all parts allow.
    pub(super) fn together(&mut self, parts: Vec<ReadSchema>) -> Option<ReadSchema> {
        let mut parts = parts.into_iter();
        // No part at all allows everything.
        let mut all = parts
            .next()
            .unwrap_or_else(|| ReadSchema::of(Type::new(Kind::Any)));
        for part in parts {
            let Meeting::Type(ty) = meet(&all.ty, &part.ty) else {
                let (left, right) = (all.ty.label(), part.ty.label());
                self.report(
                    format!(
                        "several keywords each give a type, `{left}` and `{right}`, and gram has one"
                    ),
                    "write one schema with the keywords of all parts",
                );
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
    /// They are those of a type.
    Type(Type),
    /// There are none but, perhaps, `null`.
    Nothing,
    /// Gram cannot express them, or it would take more than is done here.
    Unclear,
}

fn meet(left: &Type, right: &Type) -> Meeting {
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
            return alternatives(types_of(types), |ty| meet(ty, right), optional);
        }
        (_, Kind::Union(types)) if right.constraints().is_none() => {
            return alternatives(types_of(types), |ty| meet(left, ty), optional);
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
        (Kind::Object(Shape::Fields(left)), Kind::Object(Shape::Fields(right))) => {
            match fields(left, right) {
                Some(fields) => Kind::Object(Shape::Fields(Cow::Owned(fields))),
                None => return Meeting::Unclear,
            }
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

/// The values of a union that another type, which `meet` holds, allows as well.
fn alternatives(types: &[Type], meet: impl Fn(&Type) -> Meeting, optional: bool) -> Meeting {
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

/// The fields of two records: each has those of both, and ignores further keys.
fn fields(left: &[Field], right: &[Field]) -> Option<Vec<Field>> {
    let mut all = left.to_vec();
    for field in right {
        match all.iter_mut().find(|held| held.name() == field.name()) {
            None => all.push(field.clone()),
            Some(held) => *held = common_field(held, field)?,
        }
    }
    Some(all)
}

/// A field that two records declare: required where one of them requires it.
fn common_field(left: &Field, right: &Field) -> Option<Field> {
    let required = |ty: &Type| ty.clone().with_optional(false);
    let Meeting::Type(ty) = meet(&required(left.ty()), &required(right.ty())) else {
        return None;
    };
    let optional = left.is_optional() && right.is_optional();
    let default = left.default().or(right.default()).filter(|_| optional);
    let ty = ty.with_optional(optional && default.is_none());
    let mut field = Field::new(left.name().to_owned(), ty);
    if let Some(default) = default {
        field = field.with_default(default.clone());
    }
    if let Some(description) = left.description().or(right.description()) {
        field = field.with_description(description.to_owned());
    }
    Some(field)
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
