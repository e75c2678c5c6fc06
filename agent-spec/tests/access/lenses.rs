//! Every getter and setter keeps the laws, whatever else the pattern holds.

use crate::access::generate::{
    agent_with_elements, cache, decimal, duration, effort, extra, grants, model, signature, text,
    texts, tool,
};
use crate::access::lens::{Lens, without};
use agent_gram::value::Record;
use agent_gram::{Pattern, Subject, Value};
use agent_spec::{AgentPattern, CompactAbove, ToolChoice, ToolPattern};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// Tests of lenses: the kind of pattern, the property, what it can say, how it is got and set.
macro_rules! lenses {
    ($($name:ident: $pattern:expr, $key:literal, $values:expr, $get:expr, $set:expr;)+) => {
        proptest! {
            #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]
            $(
                #[test]
                fn $name(pattern in $pattern, first in $values, second in $values) {
                    let rest = |pattern: &Pattern| without(pattern, $key);
                    Lens { get: $get, set: $set, rest }.check(&pattern, &first, &second)?;
                }
            )+
        }
    };
}

type A = AgentPattern;
type T = ToolPattern;

fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

lenses! {
    the_description: agent_with_elements(), "description", option::of(text()),
        |agent: &A| owned(agent.description()),
        |agent: &mut A, to: &Option<String>| agent.set_description(to.as_deref());
    the_instruction: agent_with_elements(), "instruction", text(),
        |agent: &A| agent.instruction().unwrap_or_default().to_owned(),
        |agent: &mut A, to: &String| agent.set_instruction(to);
    the_model: agent_with_elements(), "model", model(),
        |agent: &A| agent.model().expect("it is always set"),
        |agent: &mut A, to: &_| agent.set_model(to);
    temperature: agent_with_elements(), "temperature", option::of(decimal(2.0)),
        |agent: &A| agent.temperature(),
        |agent: &mut A, to: &Option<_>| agent.set_temperature(to.clone());
    top_p: agent_with_elements(), "topP", option::of(decimal(1.0)),
        |agent: &A| agent.top_p(),
        |agent: &mut A, to: &Option<_>| agent.set_top_p(to.clone());
    seed: agent_with_elements(), "seed", option::of(any::<i64>()),
        |agent: &A| agent.seed(),
        |agent: &mut A, to: &Option<_>| agent.set_seed(*to);
    max_tokens: agent_with_elements(), "maxTokens", option::of(any::<u32>()),
        |agent: &A| agent.max_tokens(),
        |agent: &mut A, to: &Option<_>| agent.set_max_tokens(*to);
    prompt: agent_with_elements(), "prompt", option::of(text()),
        |agent: &A| owned(agent.prompt()),
        |agent: &mut A, to: &Option<String>| agent.set_prompt(to.as_deref());
    stop: agent_with_elements(), "stop", texts(),
        |agent: &A| agent.stop(),
        |agent: &mut A, to: &Vec<_>| agent.set_stop(to.clone());
    reasoning_effort: agent_with_elements(), "reasoningEffort", option::of(effort()),
        |agent: &A| agent.reasoning_effort(),
        |agent: &mut A, to: &Option<_>| agent.set_reasoning_effort(*to);
    thinking: agent_with_elements(), "thinking", option::of(any::<bool>()),
        |agent: &A| agent.thinking(),
        |agent: &mut A, to: &Option<_>| agent.set_thinking(*to);
    thinking_budget: agent_with_elements(), "thinkingBudget", option::of(any::<u32>()),
        |agent: &A| agent.thinking_budget(),
        |agent: &mut A, to: &Option<_>| agent.set_thinking_budget(*to);
    prompt_cache: agent_with_elements(), "cache", option::of(cache()),
        |agent: &A| agent.cache(),
        |agent: &mut A, to: &Option<_>| agent.set_cache(*to);
    tool_choice: agent_with_elements(), "toolChoice",
        option::of(text().prop_map(|text| ToolChoice::of(&text))),
        |agent: &A| agent.tool_choice(),
        |agent: &mut A, to: &Option<_>| agent.set_tool_choice(to.clone());
    tool_search: agent_with_elements(), "toolSearch", option::of(any::<bool>()),
        |agent: &A| agent.tool_search(),
        |agent: &mut A, to: &Option<_>| agent.set_tool_search(*to);
    what_a_provider_is_sent: agent_with_elements(), "extra", extra(),
        |agent: &A| agent.extra(),
        |agent: &mut A, to: &_| agent.set_extra(Clone::clone(to)).expect("not deep");
    what_tools_may_touch: agent_with_elements(), "grants", option::of(grants()),
        |agent: &A| agent.grants(),
        |agent: &mut A, to: &Option<_>| agent.set_grants(to.as_ref()).expect("not deep");
    max_iterations: agent_with_elements(), "maxIterations", option::of(any::<u32>()),
        |agent: &A| agent.max_iterations(),
        |agent: &mut A, to: &Option<_>| agent.set_max_iterations(*to);
    max_depth: agent_with_elements(), "maxDepth", option::of(any::<u32>()),
        |agent: &A| agent.max_depth(),
        |agent: &mut A, to: &Option<_>| agent.set_max_depth(*to);
    compact_above: agent_with_elements(), "compactAbove",
        option::of(prop_oneof![any::<u32>().prop_map(CompactAbove::Tokens), Just(CompactAbove::Auto)]),
        |agent: &A| agent.compact_above(),
        |agent: &mut A, to: &Option<_>| agent.set_compact_above(*to);
    tool_timeout: agent_with_elements(), "toolTimeout", option::of(duration()),
        |agent: &A| agent.tool_timeout(),
        |agent: &mut A, to: &Option<_>| agent.set_tool_timeout(*to);
    base_url: agent_with_elements(), "baseUrl", option::of(text()),
        |agent: &A| owned(agent.base_url()),
        |agent: &mut A, to: &Option<String>| agent.set_base_url(to.as_deref());
    fallback: agent_with_elements(), "fallback", vec(model(), 0..3),
        |agent: &A| agent.fallback(),
        |agent: &mut A, to: &Vec<_>| agent.set_fallback(to.clone());
    the_description_of_a_tool: tool(), "description", text(),
        |tool: &T| tool.description().unwrap_or_default().to_owned(),
        |tool: &mut T, to: &String| tool.set_description(to);
    the_timeout_of_a_tool: tool(), "timeout", option::of(duration()),
        |tool: &T| tool.timeout(),
        |tool: &mut T, to: &Option<_>| tool.set_timeout(*to);
    whether_a_tool_requires_approval: tool(), "requiresApproval", any::<bool>(),
        |tool: &T| tool.requires_approval(),
        |tool: &mut T, to: &bool| tool.set_requires_approval(*to);
}

/// A pattern without its identity.
fn without_name(pattern: &Pattern) -> Pattern {
    let (subject, elements) = pattern.clone().into_parts();
    let subject = Subject {
        identity: "".into(),
        ..subject
    };
    Pattern::new(subject, elements).expect("less than it was")
}

/// A pattern without the elements of a kind.
fn without_elements(pattern: &Pattern, gone: impl Fn(&Pattern) -> bool) -> Pattern {
    let (subject, mut elements) = pattern.clone().into_parts();
    elements.retain(|element| !gone(element));
    Pattern::new(subject, elements).expect("less than it was")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn the_name(agent in agent_with_elements(), tool in tool(), first in text(), second in text()) {
        let get = |agent: &A| agent.name().to_owned();
        let set = |agent: &mut A, to: &String| agent.set_name(to.clone());
        Lens { get, set, rest: without_name }.check(&agent, &first, &second)?;
        let get = |tool: &T| tool.name().to_owned();
        let set = |tool: &mut T, to: &String| tool.set_name(to.clone());
        Lens { get, set, rest: without_name }.check(&tool, &first, &second)?;
    }

    #[test]
    fn the_tools(
        agent in agent_with_elements(),
        first in vec(tool(), 0..3),
        second in vec(tool(), 0..3),
    ) {
        let is_tool = |element: &Pattern| ToolPattern::try_from(element.clone()).is_ok();
        // The order of tools and other elements is not part of the set value.
        let get = |agent: &A| agent.tool_specs();
        let set = |agent: &mut A, to: &Vec<_>| agent.set_tool_specs(to.clone()).expect("not deep");
        let mut agent = agent;
        let rest = |pattern: &Pattern| without_elements(pattern, is_tool);
        let tools = agent.tool_specs();
        agent.set_tool_specs(Vec::new()).expect("less than it was");
        agent.set_tool_specs(tools).expect("as deep as it was");
        Lens { get, set, rest }.check(&agent, &first, &second)?;
    }

    #[test]
    fn set_tools_keep_their_positions(agent in agent_with_elements()) {
        let mut set = agent.clone();
        set.set_tool_specs(agent.tool_specs()).expect("as deep as it was");
        prop_assert_eq!(set, agent);
    }

    #[test]
    fn the_signature_and_its_schema(tool in tool(), first in signature(), second in signature()) {
        let get = |tool: &T| tool.signature().expect("a correct signature");
        let set = |tool: &mut T, to: &_| tool.set_signature(to).expect("not deep");
        let rest = |pattern: &Pattern| without_elements(pattern, |_| true);
        Lens { get, set, rest }.check(&tool, &first, &second)?;
        let mut tool = tool;
        set(&mut tool, &first);
        prop_assert_eq!(tool.schema().expect("a correct signature"), first.schema());
    }
}

#[test]
fn sets_the_name_property_with_the_identifier() {
    let source = "[a:Agent {name: \"a\", instruction: \"i\", model: \"Offline/m\"}]";
    let mut agent = AgentPattern::parse(source).expect("a correct agent");
    agent.set_name("b");
    assert_eq!(
        agent.to_agent().map(|agent| agent.name().to_owned()),
        Ok("b".to_owned())
    );
    let text = agent.as_pattern().to_string();
    assert_eq!(
        text,
        "(b::Agent {name: \"b\", instruction: \"i\", model: \"Offline/m\"})"
    );
}

#[test]
fn none_removes_the_key_with_any_value() {
    for value in ["\"text\"", "md`text`", "5", "symbol", "[]"] {
        let source = format!("[a:Agent {{description: {value}, temperature: {value}, seed: 1}}]");
        let pattern = agent_gram::parse_patterns(&source).expect("gram").remove(0);
        let mut agent = AgentPattern::try_from(pattern).expect("it has the label");
        agent.set_description(None);
        agent.set_temperature(None);
        assert_eq!(
            agent.as_pattern().to_string(),
            "(a::Agent {seed: 1})",
            "{value}"
        );
    }
}

#[test]
fn rejects_values_that_nest_too_deep() {
    let source = "[a:Agent {instruction: \"i\", model: \"Offline/m\"}]";
    let mut agent = AgentPattern::parse(source).expect("a correct agent");
    let mut deep = Record::new();
    while let Ok(deeper) = Record::from_entries([("a".into(), Value::Map(deep.clone()))]) {
        deep = deeper;
    }
    let before = agent.clone();
    // An agent has one level around it that a record alone has not.
    assert!(agent.set_extra(deep).is_err());
    assert_eq!(agent, before);
}
