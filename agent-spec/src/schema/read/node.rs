//! One schema: what its keywords say together.

use super::keyword::is_own;
use super::source::{Json, Members};
use super::walk::{Step, Walk};
use crate::Nest;
use crate::binding::same_type;
use crate::types::{Bound, Constraints, Kind, Shape, Type};
use agent_gram::Value;
use agent_gram::value::Text;
use std::borrow::Cow;

/// What a schema says.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The type; optional when `null` is allowed beside its values.
    pub(super) ty: Box<Type>,
    pub(super) description: Option<String>,
    /// What is said of single values of an enumeration, a line each.
    pub(super) cases: Vec<String>,
    pub(super) default: Option<Value>,
}

impl Found {
    /// A type of which nothing more is said.
    pub(super) fn of(ty: Type) -> Self {
        Self {
            ty: Box::new(ty),
            description: None,
            cases: Vec::new(),
            default: None,
        }
    }

    /// The type alone, to stand in another.
    pub(super) fn into_nest(self) -> Nest<Type> {
        Nest::new(*self.ty)
    }

    /// The description, with that of single values after it.
    pub(super) fn full_description(&self) -> Option<String> {
        let lines: Vec<_> = self.description.iter().chain(&self.cases).collect();
        let lines: Vec<_> = lines.iter().map(|line| line.as_str()).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

impl<'s> Walk<'s> {
    /// Reads one schema, parts of it by way of [`Walk::schema`].
    pub(super) fn node(&mut self, schema: Json<'s>) -> Option<Found> {
        match schema {
            Json::Bool(true) => Some(Found::of(Type::new(Kind::Any))),
            Json::Bool(false) => {
                self.report(
                    "the schema `false` allows no value, and every gram type allows one",
                    "leave out what has this schema",
                );
                None
            }
            Json::Object(members) => {
                let parts = self.parts(members)?;
                self.finish(members, parts)
            }
            other => {
                let found = other.describe();
                self.report(format!("expected a schema, found {found}"), "");
                None
            }
        }
    }

    /// What each keyword, or group of them, says. All are read, so that everything wrong is found.
    fn parts(&mut self, members: Members<'s>) -> Option<Vec<Found>> {
        if !self.spend(members.len()) {
            return None;
        }
        self.refuse_keywords(members);
        let mut parts = Vec::new();
        if members.iter().any(|(key, _)| is_own(key)) {
            parts.push(self.own(members));
        }
        if let Some(reference) = members.get("$ref") {
            parts.push(self.reference(reference));
        }
        if let Some(all) = members.get("allOf") {
            parts.extend(self.arms("allOf", all));
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(arms) = members.get(key) {
                let arms = self.arms(key, arms);
                parts.push(self.union(key, arms));
            }
        }
        parts.into_iter().collect()
    }

    fn finish(&mut self, members: Members<'s>, parts: Vec<Found>) -> Option<Found> {
        let mut found = self.together(parts)?;
        match members.get("description") {
            None => {}
            Some(Json::Text(text)) if self.spend(text.len() / 64) => {
                found.description = Some(text.to_owned());
            }
            Some(Json::Text(_)) => return None,
            Some(other) => self.wrong("description", "a text", other),
        }
        match members.get("default") {
            // Gram has no null: such a default says that the value is then missing.
            None | Some(Json::Null) => {}
            Some(default) => found.default = self.default(&found.ty, default),
        }
        Some(found)
    }

    /// Reads the schemas of a list, such as that of `allOf`.
    pub(super) fn arms(&mut self, key: &'static str, arms: Json<'s>) -> Vec<Option<Found>> {
        let Json::List(arms) = arms else {
            self.wrong(key, "a list of schemas", arms);
            return vec![None];
        };
        self.steps.push(Step::Key(key.into()));
        let mut all = Vec::new();
        for (at, arm) in arms.iter().enumerate() {
            self.steps.push(Step::Index(at));
            all.push(self.schema(arm));
            self.steps.pop();
        }
        self.steps.pop();
        if all.is_empty() {
            self.report_at(key, "expected at least one schema, found none", "");
            all.push(None);
        }
        all
    }

    /// What allows only that which all parts allow.
    fn together(&mut self, parts: Vec<Found>) -> Option<Found> {
        let mut parts = parts.into_iter();
        // No part at all allows everything.
        let mut all = parts
            .next()
            .unwrap_or_else(|| Found::of(Type::new(Kind::Any)));
        for part in parts {
            let Some(ty) = meet(&all.ty, &part.ty) else {
                let (left, right) = (all.ty.label(), part.ty.label());
                self.report(
                    format!("several keywords each give a type, `{left}` and `{right}`, and gram has one"),
                    "write one schema that says what they say together",
                );
                return None;
            };
            *all.ty = ty;
            all.description = all.description.or(part.description);
            all.default = all.default.or(part.default);
            all.cases.extend(part.cases);
        }
        Some(all)
    }
}

/// The type of the values that two types have in common, where gram can say it.
fn meet(left: &Type, right: &Type) -> Option<Type> {
    // `Any` allows `null` as well.
    if is_anything(left) {
        return Some(right.clone());
    }
    if is_anything(right) || same_type(left, right) {
        return Some(left.clone());
    }
    let kind = match (left.kind(), right.kind()) {
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
        // An object of which nothing is known narrows no other.
        (Kind::Object(Shape::Open), kind @ Kind::Object(_))
        | (kind @ Kind::Object(_), Kind::Object(Shape::Open)) => kind.clone(),
        _ => return None,
    };
    let constraints = both(left.constraints(), right.constraints())?;
    let optional = left.is_optional() && right.is_optional();
    Some(
        Type::new(kind)
            .with_constraints(constraints)
            .with_optional(optional),
    )
}

/// Whether a type narrows nothing.
pub(super) fn is_anything(ty: &Type) -> bool {
    matches!(ty.kind(), Kind::Any) && ty.constraints().is_none()
}

/// The constraints of both, unless they give one keyword two values.
fn both(left: &Constraints, right: &Constraints) -> Option<Constraints> {
    // Which values of an enumeration the other part's keywords leave is not worked out.
    let enumeration = match (left.enumeration(), right.enumeration()) {
        (values, []) | ([], values) => values.to_vec(),
        _ => return None,
    };
    let mut both = Constraints::NONE;
    both.enumeration = Cow::Owned(enumeration);
    both.format = one::<Text>(&left.format, &right.format)?;
    both.minimum = one::<Bound>(&left.minimum, &right.minimum)?;
    both.maximum = one::<Bound>(&left.maximum, &right.maximum)?;
    both.min_length = one(&left.min_length, &right.min_length)?;
    both.max_length = one(&left.max_length, &right.max_length)?;
    both.pattern = one::<Text>(&left.pattern, &right.pattern)?;
    both.min_items = one(&left.min_items, &right.min_items)?;
    both.max_items = one(&left.max_items, &right.max_items)?;
    let narrows = |constraints: &Constraints| {
        let mut rest = constraints.clone();
        rest.enumeration = Cow::Borrowed(&[]);
        !rest.is_none()
    };
    (both.enumeration.is_empty() || !narrows(&both)).then_some(both)
}

fn one<T: Clone + PartialEq>(left: &Option<T>, right: &Option<T>) -> Option<Option<T>> {
    match (left, right) {
        (Some(a), Some(b)) if a != b => None,
        (held, None) | (_, held) => Some(held.clone()),
    }
}
