//! Maps the arguments that a model sees to the arguments that the server reads.

use agent_runtime::__private::add_required_nulls;
use agent_runtime::serde_json::{Map, Value};
use agent_spec::schema::{Loss, ReadTool};
use agent_spec::types::{Kind, Shape, Type, types_of};
use agent_spec::{Param, Signature};
use std::borrow::Cow;

/// The changes of the arguments of a tool before its server gets them.
#[derive(Debug)]
pub(super) struct ArgumentMap {
    /// The signature that the arguments satisfy, if the server has other names for a part of them.
    renaming: Option<Signature>,
    /// The schema of the arguments, if it requires a member that may be `null`: in gram such a member is optional.
    nulls: Option<Value>,
}

impl ArgumentMap {
    /// Creates the map. The arguments satisfy `signature`; `read` is the tool that was read from the server's
    /// schema `input`.
    pub(super) fn new(signature: &Signature, read: &ReadTool, input: &str) -> Self {
        let mut losses = read.losses.iter();
        let requires_null = losses.any(|problem| problem.loss() == Some(Loss::RequiredNull));
        Self {
            renaming: signature.has_remote_names().then(|| signature.clone()),
            nulls: requires_null.then(|| serde_json::from_str(input).unwrap_or_default()),
        }
    }

    /// Returns arguments that satisfy the signature as the server reads them.
    pub(super) fn apply<'a>(
        &self,
        arguments: &'a Map<String, Value>,
    ) -> Cow<'a, Map<String, Value>> {
        let mut arguments = Cow::Borrowed(arguments);
        if let Some(signature) = &self.renaming {
            arguments = Cow::Owned(renamed(signature, arguments.into_owned()));
        }
        if let Some(schema) = &self.nulls {
            add_required_nulls(schema, arguments.to_mut());
        }
        arguments
    }
}

/// A record type that an object may have: its fields, and the type of its further keys.
type Record<'t> = (&'t [Param], Option<&'t Type>);

/// Puts the names of the server into arguments that satisfy a signature.
pub(super) fn renamed(signature: &Signature, arguments: Map<String, Value>) -> Map<String, Value> {
    renamed_members(arguments, &[signature.named_and_further()])
}

fn renamed_members(members: Map<String, Value>, records: &[Record<'_>]) -> Map<String, Value> {
    let mut renamed = Map::new();
    let mut rest = Vec::new();
    for (name, mut member) in members {
        let declared = records.iter().filter_map(|(fields, _)| {
            let mut fields = fields.iter();
            fields.find(|field| field.name() == name)
        });
        let declared: Vec<&Param> = declared.collect();
        let mut types: Vec<&Type> = declared.iter().map(|field| field.ty()).collect();
        if types.is_empty() {
            types = records.iter().filter_map(|(_, further)| *further).collect();
        }
        rename_in_value(&mut member, &types);
        match declared.iter().find_map(|field| field.remote()) {
            Some(remote) => rest.push((remote.to_owned(), member)),
            // A key of a map, and a field without a name at the server, keep their names.
            None => {
                renamed.insert(name, member);
            }
        }
    }
    renamed.extend(rest);
    renamed
}

/// Renames the members in a value of one of several types.
fn rename_in_value(value: &mut Value, types: &[&Type]) {
    let types = alternatives(types);
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                let of = types.iter().filter_map(|ty| match ty.kind() {
                    Kind::Array(of) => Some(of.get()),
                    Kind::Tuple(types) => types_of(types).get(at),
                    _ => None,
                });
                rename_in_value(item, &of.collect::<Vec<_>>());
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
                *members = renamed_members(std::mem::take(members), &records);
            }
        }
        _ => {}
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
