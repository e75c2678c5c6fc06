//! Tools, what may become of them, and values of types.

use super::dice::Dice;
use crate::inclusion::sample;
use agent_gram::value::Decimal;
use agent_spec::json::json_to_value;
use agent_spec::types::{Bound, Constraints, fields_of};
use agent_spec::{
    Contract, Field, Kind, Nest, Param, Returns, Shape, Signature, ToolDescriptor, ToolSettings,
    Type,
};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashSet;

/// Names, of which some nearly spell others.
const NAMES: [&str; 7] = ["name", "names", "Name", "age", "userName", "user_name", "x"];
const WORDS: [&str; 5] = ["red", "green", "blue", "a", ""];
const PATTERNS: [&str; 7] = [
    "^[a-z]+$",
    "^[a-z0-9]*$",
    "a|b",
    "^(red|blue)$",
    "\\d",
    "^.{2,3}$",
    "é",
];
const FORMATS: [&str; 5] = ["date", "email", "uuid", "ipv4", "color"];

/// A tool as it may be changed.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) name: &'static str,
    pub(super) description: String,
    pub(super) params: Vec<Param>,
    pub(super) returns: Type,
}

impl Draft {
    pub(super) fn to_gram(&self) -> String {
        let signature = Signature::new(self.params.clone(), Returns::new(self.returns.clone()));
        let descriptor = ToolDescriptor::new(
            self.name.into(),
            self.description.clone().into(),
            Contract::Signature(signature),
            ToolSettings::default(),
        );
        descriptor.to_gram().expect("it has a signature")
    }
}

/// Some tools.
pub(super) fn drafts(dice: &Dice) -> Vec<Draft> {
    ["first", "second"][..=dice.below(2)]
        .iter()
        .map(|name| Draft {
            name,
            description: "Does it.".to_owned(),
            params: fields(dice, 2),
            returns: ty(dice, 2).with_optional(dice.in_ten(2)),
        })
        .collect()
}

/// What may become of tools.
pub(super) fn changed(dice: &Dice, drafts: &[Draft]) -> Vec<Draft> {
    let mut drafts = drafts.to_vec();
    if dice.in_ten(1) {
        drafts.pop();
    }
    if let Some(draft) = drafts.first_mut().filter(|_| dice.in_ten(1)) {
        draft.name = "third";
    }
    for draft in &mut drafts {
        if dice.in_ten(1) {
            draft.description.push_str(" Again.");
        }
        if dice.in_ten(3) {
            draft.returns = changed_type(dice, &draft.returns);
        }
        if dice.in_ten(7) {
            change_fields(dice, &mut draft.params);
        }
    }
    drafts
}

fn change_fields(dice: &Dice, fields: &mut Vec<Field>) {
    let at = dice.below(fields.len().max(1));
    match (dice.below(8), fields.get(at).cloned()) {
        (0, Some(_)) => {
            fields.remove(at);
        }
        (1, _) => fields.push(field(dice, dice.one(&NAMES), 1)),
        (2, Some(old)) => {
            fields[at] = with_presence(dice, Field::new(dice.one(&NAMES), old.ty().clone()))
        }
        (3, Some(old)) => {
            fields[at] = with_presence(dice, Field::new(old.name().to_owned(), old.ty().clone()));
        }
        (4, Some(_)) => fields.rotate_left(1),
        (5, Some(old)) => fields[at] = old.with_description("Told."),
        (_, Some(old)) => {
            let ty = changed_type(dice, old.ty());
            fields[at] = with_presence(dice, Field::new(old.name().to_owned(), ty));
        }
        _ => {}
    }
    let mut names = HashSet::new();
    fields.retain(|field| names.insert(field.name().to_owned()));
}

pub(super) fn changed_type(dice: &Dice, ty: &Type) -> Type {
    if dice.in_ten(2) {
        return self::ty(dice, 2);
    }
    let optional = ty.is_optional() != dice.in_ten(2);
    let kind = match ty.kind() {
        Kind::Array(of) if dice.in_ten(6) => Kind::Array(Nest::new(changed_type(dice, of))),
        Kind::Object(Shape::Map(of)) if dice.in_ten(6) => {
            Kind::Object(Shape::Map(Nest::new(changed_type(dice, of))))
        }
        Kind::Object(Shape::Fields(fields)) if dice.in_ten(9) => {
            let mut fields = fields_of(fields).to_vec();
            change_fields(dice, &mut fields);
            Kind::Object(Shape::Fields(Cow::Owned(fields)))
        }
        Kind::Int if dice.in_ten(3) => Kind::Double,
        Kind::Double if dice.in_ten(3) => Kind::Int,
        kind => {
            let constraints = constraints(dice, kind);
            return Type::new(kind.clone())
                .with_constraints(constraints)
                .with_optional(optional);
        }
    };
    Type::new(kind).with_optional(optional)
}

fn fields(dice: &Dice, depth: usize) -> Vec<Field> {
    let count = dice.below(4);
    let mut names = HashSet::new();
    let named = (0..count)
        .map(|_| dice.one(&NAMES))
        .filter(|name| names.insert(*name));
    named.map(|name| field(dice, name, depth)).collect()
}

fn field(dice: &Dice, name: &str, depth: usize) -> Field {
    with_presence(dice, Field::new(name.to_owned(), ty(dice, depth)))
}

/// The field, required, optional or with a default.
fn with_presence(dice: &Dice, field: Field) -> Field {
    let required = field.ty().clone().with_optional(false);
    let default = sample(&required).filter(|_| dice.in_ten(3));
    match default.and_then(|value| json_to_value(&value)) {
        Some(default) => Field::new(field.name().to_owned(), required).with_default(default),
        None => Field::new(
            field.name().to_owned(),
            required.with_optional(dice.in_ten(4)),
        ),
    }
}

/// A type that has values.
pub(super) fn ty(dice: &Dice, depth: usize) -> Type {
    let kind = match dice.below(if depth == 0 { 6 } else { 10 }) {
        0 | 1 => Kind::Text,
        2 => Kind::Int,
        3 => Kind::Double,
        4 => Kind::Bool,
        5 => Kind::Any,
        6 => Kind::Array(Nest::new(ty(dice, depth - 1).with_optional(dice.in_ten(2)))),
        7 => Kind::Object(Shape::Open),
        8 => Kind::Object(Shape::Map(Nest::new(ty(dice, depth - 1)))),
        _ => Kind::Object(Shape::Fields(Cow::Owned(fields(dice, depth - 1)))),
    };
    let constraints = constraints(dice, &kind);
    Type::new(kind).with_constraints(constraints)
}

fn constraints(dice: &Dice, kind: &Kind) -> Constraints {
    let mut found = Constraints::NONE;
    let count = |most| dice.in_ten(3).then(|| dice.below(most) as u64);
    let bound = || {
        dice.in_ten(4).then(|| match dice.below(5) {
            0 => Bound::Double(Decimal::new(dice.below(9) as f64 / 2.0).expect("finite")),
            _ => Bound::Int(dice.below(6) as i128 - 2),
        })
    };
    match kind {
        Kind::Text => match dice.below(8) {
            0 => found.enumeration = Cow::Owned(listed(dice, &WORDS.map(Value::from))),
            1 => found.pattern = Some(dice.one(&PATTERNS).into()),
            2 => found.format = Some(dice.one(&FORMATS).into()),
            _ => (found.min_length, found.max_length) = (count(3), count(5)),
        },
        Kind::Int if dice.in_ten(2) => {
            found.enumeration = Cow::Owned(listed(dice, &[1, 2, 3].map(Value::from)));
        }
        Kind::Any if dice.in_ten(2) => {
            let values = [Value::from(1), Value::from("red"), Value::from(true)];
            found.enumeration = Cow::Owned(listed(dice, &values));
        }
        Kind::Int | Kind::Double => (found.minimum, found.maximum) = (bound(), bound()),
        Kind::Array(_) => (found.min_items, found.max_items) = (count(3), count(4)),
        _ => {}
    }
    // What the checker refuses: a least above the greatest, and what no whole number is within.
    let above = |least: Option<u64>, most: Option<u64>| least > most && most.is_some();
    if above(found.min_length, found.max_length) || above(found.min_items, found.max_items) {
        (found.min_length, found.min_items) = (None, None);
    }
    let ends = (found.minimum.as_ref(), found.maximum.as_ref());
    if let (Some(least), Some(most)) = ends
        && least.as_f64().ceil() > most.as_f64().floor()
    {
        found.maximum = None;
    }
    found
}

fn listed(dice: &Dice, of: &[Value]) -> Vec<agent_gram::Value> {
    let first = dice.below(of.len());
    let count = 1 + dice.below(of.len());
    let values = of.iter().cycle().skip(first).take(count);
    values.filter_map(json_to_value).collect()
}

/// Values near to what a type has; most are of it.
pub(super) fn value(dice: &Dice, ty: &Type, depth: usize) -> Value {
    if dice.in_ten(2) {
        return Value::Null;
    }
    let constraints = ty.constraints();
    let listed = constraints.enumeration();
    if !listed.is_empty() && dice.in_ten(8) {
        let value = &listed[dice.below(listed.len())];
        return agent_spec::json::value_to_json(value).unwrap_or_default();
    }
    match ty.kind() {
        Kind::Text => {
            let texts = [
                "",
                "a",
                "b",
                "red",
                "blue",
                "abc",
                "a1",
                "7",
                "é",
                "2026-11-21",
                "a@b.c",
                "1.2.3.4",
                "A!",
            ];
            Value::from(dice.one(&texts))
        }
        Kind::Int => match dice.below(3) {
            0 => Value::from(dice.below(9) as f64 - 3.0),
            _ => Value::from(dice.below(9) as i64 - 3),
        },
        Kind::Double => Value::from(dice.below(24) as f64 / 4.0 - 2.0),
        Kind::Bool => Value::from(dice.in_ten(5)),
        Kind::Array(of) => (0..dice.below(5))
            .map(|_| value(dice, of, depth + 1))
            .collect(),
        Kind::Object(Shape::Fields(fields)) => {
            Value::Object(record(dice, fields_of(fields), depth))
        }
        Kind::Object(shape) => {
            let any = Type::ANY;
            let of = match shape {
                Shape::Map(of) => of.get(),
                _ => any,
            };
            let keys = (0..dice.below(3)).map(|_| dice.one(&NAMES).to_owned());
            Value::Object(keys.map(|key| (key, value(dice, of, depth + 1))).collect())
        }
        _ if depth > 3 => Value::from(1),
        _ => value(dice, &self::ty(dice, 1), depth + 1),
    }
}

/// An object near to what some fields allow.
pub(super) fn record(dice: &Dice, fields: &[Field], depth: usize) -> Map<String, Value> {
    let mut members = Map::new();
    for field in fields {
        if !field.is_optional() || dice.in_ten(6) {
            members.insert(field.name().to_owned(), value(dice, field.ty(), depth + 1));
        }
    }
    members
}
