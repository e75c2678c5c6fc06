//! The further names under which an implementation reads fields and variants: serde's aliases, and the names of an MCP
//! server. They are no names of the signature, so arguments that satisfy a signature have the names of the signature.

use crate::host::Host;
use crate::json_value::Path;
use crate::types::{ByName, Field, Kind, Shape, Type, alternative_like, types_of};
use crate::validate::violation::Violation;
use agent_gram::value::Nest;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Whether a key of an object is the name of a field or an alias.
pub(super) fn is_named(field: &Field, key: &str) -> bool {
    field.name() == key || field.other_names().any(|name| name == key)
}

/// Returns the value of a field in an object, with its key: the name of the field or an alias.
pub(super) fn member_of<'v>(
    field: &Field,
    members: &'v Map<String, Value>,
) -> Option<(&'v str, &'v Value)> {
    let names = std::iter::once(field.name()).chain(field.other_names());
    let mut found = names.filter_map(|name| members.get_key_value(name));
    found.next().map(|(key, value)| (key.as_str(), value))
}

/// Returns the violation of an object that has a field under two names.
pub(super) fn given_twice(
    field: &Field,
    members: &Map<String, Value>,
    path: Path<'_>,
) -> Option<Violation> {
    let (first, _) = member_of(field, members)?;
    let mut others = field.other_names().filter(|name| *name != first);
    let second = others.find(|name| members.contains_key(*name))?;
    let found = format!("`{first}` and `{second}`, two names of it");
    let expected = format!("the field `{}` once", field.name());
    Some(Violation::new(&path.key(second), expected, found))
}

/// Returns the name of the variant that a text is an alias of, or the text itself.
pub(super) fn variant_of<'a>(ty: &Type, text: &'a str) -> &'a str {
    let aliases = match ty.host() {
        Some(Host::Aliases(aliases)) => aliases,
        _ => &[],
    };
    let found = aliases.iter().find(|(alias, _)| *alias == text);
    found.map_or(text, |(_, name)| name)
}

/// Whether a text is an alias of a variant, also of one type of a union.
pub(super) fn is_alias(ty: &Type, text: &str) -> bool {
    match ty.kind() {
        Kind::Union(types) => types_of(types).iter().any(|ty| is_alias(ty, text)),
        _ => variant_of(ty, text) != text,
    }
}

/// Whether an implementation reads other names of fields or variants.
pub(super) fn has_aliases(fields: &[Field]) -> bool {
    let mut fields = fields.iter();
    fields.any(|field| field.other_names().next().is_some() || type_has_aliases(field.ty()))
}

fn type_has_aliases(ty: &Type) -> bool {
    match ty.kind() {
        Kind::Text => matches!(ty.host(), Some(Host::Aliases(_))),
        Kind::Array(of) => type_has_aliases(of),
        Kind::Tuple(types) | Kind::Union(types) => types_of(types).iter().any(type_has_aliases),
        Kind::Object(shape) => {
            has_aliases(shape.fields()) || shape.values().is_some_and(type_has_aliases)
        }
        _ => false,
    }
}

/// Returns fields with the further names of an implementation, and with `null` as a value where the
/// implementation reads `null` as a value; `None` when nothing changes.
pub(crate) fn with_aliases_of(fields: &[Field], host: &[Field]) -> Option<Vec<Field>> {
    let by_name = ByName::new(host);
    let mut changed = false;
    let adopted = fields.iter().map(|field| {
        let Some(host) = by_name.get(field.name()) else {
            return field.clone();
        };
        let ty = type_with_aliases_of(field.ty(), host.ty());
        let keeps_null = field.ty().keeps_null() || host.ty().keeps_null();
        changed |= ty.is_some() || host.other_names().next().is_some() || keeps_null;
        let ty = ty.unwrap_or_else(|| field.ty().clone());
        let adopted = field.with_type(ty.with_null_kept(keeps_null));
        match (field.remote(), host.remote()) {
            (None, Some(remote)) => adopted.with_remote(remote.to_owned()),
            _ => adopted,
        }
        .with_aliases(host.aliases())
    });
    let adopted = adopted.collect();
    changed.then_some(adopted)
}

fn type_with_aliases_of(ty: &Type, host: &Type) -> Option<Type> {
    let host = alternative_of(host, ty)?;
    let kind = match (ty.kind(), host.kind()) {
        (Kind::Text, Kind::Text) => {
            let own = host.host();
            let aliases = own.filter(|own| matches!(own, Host::Aliases(_)) && ty.host().is_none());
            return aliases.map(|aliases| ty.clone().with_host(aliases));
        }
        (Kind::Array(of), Kind::Array(host)) => {
            Kind::Array(Nest::new(type_with_aliases_of(of, host)?))
        }
        (Kind::Tuple(types), Kind::Tuple(hosts)) => {
            let hosts = types_of(hosts);
            let host_of = |at: usize, _: &Type| hosts.get(at);
            Kind::Tuple(types_with_aliases(types_of(types), host_of)?)
        }
        (Kind::Union(types), _) => {
            let host_of = |_, ty: &Type| alternative_of(host, ty);
            Kind::Union(types_with_aliases(types_of(types), host_of)?)
        }
        (Kind::Object(shape), Kind::Object(host)) => {
            Kind::Object(shape_with_aliases_of(shape, host)?)
        }
        _ => return None,
    };
    Some(ty.with_parts(kind, ty.constraints().clone()))
}

fn types_with_aliases<'h>(
    types: &[Type],
    host_of: impl Fn(usize, &Type) -> Option<&'h Type>,
) -> Option<Cow<'static, [Type]>> {
    let mut changed = false;
    let adopted = types.iter().enumerate().map(|(at, ty)| {
        let adopted = host_of(at, ty).and_then(|host| type_with_aliases_of(ty, host));
        changed |= adopted.is_some();
        adopted.unwrap_or_else(|| ty.clone())
    });
    let adopted: Vec<Type> = adopted.collect();
    changed.then_some(Cow::Owned(adopted))
}

fn shape_with_aliases_of(shape: &Shape, host: &Shape) -> Option<Shape> {
    let fields = with_aliases_of(shape.fields(), host.fields());
    let values = match (shape.values(), host.values()) {
        (Some(values), Some(host)) => type_with_aliases_of(values, host),
        _ => None,
    };
    if fields.is_none() && values.is_none() {
        return None;
    }
    let fields_or = |own: &Cow<'static, [Field]>| match fields {
        Some(fields) => Cow::Owned(fields),
        None => own.clone(),
    };
    Some(match shape {
        Shape::Open => Shape::Open,
        Shape::Fields(own) => Shape::Fields(fields_or(own)),
        Shape::Map(own) => Shape::Map(values.map_or_else(|| own.clone(), Nest::new)),
        Shape::Extended(own, own_values) => Shape::Extended(
            fields_or(own),
            values.map_or_else(|| own_values.clone(), Nest::new),
        ),
    })
}

/// Returns the type of an implementation that has the values of `ty`: in a union, the only type of its label,
/// or the equal type.
pub(super) fn alternative_of<'h>(host: &'h Type, ty: &Type) -> Option<&'h Type> {
    let equal = || match host.kind() {
        Kind::Union(types) => types_of(types).iter().find(|host| *host == ty),
        _ => None,
    };
    alternative_like(host, ty).or_else(equal)
}
