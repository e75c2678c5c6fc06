//! `anyOf` and `oneOf`: options and enumerations.

use super::Loss;
use super::node::{Found, is_anything};
use super::walk::Walk;
use crate::json::plain;
use crate::types::{Constraints, Kind, Type};
use agent_gram::Value;
use std::borrow::Cow;
use std::collections::HashSet;

impl Walk<'_> {
    /// Makes one type of the arms of a union.
    pub(super) fn union(&mut self, key: &'static str, arms: Vec<Option<Found>>) -> Option<Found> {
        let arms: Option<Vec<Found>> = arms.into_iter().collect();
        let arms = arms?;
        let allow_null = arms.iter().filter(|arm| allows_null(&arm.ty)).count();
        // Of `oneOf`, exactly one arm may allow a value.
        if key == "oneOf" && allow_null > 1 {
            self.report_at(
                key,
                "several arms allow `null`, so `oneOf` refuses it",
                "write `anyOf`",
            );
            return None;
        }
        let values = arms.into_iter();
        let mut values: Vec<Found> = values
            .filter(|arm| !matches!(arm.ty.kind(), Kind::Null))
            .collect();
        let mut found = match values.len() {
            0 => return Some(Found::of(Type::new(Kind::Null))),
            1 => values.remove(0),
            _ => match constants(&values) {
                Some(constants) => self.enumeration(key, constants)?,
                None if self.allows(Loss::Unions) => Found::of(Type::new(Kind::Any)),
                None => {
                    self.refuse_union(key, &values);
                    return None;
                }
            },
        };
        found.ty = Box::new((*found.ty).with_optional(allow_null > 0));
        Some(found)
    }

    /// An enumeration of the constants of all arms, with what is said of each.
    fn enumeration(&mut self, key: &'static str, arms: Vec<Constants<'_>>) -> Option<Found> {
        let mut found = Found::of(Type::new(Kind::Any));
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
                    self.report_at(key, message, "keep one of them");
                    return None;
                }
            }
            if let (Some(text), [value]) = (arm.description, arm.values) {
                found
                    .cases
                    .push(format!("- {}: {text}", constant_text(value)));
            }
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

    fn refuse_union(&mut self, key: &'static str, arms: &[Found]) {
        let labels: Vec<_> = arms
            .iter()
            .map(|arm| format!("`{}`", arm.ty.label()))
            .collect();
        self.report_at(
            key,
            format!(
                "a value has one type in gram, and these are {}",
                labels.join(", ")
            ),
            "choose one, make one object with optional properties of them, or allow \
             `Loss::Unions`, which takes any value",
        );
    }
}

/// An arm that allows a few values only.
struct Constants<'f> {
    kind: &'f Kind,
    values: &'f [Value],
    description: Option<&'f str>,
}

/// The constants of the arms, if that is all they allow.
fn constants(arms: &[Found]) -> Option<Vec<Constants<'_>>> {
    let of = |arm: &'_ Found| -> Option<()> {
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
            })
        })
        .collect()
}

/// A constant as JSON text, equal for numbers that are equal.
fn constant_text(value: &Value) -> String {
    match value {
        Value::Decimal(decimal) if decimal.value().fract() == 0.0 => {
            // Adding zero makes one zero of the two.
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
