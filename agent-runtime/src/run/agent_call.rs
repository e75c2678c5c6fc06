//! Calling an agent as a function: its arguments fill the templates and make the message of the user.

use super::Input;
use super::instruction;
use crate::conversation::{Message, Part};
use crate::error::Error;
use agent_spec::types::{Kind as TypeKind, Param};
use agent_spec::{Agent, Signature};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The beginning of a run: its instruction, and the message of the user.
pub(super) struct AgentCall {
    pub(super) instruction: String,
    pub(super) message: Message,
}

impl AgentCall {
    /// Fills the templates of an agent. `variables` are those of the host.
    pub(super) fn new(
        agent: &Agent,
        input: Input,
        variables: &BTreeMap<String, String>,
    ) -> Result<Self, Error> {
        let is_function = agent.has_own_signature() || agent.prompt().is_some();
        let (arguments, parts) = match input.arguments {
            Some(arguments) => (arguments, input.parts),
            None if is_function => message_argument(agent, &input)?,
            None => {
                return Ok(Self {
                    instruction: instruction::fill(agent.instruction(), variables)?,
                    message: Message::user_parts(input.parts),
                });
            }
        };
        let arguments = validated(agent, &arguments)?;
        let mut filled = variables.clone();
        for param in agent.signature().params() {
            let text = arguments
                .get(param.name())
                .map_or_else(String::new, argument_text);
            filled.insert(param.name().to_owned(), text);
        }
        let text = match agent.prompt() {
            Some(prompt) => instruction::fill(prompt, &filled)?,
            None => message_text(agent, &arguments),
        };
        let text = std::iter::once(Part::Text(text));
        Ok(Self {
            instruction: instruction::fill(agent.instruction(), &filled)?,
            message: Message::user_parts(text.chain(parts)),
        })
    }
}

/// The arguments of a call with a message alone, and the parts beside its text.
fn message_argument(agent: &Agent, input: &Input) -> Result<(Value, Vec<Part>), Error> {
    let signature = agent.signature();
    let mut required = signature
        .params()
        .iter()
        .filter(|param| !param.is_optional());
    let (Some(only), None) = (required.next(), required.next()) else {
        return Err(needs_arguments(agent, signature));
    };
    if !matches!(only.ty().kind(), TypeKind::Text) {
        return Err(needs_arguments(agent, signature));
    }
    let arguments = Map::from_iter([(only.name().to_owned(), input.text().into())]);
    let parts = input.parts().iter().filter(|part| part.as_text().is_none());
    Ok((Value::Object(arguments), parts.cloned().collect()))
}

fn needs_arguments(agent: &Agent, signature: &Signature) -> Error {
    Error::validation(format!(
        "the agent `{}` is called with arguments, {signature}, and a message alone fits only one required text; \
         call it with `Runtime::call` or, in a terminal, with `--arg NAME=VALUE` for each",
        agent.name()
    ))
}

/// Validates arguments against the signature of an agent, and fills in its defaults.
fn validated(agent: &Agent, arguments: &Value) -> Result<Map<String, Value>, Error> {
    let signature = agent.signature();
    let text = arguments.to_string();
    let checked = signature
        .check_arguments(&text, None)
        .map_err(|violations| {
            Error::validation(format!(
                "the arguments of the agent `{}` are not right: {violations}",
                agent.name()
            ))
        })?;
    let Value::Object(arguments) = checked.into_value() else {
        return Ok(Map::new());
    };
    let is_blank = |param: &&Param| {
        let value = arguments.get(param.name()).and_then(Value::as_str);
        !param.is_optional()
            && matches!(param.ty().kind(), TypeKind::Text)
            && value.is_some_and(|text| text.trim().is_empty())
    };
    match signature.params().iter().find(is_blank) {
        Some(param) => Err(Error::validation(format!(
            "the argument `{}` of the agent `{}` is empty",
            param.name(),
            agent.name()
        ))),
        None => Ok(arguments),
    }
}

/// The message of an agent without a template for it: the text of its message parameter, or the arguments that the
/// instruction does not name, as JSON.
fn message_text(agent: &Agent, arguments: &Map<String, Value>) -> String {
    if let Some(param) = agent.message_parameter() {
        let text = arguments.get(param.name());
        return text.map_or_else(String::new, argument_text);
    }
    let named: Vec<&str> = agent_spec::instruction::variables(agent.instruction()).collect();
    let rest = arguments
        .iter()
        .filter(|(name, _)| !named.contains(&name.as_str()));
    let rest: Map<String, Value> = rest
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    Value::Object(rest).to_string()
}

/// An argument in a template: a text as it is, any other value as JSON.
fn argument_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        value => value.to_string(),
    }
}
