//! From the arguments that a model sees to those that the server reads.

use agent_runtime::serde_json::{Map, Value};
use agent_spec::schema::{Loss, ReadTool};
use agent_spec::types::{Kind, Shape, Type, types_of};
use agent_spec::{Param, Signature};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;

/// The changes of the arguments of a tool before its server gets them.
#[derive(Debug, Default)]
pub(super) struct ArgumentMap {
    renaming: Option<Renaming>,
    /// The schema of the arguments, if it requires a member that may be `null`: in gram such a member is optional.
    nulls: Option<Value>,
}

/// The properties that have another name for the model.
#[derive(Debug)]
pub(super) struct Renaming {
    /// The server's names by those of the signature.
    pub(super) originals: HashMap<String, String>,
    pub(super) signature: Signature,
}

impl ArgumentMap {
    /// `input` is the schema that was read.
    pub(super) fn of(read: &ReadTool, input: &str) -> Self {
        let renamed = read.renamed.iter();
        let originals = renamed.map(|name| (name.shown.clone(), name.original.clone()));
        let mut losses = read.losses.iter();
        let requires_null = losses.any(|problem| problem.loss() == Some(Loss::RequiredNull));
        Self {
            renaming: (!read.renamed.is_empty()).then(|| Renaming {
                originals: originals.collect(),
                signature: read.signature.clone(),
            }),
            nulls: requires_null.then(|| serde_json::from_str(input).unwrap_or_default()),
        }
    }

    /// Returns arguments that satisfy the signature as the server reads them.
    pub(super) fn apply<'a>(
        &self,
        arguments: &'a Map<String, Value>,
    ) -> Cow<'a, Map<String, Value>> {
        let mut arguments = Cow::Borrowed(arguments);
        if let Some(renaming) = &self.renaming {
            arguments = Cow::Owned(renaming.apply(arguments.into_owned()));
        }
        if let Some(schema) = &self.nulls {
            let nulls = RequiredNulls {
                root: schema,
                left: Cell::new(MOST_LOOKED_AT),
            };
            nulls.add_to_members(&nulls.parts(schema), arguments.to_mut());
        }
        arguments
    }
}

/// Adds `null` for each missing member that a schema requires and allows to be `null`. Below a union of several types,
/// nothing is added, because the value may be of any of them.
struct RequiredNulls<'s> {
    root: &'s Value,
    /// The number of schemas that may still be looked at.
    left: Cell<usize>,
}

/// The maximum number of schemas that are looked at for one call: a hostile server could write a schema whose parts
/// multiply at each level of a value.
const MOST_LOOKED_AT: usize = 100_000;

/// The maximum number of schemas that one schema consists of, because references may form a circle.
const MOST_PARTS: usize = 32;

impl<'s> RequiredNulls<'s> {
    fn add(&self, schema: &'s Value, value: &mut Value) {
        if self.left.get() == 0 {
            return;
        }
        let parts = self.parts(schema);
        match value {
            Value::Object(members) => self.add_to_members(&parts, members),
            Value::Array(items) => {
                for of in parts.iter().filter_map(|part| part.get("items")) {
                    items.iter_mut().for_each(|item| self.add(of, item));
                }
            }
            _ => {}
        }
    }

    fn add_to_members(&self, parts: &[&'s Map<String, Value>], members: &mut Map<String, Value>) {
        for part in parts {
            let properties = part.get("properties").and_then(Value::as_object);
            let property = |name: &str| properties.and_then(|properties| properties.get(name));
            let required = part.get("required").and_then(Value::as_array);
            for name in required.into_iter().flatten().filter_map(Value::as_str) {
                let is_missing = !members.contains_key(name);
                if is_missing && property(name).is_some_and(|schema| self.allows_null(schema)) {
                    members.insert(name.to_owned(), Value::Null);
                }
            }
            for (name, member) in members.iter_mut() {
                if let Some(schema) = property(name).or_else(|| part.get("additionalProperties")) {
                    self.add(schema, member);
                }
            }
        }
    }

    fn allows_null(&self, schema: &'s Value) -> bool {
        let mut parts = self.parts(schema).into_iter();
        parts.any(|part| {
            let mut arms = lists(part, &["anyOf", "oneOf"]).flatten();
            arms.any(is_null)
                || match part.get("type") {
                    Some(Value::Array(words)) => words.iter().any(|word| word == "null"),
                    Some(word) => {
                        word == "null" || part.get("nullable") == Some(&Value::Bool(true))
                    }
                    None => false,
                }
        })
    }

    /// Returns the objects of which a schema consists: itself, the targets of its references, the schemas of `allOf`, and
    /// the only schema beside `null`.
    fn parts(&self, schema: &'s Value) -> Vec<&'s Map<String, Value>> {
        let mut parts: Vec<&Map<String, Value>> = schema.as_object().into_iter().collect();
        let mut next = 0;
        while let Some(part) = parts.get(next).copied()
            && parts.len() < MOST_PARTS
            && self.left.get() > 0
        {
            self.left.set(self.left.get() - 1);
            next += 1;
            let reference = part.get("$ref").and_then(Value::as_str);
            let pointer = reference.and_then(|reference| reference.strip_prefix('#'));
            let target = pointer.and_then(|pointer| self.root.pointer(pointer));
            let unions = lists(part, &["anyOf", "oneOf"]).filter_map(|arms| {
                let mut values = arms.iter().filter(|arm| !is_null(arm));
                values.next().filter(|_| values.next().is_none())
            });
            let all = lists(part, &["allOf"]).flatten();
            let inner = target.into_iter().chain(unions).chain(all);
            parts.extend(inner.filter_map(Value::as_object));
        }
        parts
    }
}

/// The lists of schemas of these keywords.
fn lists<'s>(part: &'s Map<String, Value>, keys: &[&str]) -> impl Iterator<Item = &'s Vec<Value>> {
    let lists: Vec<_> = keys.iter().filter_map(|key| part.get(*key)).collect();
    lists.into_iter().filter_map(Value::as_array)
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|word| word == "null")
}

/// A record that an object may be of: its fields, and the type of its further keys.
type Record<'t> = (&'t [Param], Option<&'t Type>);

impl Renaming {
    /// Puts the other names into arguments.
    pub(super) fn apply(&self, arguments: Map<String, Value>) -> Map<String, Value> {
        self.members(arguments, &[self.signature.named_and_further()])
    }

    fn members(&self, members: Map<String, Value>, records: &[Record<'_>]) -> Map<String, Value> {
        let mut renamed = Map::new();
        let mut rest = Vec::new();
        for (name, mut member) in members {
            let declared = records.iter().filter_map(|(fields, _)| {
                let mut fields = fields.iter();
                fields.find(|field| field.name() == name)
            });
            let mut types: Vec<&Type> = declared.map(Param::ty).collect();
            // A key of a map is the model's own, even if it is equal to a name that was given here.
            let is_declared = !types.is_empty();
            if !is_declared {
                types = records.iter().filter_map(|(_, further)| *further).collect();
            }
            self.value(&mut member, &types);
            match self.originals.get(&name).filter(|_| is_declared) {
                Some(original) => rest.push((original.clone(), member)),
                None => {
                    renamed.insert(name, member);
                }
            }
        }
        renamed.extend(rest);
        renamed
    }

    /// Renames the members in a value of one of several types.
    fn value(&self, value: &mut Value, types: &[&Type]) {
        let types = alternatives(types);
        match value {
            Value::Array(items) => {
                for (at, item) in items.iter_mut().enumerate() {
                    let of = types.iter().filter_map(|ty| match ty.kind() {
                        Kind::Array(of) => Some(of.get()),
                        Kind::Tuple(types) => types_of(types).get(at),
                        _ => None,
                    });
                    self.value(item, &of.collect::<Vec<_>>());
                }
            }
            Value::Object(members) => {
                let records = types.iter().filter_map(|ty| match ty.kind() {
                    Kind::Object(Shape::Open) => None,
                    Kind::Object(shape) => Some((shape.fields(), shape.values())),
                    _ => None,
                });
                let records: Vec<Record<'_>> = records.collect();
                if !records.is_empty() {
                    *members = self.members(std::mem::take(members), &records);
                }
            }
            _ => {}
        }
    }
}

/// Returns the types of unions in place of the unions.
fn alternatives<'t>(types: &[&'t Type]) -> Vec<&'t Type> {
    let mut all = types.to_vec();
    let mut at = 0;
    while at < all.len() {
        if let Kind::Union(inner) = all[at].kind() {
            all.extend(types_of(inner));
        }
        at += 1;
    }
    all
}
