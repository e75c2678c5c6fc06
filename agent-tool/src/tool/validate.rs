//! Validation of arguments and results against the signature of a tool, or against the JSON Schemas that it
//! brings itself.
//!
//! With the feature `json-schema` any schema is accepted, and the crate `jsonschema` validates.
//! Without it, only schemas that a gram type expresses are accepted, and the type validates.

use super::complete::{complete, has_defaults, has_whole_doubles, repair};
use super::part_schemas::PartSchemas;
use super::schema_error::SchemaError;
use super::{Contract, Tool, ToolDescriptor};
use agent_spec::Violations;
use serde_json::{Value, json};
use std::fmt;

#[cfg(feature = "json-schema")]
use super::any_schema::Compiled;
#[cfg(not(feature = "json-schema"))]
use of_type::Compiled;

/// Validates arguments against the contract of a tool: its signature, or its own JSON Schema.
///
/// A run validates arguments before each call. This function is for hosts and tests that call a tool
/// themselves.
///
/// # Errors
/// All problems of the arguments.
///
/// ```
/// use agent_runtime::serde_json::json;
/// use agent_runtime::tool::validate_tool_input;
/// use agent_runtime::tool;
///
/// /// Greets a person
/// #[tool]
/// fn greet(person_name: String) -> String {
///     format!("Hello, {person_name}!")
/// }
///
/// assert!(validate_tool_input(&greet {}, &json!({"personName": "Ada"})).is_ok());
/// let error = validate_tool_input(&greet {}, &json!({"personName": 1})).unwrap_err();
/// assert_eq!(error.to_string(), "`$.personName`: expected Text, found the number 1");
/// ```
pub fn validate_tool_input(tool: &dyn Tool, input: &Value) -> Result<(), ValidationError> {
    match tool.descriptor().contract() {
        Contract::Signature(signature) => {
            let text = input.to_string();
            let checked = signature.check_arguments(&text, None);
            let checked = checked.map_err(|violations| value_error(&violations))?;
            PartSchemas::of(signature)
                .arguments_problems(|| checked.into_value())
                .map_err(part_error)
        }
        Contract::Schema { input: schema, .. } => {
            let mut input = match input {
                Value::Null => json!({}),
                input => input.clone(),
            };
            let compiled = compiled(tool, schema)?;
            compiled.check_and_complete(schema, &mut input).map(drop)
        }
        _ => Ok(()),
    }
}

/// Validates a result against the contract of a tool: the return type of its signature, or its own JSON
/// Schema. Any result is valid for a tool without an output schema.
///
/// # Errors
/// All problems of the result.
pub fn validate_tool_output(tool: &dyn Tool, output: &Value) -> Result<(), ValidationError> {
    match tool.descriptor().contract() {
        Contract::Signature(signature) => {
            let checked = signature.returns().ty().validate(output);
            checked.map_err(|violations| value_error(&violations))?;
            PartSchemas::of(signature)
                .result_problems(output)
                .map_err(part_error)
        }
        Contract::Schema {
            output: Some(schema),
            ..
        } => compiled(tool, schema)?.check(output),
        _ => Ok(()),
    }
}

/// Compiles a schema of a tool, with the losses that the tool allows.
fn compiled(tool: &dyn Tool, schema: &Value) -> Result<CompiledSchema, ValidationError> {
    CompiledSchema::of_tool(schema, tool.descriptor())
        .map_err(|error| ValidationError::Schema { error })
}

fn part_error(problems: String) -> ValidationError {
    ValidationError::Value {
        problems: problems.lines().map(str::to_owned).collect(),
    }
}

fn value_error(violations: &Violations) -> ValidationError {
    let problems = violations.iter().map(ToString::to_string).collect();
    ValidationError::Value { problems }
}

/// A JSON Schema, ready to validate.
pub(crate) struct CompiledSchema {
    schema: Box<Compiled>,
    has_defaults: bool,
}

impl CompiledSchema {
    pub(crate) fn new(schema: &Value) -> Result<Self, SchemaError> {
        Self::compile(schema, None)
    }

    /// Compiles a schema of a tool, which may allow losses where a type validates.
    pub(crate) fn of_tool(schema: &Value, tool: &ToolDescriptor) -> Result<Self, SchemaError> {
        Self::compile(schema, Some(tool))
    }

    fn compile(schema: &Value, tool: Option<&ToolDescriptor>) -> Result<Self, SchemaError> {
        Ok(Self {
            schema: Box::new(Compiled::new(schema, tool)?),
            has_defaults: has_defaults(schema),
        })
    }

    /// Checks the arguments of a tool, and completes them by `schema`, from which `self` was compiled.
    pub(crate) fn check_and_complete(
        &self,
        schema: &Value,
        arguments: &mut Value,
    ) -> Result<Completed, ValidationError> {
        if self.has_defaults || has_whole_doubles(arguments) {
            let mut completed = arguments.clone();
            // A default may not satisfy its schema. Then the arguments stay as they were given.
            if complete(schema, &mut completed) && self.check(&completed).is_ok() {
                *arguments = completed;
                return Ok(Completed::changed(Vec::new()));
            }
        }
        let Err(problems) = self.check(arguments) else {
            return Ok(Completed::default());
        };
        let mut repaired = arguments.clone();
        let json_texts = repair(schema, &mut repaired, true);
        complete(schema, &mut repaired);
        if repaired == *arguments {
            return Err(problems);
        }
        if self.check(&repaired).is_ok() {
            *arguments = repaired;
            return Ok(Completed::changed(json_texts));
        }
        // A missing member that may be `null` is not reported as a problem. The JSON texts are reported,
        // because a value in them does not satisfy the schema.
        repair(schema, arguments, false);
        self.check(arguments)
            .map(|()| Completed::changed(Vec::new()))
    }

    /// Checks a value.
    pub(crate) fn check(&self, value: &Value) -> Result<(), ValidationError> {
        let problems = self.schema.problems(value);
        if problems.is_empty() {
            Ok(())
        } else {
            Err(ValidationError::Value { problems })
        }
    }
}

/// The changes that arguments needed.
#[derive(Default)]
pub(crate) struct Completed {
    /// Whether the arguments changed.
    pub(crate) changed: bool,
    /// The paths of the lists and objects that were given as their JSON text.
    pub(crate) json_texts: Vec<String>,
}

impl Completed {
    fn changed(json_texts: Vec<String>) -> Self {
        Self {
            changed: true,
            json_texts,
        }
    }
}

impl fmt::Debug for CompiledSchema {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("CompiledSchema")
    }
}

/// The error of [`validate_tool_args`] and of the other functions that validate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValidationError {
    /// The schema itself cannot be used.
    #[non_exhaustive]
    Schema {
        /// The reason.
        error: SchemaError,
    },
    /// The value does not satisfy the schema.
    #[non_exhaustive]
    Value {
        /// All problems, each with its path: at least one.
        problems: Vec<String>,
    },
}

/// The maximum number of problems that are printed, because a long list would only fill the context of a
/// model.
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

/// Validates the arguments of a call against a JSON Schema, and returns the arguments if they are valid. For a [`Signature`](agent_spec::Signature), use
/// [`check_arguments`](agent_spec::Signature::check_arguments), which also fills in defaults.
///
/// The schema is compiled at each call. A tool made with [`create_tool`](crate::tool::create_tool) compiles
/// its schema once.
///
/// # Errors
/// All problems of the arguments, or the problem of the schema.
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

#[cfg(any(test, not(feature = "json-schema")))]
mod of_type {
    //! The JSON Schemas that a gram type expresses.

    use super::SchemaError;
    use agent_spec::schema::SchemaReader;
    use agent_spec::{ToolDescriptor, Type};
    use serde_json::Value;

    pub(super) struct Compiled(Type);

    impl Compiled {
        /// The type replaces the schema, so it must reject all values that the schema rejects, apart from
        /// the losses that the tool allows.
        pub(super) fn new(
            schema: &Value,
            tool: Option<&ToolDescriptor>,
        ) -> Result<Self, SchemaError> {
            if !schema.is_object() {
                return Err(SchemaError::new("a JSON Schema is an object"));
            }
            let losses = tool.map_or(&[][..], ToolDescriptor::losses).iter();
            let reader = losses
                .copied()
                .fold(SchemaReader::exact(), SchemaReader::allowing);
            match reader.read_type(schema) {
                Ok(ty) => Ok(Self(ty)),
                Err(error) => Err(SchemaError::new(format!(
                    "{error}\n`ToolConfig::allowing` allows a loss, and the feature `json-schema` of \
                     gramwork-runtime takes any schema."
                ))),
            }
        }

        pub(super) fn problems(&self, value: &Value) -> Vec<String> {
            match self.0.validate(value) {
                Ok(()) => Vec::new(),
                Err(violations) => violations.iter().map(ToString::to_string).collect(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn problems_have_a_path() {
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
    fn rejects_invalid_schemas() {
        for wrong in [
            json!(3),
            json!({"type": "strin"}),
            json!({"required": "name"}),
        ] {
            let error = validate_tool_args(&wrong, &json!({})).unwrap_err();
            assert!(matches!(error, ValidationError::Schema { .. }), "{wrong}");
        }
    }

    #[test]
    fn values_are_validated_against_the_type() {
        let schema = json!({
            "type": "object",
            "properties": {"age": {"type": "integer", "minimum": 0}},
            "required": ["age", "id"],
        });
        let compiled =
            super::of_type::Compiled::new(&schema, None).expect("a schema that a type says");
        for (value, problems) in [
            (json!({"age": 3, "id": 1}), 0),
            (json!({"age": 3, "id": {}, "more": 1}), 0),
            (json!({"age": -3, "id": []}), 1),
            (json!({}), 2),
            (json!([]), 1),
        ] {
            assert_eq!(compiled.problems(&value).len(), problems, "{value}");
        }
    }

    #[test]
    fn rejects_schemas_that_a_type_cannot_express() {
        for (schema, path) in [
            (json!({"oneOf": []}), "$.oneOf"),
            (
                json!({"type": "object", "properties": {}, "additionalProperties": false}),
                "$.additionalProperties",
            ),
            (
                json!({"type": "array", "uniqueItems": true}),
                "$.uniqueItems",
            ),
            (json!({"type": "string", "pattern": "("}), "$.pattern"),
            (json!({"type": "object", "required": [1]}), "$.required"),
            (
                json!({
                    "type": "object",
                    "properties": {"a": {"type": ["string", "null"]}},
                    "required": ["a"],
                }),
                "$.properties.a",
            ),
            (json!(true), "an object"),
        ] {
            let error = super::of_type::Compiled::new(&schema, None)
                .err()
                .unwrap_or_else(|| panic!("{schema} was read"))
                .to_string();
            assert!(error.contains(path), "{schema}: {error}");
        }
    }
}
