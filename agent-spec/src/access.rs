//! Agents and tools as patterns, with typed access: get and set without leaving the pattern.
//!
//! A pattern is the source; [`Agent`] and [`ToolSpec`] are what it is compiled to. Both say the
//! same, and both can be run.

mod convert;

use crate::agent::Agent;
use crate::check::tool::TOOL_LABELS;
use crate::check::{self, Options};
use crate::diagnostic::{Code, Diagnostics};
use crate::model::Model;
use crate::schema::Schema;
use crate::signature::Signature;
use crate::tool::ToolSpec;
use agent_gram::value::Text;
use agent_gram::{Pattern, Subject, Value, ValueError};

/// A pattern that is labelled as an agent.
///
/// Only the label is certain: what else an agent needs is checked by [`AgentPattern::to_agent`],
/// so that a pattern can be put together step by step.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentPattern(Pattern);

/// A pattern that is labelled as a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolPattern(Pattern);

impl AgentPattern {
    /// A pattern for an agent of this name, without properties and tools.
    #[must_use]
    pub fn new(name: impl Into<Text>) -> Self {
        // One subject is one deep, which is always within bounds.
        Self(Pattern::new(Subject::new(name).with_label("Agent"), Vec::new()).unwrap_or_default())
    }

    /// Reads the one agent of a document as a pattern.
    ///
    /// # Errors
    /// What is wrong with the document.
    pub fn parse(source: &str) -> Result<Self, Diagnostics> {
        Ok(Agent::parse(source, None, Options::default())?.to_pattern())
    }

    /// The pattern.
    #[must_use]
    pub fn as_pattern(&self) -> &Pattern {
        &self.0
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.subject().identity
    }

    /// Sets the name.
    pub fn set_name(&mut self, name: impl Into<Text>) {
        set_identity(&mut self.0, name.into());
    }

    /// The description.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        text_property(&self.0, "description")
    }

    /// Sets or removes the description.
    pub fn set_description(&mut self, description: Option<&str>) {
        set_text(&mut self.0, "description", description);
    }

    /// The instruction.
    #[must_use]
    pub fn instruction(&self) -> Option<&str> {
        text_property(&self.0, "instruction")
    }

    /// Sets the instruction.
    pub fn set_instruction(&mut self, instruction: &str) {
        set_text(&mut self.0, "instruction", Some(instruction));
    }

    /// The model, when there is one and it is of the form `Provider/model-id`.
    #[must_use]
    pub fn model(&self) -> Option<Model> {
        Model::parse(text_property(&self.0, "model")?).ok()
    }

    /// Sets the model.
    pub fn set_model(&mut self, model: &Model) {
        set_text(&mut self.0, "model", Some(&model.to_string()));
    }

    /// The tools that are defined in the agent, in order; references are left out.
    #[must_use]
    pub fn tool_specs(&self) -> Vec<ToolPattern> {
        self.0
            .elements()
            .iter()
            .filter_map(|element| ToolPattern::try_from(element.clone()).ok())
            .collect()
    }

    /// Replaces the tools that are defined in the agent: the first ones in their places, further
    /// ones at the end. Other elements stay.
    ///
    /// # Errors
    /// When the pattern would nest too deep.
    pub fn set_tool_specs(&mut self, tools: Vec<ToolPattern>) -> Result<(), ValueError> {
        change(&mut self.0, |_, elements| {
            let mut tools = tools.into_iter().map(|tool| tool.0);
            let mut replaced = Vec::new();
            for element in elements.drain(..) {
                if is_tool(&element) {
                    replaced.extend(tools.next());
                } else {
                    replaced.push(element);
                }
            }
            replaced.extend(tools);
            *elements = replaced;
            Ok(())
        })
    }

    /// Compiles the pattern to an agent. Any provider is taken: who runs the agent knows which
    /// exist.
    ///
    /// # Errors
    /// What is wrong with it. The places are those in the pattern's gram text.
    pub fn to_agent(&self) -> Result<Agent, Diagnostics> {
        read_agent_pattern(&self.0)
    }
}

impl ToolPattern {
    /// The pattern.
    #[must_use]
    pub fn as_pattern(&self) -> &Pattern {
        &self.0
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.subject().identity
    }

    /// Sets the name.
    pub fn set_name(&mut self, name: impl Into<Text>) {
        set_identity(&mut self.0, name.into());
    }

    /// The description.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        text_property(&self.0, "description")
    }

    /// Sets the description.
    pub fn set_description(&mut self, description: &str) {
        set_text(&mut self.0, "description", Some(description));
    }

    /// The signature.
    ///
    /// # Errors
    /// What is wrong with the element that should be one.
    pub fn signature(&self) -> Result<Signature, Diagnostics> {
        match self.0.elements() {
            [element] => Signature::parse(&agent_gram::print::print_pattern(element)),
            elements => Err(Diagnostics::without_text(
                Code::MissingSignature,
                format!(
                    "a tool has exactly one element, its signature; this one has {}",
                    elements.len()
                ),
            )),
        }
    }

    /// Sets the signature.
    ///
    /// # Errors
    /// When the pattern would nest too deep.
    pub fn set_signature(&mut self, signature: &Signature) -> Result<(), ValueError> {
        change(&mut self.0, |_, elements| {
            *elements = vec![convert::signature_pattern(signature)];
            Ok(())
        })
    }

    /// The JSON Schema of the parameters, computed from the signature.
    ///
    /// # Errors
    /// What is wrong with the signature.
    pub fn schema(&self) -> Result<Schema, Diagnostics> {
        Ok(self.signature()?.schema())
    }

    /// Compiles the pattern to a tool spec.
    ///
    /// # Errors
    /// What is wrong with it. The places are those in the pattern's gram text.
    pub fn to_tool_spec(&self) -> Result<ToolSpec, Diagnostics> {
        read_tool_pattern(&self.0)
    }
}

impl TryFrom<Pattern> for AgentPattern {
    type Error = Diagnostics;

    fn try_from(pattern: Pattern) -> Result<Self, Diagnostics> {
        if pattern.subject().has_label("Agent") {
            return Ok(Self(pattern));
        }
        Err(Diagnostics::without_text(
            Code::MissingLabel,
            "Pattern must have Agent label",
        ))
    }
}

impl TryFrom<Pattern> for ToolPattern {
    type Error = Diagnostics;

    fn try_from(pattern: Pattern) -> Result<Self, Diagnostics> {
        if is_tool(&pattern) {
            return Ok(Self(pattern));
        }
        Err(Diagnostics::without_text(
            Code::MissingLabel,
            "Tool specification must have ToolSpecification label",
        ))
    }
}

impl From<AgentPattern> for Pattern {
    fn from(agent: AgentPattern) -> Self {
        agent.0
    }
}

impl From<ToolPattern> for Pattern {
    fn from(tool: ToolPattern) -> Self {
        tool.0
    }
}

fn is_tool(pattern: &Pattern) -> bool {
    TOOL_LABELS
        .iter()
        .any(|label| pattern.subject().has_label(label))
}

fn text_property<'p>(pattern: &'p Pattern, key: &str) -> Option<&'p str> {
    match pattern.subject().properties.get(key)? {
        Value::String(text) => Some(text),
        Value::Tagged(tagged) => Some(tagged.content()),
        _ => None,
    }
}

fn set_identity(pattern: &mut Pattern, name: Text) {
    change(pattern, |subject, _| {
        subject.identity = name;
        Ok(())
    })
    .expect("a name adds no depth");
}

fn set_text(pattern: &mut Pattern, key: &'static str, text: Option<&str>) {
    change(pattern, |subject, _| {
        match text {
            Some(text) => {
                subject
                    .properties
                    .insert(key, Value::String(Text::new(text)))?;
            }
            None => {
                subject.properties.remove(key);
            }
        }
        Ok(())
    })
    .expect("a text adds no depth beyond that of its record");
}

/// Takes a pattern apart, changes the parts, and puts it together again. On an error the pattern
/// is as it was.
fn change(
    pattern: &mut Pattern,
    edit: impl FnOnce(&mut Subject, &mut Vec<Pattern>) -> Result<(), ValueError>,
) -> Result<(), ValueError> {
    let (mut subject, mut elements) = pattern.clone().into_parts();
    edit(&mut subject, &mut elements)?;
    *pattern = Pattern::new(subject, elements)?;
    Ok(())
}

/// Checks a pattern by way of its text, so that there is one checker, and its findings can show
/// the line they are about.
pub(crate) fn read_agent_pattern(pattern: &Pattern) -> Result<Agent, Diagnostics> {
    if !pattern.subject().has_label("Agent") {
        let message = "Pattern must have Agent label";
        return Err(Diagnostics::without_text(Code::MissingLabel, message));
    }
    let source = agent_gram::print::print_pattern(pattern);
    let provider = text_property(pattern, "model")
        .and_then(|model| Model::parse(model).ok())
        .map(|model| model.provider().to_owned());
    let mut providers: Vec<String> = provider.into_iter().collect();
    if let Some(Value::Array(fallback)) = pattern.subject().properties.get("fallback") {
        providers.extend(fallback.as_slice().iter().filter_map(|item| match item {
            Value::String(text) => Some(Model::parse(text).ok()?.provider().to_owned()),
            _ => None,
        }));
    }
    let providers: Vec<&str> = providers.iter().map(String::as_str).collect();
    let checked = check::check(
        &source,
        Options {
            providers: &providers,
            ..Options::default()
        },
    );
    let failed = checked.has_errors();
    // Agents are read outer ones first, so the first is the pattern itself.
    match checked.agents.into_iter().next() {
        Some(node) if !failed => Ok(node.agent),
        _ => Err(Diagnostics::new(source, checked.diagnostics)),
    }
}

pub(crate) fn read_tool_pattern(pattern: &Pattern) -> Result<ToolSpec, Diagnostics> {
    if !is_tool(pattern) {
        let message = "Tool specification must have ToolSpecification label";
        return Err(Diagnostics::without_text(Code::MissingLabel, message));
    }
    let source = agent_gram::print::print_pattern(pattern);
    let checked = check::check(&source, Options::default());
    let failed = checked.has_errors();
    match checked.tools.into_iter().next() {
        Some(node) if !failed => Ok(node.spec.clone()),
        _ => Err(Diagnostics::new(source, checked.diagnostics)),
    }
}
