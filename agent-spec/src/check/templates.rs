//! The templates of an agent, `instruction` and `prompt`, and the variables that they name.

use crate::agent::message_parameter;
use crate::check::agent_properties::AgentProperties;
use crate::check::listed;
use crate::check::reader::Reader;
use crate::check::signature::OwnSignature;
use crate::diagnostic::{Code, Diagnostic};
use crate::instruction::{InstructionPart, not_a_variable, parts, variables};
use agent_gram::Span;
use agent_gram::syntax::Value;
use agent_gram::value::Text;
use agent_types::names::nearest;
use agent_types::{Kind, Param};
use std::collections::{HashMap, HashSet};

/// Reports variables of the host that are parameters, because only one of the two values could be inserted.
pub(super) fn refuse_filled_twice(
    reader: &mut Reader<'_>,
    variables: &Option<Vec<(Text, Span)>>,
    signature: Option<&OwnSignature>,
) {
    let Some(own) = signature else {
        return;
    };
    let mut params = HashMap::new();
    for (at, param) in own.signature.params().iter().enumerate() {
        params.entry(param.name()).or_insert(at);
    }
    for (name, span) in variables.iter().flatten() {
        let Some(param) = params.get(name.as_str()).copied() else {
            continue;
        };
        let message =
            format!("`{name}` is a parameter of the agent, so the program cannot fill it");
        let found = Diagnostic::new(Code::BadVariable, *span, message);
        reader.report(
            found
                .with_label(own.places.params[param].name, "the parameter")
                .with_help("remove it from `variables`, or rename the parameter"),
        );
    }
}

/// Checks the variables of the instruction and of the prompt, and that each parameter is used.
pub(super) fn check_templates(
    reader: &mut Reader<'_>,
    properties: &AgentProperties<'_>,
    signature: Option<&OwnSignature>,
    is_signature_wrong: bool,
) {
    let listed = properties.variables.as_ref();
    let listed = listed.map(|names| names.iter().map(|(name, _)| name.as_str()).collect());
    let filled = Filled {
        is_signature_wrong,
        params: signature.map(|own| own.signature.params()),
        listed,
        known: reader.options.variables,
        has_prompt: properties.prompt.is_some(),
    };
    let templates = [&properties.instruction, &properties.prompt];
    for (text, value) in templates.into_iter().flatten() {
        check_variables(reader, *value, text, &filled);
    }
    let is_blank = |(text, _): &(Text, Value<'_>)| text.trim().is_empty();
    let Some((instruction, _)) = &properties.instruction else {
        return;
    };
    // A template with errors may have been meant to have any name.
    if is_signature_wrong || templates.into_iter().flatten().any(is_blank) {
        return;
    }
    warn_of_unused_variables(reader, properties);
    let Some(own) = signature else {
        warn_of_unused_message(reader, properties);
        return;
    };
    let mut used = variables(instruction);
    match &properties.prompt {
        Some((prompt, _)) => used.extend(variables(prompt)),
        None => match message_parameter(&own.signature, instruction) {
            Some(param) => used.push(param.name()),
            // The message has each parameter that the instruction does not name.
            None => return,
        },
    }
    let used: HashSet<&str> = used.into_iter().collect();
    for (param, places) in own.signature.params().iter().zip(&own.places.params) {
        // Media are parts of the message.
        if used.contains(param.name()) || is_media(param) {
            continue;
        }
        let name = param.name();
        let message = format!("neither a template nor the message has the parameter `{name}`");
        let found = Diagnostic::new(Code::UnusedParameter, places.name, message);
        reader.report(found.with_help(format!(
            "write `{{{{{name}}}}}` in `instruction` or `prompt`, or remove the parameter"
        )));
    }
}

/// The variables of both templates.
fn used_variables<'p>(properties: &'p AgentProperties<'_>) -> Vec<&'p str> {
    let mut used = Vec::new();
    let templates = [&properties.instruction, &properties.prompt];
    for (text, _) in templates.into_iter().flatten() {
        used.extend(variables(text));
    }
    used
}

/// Warns of variables that no template has, and of variables that are listed twice.
fn warn_of_unused_variables(reader: &mut Reader<'_>, properties: &AgentProperties<'_>) {
    let Some(listed) = &properties.variables else {
        return;
    };
    let used = used_variables(properties);
    let used: HashSet<&str> = used.into_iter().collect();
    for (name, span) in listed {
        if used.contains(name.as_str()) {
            continue;
        }
        let message = format!("no template has the variable `{name}`");
        let found = Diagnostic::new(Code::UnusedParameter, *span, message);
        reader.report(found.with_help(format!(
            "write `{{{{{name}}}}}` in `instruction` or `prompt`, or remove it from `variables`"
        )));
    }
}

/// Warns of a template of the user message that does not contain the message, in an agent whose only
/// parameter is the message.
fn warn_of_unused_message(reader: &mut Reader<'_>, properties: &AgentProperties<'_>) {
    let Some((_, value)) = &properties.prompt else {
        return;
    };
    if used_variables(properties).contains(&"message") {
        return;
    }
    let message = "no template has the message of the user, which is the parameter `message`";
    let found = Diagnostic::new(Code::UnusedParameter, value.span(), message);
    reader.report(found.with_help(
        "write `{{message}}` in `prompt`, or give the agent a signature: `()==>(::String)` takes nothing",
    ));
}

/// The names that have values in the templates of an agent.
struct Filled<'a> {
    /// Whether the parameters are unknown, because the signature has errors.
    is_signature_wrong: bool,
    /// The parameters of the agent's own signature.
    params: Option<&'a [Param]>,
    /// The names of `variables`.
    listed: Option<Vec<&'a str>>,
    /// The variables that the host is known to fill.
    known: Option<&'a [&'a str]>,
    has_prompt: bool,
}

impl<'a> Filled<'a> {
    /// Returns the names; `None` if a variable with another name is not an error.
    fn names(&self) -> Option<Vec<&'a str>> {
        if self.is_signature_wrong {
            return None;
        }
        let mut names = Vec::new();
        match self.params {
            Some(params) => {
                for param in params {
                    if !is_media(param) {
                        names.push(param.name());
                    }
                }
            }
            // The parameter of an agent without a signature of its own.
            None if self.has_prompt => names.push("message"),
            None => {}
        }
        match (self.params, &self.listed, self.known) {
            (_, Some(listed), _) => names.extend_from_slice(listed),
            (Some(_), None, _) => {}
            (None, None, Some(known)) => names.extend_from_slice(known),
            (None, None, None) => return None,
        }
        Some(names)
    }
}

/// Reports double braces that are no variables, and variables that nobody fills.
fn check_variables(reader: &mut Reader<'_>, value: Value<'_>, template: &str, filled: &Filled<'_>) {
    let names = filled.names();
    let known = names
        .as_ref()
        .map(|names| names.iter().copied().collect::<HashSet<&str>>());
    let mut media = HashMap::new();
    for (at, param) in filled.params.into_iter().flatten().enumerate() {
        media.entry(param.name()).or_insert(at);
    }
    let mut places = PartPlaces::new(reader, value);
    for part in parts(template) {
        let found = match part {
            InstructionPart::Malformed(text) => bad_variable(text, places.find(text)),
            InstructionPart::Variable(name) => {
                let span = places.find_variable(name);
                match (&names, &known) {
                    (Some(names), Some(known)) if !known.contains(name) => match media.get(name) {
                        Some(at) => media_variable(&filled.params.unwrap_or_default()[*at], span),
                        None => {
                            let has_params = filled.params.is_some();
                            let meant = match reader.may_search(names.len()) {
                                true => nearest(name, names.iter().copied()),
                                false => None,
                            };
                            unfilled_variable(name, span, (names, meant), has_params)
                        }
                    },
                    _ => continue,
                }
            }
            _ => continue,
        };
        reader.report(found);
    }
}

/// Returns the error about double braces that are not the name of a variable.
fn bad_variable(text: &str, span: Span) -> Diagnostic {
    Diagnostic::new(Code::BadVariable, span, not_a_variable(text)).with_help(
        "write `{{name}}`, with letters, digits, `_`, `-` or `.`; for the braces themselves write \
         `{{'{{'}}`",
    )
}

/// Whether the values of a parameter are images, audio or documents.
fn is_media(param: &Param) -> bool {
    matches!(param.ty().kind(), Kind::Media(_))
}

fn media_variable(param: &Param, span: Span) -> Diagnostic {
    let (name, label) = (param.name(), param.ty().label());
    let message = format!("`{name}` is `{label}`, which cannot be inserted into a text");
    Diagnostic::new(Code::BadVariable, span, message)
        .with_help("remove it here: it is a part of the user message without being named")
}

fn unfilled_variable(
    name: &str,
    span: Span,
    (filled, meant): (&[&str], Option<&str>),
    has_params: bool,
) -> Diagnostic {
    let message = match has_params {
        true => format!("`{name}` is no parameter of the agent and is not in its `variables`"),
        false => format!("nobody fills the variable `{name}`"),
    };
    let help = match meant {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if has_params => format!(
            "add a parameter, `({name}::Text)`, or, if the program that runs the agent fills it, `variables: \
             [{name:?}]`"
        ),
        None if filled.is_empty() => "no variables are filled here".to_owned(),
        None => format!("filled here: {}", listed(filled)),
    };
    Diagnostic::new(Code::UnfilledVariable, span, message).with_help(help)
}

/// The positions of parts of a text in the source, where the text may be written with escapes.
struct PartPlaces<'t> {
    source: &'t str,
    whole: Span,
    at: usize,
    /// The number of parts that were not found, each after a search of the whole rest.
    misses: usize,
}

/// The number of parts that may be searched in vain, because each search reads the whole rest of the text: a template of
/// megabytes in a document of somebody else would take hours. A text with more escapes is marked whole.
const MOST_MISSES: usize = 16;

impl<'t> PartPlaces<'t> {
    fn new(reader: &Reader<'t>, value: Value<'_>) -> Self {
        let whole = value.span();
        Self {
            source: reader.source,
            whole,
            at: whole.start,
            misses: 0,
        }
    }

    /// Returns the span of the next part; that of the whole text if the part is written with escapes.
    fn find(&mut self, part: &str) -> Span {
        let found = self.rest().find(part).map(|at| self.at + at);
        self.take(found, part)
    }

    /// Returns the span of the name of the next variable.
    fn find_variable(&mut self, name: &str) -> Span {
        let rest = self.rest();
        let found = rest.match_indices("{{").find_map(|(at, braces)| {
            let inside = rest[at + braces.len()..].trim_start();
            let is_name = inside.starts_with(name);
            is_name.then(|| self.at + rest.len() - inside.len())
        });
        self.take(found, name)
    }

    fn rest(&self) -> &'t str {
        if self.misses >= MOST_MISSES {
            return "";
        }
        self.source.get(self.at..self.whole.end).unwrap_or_default()
    }

    fn take(&mut self, start: Option<usize>, part: &str) -> Span {
        let Some(start) = start else {
            self.misses += 1;
            return self.whole;
        };
        self.at = start + part.len();
        Span::new(start, self.at)
    }
}
