//! Inclusion of types: one type accepts every value that another type allows, or there is a counterexample.
//!
//! The question is decided part by part. Where both types are narrowed in ways that cannot be compared,
//! candidate values are tried. Every counterexample was put to the validator.

use super::accept::{NullableType, UndeclaredMembers, accepts, first_refused};
use super::bound::{bounds_of, compare, has_multiples, is_whole};
use super::candidates::{
    ENUM_CHUNK, candidates, declared_fields, enum_values, is_single, list_of_length, misspelling,
    numbers, numbers_around, required_members, sample, texts, unused_name, without_enum,
};
use agent_spec::compare::value_key;
use agent_spec::names::nearly_spells;
use agent_spec::types::{Bound, Constraints};
use agent_spec::validate::is_asserted_format;
use agent_spec::{Field, Kind, Shape, Type};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// The number of candidates that are tried where the parts of the types do not decide.
const CANDIDATES: usize = 24;

/// The maximum length of an `enum` for which a value outside of the `enum` is looked for. Each candidate is compared with each
/// value, and an MCP server can list ten thousands of values.
const MAX_ENUM_LENGTH: usize = 2_000;

/// The inclusion of an inner type in an outer type, which must accept every value of the inner one. `C` is a
/// counterexample.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Inclusion<C = Value> {
    /// Every value is accepted.
    Included,
    /// A value of the inner type that the outer type refuses.
    Refuted(C),
    /// No counterexample was found, nor could it be proven that there is none.
    Undecided,
}

impl<C> Inclusion<C> {
    /// Returns the inclusion if no part is refuted. `is_open` is whether a part is undecided.
    fn of_parts(is_open: bool) -> Self {
        match is_open {
            true => Inclusion::Undecided,
            false => Inclusion::Included,
        }
    }

    /// Returns the counterexample, if one was found.
    pub(super) fn counterexample(self) -> Option<C> {
        match self {
            Inclusion::Refuted(value) => Some(value),
            Inclusion::Included | Inclusion::Undecided => None,
        }
    }
}

/// Decides whether the outer type accepts every value of the inner type. Values of the inner type are
/// those without members that it does not name.
pub(super) fn inclusion(
    inner: NullableType<'_>,
    outer: NullableType<'_>,
    undeclared: UndeclaredMembers,
) -> Inclusion {
    if inner.allows_null && !accepts(outer, &Value::Null, undeclared) {
        return Inclusion::Refuted(Value::Null);
    }
    if inner.ty == outer.ty {
        return Inclusion::Included;
    }
    let pair = Pair {
        inner: inner.ty,
        outer,
        undeclared,
    };
    match pair.by_parts() {
        Inclusion::Undecided => pair.try_all(candidates(inner.ty, CANDIDATES).values),
        decided => decided,
    }
}

/// Two types that are compared. `null` as no value was compared already.
#[derive(Clone, Copy)]
struct Pair<'a> {
    inner: &'a Type,
    outer: NullableType<'a>,
    undeclared: UndeclaredMembers,
}

impl Pair<'_> {
    /// Looks for a counterexample among some values.
    fn try_all(&self, values: impl IntoIterator<Item = Value>) -> Inclusion {
        let inner = NullableType::required(self.inner);
        let mut values = values.into_iter();
        let refuted = values.find(|value| {
            accepts(inner, value, UndeclaredMembers::Refused)
                && !accepts(self.outer, value, self.undeclared)
        });
        refuted.map_or(Inclusion::Undecided, Inclusion::Refuted)
    }

    fn by_parts(&self) -> Inclusion {
        if let Some(schema) = &self.outer.ty.constraints().schema {
            // Whether one JSON Schema is narrower than another is not decided.
            return match self.inner.constraints().schema.as_ref() == Some(schema) {
                true => Inclusion::Included,
                false => Inclusion::Undecided,
            };
        }
        if !self.inner.constraints().enumeration().is_empty() {
            return self.compare_enum_values();
        }
        if !self.outer.ty.constraints().enumeration().is_empty() {
            return self.compare_with_enum();
        }
        match (self.inner.kind(), self.outer.ty.kind()) {
            (Kind::Media(of), Kind::Media(to)) if of == to => Inclusion::Included,
            // A run treats media in another way than a value of the same JSON, which is text.
            (Kind::Media(_), _) | (_, Kind::Media(_)) => Inclusion::Undecided,
            (_, Kind::Any) | (Kind::Bool, Kind::Bool) => Inclusion::Included,
            (Kind::Null, _) if accepts(self.outer, &Value::Null, self.undeclared) => {
                Inclusion::Included
            }
            (Kind::Text, Kind::Text) => self.compare_texts(),
            (Kind::Int | Kind::Double, Kind::Int | Kind::Double) => self.compare_numbers(),
            (Kind::Union(types), _) => self.compare_each(types),
            (_, Kind::Union(types)) => self.compare_with_any(types),
            (Kind::Tuple(of), Kind::Tuple(to)) if of.len() == to.len() => {
                self.compare_items(of, to)
            }
            (Kind::Array(of), Kind::Array(to)) => self.compare_lists(of, to),
            (Kind::Object(of), Kind::Object(to)) => self.compare_objects(of, to),
            // The kinds differ, so any sample is a counterexample, except for `Any`.
            _ => Inclusion::Undecided,
        }
    }

    /// Tries each value of the inner type's `enum`.
    fn compare_enum_values(&self) -> Inclusion {
        let allowed = self.outer.ty.constraints().enumeration();
        // The values are in a set, because comparing each value with each takes minutes for two long lists.
        let allowed: HashSet<String> = allowed.iter().map(value_key).collect();
        let rest = without_enum(self.outer.ty);
        let rest = NullableType {
            ty: &rest,
            ..self.outer
        };
        let mut all = enum_values(self.inner);
        loop {
            let (listed, mut values): (Vec<_>, Vec<_>) = all.by_ref().take(ENUM_CHUNK).unzip();
            if values.is_empty() {
                return Inclusion::Included;
            }
            let mut refused = first_refused(rest, &values, self.undeclared);
            if !allowed.is_empty() {
                let is_unlisted = |at: &usize| {
                    let value = &values[*at];
                    let is_listed = is_exact(value) && allowed.contains(&value_key(listed[*at]));
                    !is_listed && !accepts(self.outer, value, self.undeclared)
                };
                let unlisted = (0..refused.unwrap_or(values.len())).find(is_unlisted);
                refused = unlisted.or(refused);
            }
            if let Some(at) = refused {
                return Inclusion::Refuted(values.swap_remove(at));
            }
        }
    }

    /// Looks for a value that the outer type's `enum` does not list.
    fn compare_with_enum(&self) -> Inclusion {
        let listed = self.outer.ty.constraints().enumeration().len();
        if listed > MAX_ENUM_LENGTH {
            return Inclusion::Undecided;
        }
        // One candidate more than the `enum` has values, so that at least one candidate is not in the `enum`.
        let tried = candidates(self.inner, listed + 1);
        match self.try_all(tried.values) {
            Inclusion::Undecided if tried.are_all => Inclusion::Included,
            found => found,
        }
    }

    /// Compares lengths, and patterns and formats by their texts: whether one pattern or format is
    /// narrower than another is not decided.
    fn compare_texts(&self) -> Inclusion {
        let (own, other) = (self.inner.constraints(), self.outer.ty.constraints());
        let least = |of: &Constraints| of.min_length.unwrap_or(0);
        let most = |of: &Constraints| of.max_length.unwrap_or(u64::MAX);
        if least(own) > most(own) {
            return Inclusion::Included;
        }
        let has_length = least(own) >= least(other) && most(own) <= most(other);
        let has_format = asserted_format(other).is_none() || own.format == other.format;
        let has_pattern = other.pattern.is_none() || own.pattern == other.pattern;
        if has_length && has_format && has_pattern {
            return Inclusion::Included;
        }
        self.try_all(texts([own, other]))
    }

    /// Compares numbers. `Int` is a part of `Double`: `5.0` is a whole number. So are the multiples of a whole number.
    fn compare_numbers(&self) -> Inclusion {
        let (least, most) = bounds_of(self.inner);
        if let (Some(least), Some(most)) = (&least, &most)
            && compare(least, most).is_gt()
        {
            return Inclusion::Included;
        }
        let (outer_least, outer_most) = bounds_of(self.outer.ty);
        let is_above = |bound: &Bound| {
            least
                .as_ref()
                .is_some_and(|own| compare(own, bound).is_ge())
        };
        let is_below = |bound: &Bound| most.as_ref().is_some_and(|own| compare(own, bound).is_le());
        let is_kind = is_whole(self.inner) || !is_whole(self.outer.ty);
        if is_kind
            && self.has_narrow_ends(least.as_ref(), most.as_ref())
            && outer_least.as_ref().is_none_or(is_above)
            && outer_most.as_ref().is_none_or(is_below)
        {
            return Inclusion::Included;
        }
        let bounds = [&outer_least, &outer_most].into_iter().flatten();
        let tried = numbers(self.inner)
            .into_iter()
            .chain(bounds.flat_map(numbers_around));
        match self.try_all(tried) {
            Inclusion::Undecided if is_single(least.as_ref(), most.as_ref()) => Inclusion::Included,
            found => found,
        }
    }

    /// Whether the inner type keeps away from the ends that the outer one excludes, and has its multiples.
    fn has_narrow_ends(&self, least: Option<&Bound>, most: Option<&Bound>) -> bool {
        let (own, other) = (self.inner.constraints(), self.outer.ty.constraints());
        let multiple_of = other.multiple_of.as_ref();
        let is_multiple = multiple_of.is_none_or(|of| has_multiples(self.inner, of));
        // The bounds of whole numbers are rounded to numbers that are allowed.
        if is_whole(self.outer.ty) {
            return is_multiple;
        }
        let is_above = |end: &Bound| {
            let excluded = own.exclusive_minimum.as_ref();
            excluded.is_some_and(|own| compare(own, end).is_ge())
                || least.is_some_and(|least| compare(least, end).is_gt())
        };
        let is_below = |end: &Bound| {
            let excluded = own.exclusive_maximum.as_ref();
            excluded.is_some_and(|own| compare(own, end).is_le())
                || most.is_some_and(|most| compare(most, end).is_lt())
        };
        is_multiple
            && other.exclusive_minimum.as_ref().is_none_or(is_above)
            && other.exclusive_maximum.as_ref().is_none_or(is_below)
    }

    /// Compares lists with elements of these types.
    fn compare_lists(&self, of: &Type, to: &Type) -> Inclusion {
        let (least, most) = list_lengths(self.inner);
        if least > most {
            return Inclusion::Included;
        }
        let (outer_least, outer_most) = list_lengths(self.outer.ty);
        let mut is_open = false;
        let too_short = (least < outer_least).then_some(least);
        let too_long = (outer_most < most).then(|| least.max(outer_most.saturating_add(1)));
        for length in too_short.into_iter().chain(too_long) {
            match self.try_all(list_of_length(of, length, None)) {
                Inclusion::Undecided => is_open = true,
                found => return found,
            }
        }
        let elements = || inclusion(NullableType::of(of), NullableType::of(to), self.undeclared);
        match if most == 0 {
            Inclusion::Included
        } else {
            elements()
        } {
            Inclusion::Included if !is_open => Inclusion::Included,
            Inclusion::Refuted(value) => {
                self.try_all(list_of_length(of, least.max(1), Some(value)))
            }
            _ => Inclusion::Undecided,
        }
    }

    /// Compares each type of the inner union with the outer type.
    fn compare_each(&self, types: &[Type]) -> Inclusion {
        let mut is_open = false;
        for ty in types {
            match inclusion(NullableType::of(ty), self.outer, self.undeclared) {
                Inclusion::Included => {}
                // A value that an earlier type of the union fits may be read as that type.
                Inclusion::Refuted(value) => match self.try_all([value]) {
                    Inclusion::Undecided => is_open = true,
                    found => return found,
                },
                Inclusion::Undecided => is_open = true,
            }
        }
        Inclusion::of_parts(is_open)
    }

    /// Compares the inner type with each type of the outer union: one that accepts all values is enough.
    fn compare_with_any(&self, types: &[Type]) -> Inclusion {
        let mut refuted = Vec::new();
        for ty in types {
            let to = NullableType { ty, ..self.outer };
            match inclusion(NullableType::required(self.inner), to, self.undeclared) {
                Inclusion::Included => return Inclusion::Included,
                Inclusion::Refuted(value) => refuted.push(value),
                Inclusion::Undecided => {}
            }
        }
        self.try_all(refuted)
    }

    /// Compares lists of the same number of elements, each of a type of its own.
    fn compare_items(&self, of: &[Type], to: &[Type]) -> Inclusion {
        let Some(base) = of.iter().map(sample).collect::<Option<Vec<_>>>() else {
            return Inclusion::Undecided;
        };
        let mut is_open = false;
        for (at, (of, to)) in of.iter().zip(to).enumerate() {
            match inclusion(NullableType::of(of), NullableType::of(to), self.undeclared) {
                Inclusion::Included => {}
                Inclusion::Refuted(value) => {
                    let mut items = base.clone();
                    items[at] = value;
                    return self.try_all([Value::Array(items)]);
                }
                Inclusion::Undecided => is_open = true,
            }
        }
        Inclusion::of_parts(is_open)
    }

    /// Compares records with declared fields, maps, and any objects.
    fn compare_objects(&self, of: &Shape, to: &Shape) -> Inclusion {
        if matches!(to, Shape::Open) {
            return Inclusion::Included;
        }
        if let (Shape::Extended(..), _) | (_, Shape::Extended(..)) = (of, to) {
            return self.compare_extended(of, to);
        }
        let members = |shape: &Shape| match shape {
            Shape::Map(of) => of.get().clone(),
            _ => Type::ANY.clone(),
        };
        match (declared_fields(of), declared_fields(to)) {
            (None, None) => self.maps(&members(of), &members(to)),
            (None, Some(to)) => self.map_to_record(&members(of), to),
            (Some(of), None) => self.record_to_map(of, &members(to)),
            (Some(of), Some(to)) => self.records(of, to),
        }
    }

    /// Compares records if one of them has further keys. Inclusion is proven only if both have further keys.
    fn compare_extended(&self, of: &Shape, to: &Shape) -> Inclusion {
        let Some(base) = required_members(of.fields()) else {
            return Inclusion::Undecided;
        };
        let with = |name: &str, value: Option<Value>| {
            let mut members = base.clone();
            members.insert(name.to_owned(), value?);
            Some(members)
        };
        let is_in = |shape: &Shape, name: &str| shape.fields().iter().any(|f| f.name() == name);
        // A field that only one of the two declares is a further key of the other.
        let own = of.fields().iter().filter(|own| !is_in(to, own.name()));
        let own = own.filter_map(|own| with(own.name(), sample(own.ty())));
        let others = to.fields().iter().filter(|other| !is_in(of, other.name()));
        let values = of.values();
        let others = others.filter_map(|other| with(other.name(), values.and_then(sample)));
        let names = of.fields().iter().chain(to.fields()).map(Field::name);
        let unused = unused_name(names);
        let further = values.map(|values| {
            let to = NullableType::of(to.values().unwrap_or(Type::ANY));
            inclusion(NullableType::of(values), to, self.undeclared)
        });
        let refuting = match &further {
            Some(Inclusion::Refuted(value)) => Some(value.clone()),
            _ => values.and_then(sample),
        };
        let tried = own.chain(others).chain(with(&unused, refuting));
        if let found @ Inclusion::Refuted(_) = self.try_members(tried) {
            return found;
        }
        let (Shape::Extended(own, _), Shape::Extended(other, _)) = (of, to) else {
            return Inclusion::Undecided;
        };
        let same_names = own.len() == other.len() && own.iter().all(|own| is_in(to, own.name()));
        match self.records(own, other) {
            Inclusion::Included if same_names && further == Some(Inclusion::Included) => {
                Inclusion::Included
            }
            Inclusion::Refuted(value) => self.try_all([value]),
            _ => Inclusion::Undecided,
        }
    }

    fn try_members(&self, members: impl IntoIterator<Item = Map<String, Value>>) -> Inclusion {
        self.try_all(members.into_iter().map(Value::Object))
    }

    fn maps(&self, of: &Type, to: &Type) -> Inclusion {
        match inclusion(NullableType::of(of), NullableType::of(to), self.undeclared) {
            Inclusion::Refuted(value) => {
                let key = unused_name(std::iter::empty());
                self.try_members([Map::from_iter([(key, value)])])
            }
            other => other,
        }
    }

    fn map_to_record(&self, of: &Type, to: &[Field]) -> Inclusion {
        if to.is_empty() && self.undeclared == UndeclaredMembers::Ignored {
            return Inclusion::Included;
        }
        let mut tried = vec![Map::new()];
        let mut keys = vec![unused_name(to.iter().map(Field::name))];
        keys.extend(to.first().map(|field| misspelling(field.name())));
        if let Some(value) = sample(of) {
            let with_key = |key| Map::from_iter([(key, value.clone())]);
            tried.extend(keys.into_iter().map(with_key));
        }
        for field in to {
            let found = inclusion(NullableType::of(of), nullable(field), self.undeclared);
            let with_value = |value| Map::from_iter([(field.name().to_owned(), value)]);
            tried.extend(found.counterexample().map(with_value));
        }
        self.try_members(tried)
    }

    fn record_to_map(&self, of: &[Field], to: &Type) -> Inclusion {
        let Some(base) = required_members(of) else {
            return Inclusion::Undecided;
        };
        let mut is_open = false;
        for field in of {
            let found = match inclusion(nullable(field), NullableType::of(to), self.undeclared) {
                Inclusion::Refuted(value) => {
                    let mut members = base.clone();
                    members.insert(field.name().to_owned(), value);
                    self.try_members([members])
                }
                other => other,
            };
            match found {
                Inclusion::Included => {}
                Inclusion::Undecided => is_open = true,
                Inclusion::Refuted(_) => return found,
            }
        }
        Inclusion::of_parts(is_open)
    }

    fn records(&self, of: &[Field], to: &[Field]) -> Inclusion {
        let Some(mut members) = required_members(of) else {
            return Inclusion::Undecided;
        };
        match member_inclusion(of, to, self.undeclared) {
            Inclusion::Included => Inclusion::Included,
            Inclusion::Undecided => Inclusion::Undecided,
            Inclusion::Refuted(given) => {
                members.extend(given);
                self.try_members([members])
            }
        }
    }
}

/// Whether [`value_key`] compares all numbers of a value as the validator does, without rounding.
fn is_exact(value: &Value) -> bool {
    /// From here on, doubles are more than 1 apart.
    const BEYOND: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) => number.as_f64().is_some_and(|value| value.abs() < BEYOND),
        Value::Array(items) => items.iter().all(is_exact),
        Value::Object(members) => members.values().all(is_exact),
        _ => true,
    }
}

/// Returns the format of a text, if validation asserts it. Every other format is an annotation.
fn asserted_format(constraints: &Constraints) -> Option<&str> {
    let format = constraints.format.as_deref()?;
    is_asserted_format(format).then_some(format)
}

fn list_lengths(ty: &Type) -> (u64, u64) {
    let constraints = ty.constraints();
    (
        constraints.min_items.unwrap_or(0),
        constraints.max_items.unwrap_or(u64::MAX),
    )
}

/// The difference between the list of all required members and a list that is refused: a member that is given, or none
/// if an outer member is missing.
pub(super) type GivenMember = Option<(String, Value)>;

/// The maximum number of pairs of field names that are compared for two records. An MCP server can have ten thousands of
/// fields in a result. Beyond the limit, the inclusion is undecided, because a further field may be a misspelling.
const MAX_COMPARED_NAMES: usize = 100_000;

/// Compares the fields of two records, or the parameters of two signatures: the outer ones must accept every list of
/// members that the inner ones allow.
pub(super) fn member_inclusion(
    of: &[Field],
    to: &[Field],
    undeclared: UndeclaredMembers,
) -> Inclusion<GivenMember> {
    let outer: HashMap<&str, &Field> = to.iter().map(|field| (field.name(), field)).collect();
    let inner: HashMap<&str, &Field> = of.iter().map(|field| (field.name(), field)).collect();
    let may_be_missing = |field: &Field| match inner.get(field.name()) {
        Some(own) => own.is_optional(),
        None => true,
    };
    let missing: Vec<&Field> = to.iter().filter(|field| may_be_missing(field)).collect();
    if missing.iter().any(|field| !field.is_optional()) {
        return Inclusion::Refuted(None);
    }
    let (mut is_open, mut compared) = (false, 0);
    for field in of {
        let given = |value| Inclusion::Refuted(Some((field.name().to_owned(), value)));
        let Some(other) = outer.get(field.name()) else {
            // The validator refuses an undeclared name that nearly spells a missing field.
            let is_misspelling = || {
                let mut names = missing.iter().map(|other| other.name());
                names.any(|name| nearly_spells(field.name(), name))
            };
            if undeclared == UndeclaredMembers::Ignored {
                compared += missing.len();
                if compared > MAX_COMPARED_NAMES {
                    is_open = true;
                    continue;
                }
                if !is_misspelling() {
                    continue;
                }
            }
            match sample(field.ty()) {
                Some(value) => return given(value),
                // A member that is given as `null` counts as given.
                None if field.is_optional() => return given(Value::Null),
                None => is_open = true,
            }
            continue;
        };
        // Whether the field may be missing was compared above.
        match inclusion(
            NullableType::required(field.ty()),
            nullable(other),
            undeclared,
        ) {
            Inclusion::Included => {}
            Inclusion::Refuted(value) => return given(value),
            Inclusion::Undecided => is_open = true,
        }
    }
    Inclusion::of_parts(is_open)
}

/// Returns the type of a field, which accepts `null` when the field is optional.
fn nullable(field: &Field) -> NullableType<'_> {
    NullableType {
        ty: field.ty(),
        allows_null: field.is_optional(),
    }
}
