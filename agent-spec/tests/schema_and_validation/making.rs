//! Short ways to make types and values.

use agent_gram::Value;
use agent_gram::value::{Array, Decimal};
use agent_spec::Nest;
use agent_spec::types::Bound;
use agent_spec::{Constraints, Field, Kind, Returns, Shape, Signature, Type};
use serde_json::Value as Json;

pub(crate) fn text() -> Type {
    Type::new(Kind::Text)
}

pub(crate) fn int() -> Type {
    Type::new(Kind::Int)
}

pub(crate) fn double() -> Type {
    Type::new(Kind::Double)
}

pub(crate) fn anything() -> Type {
    Type::new(Kind::Any)
}

pub(crate) fn list(element: Type) -> Type {
    Type::new(Kind::Array(Nest::new(element)))
}

pub(crate) fn map(value: Type) -> Type {
    Type::new(Kind::Object(Shape::Map(Nest::new(value))))
}

pub(crate) fn open() -> Type {
    Type::new(Kind::Object(Shape::Open))
}

pub(crate) fn record(fields: Vec<Field>) -> Type {
    Type::new(Kind::Object(Shape::Fields(fields.into())))
}

pub(crate) fn extended(fields: Vec<Field>, values: Type) -> Type {
    Type::new(Kind::Object(Shape::Extended(
        fields.into(),
        Nest::new(values),
    )))
}

pub(crate) fn tuple(items: Vec<Type>) -> Type {
    Type::new(Kind::Tuple(items.into()))
}

pub(crate) fn any_of(types: Vec<Type>) -> Type {
    Type::any_of(types).expect("a union has few types")
}

pub(crate) fn maybe(ty: Type) -> Type {
    ty.with_optional(true)
}

pub(crate) fn field(name: &str, ty: Type) -> Field {
    Field::new(name.to_owned(), ty)
}

pub(crate) fn signature(params: Vec<Field>) -> Signature {
    Signature::new(params, Returns::new(text()))
}

/// A type narrowed by keywords, given as JSON Schema writes them.
pub(crate) fn narrowed(ty: Type, keywords: Json) -> Type {
    let mut constraints = Constraints::NONE;
    for (key, value) in keywords.as_object().expect("keywords") {
        let count = value.as_u64();
        let text = value.as_str().map(|text| text.to_owned().into());
        match key.as_str() {
            "enum" => constraints.enumeration = values(value).into(),
            "format" => constraints.format = text,
            "pattern" => constraints.pattern = text,
            "minimum" => constraints.minimum = Some(bound(value)),
            "maximum" => constraints.maximum = Some(bound(value)),
            "exclusiveMinimum" => constraints.exclusive_minimum = Some(bound(value)),
            "exclusiveMaximum" => constraints.exclusive_maximum = Some(bound(value)),
            "multipleOf" => constraints.multiple_of = Some(bound(value)),
            "minLength" => constraints.min_length = count,
            "maxLength" => constraints.max_length = count,
            "minItems" => constraints.min_items = count,
            "maxItems" => constraints.max_items = count,
            other => panic!("`{other}` is no keyword"),
        }
    }
    ty.with_constraints(constraints)
}

fn values(list: &Json) -> Vec<Value> {
    let list = list.as_array().expect("a list");
    list.iter().map(gram).collect()
}

fn bound(value: &Json) -> Bound {
    match value.as_i64() {
        Some(value) => Bound::Int(value.into()),
        None => Bound::Double(decimal(value.as_f64().expect("a number"))),
    }
}

pub(crate) fn decimal(value: f64) -> Decimal {
    Decimal::new(value).expect("a finite number")
}

pub(crate) fn gram(json: &Json) -> Value {
    agent_spec::json::json_to_value(json).expect("a value that gram can say")
}

pub(crate) fn array(items: Vec<Value>) -> Value {
    Value::Array(Array::new(items).expect("a flat list"))
}
