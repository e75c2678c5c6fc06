//! Finding agents in a document, deriving one from another, and adding one's tools to another's.

use agent_gram::value::{Decimal, Record};
use agent_gram::{Pattern, parse_patterns};
use agent_spec::__private::{AgentFunction, Reference};
use agent_spec::check::Options;
use agent_spec::{Agent, AgentPattern, AgentTool, Code, Model, Settings, Style, ToolSpec};
use serde_json::json;

/// A document in which three agents use two tools.
const DOCUMENT: &str = r#"
[sayHello:Tool {description: "Greets."} | (name::Text)==>(::String)]
[team |
  [greeter:Agent {instruction: "Greet.", model: "OpenAI/gpt-6-sol", temperature: 0.5, owner: sales} | sayHello],
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
        .replace("OpenAI/gpt-6-sol", "Ollama/llama3")
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
    assert_eq!(extended.model().to_string(), "OpenAI/gpt-6-sol");
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

const BASE: &str = "instruction: \"i\", model: \"Offline/any\"";

fn spec(name: &str, description: &str) -> ToolSpec {
    let signature = "(name::Text)==>(::String)";
    ToolSpec::new(name.to_owned(), description.to_owned(), signature).expect("a tool")
}

/// An agent that refers to these tools.
fn referring(names: &str) -> Agent {
    let source = format!("[a:Agent {{{BASE}}} | {names}]");
    Agent::parse(&source, None, Options::default()).expect("an agent")
}

/// All tools of an agent in order; references are marked.
fn all_tools(agent: &Agent) -> Vec<String> {
    let word = |tool: AgentTool<'_>| match tool {
        AgentTool::Spec(spec) => spec.name().to_owned(),
        AgentTool::Reference(name) => format!("&{name}"),
    };
    agent.all_tools().map(word).collect()
}

#[test]
fn an_agent_keeps_the_names_of_tools_that_its_document_does_not_define() {
    let source = format!(
        "[t:Tool {{description: \"d\"}} | ()==>(::String)]
         [a:Agent {{{BASE}}} | x, t, (y), [u:Tool {{description: \"d\"}} | ()==>(::String)], z]"
    );
    let agent = Agent::parse(&source, None, Options::default()).expect("an agent");
    assert_eq!(all_tools(&agent), ["&x", "t", "&y", "u", "&z"]);
    assert!(agent.references().eq(["x", "y", "z"]));
    assert_eq!(tool_names(&agent), ["t", "u"]);
    assert!(agent.tool("x").is_none());
    // The pattern has the definition of `t`, so that it does not need the document.
    let pattern = AgentPattern::parse(&source).expect("an agent");
    assert_eq!(pattern.references(), ["x", "y", "z"]);
    assert_eq!(pattern.to_agent(), Ok(agent));
}

#[test]
fn known_tools_take_the_places_of_references() {
    let known = [spec("x", "d")];
    let options = Options {
        known_tools: &known,
        ..Options::default()
    };
    let source = format!("[a:Agent {{{BASE}}} | y, x]");
    let agent = Agent::parse(&source, None, options).expect("an agent");
    assert_eq!(all_tools(&agent), ["&y", "x"]);
}

#[test]
fn references_are_strings_in_json_in_the_written_order() {
    let agent = referring("x, [t:Tool {description: \"d\"} | ()==>(::String)], y");
    let json = agent.to_json();
    let tools = json["tools"].as_array().expect("a list");
    let names: Vec<_> = tools.iter().map(|tool| tool.as_str()).collect();
    assert_eq!(names, [Some("x"), None, Some("y")]);
    assert_eq!(Agent::from_json(&json), Ok(agent));
    for (tool, message) in [
        (json!(""), "`$.tools[0]`: expected the name of a tool"),
        (json!(3), "`$.tools[0]`: expected a tool"),
    ] {
        let json =
            json!({"name": "a", "model": "Offline/any", "instruction": "i", "tools": [tool]});
        let error = Agent::from_json(&json).expect_err("no tool").to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn references_are_printed_as_names() {
    for names in ["x", "x, y", "x, y, z", "`a b`, 12"] {
        let agent = referring(names);
        let lines = names.replace(", ", ",\n  ");
        let expected = format!("[a:Agent {{{BASE}}} |\n  {lines}\n]");
        assert_eq!(agent.to_gram(), expected);
        for style in Style::ALL {
            assert_eq!(agent.to_gram_in(*style), expected);
        }
        for text in [expected, agent.to_pattern().as_pattern().to_string()] {
            let again = Agent::parse(&text, None, Options::default());
            assert_eq!(again.as_ref(), Ok(&agent), "{text}");
        }
    }
}

#[test]
fn a_spec_takes_the_place_of_the_reference_to_it() {
    let agent = referring("x, y, z").with_tool(spec("y", "d"));
    let agent = agent.and_then(|agent| agent.with_tool(spec("w", "d")));
    let agent = agent.expect("none is there yet");
    assert_eq!(all_tools(&agent), ["&x", "y", "&z", "w"]);
    for again in [vec![spec("y", "d")], vec![spec("x", "d"), spec("x", "d")]] {
        let error = agent.clone().with_tools(again).expect_err("it is there");
        assert!(error.to_string().contains("twice"));
    }
    let specs = ["v", "z", "u", "x"].map(|name| spec(name, "d"));
    let agent = agent.with_tools(specs.into()).expect("none is there yet");
    assert_eq!(all_tools(&agent), ["x", "y", "z", "w", "v", "u"]);
}

#[test]
fn references_can_be_added_in_code() {
    let agent = Agent::new("a", "Offline/any", "i").expect("an agent");
    let agent = agent.with_tool(spec("t", "d")).expect("a tool");
    let agent = agent.with_reference("x").expect("a name");
    assert_eq!(all_tools(&agent), ["t", "&x"]);
    for (name, message) in [
        ("t", "twice"),
        ("x", "twice"),
        ("a b", "`a b` is not a name"),
    ] {
        let error = agent.clone().with_reference(name).expect_err(name);
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[test]
fn a_const_has_references_in_the_written_order() {
    const TOOLS: &[ToolSpec] = &[];
    const REFERENCES: &[Reference] = &[Reference::from_static("x", 0)];
    const AGENT: Agent = Agent::from_static(
        "a",
        None,
        "i",
        Model::from_static("Offline", "any"),
        Settings::NONE,
        TOOLS,
        REFERENCES,
        Record::new(),
        AgentFunction::NONE,
        &[],
    );
    assert_eq!(AGENT, referring("x"));
}

#[test]
fn extending_keeps_a_reference_unless_one_agent_has_the_spec() {
    let ours = referring("x, y").with_tool(spec("z", "d")).expect("a tool");
    let theirs = referring("z, w, y")
        .with_tool(spec("x", "d"))
        .expect("a tool");
    let both = ours.extend(&theirs).expect("no conflict");
    assert_eq!(all_tools(&both), ["x", "&y", "z", "&w"]);
    let patterns = ours.to_pattern().extend(&theirs.to_pattern());
    assert_eq!(patterns.and_then(|pattern| pattern.to_agent()), Ok(both));
}

#[test]
fn a_reference_twice_is_an_error() {
    for tools in ["x, x", "x, [x:Tool {description: \"d\"} | ()==>(::String)]"] {
        let source = format!("[a:Agent {{{BASE}}} | {tools}]");
        // With a definition in the document, both are that tool.
        let error = Agent::parse(&source, None, Options::default()).expect_err(tools);
        assert!(
            error
                .iter()
                .any(|found| found.code() == Code::DuplicateTool),
            "{error}"
        );
    }
}

#[test]
fn a_reference_can_be_the_chosen_tool() {
    let source = format!("[a:Agent {{{BASE}, toolChoice: \"x\"}} | x]");
    let agent = Agent::parse(&source, None, Options::default()).expect("an agent");
    let settings = agent.settings().clone();
    assert_eq!(agent.clone().with_settings(settings), Ok(agent));
}
