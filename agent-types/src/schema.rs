//! JSON Schemas of types and signatures.
//!
//! The schemas have one canonical form, a subset of draft 2020-12. A provider that needs another form
//! transforms it in its own module, over [`Schema::members`].
//!
//! [`SchemaReader`] converts schemas to types.

mod definitions;
pub(crate) mod extract;
mod form;
pub(crate) mod own;
pub(crate) mod percents;
pub mod read;
pub(crate) mod work;

pub use read::{Loss, ReadTool, SchemaError, SchemaProblem, SchemaReader};

use crate::constraints::{Bound, Constraint, Constraints};
use crate::host::Host;
use crate::json_value::{Ordered, parse_json, plain};
use crate::keyword::Keyword;
use crate::signature::{Returns, Signature};
use crate::types::{Field, Kind, Shape, Type, alternative_like, fields_of, types_of};
use crate::validate::same_json;
use agent_gram::value::Text;
use definitions::Definitions;
use serde_core::Deserialize as _;
use serde_core::ser::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

/// The maximum size of the text of a `schema`, in bytes. Each request to a model contains the text, and an MCP server
/// can send a text of megabytes.
pub const MAX_SCHEMA_TEXT: usize = 256 << 10;

/// Returns the canonical text of a JSON Schema: the text of a `schema` that two equal schemas have in common.
///
/// Keys are in order, there are no blanks, and characters that control a terminal are escaped. Definitions
/// that a reference leads to are in `$defs` of the schema, and each reference is `#/$defs/` and the name of a
/// definition. `$schema`, `$id` and anchors are left out, because the schema becomes a part of another one.
///
/// ```
/// # {
/// use agent_types::schema::canonical_schema;
///
/// let text = canonical_schema(r#"{"type": "object", "minProperties": 1.0}"#)?;
/// assert_eq!(text, r#"{"minProperties":1,"type":"object"}"#);
/// let error = canonical_schema(r#"{"$ref": "https://example.com/schema.json"}"#).unwrap_err();
/// assert!(error.contains("leads out of the schema"));
/// # }
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// The reason for which the text cannot be a `schema`, in words.
pub fn canonical_schema(text: &str) -> Result<String, String> {
    extract::canonical(text)
}

/// A JSON Schema: an object whose members keep their order. Cloning is cheap.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    members: Arc<[(Text, Ordered)]>,
}

impl Schema {
    /// A schema of these members, for transforms of other schemas. Their keys must differ.
    #[must_use]
    pub fn from_members(members: Vec<(Text, Ordered)>) -> Self {
        let members = members.into();
        Self { members }
    }

    /// The members, in order.
    #[must_use]
    pub fn members(&self) -> &[(Text, Ordered)] {
        &self.members
    }

    /// Returns the JSON value, which keeps the order and shares the members.
    #[must_use]
    pub fn to_ordered(&self) -> Ordered {
        Ordered::Shared(Arc::clone(&self.members))
    }

    /// Converts to a `serde_json::Value`, which sorts the members. A bound beyond 64 bits becomes the
    /// nearest double.
    #[must_use]
    pub fn to_value(&self) -> serde_json::Value {
        serde_json::Value::Object(crate::json_value::to_map(&self.members))
    }
}

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::json_value::serialize_members(&self.members, serializer)
    }
}

/// Compact JSON text.
impl fmt::Display for Schema {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// The JSON Schema of the values of a type.
pub(crate) fn type_schema(ty: &Type) -> Schema {
    Schema::from_members(type_members(ty))
}

/// The JSON Schema of the object of arguments. `implementation` is the signature of the tool, whose
/// types may have schemas of their own.
pub fn arguments_schema(signature: &Signature, implementation: Option<&Signature>) -> Schema {
    let host = implementation.map_or(&[][..], Signature::params);
    let (named, _) = signature.named_and_further();
    let further = signature.params().get(named.len());
    Schema::from_members(object_members(named, further, host))
}

/// The JSON Schema of the result.
pub(crate) fn return_schema(returns: &Returns) -> Schema {
    Schema::from_members(return_members(returns))
}

type Members = Vec<(Text, Ordered)>;

/// A schema that is being built. The schemas of implementations inside it may need definitions, which
/// are placed at the root.
struct Builder<'d>(Members, &'d mut Definitions);

/// The members around a type that become part of its schema.
struct Surroundings<'a> {
    /// Whether `null` is a value of its own. It is not one for a field or parameter without a default, because
    /// `required` expresses there that a value is optional.
    nullable: bool,
    description: Option<&'a str>,
    default: Option<Ordered>,
}

/// Returns the schema of a type as an element or as a value of a map.
fn type_members(ty: &Type) -> Members {
    let mut definitions = Definitions::default();
    let members = inner_members(ty, None, &mut definitions);
    definitions.added_to(members)
}

fn inner_members(ty: &Type, host: Option<&Type>, definitions: &mut Definitions) -> Members {
    let place = Surroundings {
        nullable: ty.is_optional(),
        description: None,
        default: None,
    };
    build(ty, host, place, definitions)
}

/// The schema of a result.
fn return_members(returns: &Returns) -> Members {
    let mut definitions = Definitions::default();
    let place = Surroundings {
        nullable: returns.ty().is_optional(),
        description: returns.description(),
        default: None,
    };
    let members = build(returns.ty(), None, place, &mut definitions);
    definitions.added_to(members)
}

/// The schema of an object of these fields, and of further keys if there is `further`. `host` has the fields
/// of the implementation, which may have a schema for a field that is `Any`.
fn object_members(fields: &[Field], further: Option<&Field>, host: &[Field]) -> Members {
    let mut definitions = Definitions::default();
    let mut builder = Builder(Vec::new(), &mut definitions);
    builder.add("type", Ordered::text("object"));
    builder.add_fields(fields, host);
    if let Some(further) = further {
        let place = Surroundings {
            nullable: further.ty().is_optional(),
            description: further.description(),
            default: None,
        };
        let values = build(further.ty(), None, place, builder.1);
        builder.add("additionalProperties", Ordered::Object(values));
    }
    let members = builder.0;
    definitions.added_to(members)
}

fn field_members(field: &Field, host: &[Field], definitions: &mut Definitions) -> Members {
    let host = host.iter().find(|host| host.name() == field.name());
    let keeps_null = |field: &Field| field.ty().keeps_null();
    let place = Surroundings {
        // Where a default takes the place of a missing value, only `null` expresses that there is no value.
        nullable: field.default().is_some() && (keeps_null(field) || host.is_some_and(keeps_null)),
        description: field.description(),
        default: field.default().and_then(plain),
    };
    build(field.ty(), host.map(Field::ty), place, definitions)
}

/// Builds the schema of a type. The order of the members is part of the canonical form.
fn build(
    ty: &Type,
    host: Option<&Type>,
    place: Surroundings<'_>,
    definitions: &mut Definitions,
) -> Members {
    let host = host.and_then(|host| alternative_like(host, ty));
    let known = schema_of(ty, host, place.nullable, definitions);
    let mut builder = Builder(Vec::new(), definitions);
    builder.add_type(ty.kind(), place.nullable);
    if let Some(description) = place.description {
        builder.add("description", Ordered::text(description.to_owned()));
    }
    if let Some(default) = place.default {
        builder.add("default", default);
    }
    builder.add_parts(ty, host, place.nullable);
    builder.add_constraints(ty.constraints(), place.nullable);
    // The tool's description of a value comes before the description of its type.
    for (key, value) in known {
        if builder.0.iter().all(|(given, _)| *given != key) {
            builder.0.push((key, value));
        }
    }
    builder.0
}

impl Builder<'_> {
    fn add(&mut self, key: &'static str, value: Ordered) {
        self.0.push((key.into(), value));
    }

    fn add_type(&mut self, kind: &Kind, nullable: bool) {
        let Some(word) = type_word(kind) else {
            return;
        };
        let word = Ordered::text(word);
        let null = Ordered::text("null");
        if nullable && word != null {
            self.add("type", Ordered::Array(vec![word, null]));
        } else {
            self.add("type", word);
        }
    }

    fn add_parts(&mut self, ty: &Type, host: Option<&Type>, nullable: bool) {
        match (ty.kind(), host.map(Type::kind)) {
            (Kind::Array(element), host) => {
                let host = match host {
                    Some(Kind::Array(element)) => Some(element.get()),
                    _ => None,
                };
                let items = inner_members(element, host, self.1);
                if !items.is_empty() {
                    self.add("items", Ordered::Object(items));
                }
            }
            (Kind::Tuple(items), host) => {
                let host = match host {
                    Some(Kind::Tuple(items)) => types_of(items),
                    _ => &[],
                };
                let items = types_of(items).iter().enumerate();
                let items = items.map(|(at, ty)| inner_members(ty, host.get(at), self.1));
                let items: Vec<_> = items.map(Ordered::Object).collect();
                let count = Ordered::Integer(items.len() as i128);
                self.add("prefixItems", Ordered::Array(items));
                self.add("items", Ordered::Bool(false));
                self.add("minItems", count.clone());
                self.add("maxItems", count);
            }
            (Kind::Object(shape), host) => {
                let host = match host {
                    Some(Kind::Object(shape)) => Some(shape),
                    _ => None,
                };
                if let Shape::Fields(fields) | Shape::Extended(fields, _) = shape {
                    self.add_fields(fields_of(fields), host.map_or(&[], Shape::fields));
                }
                if let Some(values) = shape.values() {
                    let values = inner_members(values, host.and_then(Shape::values), self.1);
                    self.add("additionalProperties", Ordered::Object(values));
                }
            }
            (Kind::Media(media), _) => self.add_parts(media.form(), None, nullable),
            (Kind::Union(types), _) => {
                let types = types_of(types).iter();
                let types = types.map(|ty| inner_members(ty, host, self.1));
                let mut types: Vec<_> = types.map(Ordered::Object).collect();
                if nullable {
                    types.push(Ordered::Object(vec![(
                        "type".into(),
                        Ordered::text("null"),
                    )]));
                }
                self.add("anyOf", Ordered::Array(types));
            }
            _ => {}
        }
    }

    fn add_fields(&mut self, fields: &[Field], host: &[Field]) {
        let properties = fields.iter().map(|field| {
            let name = Text::from(field.name().to_owned());
            let members = field_members(field, host, self.1);
            (name, Ordered::Object(members))
        });
        let properties = properties.collect();
        self.add("properties", Ordered::Object(properties));
        let required = fields.iter().filter(|field| !field.is_optional());
        let required = required.map(|field| Ordered::text(field.name().to_owned()));
        self.add("required", Ordered::Array(required.collect()));
    }

    fn add_constraints(&mut self, constraints: &Constraints, nullable: bool) {
        for (keyword, constraint) in constraints.iter() {
            // The number of a tuple's items is fixed, and the members of a `schema` are added by themselves.
            if keyword == Keyword::Schema || self.0.iter().any(|(key, _)| *key == keyword.name()) {
                continue;
            }
            let value = match constraint {
                Constraint::Values(values) => {
                    let mut items = Vec::new();
                    for value in values {
                        // No argument can equal a value that JSON has no form for.
                        items.extend(plain(value));
                    }
                    if nullable {
                        items.push(Ordered::Null);
                    }
                    Ordered::Array(items)
                }
                Constraint::Text(text) => Ordered::text(text.to_owned()),
                Constraint::Number(Bound::Int(value)) => Ordered::Integer(*value),
                Constraint::Number(Bound::Double(value)) => Ordered::Number(value.value()),
                Constraint::Count(count) => Ordered::Integer(count.into()),
            };
            self.add(keyword.name(), value);
        }
    }
}

/// Returns the `type` of JSON Schema for a kind; `None` for `Any`, whose schema is `{}`, and for a union.
fn type_word(kind: &Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Any | Kind::Union(_) => return None,
        Kind::Null => "null",
        Kind::Text => "string",
        Kind::Int => "integer",
        Kind::Double => "number",
        Kind::Bool => "boolean",
        Kind::Array(_) | Kind::Tuple(_) => "array",
        Kind::Object(_) => "object",
        Kind::Media(media) => return type_word(media.form().kind()),
    })
}

/// Returns the members of the `schema` of a type that is `Any`, or else of the implementation's own schema for
/// it, without definitions; empty when it has no schema.
fn schema_of(
    ty: &Type,
    host: Option<&Type>,
    nullable: bool,
    definitions: &mut Definitions,
) -> Members {
    if !matches!(ty.kind(), Kind::Any) {
        return Vec::new();
    }
    let own = match (
        &ty.constraints().schema,
        ty.host().or(host.and_then(Type::host)),
    ) {
        (Some(text), _) => parse_json(text).unwrap_or_default(),
        (None, Some(Host::Schema(schema))) => schema(),
        _ => return Vec::new(),
    };
    // A schema that is `true`, or is invalid, has no members.
    let Ok(Ordered::Object(mut members)) = Ordered::deserialize(&own) else {
        return Vec::new();
    };
    members.retain(|(key, _)| *key != "$schema");
    definitions.take_from(&mut members);
    if nullable && !members.is_empty() {
        let null = vec![("type".into(), Ordered::text("null"))];
        let either = vec![Ordered::Object(members), Ordered::Object(null)];
        members = vec![("anyOf".into(), Ordered::Array(either))];
    }
    members
}

/// Whether two JSON Schemas mean the same, apart from their notation: an absent `required` is empty, and
/// the order of keys, of `required` and of several `type`s does not matter. This holds for schemas
/// inside others, not inside a `default`, `const` or `enum`.
#[must_use]
pub fn same_schema(left: &Value, right: &Value) -> bool {
    let (Value::Object(left), Value::Object(right)) = (left, right) else {
        return same_json(left, right);
    };
    let keys = left.keys().chain(right.keys());
    keys.into_iter().all(|key| same_member(key, left, right))
}

fn same_member(key: &str, left: &Map<String, Value>, right: &Map<String, Value>) -> bool {
    if key == "required" {
        return same_required(left.get(key), right.get(key));
    }
    let (Some(left), Some(right)) = (left.get(key), right.get(key)) else {
        return false;
    };
    match key {
        "type" => same_types(left, right),
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            same_schemas_by_name(left, right)
        }
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => same_schemas_in_order(left, right),
        // Before draft 2020-12, `items` could be a list of schemas.
        "items" if left.is_array() => same_schemas_in_order(left, right),
        "items"
        | "additionalItems"
        | "unevaluatedItems"
        | "contains"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames"
        | "not"
        | "if"
        | "then"
        | "else" => same_schema(left, right),
        _ => same_json(left, right),
    }
}

fn same_required(left: Option<&Value>, right: Option<&Value>) -> bool {
    const NONE: &Value = &Value::Array(Vec::new());
    same_set(left.unwrap_or(NONE), right.unwrap_or(NONE))
}

fn same_types(left: &Value, right: &Value) -> bool {
    left == right || same_set(left, right)
}

/// Whether two lists hold the same, in any order.
fn same_set(left: &Value, right: &Value) -> bool {
    let (Value::Array(left), Value::Array(right)) = (left, right) else {
        return left == right;
    };
    left.iter().all(|item| right.contains(item)) && right.iter().all(|item| left.contains(item))
}

fn same_schemas_by_name(left: &Value, right: &Value) -> bool {
    let (Value::Object(left), Value::Object(right)) = (left, right) else {
        return left == right;
    };
    left.len() == right.len()
        && left.iter().all(|(name, schema)| {
            let other = right.get(name);
            other.is_some_and(|other| same_schema(schema, other))
        })
}

fn same_schemas_in_order(left: &Value, right: &Value) -> bool {
    let (Value::Array(left), Value::Array(right)) = (left, right) else {
        return left == right;
    };
    left.len() == right.len() && left.iter().zip(right).all(|(a, b)| same_schema(a, b))
}
