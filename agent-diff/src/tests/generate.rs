//! Generated tools, changes of them, and values of types.

use crate::candidates::sample;
use agent_gram::value::Decimal;
use agent_spec::json::json_to_value;
use agent_spec::types::{Bound, Constraints, fields_of};
use agent_spec::{
    Contract, Field, Kind, Nest, Param, Returns, Shape, Signature, ToolDescriptor, ToolSettings,
    Type,
};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;

/// Choices made from bytes, so that proptest can shrink a failing case. Used-up bytes count as zeros.
pub(super) struct Choices {
    bytes: Vec<u8>,
    at: Cell<usize>,
}

impl Choices {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            at: Cell::new(0),
        }
    }

    /// Chooses a number below `sides`.
    pub(super) fn below(&self, sides: usize) -> usize {
        let at = self.at.replace(self.at.get() + 1);
        usize::from(self.bytes.get(at).copied().unwrap_or(0)) % sides
    }

    /// Whether a case happens that happens so many times in ten; never when the bytes are used up.
    pub(super) fn in_ten(&self, cases: usize) -> bool {
        self.below(10) >= 10 - cases
    }

    /// Chooses one of some values.
    pub(super) fn one<T: Copy>(&self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// Parameter names, some of which nearly spell others.
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

/// A tool that can be changed.
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

/// Generates tools.
pub(super) fn drafts(choices: &Choices) -> Vec<Draft> {
    ["first", "second"][..=choices.below(2)]
        .iter()
        .map(|name| Draft {
            name,
            description: "Does it.".to_owned(),
            params: fields(choices, 2),
            returns: ty(choices, 2).with_optional(choices.in_ten(2)),
        })
        .collect()
}

/// Generates a newer version of some tools.
pub(super) fn changed(choices: &Choices, drafts: &[Draft]) -> Vec<Draft> {
    let mut drafts = drafts.to_vec();
    if choices.in_ten(1) {
        drafts.pop();
    }
    if let Some(draft) = drafts.first_mut().filter(|_| choices.in_ten(1)) {
        draft.name = "third";
    }
    for draft in &mut drafts {
        if choices.in_ten(1) {
            draft.description.push_str(" Again.");
        }
        if choices.in_ten(3) {
            draft.returns = changed_type(choices, &draft.returns);
        }
        if choices.in_ten(7) {
            change_fields(choices, &mut draft.params);
        }
    }
    drafts
}

fn change_fields(choices: &Choices, fields: &mut Vec<Field>) {
    let at = choices.below(fields.len().max(1));
    match (choices.below(8), fields.get(at).cloned()) {
        (0, Some(_)) => {
            fields.remove(at);
        }
        (1, _) => fields.push(field(choices, choices.one(&NAMES), 1)),
        (2, Some(old)) => {
            fields[at] = with_presence(choices, Field::new(choices.one(&NAMES), old.ty().clone()))
        }
        (3, Some(old)) => {
            fields[at] =
                with_presence(choices, Field::new(old.name().to_owned(), old.ty().clone()));
        }
        (4, Some(_)) => fields.rotate_left(1),
        (5, Some(old)) => fields[at] = old.with_description("Told."),
        (_, Some(old)) => {
            let ty = changed_type(choices, old.ty());
            fields[at] = with_presence(choices, Field::new(old.name().to_owned(), ty));
        }
        _ => {}
    }
    let mut names = HashSet::new();
    fields.retain(|field| names.insert(field.name().to_owned()));
}

pub(super) fn changed_type(choices: &Choices, ty: &Type) -> Type {
    if choices.in_ten(2) {
        return self::ty(choices, 2);
    }
    let optional = ty.is_optional() != choices.in_ten(2);
    let kind = match ty.kind() {
        Kind::Array(of) if choices.in_ten(6) => Kind::Array(Nest::new(changed_type(choices, of))),
        Kind::Object(Shape::Map(of)) if choices.in_ten(6) => {
            Kind::Object(Shape::Map(Nest::new(changed_type(choices, of))))
        }
        Kind::Tuple(of) if choices.in_ten(6) => {
            Kind::Tuple(of.iter().map(|ty| changed_type(choices, ty)).collect())
        }
        Kind::Union(of) if choices.in_ten(6) => {
            let union = Type::any_of(of.iter().map(|ty| changed_type(choices, ty)));
            return union.expect("as many types").with_optional(optional);
        }
        Kind::Object(Shape::Extended(fields, values)) if choices.in_ten(9) => {
            let mut fields = fields_of(fields).to_vec();
            change_fields(choices, &mut fields);
            let values = changed_type(choices, values);
            match fields.is_empty() {
                true => Kind::Object(Shape::Map(Nest::new(values))),
                false => Kind::Object(Shape::Extended(Cow::Owned(fields), Nest::new(values))),
            }
        }
        Kind::Object(Shape::Fields(fields)) if choices.in_ten(9) => {
            let mut fields = fields_of(fields).to_vec();
            change_fields(choices, &mut fields);
            Kind::Object(Shape::Fields(Cow::Owned(fields)))
        }
        Kind::Int if choices.in_ten(3) => Kind::Double,
        Kind::Double if choices.in_ten(3) => Kind::Int,
        kind => {
            let constraints = constraints(choices, kind);
            return Type::new(kind.clone())
                .with_constraints(constraints)
                .with_optional(optional);
        }
    };
    Type::new(kind).with_optional(optional)
}

fn fields(choices: &Choices, depth: usize) -> Vec<Field> {
    let count = choices.below(4);
    let mut names = HashSet::new();
    let named = (0..count)
        .map(|_| choices.one(&NAMES))
        .filter(|name| names.insert(*name));
    named.map(|name| field(choices, name, depth)).collect()
}

fn field(choices: &Choices, name: &str, depth: usize) -> Field {
    with_presence(choices, Field::new(name.to_owned(), ty(choices, depth)))
}

/// Makes a field required or optional, or gives it a default.
fn with_presence(choices: &Choices, field: Field) -> Field {
    let required = field.ty().clone().with_optional(false);
    let default = sample(&required).filter(|_| choices.in_ten(3));
    match default.and_then(|value| json_to_value(&value)) {
        Some(default) => Field::new(field.name().to_owned(), required).with_default(default),
        None => Field::new(
            field.name().to_owned(),
            required.with_optional(choices.in_ten(4)),
        ),
    }
}

/// Generates a type that has values.
pub(super) fn ty(choices: &Choices, depth: usize) -> Type {
    let kind = match choices.below(if depth == 0 { 6 } else { 13 }) {
        0 | 1 => Kind::Text,
        2 => Kind::Int,
        3 => Kind::Double,
        4 => Kind::Bool,
        5 => Kind::Any,
        6 => Kind::Array(Nest::new(
            ty(choices, depth - 1).with_optional(choices.in_ten(2)),
        )),
        7 => Kind::Object(Shape::Open),
        8 => Kind::Object(Shape::Map(Nest::new(ty(choices, depth - 1)))),
        9 => Kind::Tuple(types(choices, depth - 1).into()),
        10 => {
            let union = Type::any_of(types(choices, depth - 1)).expect("a few types");
            return union.with_optional(false);
        }
        11 => match fields(choices, depth - 1) {
            fields if fields.is_empty() => Kind::Object(Shape::Open),
            fields => Kind::Object(Shape::Extended(
                Cow::Owned(fields),
                Nest::new(ty(choices, depth - 1)),
            )),
        },
        _ => Kind::Object(Shape::Fields(Cow::Owned(fields(choices, depth - 1)))),
    };
    let constraints = constraints(choices, &kind);
    Type::new(kind).with_constraints(constraints)
}

/// Generates one to three types.
fn types(choices: &Choices, depth: usize) -> Vec<Type> {
    let count = 1 + choices.below(3);
    (0..count).map(|_| ty(choices, depth)).collect()
}

fn constraints(choices: &Choices, kind: &Kind) -> Constraints {
    let mut found = Constraints::NONE;
    let count = |most| choices.in_ten(3).then(|| choices.below(most) as u64);
    let bound = || {
        choices.in_ten(4).then(|| match choices.below(5) {
            0 => Bound::Double(Decimal::new(choices.below(9) as f64 / 2.0).expect("finite")),
            _ => Bound::Int(choices.below(6) as i128 - 2),
        })
    };
    match kind {
        Kind::Text => match choices.below(8) {
            0 => found.enumeration = Cow::Owned(listed(choices, &WORDS.map(Value::from))),
            1 => found.pattern = Some(choices.one(&PATTERNS).into()),
            2 => found.format = Some(choices.one(&FORMATS).into()),
            _ => (found.min_length, found.max_length) = (count(3), count(5)),
        },
        Kind::Int if choices.in_ten(2) => {
            found.enumeration = Cow::Owned(listed(choices, &[1, 2, 3].map(Value::from)));
        }
        Kind::Any if choices.in_ten(2) => {
            let values = [Value::from(1), Value::from("red"), Value::from(true)];
            found.enumeration = Cow::Owned(listed(choices, &values));
        }
        Kind::Int | Kind::Double if choices.in_ten(3) => {
            (found.exclusive_minimum, found.maximum) = (bound(), bound());
        }
        Kind::Int | Kind::Double if choices.in_ten(3) => {
            (found.minimum, found.exclusive_maximum) = (bound(), bound());
        }
        Kind::Int | Kind::Double if choices.in_ten(2) => {
            found.multiple_of = Some(Bound::Int(1 + choices.below(4) as i128));
        }
        Kind::Int | Kind::Double => (found.minimum, found.maximum) = (bound(), bound()),
        Kind::Array(_) => (found.min_items, found.max_items) = (count(3), count(4)),
        _ => {}
    }
    // The checker refuses a least above the greatest, and bounds without a whole number between them.
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
    let least = found.minimum.as_ref().or(found.exclusive_minimum.as_ref());
    let most = found.maximum.as_ref().or(found.exclusive_maximum.as_ref());
    if let (Some(least), Some(most)) = (least, most)
        && least.as_f64() + 1.0 >= most.as_f64()
        && (found.exclusive_minimum.is_some() || found.exclusive_maximum.is_some())
    {
        (found.maximum, found.exclusive_maximum) = (None, None);
    }
    found
}

fn listed(choices: &Choices, of: &[Value]) -> Vec<agent_gram::Value> {
    let first = choices.below(of.len());
    let count = 1 + choices.below(of.len());
    let values = of.iter().cycle().skip(first).take(count);
    values.filter_map(json_to_value).collect()
}

/// Generates a value near to a type; most values are of the type.
pub(super) fn value(choices: &Choices, ty: &Type, depth: usize) -> Value {
    if choices.in_ten(2) {
        return Value::Null;
    }
    let constraints = ty.constraints();
    let listed = constraints.enumeration();
    if !listed.is_empty() && choices.in_ten(8) {
        let value = &listed[choices.below(listed.len())];
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
            Value::from(choices.one(&texts))
        }
        Kind::Int => match choices.below(3) {
            0 => Value::from(choices.below(9) as f64 - 3.0),
            _ => Value::from(choices.below(9) as i64 - 3),
        },
        Kind::Double => Value::from(choices.below(24) as f64 / 4.0 - 2.0),
        Kind::Bool => Value::from(choices.in_ten(5)),
        Kind::Array(of) => (0..choices.below(5))
            .map(|_| value(choices, of, depth + 1))
            .collect(),
        Kind::Object(Shape::Fields(fields)) => {
            Value::Object(record(choices, fields_of(fields), depth))
        }
        Kind::Object(Shape::Extended(fields, values)) => {
            let mut members = record(choices, fields_of(fields), depth);
            let key = choices.one(&NAMES).to_owned();
            members
                .entry(key)
                .or_insert_with(|| value(choices, values, depth + 1));
            Value::Object(members)
        }
        Kind::Tuple(types) => types
            .iter()
            .map(|ty| value(choices, ty, depth + 1))
            .collect(),
        Kind::Union(types) => value(choices, &types[choices.below(types.len())], depth + 1),
        Kind::Object(shape) => {
            let any = Type::ANY;
            let of = match shape {
                Shape::Map(of) => of.get(),
                _ => any,
            };
            let keys = (0..choices.below(3)).map(|_| choices.one(&NAMES).to_owned());
            Value::Object(
                keys.map(|key| (key, value(choices, of, depth + 1)))
                    .collect(),
            )
        }
        _ if depth > 3 => Value::from(1),
        _ => value(choices, &self::ty(choices, 1), depth + 1),
    }
}

/// Generates an object near to some fields.
pub(super) fn record(choices: &Choices, fields: &[Field], depth: usize) -> Map<String, Value> {
    let mut members = Map::new();
    for field in fields {
        if !field.is_optional() || choices.in_ten(6) {
            members.insert(
                field.name().to_owned(),
                value(choices, field.ty(), depth + 1),
            );
        }
    }
    members
}
