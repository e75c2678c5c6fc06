//! Typed access to the properties of an agent's pattern.

use crate::check::{Options, check_agent};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::grants::Grants;
use crate::lens::convert::grants_record;
use crate::lens::property::{
    get_text, model, put, read_setting, set_elements, set_identity, set_record, set_text, value_of,
};
use crate::lens::{
    AgentPattern, CalledHere, ToolPattern, agent_pattern, conflict, conflict_between, is_agent,
    is_tool, read_agent_pattern, reference_pattern, setting_value, with_called_agents,
};
use crate::model::Model;
use crate::settings::{
    CompactAbove, PromptCache, ReasoningEffort, Settings, ToolChoice, WhenTainted,
};
use crate::vocabulary::{Setting, setting_rows};
use agent_gram::value::{Decimal, Record, Text};
use agent_gram::{Pattern, Subject, ValueError};
use std::collections::HashMap;
use std::time::Duration;

/// A getter and a setter for a setting of one value; the other settings have methods of their own.
macro_rules! lens {
    (Texts $($row:tt)+) => {};
    (Url $($row:tt)+) => {};
    (Models $($row:tt)+) => {};
    (Grants $($row:tt)+) => {};
    (Record $($row:tt)+) => {};
    (Number $($row:tt)+) => { lens!(Decimal: $($row)+); };
    (Integer $($row:tt)+) => { lens!(i64: $($row)+); };
    (Count $($row:tt)+) => { lens!(u32: $($row)+); };
    (Effort $($row:tt)+) => { lens!(ReasoningEffort: $($row)+); };
    (Cache $($row:tt)+) => { lens!(PromptCache: $($row)+); };
    (CompactAbove $field:ident $($row:tt)+) => { lens!(CompactAbove: $field $($row)+); };
    (Choice $($row:tt)+) => { lens!(ToolChoice: $($row)+); };
    (WhenTainted $field:ident $($row:tt)+) => { lens!(WhenTainted: $field $($row)+); };
    (Flag $($row:tt)+) => { lens!(bool: $($row)+); };
    (Duration $field:ident $($row:tt)+) => { lens!(Duration: $field $($row)+); };
    ($type:ty: $field:ident $set:ident $Setting:ident $key:literal $doc:literal) => {
        #[doc = $doc]
        #[must_use]
        pub fn $field(&self) -> Option<$type> {
            self.setting(Setting::$Setting)?.$field
        }

        #[doc = concat!("Sets or removes `", $key, "`.")]
        pub fn $set(&mut self, to: Option<$type>) {
            let to = Settings { $field: to, ..Settings::NONE };
            self.set_setting(Setting::$Setting, &to);
        }
    };
}

macro_rules! define_lenses {
    ($($field:ident $set:ident $Setting:ident $key:literal $kind:ident ($($most:expr)?) $doc:literal;)+) => {
        impl AgentPattern {
            $(lens!($kind $field $set $Setting $key $doc);)+
        }
    };
}

setting_rows!(define_lenses);

impl AgentPattern {
    /// Returns the value of a setting; `None` if it is missing or of another kind.
    fn setting(&self, setting: Setting) -> Option<Settings> {
        read_setting(setting, value_of(&self.0, setting.key())?)
    }

    /// Sets or removes a setting, unless it has an equal value already: then its spelling stays.
    fn set_setting(&mut self, setting: Setting, to: &Settings) {
        if self.setting(setting).as_ref() != Some(to) {
            put(
                &mut self.0,
                setting.key(),
                to.get(setting).map(setting_value),
            );
        }
    }

    /// A pattern for an agent of this name, without properties and tools.
    #[must_use]
    pub fn new(name: impl Into<Text>) -> Self {
        // One subject is one level deep, which is always within bounds.
        Self(Pattern::new(Subject::new(name).with_label("Agent"), Vec::new()).unwrap_or_default())
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

    /// The template of the user message.
    #[must_use]
    pub fn prompt(&self) -> Option<&str> {
        get_text(&self.0, "prompt")
    }

    /// Sets or removes the template of the user message.
    pub fn set_prompt(&mut self, prompt: Option<&str>) {
        set_text(&mut self.0, "prompt", prompt);
    }

    /// The model, when there is one and it is of the form `Provider/model-id`.
    #[must_use]
    pub fn model(&self) -> Option<Model> {
        value_of(&self.0, "model").and_then(model)
    }

    /// Sets the model. `baseUrl` is kept even when the provider changes, unlike in `with_model` of an agent,
    /// which drops it.
    pub fn set_model(&mut self, model: &Model) {
        set_text(&mut self.0, "model", Some(&model.to_string()));
    }

    /// Returns the parameters whose values have words of strangers; empty when the property is missing.
    #[must_use]
    pub fn untrusted(&self) -> Vec<Text> {
        let read = self.setting(Setting::Untrusted);
        read.map(|read| read.untrusted.into_owned())
            .unwrap_or_default()
    }

    /// Sets the parameters whose values have words of strangers. An empty list removes the property.
    pub fn set_untrusted(&mut self, names: impl IntoIterator<Item = impl Into<Text>>) {
        let untrusted = names.into_iter().map(Into::into).collect();
        let to = Settings {
            untrusted,
            ..Settings::NONE
        };
        self.set_setting(Setting::Untrusted, &to);
    }

    /// Returns the texts at which the model stops; empty when the property is missing.
    #[must_use]
    pub fn stop(&self) -> Vec<Text> {
        let read = self.setting(Setting::Stop);
        read.map(|read| read.stop.into_owned()).unwrap_or_default()
    }

    /// Sets the texts at which the model stops. An empty list removes the property.
    pub fn set_stop(&mut self, stop: impl IntoIterator<Item = impl Into<Text>>) {
        let stop = stop.into_iter().map(Into::into).collect();
        let to = Settings {
            stop,
            ..Settings::NONE
        };
        self.set_setting(Setting::Stop, &to);
    }

    /// Returns the address of the provider.
    #[must_use]
    pub fn base_url(&self) -> Option<&str> {
        get_text(&self.0, "baseUrl")
    }

    /// Sets or removes `baseUrl`.
    pub fn set_base_url(&mut self, url: Option<&str>) {
        set_text(&mut self.0, "baseUrl", url);
    }

    /// Returns the models tried in turn when a provider is down; empty when the property is missing.
    #[must_use]
    pub fn fallback(&self) -> Vec<Model> {
        let read = self.setting(Setting::Fallback);
        read.map(|read| read.fallback.into_owned())
            .unwrap_or_default()
    }

    /// Sets the models tried when a provider is down. An empty list removes the property.
    pub fn set_fallback(&mut self, fallback: impl IntoIterator<Item = Model>) {
        let to = Settings {
            fallback: fallback.into_iter().collect(),
            ..Settings::NONE
        };
        self.set_setting(Setting::Fallback, &to);
    }

    /// Returns the most that the agent's tools may access; `None` when the property is missing, or a
    /// part of it is invalid.
    #[must_use]
    pub fn grants(&self) -> Option<Grants> {
        self.setting(Setting::Grants)?.grants
    }

    /// Sets or removes the most that the agent's tools may access.
    ///
    /// # Errors
    /// When the pattern would nest too deep for gram; the pattern then stays unchanged.
    pub fn set_grants(&mut self, grants: Option<&Grants>) -> Result<(), ValueError> {
        if self.grants().as_ref() == grants {
            return Ok(());
        }
        let record = grants.map(grants_record).transpose()?;
        set_record(&mut self.0, "grants", record)
    }

    /// Returns the members that the request to the provider gets as they are; empty when the property is
    /// missing.
    #[must_use]
    pub fn extra(&self) -> Record {
        let read = self.setting(Setting::Extra);
        read.map(|read| read.extra).unwrap_or_default()
    }

    /// Sets the members that the request to the provider gets as they are. An empty record removes the
    /// property.
    ///
    /// # Errors
    /// When the pattern would nest too deep; the pattern then stays unchanged.
    pub fn set_extra(&mut self, extra: Record) -> Result<(), ValueError> {
        if self.extra() == extra {
            return Ok(());
        }
        let record = Some(extra).filter(|extra| !extra.is_empty());
        set_record(&mut self.0, "extra", record)
    }

    /// Returns the tools that are defined in the agent, in order, without references.
    #[must_use]
    pub fn tool_specs(&self) -> Vec<ToolPattern> {
        let tools = self.0.elements().iter().filter(|element| is_tool(element));
        tools.cloned().map(ToolPattern).collect()
    }

    /// Returns the names of the tools that the agent only refers to, in order.
    #[must_use]
    pub fn references(&self) -> Vec<&str> {
        let elements = self.0.elements().iter();
        elements.filter_map(opt_reference).collect()
    }

    /// Replaces the tools that are defined in the agent: the first ones in their places, further
    /// ones at the end. Other elements stay.
    ///
    /// # Errors
    /// When the pattern would nest too deep; the pattern then stays unchanged.
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
}

impl AgentPattern {
    /// Reads the one agent of a document as a pattern, and keeps everything as it was written, also
    /// properties without a meaning. Only a reference to a tool of the document is replaced by the
    /// definition, so that the pattern does not need its document. The name of another tool stays, and
    /// binding gives it the spec of the library's tool.
    ///
    /// # Errors
    /// Returns the diagnostics of the document, also when it has no agent, or several.
    ///
    /// ```
    /// let source = "
    ///     [greeter:Agent:Demo {model: \"Offline/any\", instruction: md`*Greet* people.`} | sayHello]
    ///     [sayHello:Tool {description: \"Greets.\"} | (name::Text)==>(::String)]";
    /// let agent = agent_spec::AgentPattern::parse(source)?;
    /// assert!(agent.as_pattern().subject().has_label("Demo"));
    /// assert_eq!(agent.tool_specs()[0].name(), "sayHello");
    /// # Ok::<(), agent_spec::Diagnostics>(())
    /// ```
    pub fn parse(source: &str) -> Result<Self, Diagnostics> {
        Self::parse_with_providers(source, &[])
    }

    /// Reads the agent as [`parse`](Self::parse) does, for a program that registers further providers, whose
    /// names are accepted, too.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    ///
    /// ```
    /// let source = "[greeter:Agent {model: \"Acme/large\", instruction: \"Greet people.\"}]";
    /// assert!(agent_spec::AgentPattern::parse(source).is_err());
    /// let agent = agent_spec::AgentPattern::parse_with_providers(source, &["Acme"])?;
    /// assert_eq!(agent.model().map(|model| model.to_string()).as_deref(), Some("Acme/large"));
    /// # Ok::<(), agent_spec::Diagnostics>(())
    /// ```
    pub fn parse_with_providers(source: &str, providers: &[&str]) -> Result<Self, Diagnostics> {
        let options = Options {
            providers,
            ..Options::default()
        };
        let agent = check_agent(source, None, options)?;
        // The checker has found no syntax error.
        let document = agent_gram::parse_patterns(source).unwrap_or_default();
        let all = || document.iter().flat_map(Pattern::walk);
        let tools: Vec<&Pattern> = all().filter(|found| is_tool(found)).collect();
        let agents: Vec<&Pattern> = all().filter(|found| is_agent(found)).collect();
        let (tools, agents) = (Definitions::of(tools), Definitions::of(agents));
        for found in all().filter(|found| is_agent(found) && is_named(found, agent.name())) {
            let pattern = with_called_agents(&agent, |part, called| {
                let found = match part.name() == agent.name() {
                    true => found,
                    false => agents.get(part.name()).unwrap_or(found),
                };
                with_definitions(found, &tools, called)
            });
            let pattern = pattern.map_err(|error| too_deep(&error))?;
            // An arrow in a longer path may have the label and the name of an agent, too; such an arrow does
            // not compile to the agent.
            if crate::lens::read_agent_pattern(&pattern).as_ref() == Ok(&agent) {
                return Ok(Self(pattern));
            }
        }
        Ok(agent_pattern(&agent))
    }
}

fn is_named(pattern: &Pattern, name: &str) -> bool {
    pattern.subject().identity == name
}

/// The definitions of a document by name. An agent may refer to thousands of tools, so they are indexed. The
/// first definition of a name counts.
struct Definitions<'p> {
    all: Vec<&'p Pattern>,
    places: HashMap<&'p str, usize>,
}

impl<'p> Definitions<'p> {
    fn of(all: Vec<&'p Pattern>) -> Self {
        let mut places = HashMap::new();
        for (place, found) in all.iter().enumerate() {
            places.entry(&*found.subject().identity).or_insert(place);
        }
        Self { all, places }
    }

    fn get(&self, name: &str) -> Option<&'p Pattern> {
        self.places.get(name).map(|place| self.all[*place])
    }
}

/// Returns the pattern of an agent with the definition in place of each reference: the definition of a tool,
/// or of an agent that is written here.
fn with_definitions(
    agent: &Pattern,
    tools: &Definitions<'_>,
    called: &mut dyn FnMut(&str) -> CalledHere<Result<Pattern, ValueError>>,
) -> Result<Pattern, ValueError> {
    let mut elements = Vec::new();
    for element in agent.elements() {
        let name = match is_agent(element) {
            true => Some(&*element.subject().identity),
            false => opt_reference(element),
        };
        let element = match name.map(|name| (called(name), name)) {
            Some((CalledHere::First(pattern), _)) => pattern?,
            Some((CalledHere::Again, name)) => reference_pattern(name.to_owned()),
            Some((CalledHere::Tool, name)) => tools.get(name).unwrap_or(element).clone(),
            None => element.clone(),
        };
        elements.push(element);
    }
    Pattern::new(agent.subject().clone(), elements)
}

impl AgentPattern {
    /// Returns this agent with the tools of another agent added, as [`Agent::extend`](crate::Agent::extend)
    /// does. Everything else is this agent's.
    ///
    /// Any definition of the name matches a reference, and replaces it.
    ///
    /// # Errors
    /// When a tool is defined in both, and differently. The findings name all such tools.
    pub fn extend(&self, other: &AgentPattern) -> Result<AgentPattern, Diagnostics> {
        let mut elements = self.0.elements().to_vec();
        let mut conflicts = Vec::new();
        for theirs in other.0.elements() {
            let Some(name) = opt_tool_name(theirs) else {
                continue;
            };
            let ours = elements
                .iter_mut()
                .find(|element| opt_tool_name(element) == Some(name));
            match ours {
                None => elements.push(theirs.clone()),
                Some(_) if !is_definition(theirs) => {}
                Some(ours) if !is_definition(ours) => *ours = theirs.clone(),
                Some(ours) => conflicts.extend(opt_conflict(self, ours, other, theirs)),
            }
        }
        if !conflicts.is_empty() {
            return Err(Diagnostics::new(String::new(), conflicts));
        }
        let mut extended = self.clone();
        // Each element was in an agent already, so that this agent is as deep as the deeper one.
        set_elements(&mut extended.0, elements).map_err(|error| too_deep(&error))?;
        Ok(extended)
    }
}

/// Whether an element defines a tool or an agent.
fn is_definition(element: &Pattern) -> bool {
    is_tool(element) || is_agent(element)
}

/// The name of the tool or agent that an element defines or refers to.
fn opt_tool_name(element: &Pattern) -> Option<&str> {
    if is_definition(element) {
        return Some(&element.subject().identity);
    }
    opt_reference(element)
}

/// Returns the diagnostic when two definitions differ in meaning; their spelling may differ.
fn opt_conflict(
    first: &AgentPattern,
    ours: &Pattern,
    second: &AgentPattern,
    theirs: &Pattern,
) -> Option<Diagnostic> {
    if ours == theirs {
        return None;
    }
    let agent = |pattern: &Pattern| read_agent_pattern(pattern).ok();
    if is_agent(ours) && agent(ours).is_some_and(|ours| Some(ours) == agent(theirs)) {
        return None;
    }
    let spec = |pattern: &Pattern| ToolPattern(pattern.clone()).to_tool_spec().ok();
    let names = (first.name(), second.name());
    match (spec(ours), spec(theirs)) {
        (Some(ours), Some(theirs)) if ours == theirs => None,
        (Some(ours), Some(theirs)) => Some(conflict_between(names, &ours, &theirs)),
        _ => {
            let difference = match is_agent(ours) || is_agent(theirs) {
                true => "one is an agent that differs from the other",
                false => "they differ, and not both are correct",
            };
            Some(conflict(names, &ours.subject().identity, difference))
        }
    }
}

/// Returns the name of the tool that an element refers to without defining it.
fn opt_reference(element: &Pattern) -> Option<&str> {
    let subject = element.subject();
    let is_bare = subject.labels.is_empty()
        && subject.properties.is_empty()
        && element.elements().is_empty()
        && !subject.identity.is_empty();
    is_bare.then_some(&subject.identity)
}

fn too_deep(error: &agent_gram::ValueError) -> Diagnostics {
    Diagnostics::without_text(Code::GramTooDeep, error.to_string())
}
