//! The validation before calls of tools that do not validate by themselves.

use super::part_schemas::PartSchemas;
use super::schema_error::SchemaError;
use super::validate::{CompiledSchema, Completed};
use super::{Contract, Tool, ToolDescriptor, ToolError};
use crate::trace::{TARGET, label};
use agent_spec::json::{MAX_ARGUMENT_VALUES, has_more_values_than, parse_json};
use agent_spec::validate::{Arguments, arguments_text};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Display;

/// The validation of a tool's arguments and result against its own contract, beside the validation against
/// the spec of an agent.
#[derive(Debug)]
pub(crate) enum ContractGuard {
    /// Nothing: the tool validates its arguments itself.
    None,
    /// Nothing: the validation of the arguments against the spec covers the tool's signature.
    Covered,
    /// The tool's signature, with its defaults, and the JSON Schemas of its parts.
    Signature(PartSchemas),
    /// The tool's own JSON Schemas.
    Schemas {
        /// The schema of the arguments.
        input: CompiledSchema,
        /// The schema of the result.
        output: Option<CompiledSchema>,
    },
}

impl ContractGuard {
    /// Creates the guard of a tool for arguments that nothing has validated. It compiles the JSON Schemas of a
    /// tool that has some and does not validate by itself.
    ///
    /// # Errors
    /// When a schema of the tool cannot be used.
    pub(crate) fn of(tool: &dyn Tool) -> Result<Self, SchemaError> {
        if tool.validates_arguments() {
            return Ok(Self::None);
        }
        match tool.descriptor().contract() {
            Contract::Signature(signature) => Ok(Self::Signature(PartSchemas::of(signature))),
            Contract::Schema { input, output } => Ok(Self::Schemas {
                input: CompiledSchema::of_tool(input, tool.descriptor())?,
                output: output
                    .as_ref()
                    .map(|output| CompiledSchema::of_tool(output, tool.descriptor()))
                    .transpose()?,
            }),
            _ => Ok(Self::None),
        }
    }

    /// Returns the arguments that the tool is called with.
    ///
    /// # Errors
    /// All problems of the arguments.
    pub(crate) fn arguments<'t>(
        &self,
        tool: &ToolDescriptor,
        text: &'t str,
    ) -> Result<Cow<'t, str>, ToolError> {
        match self {
            Self::None | Self::Covered => {}
            Self::Signature(parts) => {
                if let Some(signature) = tool.signature() {
                    let checked = signature.check_arguments(text, None);
                    let checked = checked.map_err(wrong_arguments)?;
                    parts.check_arguments(&checked)?;
                    trace_arguments(tool.name(), &checked);
                    return Ok(match checked.text() == text {
                        true => Cow::Borrowed(text),
                        false => Cow::Owned(checked.into_text()),
                    });
                }
            }
            Self::Schemas { input, .. } => {
                let mut arguments = parse_arguments(text)?;
                let changed = check_arguments(input, tool, &mut arguments)?;
                if changed || arguments_text(text) != text {
                    return Ok(Cow::Owned(arguments.to_string()));
                }
            }
        }
        Ok(Cow::Borrowed(text))
    }

    /// Validates a result against the tool's own output schema, or against the JSON Schemas of its return type.
    ///
    /// # Errors
    /// All problems of the result.
    pub(crate) fn result(&self, result: &Value) -> Result<(), ToolError> {
        match self {
            Self::Schemas {
                output: Some(schema),
                ..
            } => schema.check(result).map_err(wrong_result),
            Self::Signature(parts) => parts.check_result(result),
            _ => Ok(()),
        }
    }
}

/// Validates arguments against the compiled input schema of a tool, and completes them. Returns whether they changed.
///
/// # Errors
/// All problems of the arguments.
pub(super) fn check_arguments(
    compiled: &CompiledSchema,
    tool: &ToolDescriptor,
    arguments: &mut Value,
) -> Result<bool, ToolError> {
    let completed = match tool.contract() {
        Contract::Schema { input, .. } => compiled.check_and_complete(input, arguments),
        _ => compiled.check(arguments).map(|()| Completed::default()),
    };
    let completed = completed.map_err(wrong_arguments)?;
    trace_json_texts(tool.name(), &completed.json_texts);
    Ok(completed.changed)
}

/// Reports in the trace how checked arguments differ from the arguments of the model.
pub fn trace_arguments(tool: &str, arguments: &Arguments<'_>) {
    for dropped in arguments.dropped() {
        tracing::debug!(
            target: TARGET,
            tool,
            argument = &*label(dropped),
            "an argument that the tool does not have was dropped"
        );
    }
    trace_json_texts(tool, arguments.json_texts());
}

fn trace_json_texts(tool: &str, paths: &[String]) {
    for path in paths {
        tracing::debug!(
            target: TARGET,
            tool,
            argument = &*label(path),
            "a list or an object was given as its JSON text, and the text was read"
        );
    }
}

/// Parses the arguments of a call. A blank text and `null` count as `{}`, because some models send them for a call without
/// arguments.
pub(super) fn parse_arguments(text: &str) -> Result<Value, ToolError> {
    let text = arguments_text(text);
    if has_more_values_than(text.as_bytes(), MAX_ARGUMENT_VALUES) {
        return Err(wrong_arguments(format_args!(
            "expected at most {MAX_ARGUMENT_VALUES} values, found more"
        )));
    }
    parse_json(text)
        .map_err(|error| ToolError::Validation(format!("the arguments are not JSON: {error}")))
}

/// The error of arguments with these problems.
pub fn wrong_arguments(problems: impl Display) -> ToolError {
    ToolError::Validation(format!("the arguments are not right: {problems}"))
}

/// The error of a result with these problems.
pub(super) fn wrong_result(problems: impl Display) -> ToolError {
    ToolError::Validation(format!("the result is not right: {problems}"))
}
