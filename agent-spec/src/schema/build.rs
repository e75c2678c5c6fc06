//! The canonical schema of a type.

use super::host::{Definitions, schema_of};
use crate::json::{Ordered, plain};
use crate::signature::Returns;
use crate::types::{Bound, Constraints, Field, Kind, Shape, Type, fields_of};
use agent_gram::value::Text;

type Members = Vec<(Text, Ordered)>;

/// A schema being put together. Schemas of implementations in it may need definitions, which stand
/// at the root.
struct Builder<'d>(Members, &'d mut Definitions);

/// What stands around a type and becomes part of its schema.
struct Place<'a> {
    /// Whether `null` is a value of its own. Of a field or parameter it is not: there, being
    /// optional is said by `required`.
    nullable: bool,
    description: Option<&'a str>,
    default: Option<Ordered>,
}

/// The schema of a type that stands by itself, as an element, or as a value of a map.
pub(super) fn type_members(ty: &Type) -> Members {
    let mut definitions = Definitions::default();
    let members = inner_members(ty, None, &mut definitions);
    definitions.added_to(members)
}

fn inner_members(ty: &Type, host: Option<&Type>, definitions: &mut Definitions) -> Members {
    let place = Place {
        nullable: ty.is_optional(),
        description: None,
        default: None,
    };
    build(ty, host, place, definitions)
}

/// The schema of a result.
pub(super) fn return_members(returns: &Returns) -> Members {
    let mut definitions = Definitions::default();
    let place = Place {
        nullable: returns.ty().is_optional(),
        description: returns.description(),
        default: None,
    };
    let members = build(returns.ty(), None, place, &mut definitions);
    definitions.added_to(members)
}

/// The schema of an object of these fields; `host` has those of the implementation, which may know
/// more of what is `Any`.
pub(super) fn object_members(fields: &[Field], host: &[Field]) -> Members {
    let mut definitions = Definitions::default();
    let mut builder = Builder(Vec::new(), &mut definitions);
    builder.add("type", Ordered::text("object"));
    builder.add_fields(fields, host);
    let members = builder.0;
    definitions.added_to(members)
}

fn field_members(field: &Field, host: &[Field], definitions: &mut Definitions) -> Members {
    let host = host.iter().find(|host| host.name() == field.name());
    let place = Place {
        nullable: false,
        description: field.description(),
        default: field.default().and_then(plain),
    };
    build(field.ty(), host.map(Field::ty), place, definitions)
}

/// The order of the members is part of the canonical form.
fn build(
    ty: &Type,
    host: Option<&Type>,
    place: Place<'_>,
    definitions: &mut Definitions,
) -> Members {
    let known = schema_of(ty, host, place.nullable, definitions);
    let mut builder = Builder(Vec::new(), definitions);
    builder.add_type(ty.kind(), place.nullable);
    if let Some(description) = place.description {
        builder.add("description", Ordered::text(description.to_owned()));
    }
    if let Some(default) = place.default {
        builder.add("default", default);
    }
    builder.add_parts(ty.kind(), host.map(Type::kind));
    builder.add_constraints(ty.constraints(), place.nullable);
    // What the tool says of a value goes before what its type says.
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

    fn add_parts(&mut self, kind: &Kind, host: Option<&Kind>) {
        match kind {
            Kind::Array(element) => {
                let host = match host {
                    Some(Kind::Array(element)) => Some(element.get()),
                    _ => None,
                };
                let items = inner_members(element, host, self.1);
                if !items.is_empty() {
                    self.add("items", Ordered::Object(items));
                }
            }
            Kind::Object(Shape::Fields(fields)) => {
                let host = match host {
                    Some(Kind::Object(Shape::Fields(fields))) => fields_of(fields),
                    _ => &[],
                };
                self.add_fields(fields_of(fields), host);
            }
            Kind::Object(Shape::Map(value)) => {
                let host = match host {
                    Some(Kind::Object(Shape::Map(value))) => Some(value.get()),
                    _ => None,
                };
                let values = inner_members(value, host, self.1);
                self.add("additionalProperties", Ordered::Object(values));
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
        let enumeration = constraints.enumeration();
        if !enumeration.is_empty() {
            // What JSON cannot say, no argument can equal, so leaving it out changes nothing.
            let mut values: Vec<_> = enumeration.iter().filter_map(plain).collect();
            if nullable {
                values.push(Ordered::Null);
            }
            self.add("enum", Ordered::Array(values));
        }
        self.add_text("format", constraints.format.as_ref());
        self.add_bound("minimum", constraints.minimum.as_ref());
        self.add_bound("maximum", constraints.maximum.as_ref());
        self.add_count("minLength", constraints.min_length);
        self.add_count("maxLength", constraints.max_length);
        self.add_text("pattern", constraints.pattern.as_ref());
        self.add_count("minItems", constraints.min_items);
        self.add_count("maxItems", constraints.max_items);
    }

    fn add_text(&mut self, key: &'static str, text: Option<&Text>) {
        if let Some(text) = text {
            self.add(key, Ordered::Text(text.clone()));
        }
    }

    fn add_bound(&mut self, key: &'static str, bound: Option<&Bound>) {
        match bound {
            Some(Bound::Int(value)) => self.add(key, Ordered::Integer(*value)),
            Some(Bound::Double(value)) => self.add(key, Ordered::Number(value.value())),
            None => {}
        }
    }

    fn add_count(&mut self, key: &'static str, count: Option<u64>) {
        if let Some(count) = count {
            self.add(key, Ordered::Integer(count.into()));
        }
    }
}

/// The word of JSON Schema for a kind; none for `Any`, whose schema is `{}`.
fn type_word(kind: &Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Any => return None,
        Kind::Null => "null",
        Kind::Text => "string",
        Kind::Int => "integer",
        Kind::Double => "number",
        Kind::Bool => "boolean",
        Kind::Array(_) => "array",
        Kind::Object(_) => "object",
    })
}
