//! The agent of a document, as a pattern.

use super::{AgentPattern, is_agent, is_tool, opt_reference, too_deep};
use crate::agent::Agent;
use crate::check::Options;
use crate::diagnostic::Diagnostics;
use agent_gram::{Pattern, ValueError};
use std::collections::HashMap;

impl AgentPattern {
    /// Reads the one agent of a document as a pattern, with everything as it was written, whether
    /// it means something here or not. Only a reference to a tool becomes the definition that it
    /// refers to, so that the pattern can stand without its document.
    ///
    /// # Errors
    /// What is wrong with the document; also when it has no agent, or several.
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

    /// The same, for a program that registers further providers: their names are as good as those
    /// that are always there.
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
        let agent = Agent::parse(source, None, options)?;
        // The checker has found no syntax error.
        let document = agent_gram::parse_patterns(source).unwrap_or_default();
        let all = || document.iter().flat_map(Pattern::walk);
        // An agent may refer to thousands of tools, so they are indexed. The first of a name counts.
        let mut tools: HashMap<&str, &Pattern> = HashMap::new();
        for found in all().filter(|found| is_tool(found)) {
            tools.entry(&found.subject().identity).or_insert(found);
        }
        for found in all().filter(|found| is_agent(found) && is_named(found, agent.name())) {
            let tool = |name: &str| tools.get(name).copied();
            let pattern = with_definitions(found, tool).map_err(|error| too_deep(&error))?;
            // An arrow in a longer path may have the label and the name of an agent, too; it does not
            // compile to it.
            if super::read_agent_pattern(&pattern).as_ref() == Ok(&agent) {
                return Ok(Self(pattern));
            }
        }
        Ok(agent.to_pattern())
    }
}

fn is_named(pattern: &Pattern, name: &str) -> bool {
    pattern.subject().identity == name
}

/// The pattern with the definition in place of each reference.
fn with_definitions<'p>(
    agent: &Pattern,
    definition: impl Fn(&str) -> Option<&'p Pattern>,
) -> Result<Pattern, ValueError> {
    let elements = agent.elements().iter();
    let elements = elements.map(|element| {
        let defined = opt_reference(element).and_then(&definition);
        defined.unwrap_or(element).clone()
    });
    Pattern::new(agent.subject().clone(), elements.collect())
}
