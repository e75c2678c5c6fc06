//! The hello world agent of 001: as gram, as a pattern, made in code, as JSON.

use crate::documents::rows::{codes, one_pattern};
use agent_spec::check::{Options, check};
use agent_spec::json::agent_pattern_from_json;
use agent_spec::{Agent, AgentPattern, Model, ToolPattern, ToolSpec};

/// The agent as gram. 001 prints it in Haskell only.
const GRAM: &str = include_str!("001/hello_world_agent.gram");

const NAME: &str = "hello_world_agent";
const DESCRIPTION: &str = "A friendly agent that uses the sayHello tool to greet users";
const INSTRUCTION: &str = "You are a friendly assistant. Have friendly conversations with the user. When the user greets you or says hello, use the `sayHello` tool to respond with a personalized greeting.";
const TOOL_DESCRIPTION: &str = "Returns a friendly greeting message for the given name";
const SIGNATURE: &str = "(personName::Text)==>(::String)";

fn from_gram() -> Agent {
    Agent::parse(GRAM, None, Options::default()).unwrap_or_else(|found| panic!("{found}"))
}

/// `createModel "gpt-3.5-turbo" OpenAI`.
fn model() -> Model {
    Model::new("OpenAI", "gpt-3.5-turbo").expect("both parts are there")
}

/// `sayHelloSpec`.
fn say_hello() -> ToolSpec {
    ToolSpec::new("sayHello", TOOL_DESCRIPTION, SIGNATURE).expect("the tool is right")
}

#[test]
fn checks_without_diagnostics() {
    let checked = check(GRAM, Options::default());
    assert_eq!(codes(&checked.diagnostics), <[&str; 0]>::default());
    assert_eq!(checked.agents.len(), 1);
    assert_eq!(checked.tools.len(), 1);
}

#[test]
fn equals_document_001() {
    let agent = from_gram();
    assert_eq!(agent.name(), NAME);
    assert_eq!(agent.description(), Some(DESCRIPTION));
    assert_eq!(agent.model(), &model());
    assert_eq!(agent.model().to_string(), "OpenAI/gpt-3.5-turbo");
    assert_eq!(agent.instruction(), INSTRUCTION);
    assert_eq!(agent.tools(), [say_hello()]);
    let params = agent.tools()[0].signature().params();
    assert_eq!(params.len(), 1);
    assert_eq!(
        params[0].default(),
        None,
        "001 prints the parameter without a default"
    );
    assert!(!params[0].is_optional());
}

/// The values of 001's type definition, given to the constructors.
#[test]
fn equals_the_agent_built_in_code() {
    let made = Agent::new(NAME, "OpenAI/gpt-3.5-turbo", INSTRUCTION)
        .expect("the agent is right")
        .with_description(DESCRIPTION)
        .with_tool(say_hello())
        .expect("the tool is its first");
    assert_eq!(made, from_gram());
}

/// 001's `createAgentPattern`, with its lenses.
#[test]
fn equals_the_pattern_built_with_accessors() {
    let mut pattern = AgentPattern::new("to_be_renamed");
    pattern.set_name(NAME);
    pattern.set_description(Some(DESCRIPTION));
    pattern.set_model(&model());
    pattern.set_instruction(INSTRUCTION);
    let tool: ToolPattern = say_hello().to_pattern();
    pattern
        .set_tool_specs(vec![tool.clone()])
        .expect("it is not deep");
    assert_eq!(pattern, from_gram().to_pattern());
    assert_eq!(pattern.to_agent(), Ok(from_gram()));

    assert_eq!(pattern.name(), NAME);
    assert_eq!(pattern.description(), Some(DESCRIPTION));
    assert_eq!(pattern.model(), Some(model()));
    assert_eq!(pattern.instruction(), Some(INSTRUCTION));
    assert_eq!(pattern.tool_specs(), [tool]);
}

#[test]
fn round_trips_through_pattern_and_gram() {
    let agent = from_gram();
    let pattern = agent.to_pattern();
    assert_eq!(pattern.to_agent(), Ok(agent.clone()));
    assert_eq!(one_pattern(&agent.to_gram()), *pattern.as_pattern());
    let again = Agent::parse(&agent.to_gram(), None, Options::default());
    assert_eq!(again.as_ref(), Ok(&agent));
    assert_eq!(again.map(|agent| agent.to_gram()), Ok(agent.to_gram()));
}

/// The pattern of the text itself, which has the label and the order that were written.
#[test]
fn parses_from_the_pattern_of_its_text() {
    let pattern = AgentPattern::try_from(one_pattern(GRAM)).expect("it has the label");
    assert_eq!(pattern.to_agent(), Ok(from_gram()));
    let tools = pattern.tool_specs();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0].to_tool_spec(), Ok(say_hello()));
}

#[test]
fn round_trips_through_json() {
    let agent = from_gram();
    let pattern = agent_pattern_from_json(&agent.to_json()).expect("it is an agent");
    assert_eq!(Agent::from_pattern(&pattern), Ok(agent));
}

/// 001 lists `name` among the properties that must be there, and the identifier as the name: both
/// may be given when they agree.
#[test]
fn accepts_its_name_as_a_property() {
    let named = |name: &str| GRAM.replacen('{', &format!("{{\n  name: \"{name}\","), 1);
    assert_eq!(
        Agent::parse(&named(NAME), None, Options::default()),
        Ok(from_gram())
    );
    let found = check(&named("another_agent"), Options::default()).diagnostics;
    assert_eq!(codes(&found), ["agent::bad-name"]);
}
