//! Types as expressions and as JSON Schemas, and values of a type.

use crate::schema::read::{SchemaError, SchemaReader, Source};
use crate::schema::{Schema, type_schema};
use crate::type_expression::type_from_expression;
use crate::types::Type;
use crate::validate::{Violations, check_value, from_host, to_host};
use serde_json::Value;

impl Type {
    /// Reads a type expression, such as `{id: Text, tags: [Text], age: Maybe Int}`.
    ///
    /// # Errors
    /// A message that names the mistake and a correct text.
    ///
    /// ```
    /// let ty = agent_spec::Type::from_expression("Maybe Int").expect("it is a type");
    /// assert!(ty.is_optional());
    /// let error = agent_spec::Type::from_expression("Txt").expect_err("it is no type");
    /// assert_eq!(error, "`Txt` is not a type; did you mean `Text`?");
    /// ```
    pub fn from_expression(text: &str) -> Result<Self, String> {
        type_from_expression(text)
    }

    /// Returns the JSON Schema of the values. An optional type also allows `null`. The schema leaves out
    /// the integer range of the implementation; for `Any` it includes the schema that the
    /// implementation has of its own.
    #[must_use]
    pub fn schema(&self) -> Schema {
        type_schema(self)
    }

    /// Reads a type from a JSON Schema, as [`SchemaReader::new`] does.
    ///
    /// # Errors
    /// Everything in the schema that gram cannot express.
    ///
    /// ```
    /// use agent_spec::Type;
    /// use serde_json::json;
    ///
    /// let ty = Type::from_schema(&json!({"type": "array", "items": {"type": "integer"}}))?;
    /// assert_eq!(ty.schema().to_string(), r#"{"type":"array","items":{"type":"integer"}}"#);
    ///
    /// let error = Type::from_schema(&json!({"type": "array", "uniqueItems": true})).unwrap_err();
    /// assert_eq!(error.first().path(), "$.uniqueItems");
    /// # Ok::<(), agent_spec::schema::SchemaError>(())
    /// ```
    pub fn from_schema<S: Source + ?Sized>(schema: &S) -> Result<Self, SchemaError> {
        SchemaReader::new().read_type(schema)
    }

    /// Checks a value against the type.
    ///
    /// # Errors
    /// All violations.
    pub fn validate(&self, value: &Value) -> Result<(), Violations> {
        check_value(self, value)
    }

    /// Converts a value of this type to the form that the implementation reads; returns whether it
    /// changed. A value of another type stays as it is.
    pub fn give_to_host(&self, value: &mut Value) -> bool {
        to_host(self, value)
    }

    /// Converts a value that the implementation wrote to the form of this type; returns whether it
    /// changed.
    pub fn take_from_host(&self, value: &mut Value) -> bool {
        from_host(self, value)
    }
}
