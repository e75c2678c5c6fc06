//! Fields of records, and parameters, which are the fields of a call's argument object.

use super::Type;
use crate::Nest;
use agent_gram::Value;
use agent_gram::value::Text;

/// A named part of a record.
#[derive(Clone, Debug)]
pub struct Field {
    name: Text,
    ty: Nest<Type>,
    default: Option<Value>,
    description: Option<Text>,
}

/// A parameter of a tool: a field of the object that a model sends as arguments.
pub type Param = Field;

impl Field {
    /// A field of this name and type.
    #[must_use]
    pub fn new(name: impl Into<Text>, ty: Type) -> Self {
        Self {
            name: name.into(),
            ty: Nest::new(ty),
            default: None,
            description: None,
        }
    }

    /// A field for a `const`.
    #[must_use]
    pub const fn from_static(
        name: &'static str,
        ty: &'static Type,
        default: Option<&'static Value>,
        description: Option<&'static str>,
    ) -> Self {
        Self {
            name: Text::from_static(name),
            ty: Nest::from_static(ty),
            default: match default {
                Some(value) => Some(borrowed_value(value)),
                None => None,
            },
            description: match description {
                Some(text) => Some(Text::from_static(text)),
                None => None,
            },
        }
    }

    /// A copy of a field that lives for ever, which borrows all its parts.
    #[must_use]
    pub const fn borrowed(of: &'static Field) -> Self {
        Self::from_static(of.name(), of.ty(), of.default(), of.description())
    }

    /// The same field with a default, which makes it optional.
    #[must_use]
    pub fn with_default(mut self, default: Value) -> Self {
        self.default = Some(default);
        self
    }

    /// The same field with a description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<Text>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The name.
    #[must_use]
    pub const fn name(&self) -> &str {
        self.name.as_str()
    }

    /// Whether this is the name. It compares bytes, which takes less than giving the name.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.name.as_bytes() == name.as_bytes()
    }

    /// The type.
    #[must_use]
    pub const fn ty(&self) -> &Type {
        self.ty.get()
    }

    /// The value it has when it is missing.
    #[must_use]
    pub const fn default(&self) -> Option<&Value> {
        self.default.as_ref()
    }

    /// What it is for.
    #[must_use]
    pub const fn description(&self) -> Option<&str> {
        match &self.description {
            Some(text) => Some(text.as_str()),
            None => None,
        }
    }

    /// Whether it may be missing: it has a default, or its type is optional.
    #[must_use]
    pub const fn is_optional(&self) -> bool {
        self.default.is_some() || self.ty().is_optional()
    }
}

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        crate::binding::same_field(self, other)
    }
}

/// A copy of a value that lives for ever, which borrows all its parts.
pub(crate) const fn borrowed_value(value: &'static Value) -> Value {
    use agent_gram::value::{Array, Decimal, Record, Symbol};
    match value {
        Value::Integer(value) => Value::Integer(*value),
        Value::Decimal(value) => Value::Decimal(Decimal::from_static(value.value(), value.text())),
        Value::Boolean(value) => Value::Boolean(*value),
        Value::String(text) => Value::String(Text::from_static(text.as_str())),
        Value::Symbol(symbol) => Value::Symbol(Symbol::from_static(symbol.as_str())),
        Value::Tagged(tagged) => Value::Tagged(Nest::from_static(tagged.get())),
        Value::Array(array) => Value::Array(Array::from_static(array.as_slice())),
        Value::Map(record) => Value::Map(Record::from_static(record.entries())),
        Value::Range(range) => Value::Range(Nest::from_static(range.get())),
        Value::Measurement(value) => Value::Measurement(Nest::from_static(value.get())),
    }
}
