//! `anyOf`, `oneOf`, and lists of types: a value of one of several types.

use crate::compare::same_required;
use crate::constraints::Constraints;
use crate::json_value::plain;
use crate::schema::read::Loss;
use crate::schema::read::anything::is_anything;
use crate::schema::read::converter::{Converter, ReadSchema};
use crate::types::{ByName, Field, Kind, MOST_ALTERNATIVES, Type, types_of};
use crate::validate::{Patterns, fits_value_of};
use agent_gram::Value;
use std::borrow::Cow;
use std::collections::HashSet;

impl Converter<'_> {
    /// Combines the arms of a union into one type.
    pub(super) fn union(
        &mut self,
        key: &'static str,
        arms: Vec<Option<ReadSchema>>,
    ) -> Option<ReadSchema> {
        let arms: Option<Vec<ReadSchema>> = arms.into_iter().collect();
        let arms = arms?;
        let allow_null = arms.iter().filter(|arm| allows_null(&arm.ty)).count();
        // In `oneOf`, exactly one arm may allow a value.
        if key == "oneOf" && allow_null > 1 {
            let message = "several arms allow `null`, so `oneOf` refuses it";
            if !self.lose_at(Loss::Overlaps, key, message, "write `anyOf`") {
                return None;
            }
        }
        let mut values: Vec<ReadSchema> = arms
            .into_iter()
            .filter(|arm| !matches!(arm.ty.kind(), Kind::Null))
            .collect();
        if !self.spend(values.len().saturating_mul(values.len())) {
            return None;
        }
        if key == "anyOf" {
            absorb(&mut values);
        }
        let mut found = match values.len() {
            0 => return Some(ReadSchema::of(Type::new(Kind::Null))),
            1 => values.remove(0),
            _ => match constants(&values) {
                Some(constants) => self.enumeration(key, constants)?,
                None => self.alternatives(key, values)?,
            },
        };
        found.ty = Box::new((*found.ty).with_optional(allow_null > 0));
        Some(found)
    }

    /// Returns an enumeration of the constants of all arms, with the description of each.
    fn enumeration(&mut self, key: &'static str, arms: Vec<Constants<'_>>) -> Option<ReadSchema> {
        let mut found = ReadSchema::of(Type::new(Kind::Any));
        let mut all: Vec<Value> = Vec::new();
        let mut texts = HashSet::new();
        for arm in &arms {
            let mut own = HashSet::new();
            for value in arm.values {
                let text = constant_text(value);
                if !own.insert(text.clone()) {
                    continue;
                }
                if texts.insert(text.clone()) {
                    all.push(value.clone());
                } else if key == "oneOf" {
                    let message = format!("two arms allow {text}, so `oneOf` refuses it");
                    if !self.lose_at(Loss::Overlaps, key, message, "keep one of them") {
                        return None;
                    }
                }
            }
            if let Some(text) = arm.description {
                let values: Vec<String> = arm.values.iter().map(constant_text).collect();
                found.cases.push(format!("- {}: {text}", values.join(", ")));
            }
            found.cases.extend_from_slice(arm.cases);
        }
        let kind =
            arms.iter()
                .skip(1)
                .fold(arms[0].kind.clone(), |all, arm| match (&all, arm.kind) {
                    (Kind::Int, Kind::Double) | (Kind::Double, Kind::Int) => Kind::Double,
                    (all_kind, kind) if same_kind(all_kind, kind) => all,
                    _ => Kind::Any,
                });
        let mut constraints = Constraints::NONE;
        constraints.enumeration = Cow::Owned(all);
        *found.ty = Type::new(kind).with_constraints(constraints);
        Some(found)
    }

    /// Returns the union of arms. At least one of the arms allows more than a few constants.
    fn alternatives(&mut self, key: &'static str, mut arms: Vec<ReadSchema>) -> Option<ReadSchema> {
        if key == "oneOf" {
            let listed = arms
                .iter()
                .map(|arm| arm.ty.constraints().enumeration().len());
            // Each value that an arm lists is checked against the other arms.
            let listed: usize = listed.sum();
            if !self.spend(listed.saturating_mul(arms.len())) {
                return None;
            }
        }
        if key == "oneOf"
            && let Some((left, right)) = overlap(&arms, &mut self.patterns)
        {
            let message = format!(
                "`oneOf` refuses what two arms allow, and arm {left} and arm {right} may allow the same"
            );
            let help =
                "write `anyOf`, or a `const` of a required property that tells the arms apart";
            if !self.lose_at(Loss::Overlaps, key, message, help) {
                return None;
            }
            absorb(&mut arms);
        }
        let mut cases = Vec::new();
        for arm in &arms {
            if let Some(text) = &arm.description {
                cases.push(format!("- {}: {text}", case_name(&arm.ty)));
            }
            cases.extend_from_slice(&arm.cases);
        }
        let union = Type::any_of(arms.into_iter().map(|arm| *arm.ty));
        let union = union.or_else(|| {
            let message = format!("a union in gram has at most {MOST_ALTERNATIVES} types");
            let help = "make one object with optional properties of them";
            let allowed = self.lose_at(Loss::Unions, key, message, help);
            allowed.then(|| Type::new(Kind::Any))
        });
        let mut found = ReadSchema::of(union?);
        found.cases = cases;
        Some(found)
    }
}

/// Returns the name of an alternative in the description of a union: its constant, the constant that
/// identifies a record, or its label.
fn case_name(ty: &Type) -> String {
    if let [only] = ty.constraints().enumeration() {
        return constant_text(only);
    }
    if let Kind::Object(shape) = ty.kind() {
        for field in shape.fields() {
            if let [only] = field.ty().constraints().enumeration() {
                return format!("`{}` {}", field.name(), constant_text(only));
            }
        }
    }
    format!("`{}`", ty.label())
}

/// Removes each arm that another arm includes. The description of a removed arm is kept.
fn absorb(arms: &mut Vec<ReadSchema>) {
    let mut at = 0;
    while at < arms.len() {
        let narrow = &arms[at].ty;
        let others = arms.iter().enumerate().filter(|(other, _)| *other != at);
        let mut others = others.filter(|(_, wide)| is_within(narrow, &wide.ty));
        let Some((wide, _)) = others.next() else {
            at += 1;
            continue;
        };
        let narrow = arms.remove(at);
        let wide = &mut arms[if wide > at { wide - 1 } else { wide }];
        if let Some(text) = narrow.description
            && wide.description.as_ref() != Some(&text)
        {
            let name = case_name(&narrow.ty);
            wide.cases.push(format!("- {name}: {text}"));
        }
        wide.cases.extend(narrow.cases);
    }
}

/// Whether `wide` expresses all that `narrow` expresses, as far as the kinds and a lack of constraints show.
/// It is not enough that `wide` has more values, because a model reads the listed values, and the fields of a
/// record beside any object.
fn is_within(narrow: &Type, wide: &Type) -> bool {
    if same_required(narrow, wide) {
        return true;
    }
    let unconstrained = narrow.constraints().is_none() && wide.constraints().is_none();
    unconstrained
        && match (narrow.kind(), wide.kind()) {
            (Kind::Int, Kind::Double) => true,
            (Kind::Array(narrow), Kind::Array(wide)) => {
                (wide.get().is_optional() || !narrow.get().is_optional())
                    && is_within(narrow.get(), wide.get())
            }
            _ => false,
        }
}

/// Returns the numbers of two arms that may allow the same value.
fn overlap(arms: &[ReadSchema], patterns: &mut Patterns) -> Option<(usize, usize)> {
    for (right, arm) in arms.iter().enumerate() {
        let mut before = arms[..right].iter();
        if let Some(left) = before.position(|left| !exclude_arms(left, arm, patterns)) {
            return Some((left, right));
        }
    }
    None
}

/// Whether no value but `null` is of both arms.
fn exclude_arms(left: &ReadSchema, right: &ReadSchema, patterns: &mut Patterns) -> bool {
    exclude(&left.ty, &right.ty, patterns) || refuses_keys(left, right) || refuses_keys(right, left)
}

/// Whether one arm is an object that refuses a key that the other requires.
fn refuses_keys(closed: &ReadSchema, other: &ReadSchema) -> bool {
    let (Kind::Object(own), Kind::Object(other)) = (closed.ty.kind(), other.ty.kind()) else {
        return false;
    };
    let own = ByName::new(own.fields());
    closed.closed
        && other
            .fields()
            .iter()
            .any(|field| !field.is_optional() && own.get(field.name()).is_none())
}

/// Whether no value but `null` is of both types.
fn exclude(left: &Type, right: &Type, patterns: &mut Patterns) -> bool {
    let (listed, other) = match left.constraints().enumeration() {
        [] => (right.constraints().enumeration(), left),
        values => (values, right),
    };
    if !listed.is_empty() {
        let mut listed = listed.iter();
        return listed.all(|value| fits_value_of(other, value, patterns).is_err());
    }
    match (left.kind(), right.kind()) {
        (Kind::Union(types), _) => {
            let mut types = types_of(types).iter();
            types.all(|left| exclude(left, right, patterns))
        }
        (_, Kind::Union(types)) => {
            let mut types = types_of(types).iter();
            types.all(|right| exclude(left, right, patterns))
        }
        (Kind::Any, _) | (_, Kind::Any) => false,
        (Kind::Int | Kind::Double, Kind::Int | Kind::Double) => false,
        (Kind::Tuple(left), Kind::Tuple(right)) => {
            let (left, right) = (types_of(left), types_of(right));
            let mut pairs = left.iter().zip(right);
            left.len() != right.len()
                || pairs.any(|(left, right)| exclude_null_too(left, right, patterns))
        }
        (Kind::Array(_) | Kind::Tuple(_), Kind::Array(_) | Kind::Tuple(_)) => false,
        (Kind::Object(left), Kind::Object(right)) => {
            let right = ByName::new(right.fields());
            left.fields().iter().any(|field| {
                let other = right.get(field.name());
                other.is_some_and(|other| excludes_field(field, other, patterns))
            })
        }
        (left, right) => !same_kind(left, right),
    }
}

/// Whether a record that requires a field always has a value in it that the other record refuses.
fn excludes_field(left: &Field, right: &Field, patterns: &mut Patterns) -> bool {
    let is_required = !left.is_optional() || !right.is_optional();
    is_required && exclude(left.ty(), right.ty(), patterns)
}

/// Whether no value is of both types.
fn exclude_null_too(left: &Type, right: &Type, patterns: &mut Patterns) -> bool {
    !(allows_null(left) && allows_null(right)) && exclude(left, right, patterns)
}

/// An arm that allows a few values only.
struct Constants<'f> {
    kind: &'f Kind,
    values: &'f [Value],
    description: Option<&'f str>,
    cases: &'f [String],
}

/// The constants of the arms, if that is all they allow.
fn constants(arms: &[ReadSchema]) -> Option<Vec<Constants<'_>>> {
    let of = |arm: &'_ ReadSchema| -> Option<()> {
        let constraints = arm.ty.constraints();
        let kind = matches!(
            arm.ty.kind(),
            Kind::Any | Kind::Text | Kind::Int | Kind::Double | Kind::Bool
        );
        (kind && !constraints.enumeration().is_empty()).then_some(())
    };
    arms.iter()
        .map(|arm| {
            of(arm)?;
            Some(Constants {
                kind: arm.ty.kind(),
                values: arm.ty.constraints().enumeration(),
                description: arm.description.as_deref(),
                cases: &arm.cases,
            })
        })
        .collect()
}

/// A constant as JSON text, equal for numbers that are equal.
fn constant_text(value: &Value) -> String {
    match value {
        Value::Decimal(decimal) if decimal.value().fract() == 0.0 => {
            // Adding zero turns -0 into 0.
            format!("{:.0}", decimal.value() + 0.0)
        }
        value => plain(value).map_or_else(String::new, |json| json.to_string()),
    }
}

fn allows_null(ty: &Type) -> bool {
    matches!(ty.kind(), Kind::Null) || ty.is_optional() || is_anything(ty)
}

fn same_kind(left: &Kind, right: &Kind) -> bool {
    matches!(
        (left, right),
        (Kind::Text, Kind::Text)
            | (Kind::Int, Kind::Int)
            | (Kind::Double, Kind::Double)
            | (Kind::Bool, Kind::Bool)
    )
}
