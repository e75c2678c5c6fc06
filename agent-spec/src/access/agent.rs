//! What an agent's pattern says, typed.

use super::change::{set_elements, set_identity, set_record};
use super::convert::grants_record;
use super::property::{get, get_text, set, set_text};
use super::{AgentPattern, ToolPattern, is_tool, read_agent_pattern};
use crate::agent::{Agent, ReasoningEffort, ToolChoice};
use crate::diagnostic::Diagnostics;
use crate::grants::Grants;
use crate::model::Model;
use agent_gram::value::{Decimal, Record, Text};
use agent_gram::{Pattern, Subject, ValueError};
use std::time::Duration;

/// A getter and a setter for each setting that may be missing.
macro_rules! settings {
    ($($get:ident $set:ident $key:literal $type:ty, $what:literal;)+) => {$(
        #[doc = $what]
        #[must_use]
        pub fn $get(&self) -> Option<$type> {
            get(&self.0, $key)
        }

        #[doc = concat!("Sets or removes `", $key, "`.")]
        pub fn $set(&mut self, to: Option<$type>) {
            set(&mut self.0, $key, &to);
        }
    )+};
}

impl AgentPattern {
    /// A pattern for an agent of this name, without properties and tools.
    #[must_use]
    pub fn new(name: impl Into<Text>) -> Self {
        // One subject is one deep, which is always within bounds.
        Self(Pattern::new(Subject::new(name).with_label("Agent"), Vec::new()).unwrap_or_default())
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

    /// Sets the name. A property `name` that repeats it is set with it.
    pub fn set_name(&mut self, name: impl Into<Text>) {
        let name = name.into();
        if get_text(&self.0, "name") == Some(self.name()) {
            set_text(&mut self.0, "name", Some(&name));
        }
        set_identity(&mut self.0, name);
    }

    /// The description.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        get_text(&self.0, "description")
    }

    /// Sets or removes the description.
    pub fn set_description(&mut self, description: Option<&str>) {
        set_text(&mut self.0, "description", description);
    }

    /// The instruction.
    #[must_use]
    pub fn instruction(&self) -> Option<&str> {
        get_text(&self.0, "instruction")
    }

    /// Sets the instruction.
    pub fn set_instruction(&mut self, instruction: &str) {
        set_text(&mut self.0, "instruction", Some(instruction));
    }

    /// The model, when there is one and it is of the form `Provider/model-id`.
    #[must_use]
    pub fn model(&self) -> Option<Model> {
        get(&self.0, "model")
    }

    /// Sets the model. An address in `baseUrl` stays, also when the provider is another;
    /// [`Agent::with_model`] drops it then.
    pub fn set_model(&mut self, model: &Model) {
        set_text(&mut self.0, "model", Some(&model.to_string()));
    }

    settings! {
        temperature set_temperature "temperature" Decimal,
            "How freely the model chooses its words.";
        top_p set_top_p "topP" Decimal,
            "How much of the probability the model chooses from.";
        seed set_seed "seed" i64,
            "What makes a model's choices repeatable.";
        max_tokens set_max_tokens "maxTokens" u32,
            "The most tokens of one answer.";
        reasoning_effort set_reasoning_effort "reasoningEffort" ReasoningEffort,
            "How much the model thinks before it answers.";
        tool_choice set_tool_choice "toolChoice" ToolChoice,
            "Whether the model is to call a tool, and which.";
        max_iterations set_max_iterations "maxIterations" u32,
            "The most turns that call tools.";
        tool_timeout set_tool_timeout "toolTimeout" Duration,
            "How long one call of a tool may take. A measurement is a float: what is longer than \
             a week may lose nanoseconds.";
    }

    /// The texts at which the model stops; none when the property is missing.
    #[must_use]
    pub fn stop(&self) -> Vec<Text> {
        get(&self.0, "stop")
    }

    /// Sets the texts at which the model stops. None at all removes the property.
    pub fn set_stop(&mut self, stop: impl IntoIterator<Item = impl Into<Text>>) {
        let stop: Vec<Text> = stop.into_iter().map(Into::into).collect();
        set(&mut self.0, "stop", &stop);
    }

    /// Where the provider is reached.
    #[must_use]
    pub fn base_url(&self) -> Option<&str> {
        get_text(&self.0, "baseUrl")
    }

    /// Sets or removes `baseUrl`.
    pub fn set_base_url(&mut self, url: Option<&str>) {
        set_text(&mut self.0, "baseUrl", url);
    }

    /// The models tried in turn when a provider is down; none when the property is missing.
    #[must_use]
    pub fn fallback(&self) -> Vec<Model> {
        get(&self.0, "fallback")
    }

    /// Sets the models tried when a provider is down. None at all removes the property.
    pub fn set_fallback(&mut self, fallback: impl IntoIterator<Item = Model>) {
        let fallback: Vec<Model> = fallback.into_iter().collect();
        set(&mut self.0, "fallback", &fallback);
    }

    /// What the agent's tools may touch at most; nothing when the property is missing, or a part of it
    /// is no grant.
    #[must_use]
    pub fn grants(&self) -> Option<Grants> {
        get(&self.0, "grants")
    }

    /// Sets or removes what the agent's tools may touch at most.
    ///
    /// # Errors
    /// When the pattern would nest too deep for gram; it is then as it was.
    pub fn set_grants(&mut self, grants: Option<&Grants>) -> Result<(), ValueError> {
        if self.grants().as_ref() == grants {
            return Ok(());
        }
        let record = grants.map(grants_record).transpose()?;
        set_record(&mut self.0, "grants", record)
    }

    /// What the provider is sent as it stands; empty when the property is missing.
    #[must_use]
    pub fn extra(&self) -> Record {
        get(&self.0, "extra")
    }

    /// Sets what the provider is sent as it stands. An empty record removes the property.
    ///
    /// # Errors
    /// When the pattern would nest too deep; it is then as it was.
    pub fn set_extra(&mut self, extra: Record) -> Result<(), ValueError> {
        if self.extra() == extra {
            return Ok(());
        }
        let record = Some(extra).filter(|extra| !extra.is_empty());
        set_record(&mut self.0, "extra", record)
    }

    /// The tools that are defined in the agent, in order; references are left out.
    #[must_use]
    pub fn tool_specs(&self) -> Vec<ToolPattern> {
        let tools = self.0.elements().iter().filter(|element| is_tool(element));
        tools.cloned().map(ToolPattern).collect()
    }

    /// Replaces the tools that are defined in the agent: the first ones in their places, further
    /// ones at the end. Other elements stay.
    ///
    /// # Errors
    /// When the pattern would nest too deep; it is then as it was.
    pub fn set_tool_specs(&mut self, tools: Vec<ToolPattern>) -> Result<(), ValueError> {
        let mut tools = tools.into_iter().map(|tool| tool.0);
        let mut elements = Vec::new();
        for element in self.0.elements() {
            if is_tool(element) {
                elements.extend(tools.next());
            } else {
                elements.push(element.clone());
            }
        }
        elements.extend(tools);
        set_elements(&mut self.0, elements)
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
