//! Calling an agent as a function: its arguments fill the templates and make the message of the user.

use super::Input;
use super::instruction;
use crate::conversation::{Message, Part};
use agent_spec::json::parse_json;
use agent_spec::types::{Kind as TypeKind, Param};
use agent_spec::{Agent, Signature};
use agent_tool::__private::{KeptMedia, PartSchemas, read_media_result};
use agent_tool::Error;
use agent_tool::tool::ToolError;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashSet};
use std::fmt;

/// The beginning of a run: its instruction, and the message of the user.
pub(super) struct AgentCall {
    pub(super) instruction: String,
    pub(super) message: Message,
    /// The arguments with which the agent was called as a function, or the text of a message in their place. Null for
    /// an agent that is not called as a function.
    pub(super) given: Value,
    /// Whether a parameter that the agent calls `untrusted` has a value.
    pub(super) is_untrusted: bool,
}

impl AgentCall {
    /// Fills the templates of an agent. `variables` are those of the host.
    pub(super) fn new(
        agent: &Agent,
        input: Input,
        variables: &BTreeMap<String, String>,
    ) -> Result<Self, Error> {
        let is_function = agent.has_own_signature() || agent.prompt().is_some();
        let mut message = None;
        let (mut arguments, attached) = match input.arguments {
            Some(arguments) => (arguments, input.parts),
            None if is_function => {
                message = Some(input.text());
                message_argument(agent, &input)?
            }
            None => {
                return Ok(Self {
                    instruction: instruction::fill(agent.instruction(), variables)?,
                    message: Message::user_parts(input.parts),
                    given: Value::Null,
                    is_untrusted: !agent.settings().untrusted.is_empty(),
                });
            }
        };
        let kept = KeptMedia::default();
        kept.keep(input.argument_media);
        let mut parts = take_media(agent, &mut arguments, &kept)?;
        parts.extend(attached);
        let valid = validated(agent, &arguments)?;
        Ok(Self {
            given: message.map_or(arguments, Value::String),
            ..Self::filled(agent, &valid, parts, variables)?
        })
    }

    /// Fills the templates of an agent that another agent calls. The arguments are valid.
    pub(super) fn of_arguments(
        agent: &Agent,
        mut arguments: Value,
        variables: &BTreeMap<String, String>,
    ) -> Result<Self, Error> {
        let parts = take_media(agent, &mut arguments, &KeptMedia::default())?;
        let Value::Object(arguments) = arguments else {
            return Err(Error::validation("the arguments of an agent are an object"));
        };
        check_texts(agent, &arguments)?;
        Self::filled(agent, &arguments, parts, variables)
    }

    /// Returns the number of images, documents and audio among the arguments of an agent.
    pub(super) fn media_arguments(agent: &Agent, arguments: &Value) -> usize {
        let params = agent.signature().params().iter();
        let media = params.filter(|param| matches!(param.ty().kind(), TypeKind::Media(_)));
        let given = media.filter_map(|param| arguments.get(param.name()));
        given
            .map(|given| match given {
                Value::Array(several) => several.len(),
                given => usize::from(given.is_object()),
            })
            .sum()
    }

    /// Checks arguments that are valid for the signature: texts that are required must not be blank.
    pub(super) fn check(agent: &Agent, arguments: &str) -> Result<(), ToolError> {
        let arguments = parse_json(arguments).unwrap_or_default();
        let checked = arguments
            .as_object()
            .map_or(Ok(()), |arguments| check_texts(agent, arguments));
        checked.map_err(|error| ToolError::Validation(error.to_string()))
    }

    /// Fills the templates with arguments that are valid. `parts` follow the text of the message.
    fn filled(
        agent: &Agent,
        arguments: &Map<String, Value>,
        parts: Vec<Part>,
        variables: &BTreeMap<String, String>,
    ) -> Result<Self, Error> {
        let mut filled = variables.clone();
        for param in agent.signature().params() {
            let text = arguments
                .get(param.name())
                .map_or_else(String::new, argument_text);
            filled.insert(param.name().to_owned(), text);
        }
        let text = match agent.prompt() {
            Some(prompt) => instruction::fill(prompt, &filled)?,
            None => message_text(agent, arguments, !parts.is_empty()),
        };
        let text = Some(text).filter(|text| !text.trim().is_empty());
        if text.is_none() && parts.is_empty() {
            return Err(Error::validation(format!(
                "the message for the agent `{}` is empty: the arguments in its `prompt` are missing",
                agent.name()
            )));
        }
        let text = text.map(Part::Text).into_iter();
        Ok(Self {
            instruction: instruction::fill(agent.instruction(), &filled)?,
            message: Message::user_parts(text.chain(parts)),
            given: Value::Null,
            is_untrusted: has_untrusted(agent, arguments),
        })
    }
}

/// Whether a parameter that an agent calls `untrusted` has a value.
fn has_untrusted(agent: &Agent, arguments: &Map<String, Value>) -> bool {
    let mut names = agent.settings().untrusted.iter();
    names.any(|name| {
        let mut params = agent.signature().params().iter();
        let param = params.find(|param| param.name() == name.as_str());
        let default = param
            .and_then(Param::default)
            .and_then(agent_spec::json::value_to_json);
        arguments
            .get(name.as_str())
            .is_some_and(|value| !value.is_null() && default.as_ref() != Some(value))
    })
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
    let required = signature
        .params()
        .iter()
        .filter(|param| !param.is_optional());
    let options: Vec<String> = required
        .map(|param| format!("--arg {}=…", param.name()))
        .collect();
    let options = match options.is_empty() {
        true => "`--arg NAME=VALUE`".to_owned(),
        false => format!("`{}`", options.join(" ")),
    };
    Error::validation(format!(
        "the agent `{}` is called with arguments, {signature}, and a message alone is enough only for one required \
         text; give arguments with `Runtime::call` or, on the command line, {options}",
        agent.name()
    ))
}

/// Takes the images, documents and audio out of the arguments, in the order of the parameters. Their digests stay.
/// `kept` has the bytes of media that only have digests.
fn take_media(agent: &Agent, arguments: &mut Value, kept: &KeptMedia) -> Result<Vec<Part>, Error> {
    let mut parts = Vec::new();
    for param in agent.signature().params() {
        // Another value than media is left for the validation.
        let is_media = matches!(param.ty().kind(), TypeKind::Media(_));
        let given = arguments.get_mut(param.name());
        let Some(given) = given.filter(|given| is_media && (given.is_object() || given.is_array()))
        else {
            continue;
        };
        let read = read_media_result(param.ty(), given, kept);
        parts.extend(read.map_err(|problem| {
            let (name, agent) = (param.name(), agent.name());
            Error::validation(format!(
                "the argument `{name}` of the agent `{agent}` is not right: {problem}"
            ))
        })?);
    }
    Ok(parts)
}

/// Validates arguments against the signature of an agent, and fills in its defaults.
fn validated(agent: &Agent, arguments: &Value) -> Result<Map<String, Value>, Error> {
    let signature = agent.signature();
    let text = arguments.to_string();
    let wrong = |problems: &dyn fmt::Display| {
        Error::validation(format!(
            "the arguments of the agent `{}` are not right: {problems}",
            agent.name()
        ))
    };
    let checked = signature
        .check_arguments(&text, None)
        .map_err(|violations| wrong(&violations))?;
    PartSchemas::of(signature)
        .arguments_problems(|| checked.clone().into_value())
        .map_err(|problems| wrong(&problems))?;
    let Value::Object(arguments) = checked.into_value() else {
        return Ok(Map::new());
    };
    check_texts(agent, &arguments)?;
    Ok(arguments)
}

/// Checks that no text is blank, unless the signature allows this text explicitly.
fn check_texts(agent: &Agent, arguments: &Map<String, Value>) -> Result<(), Error> {
    let is_blank = |param: &&Param| {
        let value = arguments.get(param.name()).and_then(Value::as_str);
        let is_allowed = |text: &str| {
            let listed = param.ty().constraints().enumeration().iter();
            let mut allowed = listed.chain(param.default());
            allowed.any(|allowed| matches!(allowed, agent_gram::Value::String(allowed) if *allowed == *text))
        };
        matches!(param.ty().kind(), TypeKind::Text)
            && value.is_some_and(|text| text.trim().is_empty() && !is_allowed(text))
    };
    let Some(param) = agent.signature().params().iter().find(is_blank) else {
        return Ok(());
    };
    let help = match param.is_optional() {
        true => "; leave it out",
        false => "",
    };
    Err(Error::validation(format!(
        "the argument `{}` of the agent `{}` is empty{help}",
        param.name(),
        agent.name()
    )))
}

/// The message of an agent without a template for it: the text of its message parameter, or the arguments that the
/// instruction does not name, as JSON. Empty if the message has only other parts.
fn message_text(agent: &Agent, arguments: &Map<String, Value>, has_parts: bool) -> String {
    if let Some(param) = agent.message_parameter() {
        let text = arguments.get(param.name());
        return text.map_or_else(String::new, argument_text);
    }
    let named: HashSet<&str> = agent_spec::instruction::variables(agent.instruction())
        .into_iter()
        .collect();
    let params = agent.signature().params().iter();
    let rest = params.filter(|param| {
        !named.contains(param.name()) && !matches!(param.ty().kind(), TypeKind::Media(_))
    });
    let rest: Map<String, Value> = rest
        .filter_map(|param| {
            Some((
                param.name().to_owned(),
                arguments.get(param.name())?.clone(),
            ))
        })
        .collect();
    match rest.is_empty() && has_parts {
        true => String::new(),
        false => Value::Object(rest).to_string(),
    }
}

/// An argument in a template: a text as it is, any other value as JSON.
fn argument_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        value => value.to_string(),
    }
}
