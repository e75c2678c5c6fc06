//! JSON Schemas that tools bring themselves.
//!
//! With the feature `json-schema` any schema is taken, and the crate `jsonschema` validates.
//! Without it, only schemas that a gram type says as well are taken, and the type validates.

#[cfg(feature = "json-schema")]
mod any;
#[cfg(any(test, not(feature = "json-schema")))]
mod of_type;

#[cfg(feature = "json-schema")]
use any::Compiled;
#[cfg(not(feature = "json-schema"))]
use of_type::Compiled;

use serde_json::Value;
use std::fmt;

/// A JSON Schema, ready to validate.
pub(crate) struct CompiledSchema(Compiled);

impl CompiledSchema {
    pub(crate) fn new(schema: &Value) -> Result<Self, SchemaError> {
        Compiled::new(schema).map(Self)
    }

    /// Checks a value.
    pub(crate) fn check(&self, value: &Value) -> Result<(), ValidationError> {
        let problems = self.0.problems(value);
        if problems.is_empty() {
            Ok(())
        } else {
            Err(ValidationError::Value { problems })
        }
    }
}

impl fmt::Debug for CompiledSchema {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("CompiledSchema")
    }
}

/// Why a JSON value is not a schema that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError(String);

impl SchemaError {
    fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for SchemaError {}

/// Why a value does not satisfy a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValidationError {
    /// The schema itself cannot be used.
    #[non_exhaustive]
    Schema {
        /// What is wrong with it.
        error: SchemaError,
    },
    /// The value breaks the schema.
    #[non_exhaustive]
    Value {
        /// Everything that is wrong, each with its path: at least one.
        problems: Vec<String>,
    },
}

/// How many problems are printed. A long list would fill a model's context without telling it more.
const PRINTED: usize = 50;

impl fmt::Display for ValidationError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schema { error } => write!(out, "the schema cannot be used: {error}"),
            Self::Value { problems } => {
                let shown = &problems[..problems.len().min(PRINTED)];
                out.write_str(&shown.join("\n"))?;
                match problems.len() - shown.len() {
                    0 => Ok(()),
                    more => write!(out, "\nand {more} more"),
                }
            }
        }
    }
}

impl std::error::Error for ValidationError {}

/// Checks the arguments of a call against a JSON Schema and gives them back when they satisfy it.
/// For a [`Signature`](agent_spec::Signature), use
/// [`check_arguments`](agent_spec::Signature::check_arguments), which also fills in defaults.
///
/// The schema is compiled at each call; a tool made with
/// [`create_tool`](crate::tool::create_tool) compiles its own once.
///
/// # Errors
/// Everything that is wrong with the arguments, or with the schema.
///
/// ```
/// use agent_runtime::serde_json::json;
/// use agent_runtime::tool::validate_tool_args;
///
/// let schema = json!({
///     "type": "object",
///     "properties": {"name": {"type": "string"}},
///     "required": ["name"],
/// });
/// assert!(validate_tool_args(&schema, &json!({"name": "Ada"})).is_ok());
/// assert!(validate_tool_args(&schema, &json!({"name": 1})).is_err());
/// ```
pub fn validate_tool_args(schema: &Value, args: &Value) -> Result<Value, ValidationError> {
    let schema = CompiledSchema::new(schema).map_err(|error| ValidationError::Schema { error })?;
    schema.check(args)?;
    Ok(args.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn problems_name_their_path() {
        let schema = json!({
            "type": "object",
            "properties": {"user": {"type": "object", "properties": {"age": {"type": "integer"}}}},
            "required": ["user", "id"],
        });
        let args = json!({"user": {"age": "old"}});
        let text = validate_tool_args(&schema, &args).unwrap_err().to_string();
        assert!(text.contains("$.user.age"), "{text}");
        assert!(text.contains("id"), "{text}");
    }

    #[test]
    fn what_is_no_schema_is_refused() {
        for wrong in [
            json!(3),
            json!({"type": "strin"}),
            json!({"required": "name"}),
        ] {
            let error = validate_tool_args(&wrong, &json!({})).unwrap_err();
            assert!(matches!(error, ValidationError::Schema { .. }), "{wrong}");
        }
    }
}
