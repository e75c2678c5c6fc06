//! The names of parameters and fields at an MCP server.

use crate::signature::Signature;
use crate::types::{Field, Kind, Param, Shape, Type, types_of};
use agent_gram::value::Nest;
use std::borrow::Cow;

impl Signature {
    /// Returns the same signature with the names that the parameters, and the fields inside of them, have at the MCP
    /// server: for comparing signatures by the names that the server reads, whatever the names for the model
    /// are.
    #[must_use]
    pub fn with_remote_names(&self) -> Self {
        Self::new(renamed(self.params()), self.returns().clone())
    }

    /// Whether a parameter or a field has another name at the MCP server.
    #[must_use]
    pub fn has_remote_names(&self) -> bool {
        !self.remote_names().is_empty()
    }

    /// Returns the [`remote`](Param::remote) of each parameter and field that has one, with its name.
    pub(crate) fn remote_names(&self) -> Vec<(String, String)> {
        let mut names = Vec::new();
        collect_names(self.params(), &mut names);
        names
    }
}

fn renamed(fields: &[Field]) -> Vec<Field> {
    let fields = fields.iter().map(|field| {
        let field = field.with_type(renamed_type(field.ty()));
        match field.remote().map(str::to_owned) {
            Some(remote) => field.with_name(remote),
            None => field,
        }
    });
    fields.collect()
}

fn renamed_type(ty: &Type) -> Type {
    let nest = |ty: &Nest<Type>| Nest::new(renamed_type(ty));
    let all = |types| types_of(types).iter().map(renamed_type).collect();
    let kind = match ty.kind() {
        Kind::Array(of) => Kind::Array(nest(of)),
        Kind::Tuple(types) => Kind::Tuple(all(types)),
        Kind::Union(types) => Kind::Union(all(types)),
        Kind::Object(shape) => Kind::Object(match shape {
            Shape::Open => Shape::Open,
            Shape::Fields(fields) => Shape::Fields(Cow::Owned(renamed(fields))),
            Shape::Map(values) => Shape::Map(nest(values)),
            Shape::Extended(fields, values) => {
                Shape::Extended(Cow::Owned(renamed(fields)), nest(values))
            }
        }),
        _ => return ty.clone(),
    };
    ty.with_parts(kind, ty.constraints().clone())
}

fn collect_names(fields: &[Param], names: &mut Vec<(String, String)>) {
    for field in fields {
        if let Some(remote) = field.remote() {
            names.push((remote.to_owned(), field.name().to_owned()));
        }
        collect_names_of(field.ty(), names);
    }
}

fn collect_names_of(ty: &Type, names: &mut Vec<(String, String)>) {
    match ty.kind() {
        Kind::Array(of) => collect_names_of(of, names),
        Kind::Tuple(types) | Kind::Union(types) => {
            types_of(types)
                .iter()
                .for_each(|ty| collect_names_of(ty, names));
        }
        Kind::Object(shape) => {
            collect_names(shape.fields(), names);
            if let Some(values) = shape.values() {
                collect_names_of(values, names);
            }
        }
        _ => {}
    }
}
