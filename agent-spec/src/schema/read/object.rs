//! Objects: records, maps, and the arguments of a call.

use super::Loss;
use super::node::{Found, is_anything};
use super::source::{Json, Members};
use super::walk::{Step, Walk};
use crate::names::{PARAMETER_NAMES, is_parameter_name, not_a_parameter_name};
use crate::types::{Field, Kind, Param, Shape, Type, fields_of};
use std::borrow::Cow;
use std::collections::HashSet;

/// How many levels of gram a record takes: the list of its fields, and the map of each.
const RECORD_LEVELS: usize = 2;

impl<'s> Walk<'s> {
    /// Reads a part of a type, so many levels of gram deeper.
    pub(super) fn nested(
        &mut self,
        key: impl Into<Cow<'s, str>>,
        schema: Json<'s>,
        levels: usize,
    ) -> Option<Found> {
        self.nesting += levels;
        self.steps.push(Step::Key(key.into()));
        let found = self.schema(schema);
        let found = found.filter(|found| !self.refuse_null(found));
        self.steps.pop();
        self.nesting -= levels;
        found
    }

    fn refuse_null(&mut self, found: &Found) -> bool {
        let is_null = matches!(found.ty.kind(), Kind::Null);
        if is_null {
            self.report(
                "only what a tool returns can be `null` and nothing else",
                "write the type of the values beside it, or leave it out",
            );
        }
        is_null
    }

    /// What is known about an object.
    pub(super) fn shape(&mut self, members: Members<'s>) -> Option<Shape> {
        let required = self.required(members);
        let fields = self.properties(members, required.as_deref());
        let (required, mut fields) = (required?, fields?);
        // What is required and not described may be anything.
        let mut described: HashSet<&str> = match members.get("properties") {
            Some(Json::Object(properties)) => properties.iter().map(|(name, _)| name).collect(),
            _ => HashSet::new(),
        };
        for name in required {
            if described.insert(name) {
                fields.push(Field::new(name.to_owned(), Type::new(Kind::Any)));
            }
        }
        let is_record = members.get("properties").is_some() || !fields.is_empty();
        match members.get("additionalProperties") {
            Some(Json::Bool(false)) if !self.allows(Loss::ClosedObjects) => {
                self.report_at(
                    "additionalProperties",
                    "gram has no objects that refuse further keys; it ignores them",
                    "take it out, or allow `Loss::ClosedObjects`",
                );
                None
            }
            None if !is_record => Some(Shape::Open),
            None | Some(Json::Bool(false)) => Some(Shape::Fields(Cow::Owned(fields))),
            Some(Json::Bool(true)) if is_record => Some(Shape::Fields(Cow::Owned(fields))),
            Some(values) => {
                let value = self.nested("additionalProperties", values, 1)?;
                if !is_record {
                    return Some(Shape::Map(value.into_nest()));
                }
                if !is_anything(&value.ty) {
                    self.report_at(
                        "additionalProperties",
                        "gram says of an object either its fields or the type of all its values",
                        "take it out, or put the other keys into an object of their own",
                    );
                    return None;
                }
                Some(Shape::Fields(Cow::Owned(fields)))
            }
        }
    }

    fn required(&mut self, members: Members<'s>) -> Option<Vec<&'s str>> {
        let Some(value) = members.get("required") else {
            return Some(Vec::new());
        };
        let names = match value {
            Json::List(names) if !self.spend(names.len()) => return None,
            Json::List(names) => names
                .iter()
                .map(|name| match name {
                    Json::Text(name) => Some(name),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        if names.is_none() {
            self.wrong("required", "a list of names", value);
        }
        names
    }

    /// Reads all properties, so that what is wrong with any of them is found. Without a list of
    /// those that are required, which was reported, none is.
    fn properties(
        &mut self,
        members: Members<'s>,
        required: Option<&[&str]>,
    ) -> Option<Vec<Field>> {
        let properties = match members.get("properties") {
            None => return Some(Vec::new()),
            Some(Json::Object(properties)) => properties,
            Some(other) => {
                self.wrong("properties", "an object of schemas", other);
                return None;
            }
        };
        let required: HashSet<&str> = required.unwrap_or_default().iter().copied().collect();
        self.steps.push(Step::Key("properties".into()));
        let mut all = Vec::new();
        for (name, schema) in properties.iter() {
            all.push((name, self.nested(name, schema, RECORD_LEVELS)));
        }
        let fields: Vec<_> = all
            .into_iter()
            .map(|(name, found)| Some(self.field(name, found?, required.contains(name))))
            .collect();
        self.steps.pop();
        fields.into_iter().collect()
    }

    /// A field of what was found, at the place of its object's `properties`.
    fn field(&mut self, name: &'s str, found: Found, required: bool) -> Field {
        let anything = is_anything(&found.ty);
        if required && found.ty.is_optional() && !anything && !self.allows(Loss::RequiredNull) {
            self.report_at(
                name,
                "it must be there and may be `null`, and in gram `null` counts as absent",
                "take it out of `required`, or allow `Loss::RequiredNull`",
            );
        }
        let description = found.full_description();
        // The default of what must be there is never used.
        let default = found.default.filter(|_| !required);
        let optional = !required || (found.ty.is_optional() && !anything);
        let ty = found.ty.with_optional(optional && default.is_none());
        let mut field = Field::new(name.to_owned(), ty);
        if let Some(default) = default {
            field = field.with_default(default);
        }
        if let Some(description) = description {
            field = field.with_description(description);
        }
        field
    }

    /// The parameters that the schema of the arguments names.
    pub(super) fn parameters(&mut self, arguments: Found) -> Option<Vec<Param>> {
        let params = match arguments.ty.kind() {
            Kind::Object(Shape::Fields(fields)) => fields_of(fields).to_vec(),
            Kind::Object(Shape::Open) => Vec::new(),
            _ => {
                let label = arguments.ty.label();
                self.report(
                    format!("the arguments of a call are an object of named values, not `{label}`"),
                    "write `\"type\": \"object\"` and a property for each parameter",
                );
                return None;
            }
        };
        if !arguments.ty.constraints().is_none() {
            self.report_at("enum", "arguments are said one by one, not as a whole", "");
        }
        let names = params.iter().map(Param::name);
        for name in names.filter(|name| !is_parameter_name(name)) {
            let help = format!("write {PARAMETER_NAMES}");
            self.report_at("properties", not_a_parameter_name(name), help);
        }
        Some(params)
    }
}
