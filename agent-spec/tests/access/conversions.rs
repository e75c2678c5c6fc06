//! Pattern to spec to JSON and back, without loss of anything that a spec says.

use crate::access::generate::{agent, tool};
use agent_spec::check::Options;
use agent_spec::{Agent, AgentPattern, ToolSpec};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn agents(pattern in agent()) {
        let agent = pattern.to_agent().expect("a correct agent");
        prop_assert_eq!(agent.to_pattern().to_agent(), Ok(agent.clone()));
        let json = agent.to_json();
        prop_assert_eq!(Agent::from_json(&json), Ok(agent.clone()), "{}", json);
        let text = serde_json::to_string(&agent).expect("an agent is JSON");
        prop_assert_eq!(serde_json::from_str::<Agent>(&text).expect("an agent"), agent.clone());

        let gram = agent.to_gram();
        let providers: Vec<_> = agent.settings().fallback.iter().chain([agent.model()]).collect();
        let providers: Vec<&str> = providers.iter().map(|model| model.provider()).collect();
        let options = Options { providers: &providers, ..Options::default() };
        prop_assert_eq!(Agent::parse(&gram, None, options), Ok(agent));
    }

    #[test]
    fn agent_and_pattern_accessors_agree(pattern in agent()) {
        let agent = pattern.to_agent().expect("a correct agent");
        let settings = agent.settings();
        prop_assert_eq!(agent.name(), pattern.name());
        prop_assert_eq!(agent.description(), pattern.description());
        prop_assert_eq!(Some(agent.instruction()), pattern.instruction());
        prop_assert_eq!(Some(agent.model().clone()), pattern.model());
        prop_assert_eq!(settings.temperature.clone(), pattern.temperature());
        prop_assert_eq!(settings.top_p.clone(), pattern.top_p());
        prop_assert_eq!(settings.seed, pattern.seed());
        prop_assert_eq!(settings.max_tokens, pattern.max_tokens());
        prop_assert_eq!(settings.stop.to_vec(), pattern.stop());
        prop_assert_eq!(settings.reasoning_effort, pattern.reasoning_effort());
        prop_assert_eq!(settings.thinking_budget, pattern.thinking_budget());
        prop_assert_eq!(settings.cache, pattern.cache());
        prop_assert_eq!(settings.tool_choice.clone(), pattern.tool_choice());
        prop_assert_eq!(settings.tool_search, pattern.tool_search());
        prop_assert_eq!(settings.extra.clone(), pattern.extra());
        prop_assert_eq!(settings.grants.clone(), pattern.grants());
        prop_assert_eq!(settings.max_iterations, pattern.max_iterations());
        prop_assert_eq!(settings.max_depth, pattern.max_depth());
        prop_assert_eq!(settings.tool_timeout, pattern.tool_timeout());
        prop_assert_eq!(settings.base_url.as_deref(), pattern.base_url());
        prop_assert_eq!(settings.fallback.to_vec(), pattern.fallback());
        let tools: Vec<ToolSpec> = pattern
            .tool_specs()
            .iter()
            .map(|tool| tool.to_tool_spec().expect("a correct tool"))
            .collect();
        prop_assert_eq!(agent.tools(), tools);
    }

    #[test]
    fn keeps_properties_without_a_meaning(pattern in agent()) {
        let agent = pattern.to_agent().expect("a correct agent");
        let properties = &pattern.as_pattern().subject().properties;
        let unknown = properties.iter().filter(|(key, _)| key.starts_with("x_"));
        let kept: Vec<_> = agent.extra().iter().collect();
        prop_assert_eq!(unknown.collect::<Vec<_>>(), kept);
    }

    #[test]
    fn tools(pattern in tool()) {
        let spec = pattern.to_tool_spec().expect("a correct tool");
        prop_assert_eq!(spec.to_pattern().to_tool_spec(), Ok(spec.clone()));
        let json = spec.to_json();
        prop_assert_eq!(ToolSpec::from_json(&json), Ok(spec.clone()), "{}", json);
        prop_assert_eq!(spec.name(), pattern.name());
        prop_assert_eq!(Some(spec.description()), pattern.description());
        prop_assert_eq!(spec.timeout(), pattern.timeout());
        prop_assert_eq!(spec.requires_approval(), pattern.requires_approval());
        prop_assert_eq!(Ok(spec.signature().clone()), pattern.signature());
    }

    #[test]
    fn parses_a_pattern_as_written(pattern in agent()) {
        let mut pattern = pattern;
        // A document may name only the providers that are always there.
        pattern.set_model(&agent_spec::Model::from_static("Offline", "any"));
        pattern.set_fallback([]);
        let text = pattern.as_pattern().to_string();
        let read = AgentPattern::parse(&text).expect("a correct agent");
        prop_assert_eq!(read.as_pattern().to_string(), text);
    }
}
