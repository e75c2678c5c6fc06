//! Finding agents in a document, deriving one from another, and adding one's tools to another's.

use agent_gram::value::Decimal;
use agent_gram::{Pattern, parse_patterns};
use agent_spec::check::Options;
use agent_spec::{Agent, AgentPattern, Code, Model, ToolSpec};

/// A document in which three agents use two tools.
const DOCUMENT: &str = r#"
[sayHello:Tool {description: "Greets."} | (name::Text)==>(::String)]
[team |
  [greeter:Agent {instruction: "Greet.", model: "OpenAI/gpt-4o", temperature: 0.5, owner: sales} | sayHello],
  [leaver:Agent {instruction: "Part.", model: "Offline/any"} |
    [sayGoodbye:Tool {description: "Parts."} | (name::Text)==>(::String)]
  ]
]
[host:Agent {instruction: "Host.", model: "Offline/any"} |
  [sayHello:Tool {description: "Greets."} | (name::Text)==>(::String)],
  sayGoodbye
]"#;

/// The names of all agents of a document that use a tool, defined in them or referred to.
fn agents_with(document: &[Pattern], tool: &str) -> Vec<String> {
    let uses = |found: &Pattern| {
        let mut elements = found.elements().iter();
        found.subject().has_label("Agent")
            && elements.any(|element| element.subject().identity == tool)
    };
    let agents = document.iter().flat_map(|pattern| pattern.filter(uses));
    agents
        .map(|agent| agent.subject().identity.to_string())
        .collect()
}

#[test]
fn finds_all_agents_that_use_a_tool() {
    let document = parse_patterns(DOCUMENT).expect("gram");
    assert_eq!(agents_with(&document, "sayHello"), ["greeter", "host"]);
    assert_eq!(agents_with(&document, "sayGoodbye"), ["leaver", "host"]);
    assert_eq!(agents_with(&document, "name"), <[&str; 0]>::default());
}

fn agent_pattern(name: &str) -> AgentPattern {
    let document = parse_patterns(DOCUMENT).expect("gram");
    let mut all = document.iter().flat_map(Pattern::walk);
    let found = all.find(|found| found.subject().identity == name);
    AgentPattern::try_from(found.expect("it is there").clone()).expect("it is an agent")
}

fn agent(name: &str) -> Agent {
    Agent::parse(DOCUMENT, Some(name), Options::default()).unwrap_or_else(|found| panic!("{found}"))
}

fn tool_names(agent: &Agent) -> Vec<&str> {
    agent.tools().iter().map(ToolSpec::name).collect()
}

#[test]
fn an_agent_is_derived_from_another() {
    let greeter = agent_pattern("greeter");
    let mut terse = greeter.clone();
    terse.set_name("terse");
    terse.set_model(&Model::from_static("Ollama", "llama3"));
    terse.set_instruction("Greet in one word.");
    terse.set_temperature(Some(Decimal::new(0.0).expect("finite")));
    let expected = greeter
        .as_pattern()
        .to_string()
        .replace("greeter", "terse")
        .replace("OpenAI/gpt-4o", "Ollama/llama3")
        .replace("\"Greet.\"", "\"Greet in one word.\"")
        .replace("0.5", "0.0");
    // The layout depends on the lengths of the lines, the order of keys does not.
    let expected = parse_patterns(&expected).expect("gram");
    assert_eq!(terse.as_pattern().to_string(), expected[0].to_string());

    // All agents of a document can be changed at once as well.
    let document = parse_patterns(DOCUMENT).expect("gram").into_iter();
    let is_agent = |found: &Pattern| found.subject().has_label("Agent");
    let offline = document.map(|pattern| {
        pattern.replace(is_agent, |agent| {
            let mut agent = AgentPattern::try_from(agent).expect("it has the label");
            agent.set_model(&Model::from_static("Offline", "any"));
            agent.into()
        })
    });
    let offline: Vec<Pattern> = offline.collect::<Result<_, _>>().expect("not deep");
    let text = agent_gram::print(&offline);
    let agent = Agent::parse(&text, Some("greeter"), Options::default());
    let model = agent.expect("a correct document").model().to_string();
    assert_eq!(model, "Offline/any");
}

#[test]
fn extend_adds_tools_and_keeps_the_rest() {
    let (greeter, host) = (agent("greeter"), agent("host"));
    let extended = greeter.extend(&host).expect("no conflict");
    assert_eq!(tool_names(&extended), ["sayHello", "sayGoodbye"]);
    assert_eq!(extended.name(), "greeter");
    assert_eq!(extended.instruction(), "Greet.");
    assert_eq!(extended.model().to_string(), "OpenAI/gpt-4o");
    assert_eq!(extended.settings(), greeter.settings());
    assert_eq!(extended.extra(), greeter.extra());
    assert_eq!(extended.description(), None);

    let order = agent("leaver").extend(&host).expect("no conflict");
    assert_eq!(tool_names(&order), ["sayGoodbye", "sayHello"]);
    assert_eq!(host.extend(&greeter), Ok(host.clone()));
    assert_eq!(host.extend(&host), Ok(host));
}

#[test]
fn extend_rejects_different_tools_of_one_name() {
    let base = |name: &'static str| Agent::new(name, "Offline/any", "i").expect("an agent");
    let with = |agent: Agent, tools: &[(&'static str, &'static str, &str)]| {
        tools
            .iter()
            .fold(agent, |agent, (name, description, signature)| {
                let tool = ToolSpec::new(*name, *description, signature).expect("a tool");
                agent.with_tool(tool).expect("it has no such tool")
            })
    };
    let first = with(
        base("one"),
        &[
            ("t", "d", "(x::Text)==>(::String)"),
            ("u", "Says \"u\".", "()==>(::Int)"),
            ("same", "d", "()==>(::Int)"),
        ],
    );
    let second = with(
        base("two"),
        &[
            ("u", "Says u.", "()==>(::Int)"),
            ("t", "d", "(x::Int)==>(::String)"),
            ("same", "d", "()==>(::Integer)"),
        ],
    );
    let expected = "\
the agents `one` and `two` have different tools named `u`: the descriptions are \"Says \\\"u\\\".\" and \"Says u.\"
the agents `one` and `two` have different tools named `t`: `(x::Text)==>(::String)` and `(x::Int)==>(::String)`";
    let found = first.extend(&second).expect_err("two conflicts");
    assert_eq!(found.to_string(), expected);
    assert!(
        found
            .iter()
            .all(|found| found.code() == Code::ConflictingTools)
    );
    let found = first.to_pattern().extend(&second.to_pattern());
    assert_eq!(found.expect_err("two conflicts").to_string(), expected);

    let mut slow = first.to_pattern().tool_specs().remove(0);
    slow.set_timeout(Some(std::time::Duration::from_secs(60)));
    let mut other = AgentPattern::new("other");
    other.set_tool_specs(vec![slow]).expect("not deep");
    let found = first.to_pattern().extend(&other).expect_err("a conflict");
    assert_eq!(
        found.to_string(),
        "the agents `one` and `other` have different tools named `t`: their other properties differ"
    );
}

fn pattern(text: &str) -> AgentPattern {
    let pattern = parse_patterns(text).expect("gram").remove(0);
    AgentPattern::try_from(pattern).expect("it has the label")
}

#[test]
fn extended_patterns_keep_their_spelling() {
    let own = "[own:Agent:Demo {owner: x} | a, [b:ToolSpecification {description: 'd'} | (::Text {paramName: 'x'})==>(::String)], c]";
    let other = "[other:Agent {owner: y} | [n:Note], [a:Tool {description: 'a'} | ()==>(::Int)], [b:Tool {description: 'd'} | (x::String)==>(::Text)], c, d]";
    let expected = "[own:Agent:Demo {owner: x} | [a:Tool {description: 'a'} | ()==>(::Int)], [b:ToolSpecification {description: 'd'} | (::Text {paramName: 'x'})==>(::String)], c, d]";
    assert_eq!(pattern(own).extend(&pattern(other)), Ok(pattern(expected)));

    let broken = "[broken:Agent | [b:Tool {description: 'd'}]]";
    let found = pattern(own)
        .extend(&pattern(broken))
        .expect_err("a conflict");
    assert_eq!(
        found.to_string(),
        "the agents `own` and `broken` have different tools named `b`: they differ, and not both are correct"
    );
}
