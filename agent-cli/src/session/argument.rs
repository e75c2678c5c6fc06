//! Arguments of an agent that is called as a function: `--arg`.

use super::variable::Variable;
use crate::attachment::{self, Files};
use crate::document::known_instead;
use crate::outcome::CommandError;
use agent_runtime::Agent;
use agent_runtime::conversation::{Media, Part};
use agent_runtime::runtime::Input;
use agent_spec::types::Param;
use agent_spec::{Kind, MediaKind, terminal};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Parses `NAME=VALUE`.
///
/// # Errors
/// Returns advice for anything else.
pub(super) fn argument(text: &str) -> Result<Variable, &'static str> {
    let parsed = text.parse::<Variable>();
    parsed.map_err(|_| "write NAME=VALUE, such as language=de")
}

/// The arguments with which an agent is called. A message is the value of the one required text that is not among
/// them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments {
    values: Map<String, Value>,
    /// The media of the values, which have only their digests.
    media: Vec<Media>,
    /// The arguments as they were given, for the transcript.
    shown: Vec<String>,
    /// Whether the arguments are from a line of a batch, which has them as a member and not as `--arg`.
    are_of_line: bool,
    /// Whether messages have words of strangers.
    is_untrusted: bool,
}

impl Arguments {
    /// Reads the arguments by the types of an agent's parameters.
    ///
    /// # Errors
    /// Returns an error for each argument that is no parameter, or that cannot be a value of its type.
    pub(super) fn read(given: &[Variable], agent: &Agent) -> Result<Self, CommandError> {
        let mut arguments = Self::default();
        let mut problems = Vec::new();
        for Variable { name, value } in given {
            match parameter(agent, name).and_then(|param| arguments.add(param, value)) {
                Ok(()) => arguments.shown.push(format!("{name}={value}")),
                Err(problem) => problems.push(problem),
            }
        }
        match problems.is_empty() {
            true => Ok(arguments),
            false => Err(CommandError::from_messages(problems)),
        }
    }

    fn add(&mut self, param: &Param, text: &str) -> Result<(), String> {
        let name = param.name();
        let value = match param.ty().kind() {
            Kind::Media(kind) => {
                self.media_value(name, *kind, text, |path| attachment::read(Path::new(path)))?
            }
            _ => value_of(param, text)?,
        };
        match (self.values.get_mut(name), value) {
            // A parameter of the type `Parts` may have several files.
            (Some(Value::Array(all)), Value::Array(more)) if is_part(all) && is_part(&more) => {
                all.extend(more);
            }
            (Some(_), _) => {
                return Err(format!(
                    "`--arg` is given twice for `{name}`; leave one of them out"
                ));
            }
            (None, value) => {
                self.values.insert(name.to_owned(), value);
            }
        }
        Ok(())
    }

    /// Returns these arguments, extended by the arguments of a line of a batch, which take precedence. A text
    /// for a parameter of media names a file.
    ///
    /// # Errors
    /// Returns a message about the first file that cannot be used.
    pub(crate) fn with_line(
        &self,
        agent: &Agent,
        mut line: Map<String, Value>,
        files: &mut Files,
    ) -> Result<Self, String> {
        let mut arguments = self.clone();
        for param in agent.signature().params() {
            if let Kind::Media(kind) = param.ty().kind()
                && let Some(value) = line.get_mut(param.name())
                && let Some(path) = value.as_str()
            {
                let read = |path: &str| files.read(path);
                *value = arguments.media_value(param.name(), *kind, path, read)?;
            }
        }
        arguments.values.extend(line);
        arguments.are_of_line = true;
        Ok(arguments)
    }

    /// Reads a file or URL as the value of a parameter, or of a list for `Parts`. The value has the digest of the
    /// file, and its bytes are kept.
    fn media_value(
        &mut self,
        name: &str,
        kind: MediaKind,
        path: &str,
        read: impl FnOnce(&str) -> Result<Part, String>,
    ) -> Result<Value, String> {
        let path = path.strip_prefix('@').unwrap_or(path);
        let part = read(path)?;
        let label = kind.label();
        if kind != MediaKind::Parts && !part.kind().eq_ignore_ascii_case(label) {
            let (path, found) = (terminal::line(path, 200), part.kind());
            return Err(format!(
                "the parameter `{name}` is `{label}`, and `{path}` is of the kind `{found}`"
            ));
        }
        self.media.extend(part.media().cloned());
        let part = json!(part);
        Ok(match kind {
            MediaKind::Parts => json!([part]),
            _ => part,
        })
    }

    /// Whether there are no arguments.
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the text that represents a call in a transcript.
    pub(crate) fn shown(&self, message: Option<&str>) -> String {
        let arguments = self.shown.join(", ");
        match message {
            Some(message) if arguments.is_empty() => message.to_owned(),
            Some(message) => format!("{message} ({arguments})"),
            None if arguments.is_empty() => "(no arguments)".to_owned(),
            None => arguments,
        }
    }

    /// Returns the input of a run: a message, the arguments, or both.
    ///
    /// # Errors
    /// Returns an error if there is no parameter for the message, if a message alone is not enough for the agent, or
    /// if neither is given and the agent needs one.
    pub(crate) fn input(
        &self,
        agent: &Agent,
        message: Option<&str>,
        attached: &[Part],
    ) -> Result<Input, String> {
        let mut values = self.values.clone();
        match message {
            Some(message) if values.is_empty() => {
                self.check_message_alone(agent)?;
                return Ok(self.marked(attachment::input(message, attached)));
            }
            Some(message) => {
                let name = self.message_parameter(agent)?.name().to_owned();
                values.insert(name, message.into());
            }
            None => self.check_complete(agent)?,
        }
        let input = Input::from_arguments(values).argument_media(self.media.iter().cloned());
        Ok(self.marked(attached.iter().cloned().fold(input, Input::part)))
    }

    /// Sets whether messages have words of strangers.
    pub(crate) fn set_untrusted(&mut self, is_untrusted: bool) {
        self.is_untrusted = is_untrusted;
    }

    /// Returns an input that is marked as one with words of strangers, if messages have them.
    pub(crate) fn marked(&self, input: Input) -> Input {
        match self.is_untrusted {
            true => input.untrusted(),
            false => input,
        }
    }

    /// Returns the parameter whose value is the message.
    fn message_parameter<'a>(&self, agent: &'a Agent) -> Result<&'a Param, String> {
        let params = agent.signature().params().iter();
        let is_open = |param: &&Param| {
            !param.is_optional()
                && matches!(param.ty().kind(), Kind::Text)
                && !self.values.contains_key(param.name())
        };
        let open: Vec<&Param> = params.filter(is_open).collect();
        let agent = name_of(agent);
        match open[..] {
            [param] => Ok(param),
            [] => Err(format!(
                "`--arg` gives every required text of the agent `{agent}` a value, so there is no parameter for a \
                 message; leave the message or one `--arg` out"
            )),
            _ => Err(format!(
                "a message could be each of {} of the agent `{agent}`; give the others with `--arg`",
                names(open.iter().copied())
            )),
        }
    }

    /// Checks that a message without arguments is enough for an agent: that it has one required parameter, a text.
    ///
    /// # Errors
    /// Returns an error with the parameters that are needed besides the message.
    pub(crate) fn check_message_alone(&self, agent: &Agent) -> Result<(), String> {
        let params = agent.signature().params().iter();
        let required: Vec<&Param> = params.filter(|param| !param.is_optional()).collect();
        let is_text = |param: &&&Param| matches!(param.ty().kind(), Kind::Text);
        let text = required.iter().find(is_text).map(|param| param.name());
        let others = required.iter().filter(|param| Some(param.name()) != text);
        let others: Vec<&Param> = others.copied().collect();
        let name = name_of(agent);
        match text {
            _ if !agent.has_own_signature() => Ok(()),
            Some(_) if others.is_empty() => Ok(()),
            Some(text) => Err(format!(
                "the agent `{name}` needs {}, and a message is only one required text, such as `{text}`; write `{}` \
                 besides the message",
                names(required.iter().copied()),
                self.written(&others)
            )),
            None if required.is_empty() => Err(format!(
                "the agent `{name}` has no required text that a message could be; leave the message out"
            )),
            None => Err(format!(
                "the agent `{name}` needs {}, and has no required text that a message could be; write `{}`",
                names(required.iter().copied()),
                self.written(&required)
            )),
        }
    }

    /// Returns the text with which a user gives these parameters.
    fn written(&self, params: &[&Param]) -> String {
        let each = |before: &str, after: &str| {
            let each = params.iter();
            let each = each.map(|param| format!("{before}{}{after}", param.name()));
            each.collect::<Vec<String>>()
        };
        match self.are_of_line {
            true => format!("\"arguments\": {{{}}}", each("\"", "\": …").join(", ")),
            false => each("--arg ", "=…").join(" "),
        }
    }

    fn check_complete(&self, agent: &Agent) -> Result<(), String> {
        let params = agent.signature().params().iter();
        let is_missing =
            |param: &&Param| !param.is_optional() && !self.values.contains_key(param.name());
        let missing: Vec<&Param> = params.filter(is_missing).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let agent_name = name_of(agent);
        if !agent.has_own_signature() {
            return Err(format!("write a MESSAGE to the agent `{agent_name}`"));
        }
        Err(format!(
            "the agent `{agent_name}` needs {}; write `{}`",
            names(missing.iter().copied()),
            self.written(&missing)
        ))
    }
}

fn is_part(items: &[Value]) -> bool {
    items.iter().all(|item| item.get("type").is_some())
}

fn name_of(agent: &Agent) -> String {
    terminal::line(agent.name(), 100)
}

/// Lists parameters with their types: `text` (Text), `count` (Int).
fn names<'a>(params: impl Iterator<Item = &'a Param>) -> String {
    let named: Vec<String> = params
        .map(|param| format!("`{}` ({})", param.name(), param.ty().label()))
        .collect();
    named.join(", ")
}

/// Returns the parameter with this name.
fn parameter<'a>(agent: &'a Agent, name: &str) -> Result<&'a Param, String> {
    let params = agent.signature().params();
    if let Some(param) = params.iter().find(|param| param.name() == name) {
        return Ok(param);
    }
    let known: Vec<&str> = params.iter().map(Param::name).collect();
    Err(format!(
        "the agent `{}` has no parameter `{}`; {}",
        name_of(agent),
        terminal::line(name, 100),
        known_instead(name, &known)
    ))
}

/// Reads the value of a parameter: a text as it is, any other as JSON.
fn value_of(param: &Param, text: &str) -> Result<Value, String> {
    let name = param.name();
    match param.ty().kind() {
        Kind::Text => Ok(text.into()),
        _ => serde_json::from_str(text).map_err(|error| {
            let label = param.ty().label();
            let shown = terminal::line(text, 100);
            let quoted = match param.ty().kind() {
                Kind::Any | Kind::Union(_) => {
                    format!("; write a text in quotes, `--arg '{name}=\"…\"'`")
                }
                _ => String::new(),
            };
            format!(
                "the parameter `{name}` is `{label}`, and `{shown}` is not JSON: {error}{quoted}"
            )
        }),
    }
}
