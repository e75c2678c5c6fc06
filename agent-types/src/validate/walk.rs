//! Walking a value along its type.

use crate::constraints::{Bound, Constraints};
use crate::host::{Host, TextForm};
use crate::json_value::{Path, describe, shorten, values_in};
use crate::names::{nearest, nearly_spells, nearness};
use crate::types::{ByName, Field, Kind, Shape, Type, alternative_like, fields_of, types_of};
use crate::validate::aliases::{given_twice, member_of, variant_of};
use crate::validate::format::missing_format;
use crate::validate::json_text::{inner_value, is_json_like, reads_json_text, write_itself};
use crate::validate::number;
use crate::validate::number::{compare, is_value};
use crate::validate::patterns::{Patterns, Unmatched, shown_pattern};
use crate::validate::variants::UnionOf;
use crate::validate::violation::{MOST_VIOLATIONS, Violation, Violations};
use crate::validate::whole::{Whole, WholeNumbers, is_coarse};
use crate::validate::words::{labels_in_words, one_of, text_of};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// One validation, with the violations that were found so far.
#[derive(Default)]
pub(super) struct Validation<'t> {
    pub(super) violations: Vec<Violation>,
    pub(super) patterns: Patterns,
    pub(super) choices: Choices<'t>,
    /// The numbers of the text that the values may have rounded.
    pub(super) whole: Option<&'t WholeNumbers>,
    /// Whether a list or an object may be given as its JSON text, because it is replaced afterwards.
    pub(super) reads_json_text: bool,
    /// The number of values in lists and objects that are given as their JSON text.
    pub(super) inner_values: usize,
    /// Whether the value is inside of a list or an object that is given as its JSON text.
    /// [`whole`](Self::whole) does not have the numbers of such a text.
    pub(super) is_in_json_text: bool,
    /// The names that were compared with others to find misspellings.
    pub(super) compared: usize,
    /// The number of unions of which a type is being tried.
    pub(super) trials: usize,
    /// The fields of types of unions that were tried.
    pub(super) tried: usize,
    /// The parts of values that were compared with the values of enumerations.
    pub(super) matched: usize,
}

impl<'t> Validation<'t> {
    pub(super) fn wrong(&mut self, path: Path<'_>, expected: impl Into<String>, value: &Value) {
        if self.is_full() {
            return;
        }
        let violation = Violation::new(&path, expected, describe(value));
        self.record(violation);
    }

    /// Records a violation, unless the maximum is reached.
    pub(super) fn record(&mut self, violation: Violation) {
        if !self.is_full() {
            self.violations.push(violation);
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.violations.len() >= MOST_VIOLATIONS
    }

    /// Whether this many fields may be tried for a union. Reports each value for which they may not, because the report in a
    /// type that does not fit is dropped.
    fn may_try(&mut self, fields: usize, path: Path<'_>) -> bool {
        self.tried = self.tried.saturating_add(fields);
        let may_try = self.tried <= MOST_TRIED;
        if !may_try {
            let expected = "fewer values, because trying all types of their unions takes too long";
            self.record(Violation::new(&path, expected, "more"));
        }
        may_try
    }

    /// Whether a value may be compared with this many others. Reports each value that may not, as [`may_try`](Self::may_try)
    /// does.
    fn may_match(&mut self, others: usize, value: &Value, path: Path<'_>) -> bool {
        let parts = match value {
            Value::Array(_) | Value::Object(_) => values_in(value),
            _ => 1,
        };
        self.matched = self.matched.saturating_add(others.saturating_mul(parts));
        let may_match = self.matched <= MOST_MATCHED;
        if !may_match {
            let expected =
                "fewer values, because comparing them with all that are allowed takes too long";
            self.record(Violation::new(&path, expected, "more"));
        }
        may_match
    }

    /// Whether a name may be compared with this many others.
    fn may_compare(&mut self, names: usize) -> bool {
        let compared = self.compared.saturating_add(names);
        let may_compare = compared <= MOST_COMPARED;
        if may_compare {
            self.compared = compared;
        }
        may_compare
    }

    /// Checks a value. `host` is the implementation's type of the same place: a type that was read from gram
    /// does not have the range of integers that the implementation can hold.
    pub(super) fn value(
        &mut self,
        ty: &'t Type,
        host: Option<&Type>,
        value: &Value,
        path: Path<'_>,
    ) {
        if value.is_null() && ty.is_optional() {
            return;
        }
        let mut written = None;
        let (exact, variant);
        let mut value = value;
        if let Value::String(text) = value {
            let name = variant_of(ty, text);
            if name != text {
                variant = Value::from(name);
                value = &variant;
            } else if reads_json_text(ty) && is_json_like(text) {
                return self.json_text(ty, host, (text, value), path);
            }
        }
        if let (Kind::Int, Value::Number(_), Some(whole)) = (ty.kind(), value, self.whole)
            && let Some(found) = whole.get(path)
        {
            written = Some(found.value);
            if let Some(number) = found.as_number() {
                exact = Value::Number(number);
                value = &exact;
            }
        }
        // Constraints do not apply to a value of another kind.
        if self.kind(ty, host, (value, written), path) {
            self.constraints(ty.constraints(), (value, written), path);
        }
    }

    /// Checks the JSON text of a list or an object in the place of the value itself.
    fn json_text(
        &mut self,
        ty: &'t Type,
        host: Option<&Type>,
        (text, value): (&str, &Value),
        path: Path<'_>,
    ) {
        if self.reads_json_text
            && let Some(inner) = inner_value(text, &mut self.inner_values)
        {
            let before = std::mem::take(&mut self.violations);
            let is_inside = std::mem::replace(&mut self.is_in_json_text, true);
            self.value(ty, host, &inner, path);
            self.is_in_json_text = is_inside;
            if std::mem::replace(&mut self.violations, before).is_empty() {
                return;
            }
        }
        let expected = match ty.kind() {
            Kind::Union(types) => labels_in_words(types),
            _ => ty.label().to_owned(),
        };
        let violation = Violation::new(&path, expected, describe(value));
        self.record(violation.with_help(write_itself(ty)));
    }

    /// Whether the value is of the right kind. Its parts are not checked.
    fn kind(
        &mut self,
        ty: &'t Type,
        host: Option<&Type>,
        (value, written): (&Value, Option<Whole>),
        path: Path<'_>,
    ) -> bool {
        let host = host.and_then(|host| alternative_like(host, ty));
        match (ty.kind(), value) {
            (Kind::Text, Value::String(text)) => {
                let form = text_form(Some(ty)).or(text_form(host));
                if let Some(form) = form
                    && (form.read)(text).is_none()
                {
                    self.wrong(path, form.expected, value);
                    return false;
                }
            }
            (Kind::Any, _)
            | (Kind::Null, Value::Null)
            | (Kind::Double, Value::Number(_))
            | (Kind::Bool, Value::Bool(_))
            | (Kind::Object(Shape::Open), Value::Object(_)) => {}
            (Kind::Int, Value::Number(number))
                if number::is_whole(number, written)
                    && !(self.is_in_json_text && is_coarse(number)) =>
            {
                let range = ty.host_range().or(host.and_then(Type::host_range));
                if let Some(&(lowest, highest)) = range
                    && !number::is_within(number, written, (lowest, highest))
                {
                    self.wrong(path, format!("Int from {lowest} to {highest}"), value);
                    return false;
                }
            }
            (Kind::Array(element), Value::Array(items)) => {
                let host = host.and_then(element_of);
                for (at, item) in items.iter().enumerate() {
                    self.value(element.get(), host, item, path.index(at));
                }
            }
            (Kind::Tuple(types), Value::Array(items)) => {
                self.items(types_of(types), host, items, path);
            }
            (Kind::Object(Shape::Fields(fields)), Value::Object(members)) => {
                self.fields(fields_of(fields), fields_of_type(host), members, path);
            }
            (Kind::Object(Shape::Map(of)), Value::Object(members)) => {
                let host = host.and_then(values_of);
                for (key, member) in members {
                    self.value(of.get(), host, member, path.key(key));
                }
            }
            (Kind::Object(Shape::Extended(fields, values)), Value::Object(members)) => {
                self.extended(fields_of(fields), values.get(), host, members, path);
            }
            (Kind::Media(media), _) if has_form(media.form(), value) => {
                return self.kind(media.form(), None, (value, written), path);
            }
            (Kind::Union(types), _) => {
                let of = UnionOf::new(types_of(types), [Some(ty), host]);
                return self.union(of, host, value, path);
            }
            _ => {
                self.wrong(path, ty.label(), value);
                return false;
            }
        }
        true
    }
}

pub(super) fn text_form(ty: Option<&Type>) -> Option<&'static TextForm> {
    match ty.and_then(Type::host) {
        Some(Host::Text(form)) => Some(form),
        _ => None,
    }
}

pub(super) fn element_of(ty: &Type) -> Option<&Type> {
    match ty.kind() {
        Kind::Array(element) => Some(element.get()),
        _ => None,
    }
}

pub(super) fn values_of(ty: &Type) -> Option<&Type> {
    match ty.kind() {
        Kind::Object(shape) => shape.values(),
        _ => None,
    }
}

pub(super) fn fields_of_type(ty: Option<&Type>) -> &[crate::types::Field] {
    match ty.map(Type::kind) {
        Some(Kind::Object(shape)) => shape.fields(),
        _ => &[],
    }
}

/// The types of the elements of a tuple.
pub(super) fn items_of_type(ty: Option<&Type>) -> &[Type] {
    match ty.map(Type::kind) {
        Some(Kind::Tuple(items)) => types_of(items),
        _ => &[],
    }
}

/// Whether a field has no value: the key is absent, or holds `null` where a value may be missing.
fn is_missing(field: &Field, members: &Map<String, Value>) -> bool {
    let member = member_of(field, members);
    member.is_none_or(|(_, value)| is_absent(field, value))
}

/// Whether a value counts as absent for a field.
pub(super) fn is_absent(field: &Field, value: &Value) -> bool {
    value.is_null() && field.is_optional()
}

/// Returns the field of a name.
pub(super) fn field_of<'f>(fields: &'f [Field], name: &str) -> Option<&'f Field> {
    fields.iter().find(|field| field.is_named(name))
}

impl<'t> Validation<'t> {
    /// Checks the items of a list against the types of a tuple.
    fn items(&mut self, types: &'t [Type], host: Option<&Type>, items: &[Value], path: Path<'_>) {
        if items.len() != types.len() {
            let expected = format!("exactly {}", counted(types.len() as u64, "item"));
            let found = counted(items.len() as u64, "item");
            self.record(Violation::new(&path, expected, found));
        }
        let host = items_of_type(host);
        for (at, (ty, item)) in types.iter().zip(items).enumerate() {
            self.value(ty, host.get(at), item, path.index(at));
        }
    }

    /// Checks the members of an object against the fields of a record and the type of further keys.
    fn extended(
        &mut self,
        fields: &'t [Field],
        values: &'t Type,
        host: Option<&Type>,
        members: &Map<String, Value>,
        path: Path<'_>,
    ) {
        // A key that nearly spells a field is a further key.
        let keys = Keys {
            are_open: true,
            may_miss: |_: &Field| false,
        };
        self.fields_unless(fields, fields_of_type(host), members, path, keys);
        self.further(fields, (values, host.and_then(values_of)), members, path);
    }

    /// Checks the members of an object that are no fields.
    pub(super) fn further(
        &mut self,
        fields: &'t [Field],
        (values, host): (&'t Type, Option<&Type>),
        members: &Map<String, Value>,
        path: Path<'_>,
    ) {
        let declared = ByName::new(fields);
        for (key, member) in members {
            if declared.get(key).is_none() {
                self.value(values, host, member, path.key(key));
            }
        }
    }

    /// Checks a value against the types of a union, and reports how it differs from the nearest one.
    ///
    /// Each type is tried once, so that the time is at most that of the value's size times the type's.
    fn union(
        &mut self,
        of: UnionOf<'t>,
        host: Option<&Type>,
        value: &Value,
        path: Path<'_>,
    ) -> bool {
        // Nothing more is recorded, and the value is refused already.
        if self.is_full() {
            return false;
        }
        let types = of.types;
        let mut nearest: Option<((usize, usize), Vec<Violation>)> = None;
        let mut other_tag = None;
        for (at, ty) in types.iter().enumerate() {
            if !has_form(ty, value) {
                continue;
            }
            if let Some(tag) = self.other_tag_of(ty, value) {
                other_tag = other_tag.or(Some(tag));
                continue;
            }
            if of.is_other_variant(ty, value) {
                continue;
            }
            let before = std::mem::take(&mut self.violations);
            // The implementation mostly has the same types in the same places. A record cannot be found by
            // its label, because all records have the same label.
            let own = match host.map(Type::kind) {
                Some(Kind::Union(types)) => types_of(types).get(at).filter(|own| *own == ty),
                _ => None,
            };
            self.trials += 1;
            self.value(ty, own.or(host), value, path);
            self.trials -= 1;
            let found = std::mem::replace(&mut self.violations, before);
            if found.is_empty() {
                return true;
            }
            let own = path.depth() + 1;
            let near = found.iter().filter(|found| found.depth() <= own).count();
            let distance = (near + undeclared_count(ty, value), found.len());
            if nearest.as_ref().is_none_or(|(least, _)| distance < *least) {
                nearest = Some((distance, found));
            }
        }
        let nearest = nearest.filter(|_| !of.is_about_variants(value));
        match (nearest, other_tag) {
            (Some((_, found)), _) => match listed_by_all(types, value) {
                Some(allowed) => self.not_among(&allowed, value, path),
                None => {
                    for violation in found {
                        self.record(violation);
                    }
                }
            },
            (None, Some(tag)) => self.unknown_tag(types, tag, value, path),
            (None, None) if of.has_variants() => self.record(of.wrong_variant(value, path)),
            (None, None) => self.wrong(path, labels_in_words(types), value),
        }
        false
    }

    /// Returns the field whose text in an object is not among the few that a record allows: the tag of another record of
    /// the union.
    fn other_tag_of(&mut self, ty: &'t Type, value: &Value) -> Option<&'t Field> {
        let members = value.as_object()?;
        let mut fields = fields_of_type(Some(ty)).iter();
        fields.find(|field| {
            let allowed = field.ty().constraints().enumeration();
            if allowed.is_empty() {
                return false;
            }
            let given = member_of(field, members).and_then(|(_, value)| value.as_str());
            given.is_some_and(|given| !self.has_text(allowed, variant_of(field.ty(), given)))
        })
    }

    fn has_text(&mut self, allowed: &'t [agent_gram::Value], text: &str) -> bool {
        let indexed = self.choices.opt_has_text(allowed, text);
        indexed.unwrap_or_else(|| allowed.iter().any(|item| text_of(item) == Some(text)))
    }

    /// Reports a field whose value names none of the records of a union.
    fn unknown_tag(&mut self, types: &'t [Type], tag: &Field, value: &Value, path: Path<'_>) {
        let mut allowed: Vec<agent_gram::Value> = Vec::new();
        for ty in types {
            if let Some(field) = field_of(fields_of_type(Some(ty)), tag.name()) {
                allowed.extend_from_slice(field.ty().constraints().enumeration());
            }
        }
        let members = value.as_object();
        if let Some((key, found)) = members.and_then(|members| member_of(tag, members)) {
            self.not_among(&allowed, found, path.key(key));
        }
    }

    /// Checks the members of an object against the fields of a record.
    pub(super) fn fields(
        &mut self,
        fields: &'t [Field],
        host: &[Field],
        members: &Map<String, Value>,
        path: Path<'_>,
    ) {
        let keys = Keys {
            are_open: false,
            may_miss: |_: &Field| false,
        };
        self.fields_unless(fields, host, members, path, keys)
    }

    /// Checks the members of an object against the fields of a record, with the exceptions in `keys`.
    pub(super) fn fields_unless<M: Fn(&Field) -> bool>(
        &mut self,
        fields: &'t [Field],
        host: &[Field],
        members: &Map<String, Value>,
        path: Path<'_>,
        keys: Keys<M>,
    ) {
        if self.trials > 0 && !self.may_try(fields.len(), path) {
            return;
        }
        let host = ByName::new(host);
        // Only a missing field can be misspelled, and most calls have no missing field.
        let mut misspellings = None;
        let mut undeclared = None;
        let mut in_order = members.iter();
        for field in fields {
            let name = field.name();
            // Models write members in the order of the fields, so the next member is tried before a search,
            // which is slower.
            let next = in_order.next().filter(|(key, _)| *key == name);
            let next = next.map(|(key, value)| (key.as_str(), value));
            let member = next.or_else(|| member_of(field, members));
            if field.other_names().next().is_some()
                && let Some(violation) = given_twice(field, members, path)
            {
                self.record(violation);
                continue;
            }
            if let Some((key, value)) = member.filter(|(_, value)| !is_absent(field, value)) {
                let host = host.get(name).map(Field::ty);
                self.value(field.ty(), host, value, path.key(key));
                continue;
            }
            let (misspelled, meant) = misspellings.get_or_insert_with(|| {
                let misspelled = if keys.are_open {
                    Vec::new()
                } else {
                    self.misspelled(fields, members)
                };
                let meant: HashSet<&str> = misspelled.iter().map(|(_, meant)| *meant).collect();
                (misspelled, meant)
            });
            if !field.is_optional() && !(keys.may_miss)(field) && !meant.contains(name) {
                let near =
                    undeclared.get_or_insert_with(|| undeclared_in(fields, members, misspelled));
                // Suggestions are only made for violations that are printed.
                let wanted = self.violations.len() < Violations::PRINTED;
                let near = if wanted && self.may_compare(near.len()) {
                    &near[..]
                } else {
                    &[]
                };
                if !self.is_full() {
                    self.record(missing(field, path.key(name), near));
                }
            }
        }
        let Some((misspelled, _)) = misspellings else {
            return;
        };
        for (key, meant) in misspelled {
            let violation = Violation::new(
                &path.key(key),
                "a name that is declared",
                format!("the name {}", shorten(key)),
            );
            let help = format!("did you mean `{meant}`?");
            self.record(violation.with_help(help));
        }
    }
}

/// The treatment of the keys of a record.
pub(super) struct Keys<M> {
    /// Whether the record has further keys, so that no key is a misspelling.
    pub(super) are_open: bool,
    /// Decides whether a field may be missing although it is required.
    pub(super) may_miss: M,
}

/// Returns the number of members of an object that a record does not declare. The record of a union with the
/// fewest of them is probably the intended one.
fn undeclared_count(ty: &Type, value: &Value) -> usize {
    let (Kind::Object(Shape::Fields(fields)), Value::Object(members)) = (ty.kind(), value) else {
        return 0;
    };
    let declared = ByName::new(fields_of(fields));
    let undeclared = members.keys().filter(|key| declared.get(key).is_none());
    undeclared.count()
}

/// Whether a value has the JSON form of a type. Its parts and the constraints are not checked.
pub(super) fn has_form(ty: &Type, value: &Value) -> bool {
    match (ty.kind(), value) {
        (Kind::Union(types), _) => types_of(types).iter().any(|ty| has_form(ty, value)),
        (_, Value::Null) if ty.is_optional() => true,
        (Kind::Media(media), _) => has_form(media.form(), value),
        (Kind::Any, _)
        | (Kind::Null, Value::Null)
        | (Kind::Text, Value::String(_))
        | (Kind::Int | Kind::Double, Value::Number(_))
        | (Kind::Bool, Value::Bool(_))
        | (Kind::Array(_) | Kind::Tuple(_), Value::Array(_))
        | (Kind::Object(_), Value::Object(_)) => true,
        _ => false,
    }
}

/// Returns the values that the types of a union list, if each type of the form of the value lists some, and
/// none lists the value itself.
fn listed_by_all(types: &[Type], value: &Value) -> Option<Vec<agent_gram::Value>> {
    let mut allowed = Vec::new();
    for ty in types.iter().filter(|ty| has_form(ty, value)) {
        let listed = ty.constraints().enumeration();
        if listed.is_empty() {
            return None;
        }
        allowed.extend_from_slice(listed);
    }
    let is_listed = allowed.iter().any(|listed| is_value(value, listed));
    (!is_listed).then_some(allowed)
}

/// Returns the first type of a union that a value fits.
pub(super) fn first_fitting<'t>(
    walk: &mut Validation<'t>,
    types: &'t [Type],
    value: &Value,
) -> Option<&'t Type> {
    let before = std::mem::take(&mut walk.violations);
    let first = types.iter().find(|ty| {
        walk.violations.clear();
        walk.value(ty, None, value, Path::Root);
        walk.violations.is_empty()
    });
    walk.violations = before;
    first
}

/// Creates the violation of a missing field. The message suggests an undeclared key that may be a
/// misspelling, although the key is too different to be reported by itself.
fn missing(field: &Field, path: Path<'_>, undeclared: &[&str]) -> Violation {
    let name = field.name();
    let help = match nearest(name, undeclared.iter().copied()) {
        Some(found) => format!(
            "`{name}` is required, and {} is not declared; did you mean `{name}`?",
            shorten(found)
        ),
        None => format!("`{name}` is required"),
    };
    let expected = match field.ty().kind() {
        Kind::Union(types) => labels_in_words(types),
        _ => field.ty().label().to_owned(),
    };
    Violation::new(&path, expected, "nothing").with_help(help)
}

/// Returns the undeclared keys that were not reported as misspellings.
fn undeclared_in<'m>(
    fields: &[Field],
    members: &'m Map<String, Value>,
    misspelled: &[(&str, &str)],
) -> Vec<&'m str> {
    let declared = ByName::new(fields);
    let said: HashSet<&str> = misspelled.iter().map(|(key, _)| *key).collect();
    let unknown = members.keys().filter(|key| declared.get(key).is_none());
    let unknown = unknown.filter(|key| !said.contains(key.as_str()));
    unknown.map(String::as_str).collect()
}

/// The maximum number of fields of types of unions that are tried in one validation. A missing field takes half a
/// microsecond, so that a model's list of objects for a wide union would occupy a thread for hours.
const MOST_TRIED: usize = 10_000_000;

/// The maximum number of comparisons with values of enumerations in one validation. One takes some nanoseconds, so that
/// a model's long list and an enumeration of thousands of values would occupy a thread for minutes.
const MOST_MATCHED: usize = 100_000_000;

/// The maximum number of comparisons of two names in one validation. One takes about a microsecond, so that a model's
/// object with thousands of unknown keys would occupy a thread for minutes.
const MOST_COMPARED: usize = 1_000_000;

impl Validation<'_> {
    /// Returns the undeclared keys that nearly spell a field without a value, each with that field's name.
    /// Only the first keys are compared when there are many, because a misspelled key is one of few keys.
    fn misspelled<'a>(
        &mut self,
        fields: &'a [Field],
        members: &'a Map<String, Value>,
    ) -> Vec<(&'a str, &'a str)> {
        let missing: Vec<_> = fields
            .iter()
            .filter(|field| is_missing(field, members))
            .map(|field| (field.name(), letters(field.name())))
            .collect();
        let declared = ByName::new(fields);
        let mut misspelled = Vec::new();
        for key in members.keys().filter(|key| declared.get(key).is_none()) {
            if !self.may_compare(missing.len()) {
                break;
            }
            let own = letters(key);
            let is_near = |(name, found): &&(&str, usize)| {
                let could_be = key.len().abs_diff(name.len()) <= 1 || own == *found;
                could_be && nearly_spells(key, name)
            };
            let near = missing.iter().filter(is_near).map(|(name, _)| *name);
            if let Some(meant) = near.min_by_key(|name| nearness(key, name)) {
                misspelled.push((key.as_str(), meant));
            }
        }
        misspelled
    }
}

/// The number of bytes of a name besides `_` and `-`. Two names of which one is a misspelling of the other
/// have the same number of these bytes, or nearly the same length.
fn letters(name: &str) -> usize {
    name.bytes().filter(|b| !matches!(b, b'_' | b'-')).count()
}

impl<'t> Validation<'t> {
    pub(super) fn constraints(
        &mut self,
        constraints: &'t Constraints,
        (value, written): (&Value, Option<Whole>),
        path: Path<'_>,
    ) {
        if constraints.is_none() {
            return;
        }
        self.enumeration(constraints.enumeration(), value, path);
        match value {
            Value::String(text) => self.text(constraints, text, value, path),
            Value::Number(number) => {
                if let Some(minimum) = &constraints.minimum
                    && compare(number, written, minimum).is_lt()
                {
                    self.wrong(path, format!("at least {}", bound(minimum)), value);
                }
                if let Some(maximum) = &constraints.maximum
                    && compare(number, written, maximum).is_gt()
                {
                    self.wrong(path, format!("at most {}", bound(maximum)), value);
                }
                if let Some(least) = &constraints.exclusive_minimum
                    && compare(number, written, least).is_le()
                {
                    self.wrong(path, format!("more than {}", bound(least)), value);
                }
                if let Some(most) = &constraints.exclusive_maximum
                    && compare(number, written, most).is_ge()
                {
                    self.wrong(path, format!("less than {}", bound(most)), value);
                }
                if let Some(of) = &constraints.multiple_of
                    && !number::is_multiple_of(number, written, of)
                {
                    self.wrong(path, format!("a multiple of {}", bound(of)), value);
                }
            }
            Value::Array(items) => {
                let limits = (constraints.min_items, constraints.max_items);
                self.count(limits, items.len(), "item", path);
            }
            _ => {}
        }
    }

    fn enumeration(&mut self, allowed: &'t [agent_gram::Value], value: &Value, path: Path<'_>) {
        // When the list of violations is full, a search for suggestions would be wasted.
        if allowed.is_empty() || self.is_full() {
            return;
        }
        let text = value.as_str();
        let indexed = text.and_then(|text| self.choices.opt_has_text(allowed, text));
        let is_allowed = match indexed {
            Some(is_allowed) => is_allowed,
            None if !self.may_match(allowed.len(), value, path) => return,
            None => allowed.iter().any(|item| is_value(value, item)),
        };
        if !is_allowed {
            self.not_among(allowed, value, path);
        }
    }

    /// Reports a value that is not among the values that are allowed.
    fn not_among(&mut self, allowed: &[agent_gram::Value], value: &Value, path: Path<'_>) {
        let text = value.as_str();
        let violation = Violation::new(&path, one_of(allowed), describe(value));
        // Suggestions are only made for violations that are printed.
        let wanted = self.violations.len() < Violations::PRINTED;
        let texts = allowed.iter().filter_map(text_of);
        let near = text.filter(|_| wanted && self.may_compare(allowed.len()));
        let near = near.and_then(|found| nearest(found, texts));
        self.record(match near {
            Some(near) => violation.with_help(format!("did you mean {}?", shorten(near))),
            None => violation,
        });
    }

    fn text(&mut self, constraints: &'t Constraints, text: &str, value: &Value, path: Path<'_>) {
        let limits = (constraints.min_length, constraints.max_length);
        if limits != (None, None) {
            self.count(limits, text.chars().count(), "character", path);
        }
        if let Some(format) = constraints.format.as_deref()
            && let Some(words) = missing_format(format, text)
        {
            self.wrong(path, words, value);
        }
        if let Some(pattern) = &constraints.pattern {
            self.pattern(pattern, text, path);
        }
    }

    fn pattern(&mut self, pattern: &str, text: &str, path: Path<'_>) {
        let matched = self.patterns.is_match(pattern, text);
        if matched == Ok(true) {
            return;
        }
        let pattern = shown_pattern(pattern);
        if let Err(Unmatched::TooLong { most }) = matched {
            let expected = format!("text of at most {}", counted(most, "byte"));
            let found = counted(text.len() as u64, "byte");
            let help = format!("a longer text would take too long to match with `{pattern}`");
            self.record(Violation::new(&path, expected, found).with_help(help));
            return;
        }
        let expected = format!("text that matches the pattern `{pattern}`");
        let found = format!("the text {}", shorten(text));
        let violation = Violation::new(&path, expected, found);
        self.record(match matched {
            Err(Unmatched::Invalid(error)) => {
                violation.with_help(format!("the pattern itself is wrong: {error}"))
            }
            _ => violation,
        });
    }

    fn count(
        &mut self,
        (least, most): (Option<u64>, Option<u64>),
        found: usize,
        unit: &str,
        path: Path<'_>,
    ) {
        let found = u64::try_from(found).unwrap_or(u64::MAX);
        let expected = match (least, most) {
            (Some(least), _) if found < least => format!("at least {}", counted(least, unit)),
            (_, Some(most)) if found > most => format!("at most {}", counted(most, unit)),
            _ => return,
        };
        let violation = Violation::new(&path, expected, counted(found, unit));
        self.record(violation);
    }
}

fn counted(count: u64, unit: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}

fn bound(bound: &Bound) -> String {
    match bound {
        Bound::Int(value) => value.to_string(),
        Bound::Double(value) => value.text().to_owned(),
    }
}

/// An enumeration with at least this many values is indexed.
const MANY_VALUES: usize = 32;

/// The enumerations of one validation, each indexed once. For an enumeration on the element of a long
/// list, comparing every item with every allowed value would take quadratic time.
#[derive(Default)]
pub(super) struct Choices<'t> {
    /// The texts of each enumeration by its address, which does not change while the types are borrowed.
    texts: HashMap<*const agent_gram::Value, HashSet<&'t str>>,
}

impl<'t> Choices<'t> {
    /// Whether a text is among the values of an enumeration; `None` when the enumeration is too short
    /// for an index.
    pub(super) fn opt_has_text(
        &mut self,
        allowed: &'t [agent_gram::Value],
        text: &str,
    ) -> Option<bool> {
        if allowed.len() < MANY_VALUES {
            return None;
        }
        let texts = self.texts.entry(allowed.as_ptr());
        let texts = texts.or_insert_with(|| allowed.iter().filter_map(text_of).collect());
        Some(texts.contains(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::SchemaReader;
    use serde_json::json;

    #[test]
    fn the_fields_that_are_tried_for_unions_are_limited() {
        let record = |name: &str| {
            let fields = vec![Field::new(name.to_owned(), Type::new(Kind::Int))];
            Type::new(Kind::Object(Shape::Fields(fields.into())))
        };
        let ty = Type::any_of([record("a"), record("b")]).expect("two types");
        let check = |value: &Value, tried| {
            let mut walk = Validation {
                tried,
                ..Validation::default()
            };
            walk.value(&ty, None, value, Path::Root);
            let found: Vec<String> = walk.violations.iter().map(ToString::to_string).collect();
            found
        };
        let value = json!({"a": "x", "b": 1});
        assert_eq!(check(&value, MOST_TRIED - 2), [""; 0]);
        let found = check(&value, MOST_TRIED);
        assert!(found[0].contains("expected fewer values"), "{found:?}");
    }

    #[test]
    fn the_comparisons_with_enumerations_are_limited() {
        let numbers: Vec<i32> = (0..100).collect();
        let schema = json!({"type": "array", "items": {"enum": numbers}});
        let list = SchemaReader::new().read_type(&schema).expect("a type");
        let check = |matched| {
            let mut walk = Validation {
                matched,
                ..Validation::default()
            };
            walk.value(&list, None, &json!([99, 98, 97]), Path::Root);
            let found: Vec<String> = walk.violations.iter().map(ToString::to_string).collect();
            found
        };
        assert_eq!(check(MOST_MATCHED - 300), [""; 0]);
        let found = check(MOST_MATCHED - 200);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].contains("`$[2]`: expected fewer values"),
            "{found:?}"
        );
    }
}
