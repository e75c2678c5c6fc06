//! What a value may look like: the types of parameters, fields and results.

mod constraints;
mod field;

pub use constraints::{Bound, Constraints};
pub use field::{Field, Param};

use crate::Nest;
use std::borrow::Cow;

/// The type of a value: its kind, whether it may be missing, and what narrows it.
///
/// The same type serves a `const` (what `#[tool]` writes) and run time (what is read from gram).
#[derive(Clone, Debug)]
pub struct Type {
    kind: Kind,
    optional: bool,
    /// In a place of their own, since most types have none, and they are large.
    constraints: Nest<Constraints>,
    host_range: Option<&'static IntRange>,
}

/// The lowest and the highest of some integers.
pub type IntRange = (i128, i128);

/// No constraints.
const UNCONSTRAINED: &Constraints = &Constraints::NONE;

/// The kinds of types gram has labels for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// Any JSON value.
    Any,
    /// Only `null`: what a function without a result returns.
    Null,
    /// Text.
    Text,
    /// A whole number of any width.
    Int,
    /// A number.
    Double,
    /// `true` or `false`.
    Bool,
    /// A list of values of one type.
    Array(Nest<Type>),
    /// A JSON object.
    Object(Shape),
}

/// What is known about an object.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// Nothing: any keys and values.
    Open,
    /// These fields; further keys are ignored.
    Fields(Cow<'static, [Field]>),
    /// Any keys, values of one type.
    Map(Nest<Type>),
}

impl Type {
    /// Any JSON value.
    pub const ANY: &'static Type = &Type::new(Kind::Any);

    /// A required type of this kind that nothing narrows.
    #[must_use]
    pub const fn new(kind: Kind) -> Self {
        Self {
            kind,
            optional: false,
            constraints: Nest::from_static(UNCONSTRAINED),
            host_range: None,
        }
    }

    /// A whole number that the implementation holds in an integer of this range. The range is not
    /// part of the type in gram: it only refuses, with its bounds named, what would not fit.
    #[must_use]
    pub const fn int_in(range: &'static IntRange) -> Self {
        Self {
            kind: Kind::Int,
            optional: false,
            constraints: Nest::from_static(UNCONSTRAINED),
            host_range: Some(range),
        }
    }

    /// A type for a `const`.
    #[must_use]
    pub const fn from_static(
        kind: Kind,
        optional: bool,
        constraints: &'static Constraints,
    ) -> Self {
        Self {
            kind,
            optional,
            constraints: Nest::from_static(constraints),
            host_range: None,
        }
    }

    /// The same type narrowed by constraints.
    #[must_use]
    pub fn with_constraints(mut self, constraints: Constraints) -> Self {
        self.constraints = if constraints.is_none() {
            Nest::from_static(UNCONSTRAINED)
        } else {
            Nest::new(constraints)
        };
        self
    }

    /// The same type, optional or not.
    #[must_use]
    pub fn with_optional(mut self, optional: bool) -> Self {
        self.optional = optional;
        self
    }

    /// The optional form of a type that lives for ever, for a `const`.
    #[must_use]
    pub const fn optional_of(of: &'static Type) -> Self {
        Self {
            kind: of.kind.borrowed(),
            optional: true,
            constraints: Nest::from_static(of.constraints.get()),
            host_range: of.host_range,
        }
    }

    /// The kind.
    #[must_use]
    pub const fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Whether the value may be missing or `null`.
    #[must_use]
    pub const fn is_optional(&self) -> bool {
        self.optional
    }

    /// What narrows the type.
    #[must_use]
    pub const fn constraints(&self) -> &Constraints {
        self.constraints.get()
    }

    /// The integers that the implementation can hold, when this is known.
    #[must_use]
    pub const fn host_range(&self) -> Option<&'static IntRange> {
        self.host_range
    }

    /// The label this type is written with, in the place of a parameter.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match &self.kind {
            Kind::Any => "Any",
            Kind::Null => "Null",
            Kind::Text => "Text",
            Kind::Int => "Int",
            Kind::Double => "Double",
            Kind::Bool => "Bool",
            Kind::Array(_) => "Array",
            Kind::Object(_) => "Object",
        }
    }
}

impl Kind {
    /// The kind for a type label of either vocabulary; case counts.
    #[must_use]
    pub fn from_label(label: &str) -> Option<Kind> {
        Some(match label {
            "Any" => Kind::Any,
            "Null" => Kind::Null,
            "Text" | "String" => Kind::Text,
            "Int" | "Integer" => Kind::Int,
            "Double" | "Number" => Kind::Double,
            "Bool" | "Boolean" => Kind::Bool,
            "Array" => Kind::Array(Nest::from_static(Type::ANY)),
            "Object" => Kind::Object(Shape::Open),
            _ => return None,
        })
    }

    const fn borrowed(&'static self) -> Kind {
        match self {
            Kind::Any => Kind::Any,
            Kind::Null => Kind::Null,
            Kind::Text => Kind::Text,
            Kind::Int => Kind::Int,
            Kind::Double => Kind::Double,
            Kind::Bool => Kind::Bool,
            Kind::Array(element) => Kind::Array(Nest::from_static(element.get())),
            Kind::Object(Shape::Open) => Kind::Object(Shape::Open),
            Kind::Object(Shape::Fields(fields)) => {
                Kind::Object(Shape::Fields(Cow::Borrowed(fields_of(fields))))
            }
            Kind::Object(Shape::Map(value)) => {
                Kind::Object(Shape::Map(Nest::from_static(value.get())))
            }
        }
    }
}

/// The fields of a record, in a `const` too.
#[must_use]
#[expect(clippy::ptr_arg, reason = "a `const` cannot dereference a `Cow`")]
pub const fn fields_of<'a>(fields: &'a Cow<'static, [Field]>) -> &'a [Field] {
    match fields {
        Cow::Borrowed(fields) => fields,
        Cow::Owned(fields) => fields.as_slice(),
    }
}

/// All type labels, those that are written first.
pub const TYPE_LABELS: [&str; 12] = [
    "Text", "Int", "Double", "Bool", "Object", "Array", "Any", "Null", "String", "Integer",
    "Number", "Boolean",
];

/// Two types are equal when every value means the same to both; ranges of the implementation do
/// not count.
impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        crate::binding::same_type(self, other)
    }
}
