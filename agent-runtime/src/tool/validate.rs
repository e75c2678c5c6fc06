//! Holding values against what a tool says of itself.

use super::schema::validate_tool_args;
use super::{Contract, Tool, ValidationError};
use agent_spec::Violations;
use serde_json::Value;

/// Holds arguments against what a tool takes: its signature, or the JSON Schema that it brought.
///
/// A run does so before each call; this is for hosts and tests that have a tool in hand.
///
/// # Errors
/// Everything that is wrong with the arguments.
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
            let checked = signature.check_arguments(&input.to_string(), None);
            checked.map(drop).map_err(|violations| told(&violations))
        }
        Contract::Schema { input: schema, .. } => validate_tool_args(schema, input).map(drop),
        _ => Ok(()),
    }
}

/// Holds a result against what a tool gives: the return type of its signature, or the JSON Schema
/// that it brought. A tool that says nothing of its results may give anything.
///
/// # Errors
/// Everything that is wrong with the result.
pub fn validate_tool_output(tool: &dyn Tool, output: &Value) -> Result<(), ValidationError> {
    match tool.descriptor().contract() {
        Contract::Signature(signature) => {
            let checked = signature.returns().ty().validate(output);
            checked.map_err(|violations| told(&violations))
        }
        Contract::Schema {
            output: Some(schema),
            ..
        } => validate_tool_args(schema, output).map(drop),
        _ => Ok(()),
    }
}

fn told(violations: &Violations) -> ValidationError {
    let problems = violations.iter().map(ToString::to_string).collect();
    ValidationError::Value { problems }
}
