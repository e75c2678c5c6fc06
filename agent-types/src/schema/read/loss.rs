//! The differences between a schema and the type read from it that a caller can allow.

/// A difference between a schema and the type that is read from it.
///
/// In most cases, the type allows more values than the schema, and the tool itself still refuses these
/// values. [`Loss::Tuples`] and [`Loss::ImpliedTypes`] refuse values that the schema allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Loss {
    /// `additionalProperties: false`. The type ignores further keys, and those that a call has are
    /// dropped before the tool sees them.
    ClosedObjects,
    /// A property that must be there but may be `null`, or can only be `null`. In gram `null` counts as absent.
    RequiredNull,
    /// `uniqueItems`: lists without duplicates.
    UniqueItems,
    /// `not`.
    Not,
    /// `contains`, `minContains`, `maxContains`.
    Contains,
    /// `minProperties`, `maxProperties`.
    PropertyCount,
    /// `propertyNames` that is more than `{"type": "string"}`, and maps with a pattern for their keys, which
    /// become maps with any keys.
    PropertyNames,
    /// `if`, `then`, `else`, `dependentRequired`, `dependentSchemas`, `dependencies`. Also arguments that are one of
    /// several records, for [`keeping_the_rest`](crate::schema::SchemaReader::keeping_the_rest).
    Conditions,
    /// A value of one of more than 64 types; it becomes `Any`.
    Unions,
    /// A type that contains itself; the inner occurrence becomes `Any`.
    Recursion,
    /// Keywords that JSON Schema does not have, such as `optional`; they are ignored, as a validator ignores
    /// them. `nullable: true` without `type` is one of them.
    UnknownKeywords,
    /// A `default` that does not fit its own schema; the value then has no default.
    Defaults,
    /// Values of `enum` that the rest of the schema forbids; they are left out, and `enum` with them
    /// when no value is left.
    EnumValues,
    /// A `pattern` with look-around, a back-reference, or other parts that cannot be used here; any text
    /// is allowed.
    Patterns,
    /// Schemas of properties by the form of their name (`patternProperties`), or of all that other parts
    /// of the schema do not mention (`unevaluatedProperties`). The type allows such keys with any value.
    FurtherProperties,
    /// Lists with a type for each place that may be shorter or longer. They become tuples with exactly these
    /// items. Also `unevaluatedItems`.
    Tuples,
    /// Keywords of one type, such as `properties`, without `type`. The schema allows all values of other
    /// types as well; the type that is read does not.
    ImpliedTypes,
    /// `oneOf` with alternatives that may both allow a value, which `oneOf` then refuses. It is read as
    /// `anyOf`.
    Overlaps,
}

impl Loss {
    /// All losses.
    pub const ALL: [Loss; 18] = [
        Loss::ClosedObjects,
        Loss::RequiredNull,
        Loss::UniqueItems,
        Loss::Not,
        Loss::Contains,
        Loss::PropertyCount,
        Loss::PropertyNames,
        Loss::Conditions,
        Loss::Unions,
        Loss::Recursion,
        Loss::UnknownKeywords,
        Loss::Defaults,
        Loss::EnumValues,
        Loss::Patterns,
        Loss::FurtherProperties,
        Loss::Tuples,
        Loss::ImpliedTypes,
        Loss::Overlaps,
    ];
}
