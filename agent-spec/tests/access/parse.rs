//! The agent of a document as a pattern.

use agent_spec::check::Options;
use agent_spec::{Agent, AgentPattern};

const AGENT: &str = "instruction: \"i\", model: \"Offline/m\"";
const TOOL: &str = "[t:ToolSpecification {cost: 1..5, description: md`d`} | (::Text {paramName: \"x\"})==>(::String)]";

#[test]
fn replaces_references_by_definitions_as_written() {
    let inline = format!("[a:Demo:Agent {{owner: sales, {AGENT}}} | {TOOL}]");
    let expected = agent_gram::parse_patterns(&inline).expect("gram").remove(0);
    for source in [
        inline.clone(),
        format!("[a:Demo:Agent {{owner: sales, {AGENT}}} | t]\n{TOOL}"),
        format!("{TOOL}\n[a:Demo:Agent {{owner: sales, {AGENT}}} | (t)]"),
        format!("[group | [a:Demo:Agent {{owner: sales, {AGENT}}} | t], [tools | {TOOL}]]"),
        format!("[other:Note]\n(x)-[a:Person]->(y)\n{inline}"),
        format!("@@a:Demo:Agent @owner(sales) @instruction(\"i\") @model(\"Offline/m\") {TOOL}"),
    ] {
        let agent = AgentPattern::parse(&source).unwrap_or_else(|found| panic!("{found}"));
        assert_eq!(agent.as_pattern(), &expected, "{source}");
        let compiled = Agent::parse(&source, None, Options::default());
        assert_eq!(agent.to_agent(), compiled, "{source}");
    }
}

#[test]
fn reports_the_mistakes_of_a_document() {
    for (source, message) in [
        (
            format!("[a:Agent {{{AGENT}, instructions: \"x\"}}]"),
            "`instructions`",
        ),
        (
            format!("[a:Agent {{{AGENT}}} | twice, twice]"),
            "the tool `twice` twice",
        ),
        (
            format!("[a:Agent {{{AGENT}}}] [b:Agent {{{AGENT}}}]"),
            "choose one of a, b",
        ),
        (TOOL.to_owned(), "declares no agent"),
        (
            "[a:Agent {instruction: \"i\", model: \"OpnAI/m\"}]".to_owned(),
            "OpenAI/m",
        ),
        ("[a:Agent".to_owned(), "a:Agent"),
    ] {
        let found = AgentPattern::parse(&source).expect_err(&source).to_string();
        assert!(found.contains(message), "{source}: {found}");
    }
}

#[test]
fn rejects_definitions_too_deep_for_the_agent() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    for (levels, fits) in [(125, true), (126, false)] {
        let tool = format!(
            "[t:Tool {{description: \"d\", deep: {}}} | (x::Text)==>(::String)]",
            deep(levels)
        );
        let source = format!("[a:Agent {{{AGENT}}} | t]\n{tool}");
        let read = AgentPattern::parse(&source);
        assert_eq!(read.is_ok(), fits, "{levels}");
        if let Err(found) = read {
            assert_eq!(found.to_string(), "nested more than 128 deep");
        }
    }
}

#[test]
fn resolves_thousands_of_references() {
    let names = || (0..5_000).map(|at| format!("t{at}"));
    let references: Vec<String> = names().collect();
    let tools: String = names()
        .map(|name| format!("[{name}:Tool {{description: \"{name}\"}} | ()==>(::String)]\n"))
        .collect();
    let agent = "a:Agent {instruction: \"i\", model: \"Offline/any\"}";
    let source = format!("[{agent} | {}]\n{tools}", references.join(", "));
    let agent = agent_spec::AgentPattern::parse(&source).expect("an agent");
    let specs = agent.tool_specs();
    let described: Vec<_> = specs.iter().filter_map(|tool| tool.description()).collect();
    assert_eq!(described, references);
}
