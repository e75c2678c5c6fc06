//! Walking a value along its type.

use super::choices::Choices;
use super::describe::describe;
use super::number;
use super::path::Path;
use super::text_pattern::Patterns;
use super::violation::{MOST_VIOLATIONS, Violation};
use crate::types::{Host, Kind, Shape, TextForm, Type, fields_of};
use serde_json::Value;

/// One validation: what was found wrong so far.
#[derive(Default)]
pub(super) struct Walk<'t> {
    pub(super) violations: Vec<Violation>,
    pub(super) patterns: Patterns<'t>,
    pub(super) choices: Choices<'t>,
}

impl<'t> Walk<'t> {
    pub(super) fn wrong(&mut self, path: Path<'_>, expected: impl Into<String>, value: &Value) {
        if self.is_full() {
            return;
        }
        let violation = Violation::new(&path, expected, describe(value));
        self.record(violation);
    }

    /// Keeps a violation, unless there are more than anybody can use.
    pub(super) fn record(&mut self, violation: Violation) {
        if !self.is_full() {
            self.violations.push(violation);
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.violations.len() >= MOST_VIOLATIONS
    }

    /// Checks a value. `host` is the implementation's type of the same place: a type that was read
    /// from gram does not know which integers the implementation can hold.
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
        // What narrows a type says nothing about a value of another kind.
        if self.kind(ty, host, value, path) {
            self.constraints(ty.constraints(), value, path);
        }
    }

    /// Whether the value is of the right kind, its parts apart.
    fn kind(&mut self, ty: &'t Type, host: Option<&Type>, value: &Value, path: Path<'_>) -> bool {
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
            (Kind::Int, Value::Number(number)) if number::is_whole(number) => {
                let range = ty.host_range().or(host.and_then(Type::host_range));
                if let Some(&(lowest, highest)) = range
                    && !number::is_within(number, lowest, highest)
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
            (Kind::Object(Shape::Fields(fields)), Value::Object(members)) => {
                self.fields(fields_of(fields), fields_of_type(host), members, path);
            }
            (Kind::Object(Shape::Map(of)), Value::Object(members)) => {
                let host = host.and_then(map_value_of);
                for (key, member) in members {
                    self.value(of.get(), host, member, path.key(key));
                }
            }
            _ => {
                self.wrong(path, ty.label(), value);
                return false;
            }
        }
        true
    }
}

fn text_form(ty: Option<&Type>) -> Option<&'static TextForm> {
    match ty.and_then(Type::host) {
        Some(Host::Text(form)) => Some(form),
        _ => None,
    }
}

fn element_of(ty: &Type) -> Option<&Type> {
    match ty.kind() {
        Kind::Array(element) => Some(element.get()),
        _ => None,
    }
}

fn map_value_of(ty: &Type) -> Option<&Type> {
    match ty.kind() {
        Kind::Object(Shape::Map(value)) => Some(value.get()),
        _ => None,
    }
}

fn fields_of_type(ty: Option<&Type>) -> &[crate::types::Field] {
    match ty.map(Type::kind) {
        Some(Kind::Object(Shape::Fields(fields))) => fields_of(fields),
        _ => &[],
    }
}
