//! Documents: references, forms, and what is left alone.

use super::findings;
use agent_spec::check::{AgentElement, Options, check};
use agent_spec::{
    Agent, AgentPattern, Code, Grants, PromptCache, ReasoningEffort, ToolChoice, ToolSpec,
};

const AGENT: &str = r#"instruction: "i", model: "OpenAI/m""#;
const TOOL: &str = r#"[t:Tool {description: "d"} | (x::Text)==>(::String)]"#;

#[test]
fn resolves_references_forward_and_back() {
    for source in [
        format!("{TOOL}\n[a:Agent {{{AGENT}}} | t]"),
        format!("[a:Agent {{{AGENT}}} | t]\n{TOOL}"),
        format!("[a:Agent {{{AGENT}}} | (t)]\n[group | {TOOL}]"),
        format!("[a:Agent {{{AGENT}}} | {TOOL}]\n[b:Agent {{{AGENT}}} | t]"),
    ] {
        assert_eq!(findings(&source), Vec::<String>::new(), "{source}");
        let checked = check(&source, Options::default());
        for node in &checked.agents {
            assert_eq!(node.agent.tools().len(), 1, "{source}");
            assert_eq!(node.agent.tools()[0].name(), "t");
        }
    }
}

#[test]
fn both_forms_of_a_tool_are_equal() {
    let bracket = check(TOOL, Options::default());
    let annotated = check(
        r#"@@t:Tool @description("d") (x::Text)==>(::String)"#,
        Options::default(),
    );
    let older = check(
        r#"[t:ToolSpecification {description: "d"} | (x::Text)==>(::String)]"#,
        Options::default(),
    );
    assert_eq!(bracket.tools[0].spec, annotated.tools[0].spec);
    assert_eq!(bracket.tools[0].spec, older.tools[0].spec);
}

#[test]
fn accepts_equal_definitions_of_a_tool() {
    let source = format!("[a:Agent {{{AGENT}}} | {TOOL}]\n[b:Agent {{{AGENT}}} | {TOOL}]");
    assert_eq!(findings(&source), Vec::<String>::new());
}

#[test]
fn ignores_other_patterns() {
    let source = format!("{{header: 1}}\n(x:Person {{name: 1, name: 2}})-->(y)\n{TOOL}");
    assert_eq!(findings(&source), Vec::<String>::new());
}

#[test]
fn warns_of_parameters_with_different_types() {
    let source = format!("{TOOL}\n[u:Tool {{description: \"d\"}} | (x::Int)==>(::String)]");
    assert_eq!(
        findings(&source),
        ["2:34 agent::differing-parameter the parameter `x` is `Int` in `u`, but `Text` in `t`"]
    );
    assert!(!check(&source, Options::default()).has_errors());
}

#[test]
fn unknown_references_are_kept_or_resolved_by_options() {
    let source = format!("[a:Agent {{{AGENT}}} | elsewhere]");
    let keep = Options {
        keep_unknown_references: true,
        ..Options::default()
    };
    let checked = check(&source, keep);
    assert!(!checked.has_errors());
    assert!(
        matches!(&checked.agents[0].elements[0], AgentElement::Unknown { name, .. } if name == "elsewhere")
    );

    let known = [ToolSpec::new("elsewhere", "d", "()==>(::String)").expect("a correct spec")];
    let checked = check(
        &source,
        Options {
            known_tools: &known,
            ..Options::default()
        },
    );
    assert_eq!(checked.agents[0].agent.tools(), known);
}

#[test]
fn settings_and_further_properties_survive_the_round_trip() {
    let source = r#"[a:Agent {description: "d", instruction: "i", model: "Google/g/1", temperature: 0.5, topP: 1, seed: -3, maxTokens: 100, stop: ["x"], reasoningEffort: "low", thinkingBudget: 2048, cache: "1h", toolChoice: "t", toolSearch: true, maxIterations: 3, maxDepth: 16, compactAbove: 60000, toolTimeout: 1500ms, baseUrl: "http://127.0.0.1:1/v1", fallback: ["OpenAI/m"], grants: {read: "docs", network: ["*.example.org:443", "10.0.0.0/8"]}, extra: {generationConfig: {topK: 40, b: [true, md`x`, {c: 1.5}]}, a: "b"}, owner: team_a, since: date`2026-01-01`} |
  [t:Tool {description: "d", timeout: 5s, requiresApproval: true, cost: 1..5} | (x::Text)==>(::String)]
]"#;
    let agent = Agent::parse(source, None, Options::default()).expect("a correct agent");
    assert_eq!(agent.model().id(), "g/1");
    assert_eq!(agent.settings().max_iterations, Some(3));
    assert_eq!(agent.settings().max_depth, Some(16));
    assert_eq!(
        agent.settings().reasoning_effort,
        Some(ReasoningEffort::Low)
    );
    assert_eq!(agent.settings().thinking_budget, Some(2048));
    assert_eq!(agent.settings().cache, Some(PromptCache::OneHour));
    assert_eq!(
        agent.settings().tool_choice,
        Some(ToolChoice::Tool("t".into()))
    );
    assert_eq!(agent.settings().tool_search, Some(true));
    let grants = Grants::new().read("docs").network("*.example.org:443");
    assert_eq!(agent.settings().grants, Some(grants.network("10.0.0.0/8")));
    let extra = agent.settings().extra_members().expect("plain JSON");
    assert_eq!(
        agent_spec::json::Ordered::Object(extra).to_string(),
        r#"{"generationConfig":{"topK":40,"b":[true,"x",{"c":1.5}]},"a":"b"}"#
    );
    assert_eq!(agent.extra().len(), 2);
    assert_eq!(agent.tools()[0].extra().len(), 1);
    let pattern = agent.to_pattern();
    assert_eq!(pattern.to_agent().as_ref(), Ok(&agent));
    assert_eq!(
        Agent::parse(&agent.to_gram(), None, Options::default()).as_ref(),
        Ok(&agent)
    );
}

#[test]
fn a_pattern_is_read_and_changed_in_place() {
    let source = format!("[a:Agent {{{AGENT}, owner: \"x\"}} | {TOOL}]");
    let mut pattern = AgentPattern::parse(&source).expect("a correct agent");
    assert_eq!(pattern.name(), "a");
    assert_eq!(pattern.description(), None);
    pattern.set_description(Some("described"));
    pattern.set_instruction("other");
    let mut tools = pattern.tool_specs();
    assert_eq!(
        tools[0]
            .signature()
            .expect("a correct signature")
            .to_string(),
        "(x::Text)==>(::String)"
    );
    tools[0].set_description("changed");
    pattern.set_tool_specs(tools).expect("not deep");
    let agent = pattern.to_agent().expect("a correct agent");
    assert_eq!(agent.description(), Some("described"));
    assert_eq!(agent.tools()[0].description(), "changed");
    assert_eq!(
        agent.extra().get("owner"),
        Some(&agent_gram::Value::String("x".into()))
    );
    pattern.set_description(None);
    assert_eq!(
        pattern.as_pattern().subject().properties.get("description"),
        None
    );
}

#[test]
fn requires_a_name_when_there_are_several_agents() {
    let source = format!("[one:Agent {{{AGENT}}}]\n[two:Agent {{{AGENT}}}]");
    let parse = |name| Agent::parse(&source, name, Options::default());
    assert_eq!(
        parse(Some("two")).map(|agent| agent.name().to_owned()),
        Ok("two".to_owned())
    );
    for (name, message) in [
        (None, "choose one of one, two"),
        (Some("tow"), "did you mean `two`?"),
    ] {
        let error = parse(name).expect_err("no such agent").to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn json_round_trips() {
    let source =
        format!("[a:Agent {{{AGENT}, description: \"d\", stop: [\"x\"], owner: sym}} | {TOOL}]");
    let agent = Agent::parse(&source, None, Options::default()).expect("a correct agent");
    assert_eq!(Agent::from_json(&agent.to_json()).as_ref(), Ok(&agent));
    let text = serde_json::to_string(&agent).expect("an agent is JSON");
    assert_eq!(serde_json::from_str::<Agent>(&text).ok(), Some(agent));
    for (json, message) in [
        (
            serde_json::json!({"name": "a", "model": "OpenAI/m"}),
            "instruction",
        ),
        (
            serde_json::json!({"name": "a", "model": "m", "instruction": "i"}),
            "does not name a model",
        ),
    ] {
        let error = Agent::from_json(&json)
            .expect_err("it is wrong")
            .to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn checks_settings_from_code_like_those_of_a_document() {
    let agent = Agent::new("a", "OpenAI/m", "i").expect("a correct agent");
    let mut settings = agent_spec::Settings::default();
    settings.base_url = Some("localhost:1234".into());
    assert!(agent.clone().with_settings(settings.clone()).is_err());
    settings.base_url = Some("http://localhost:1234/v1".into());
    let tier = agent_gram::Value::String("flex".into());
    settings.extra.insert("service_tier", tier).expect("flat");
    let agent = agent.with_settings(settings).expect("a correct address");
    let other = agent
        .clone()
        .with_model(agent_spec::Model::from_static("OpenAI", "n"));
    assert!(other.settings().base_url.is_some());
    assert_eq!(other.settings().extra.len(), 1);
    let other = agent.with_model(agent_spec::Model::from_static("Anthropic", "n"));
    assert!(other.settings().base_url.is_none());
    assert!(other.settings().extra.is_empty());
}

/// An agent whose two elements are names is the same pattern as a relationship between them.
#[test]
fn reads_an_arrow_between_tool_names_as_an_agent() {
    let agent = "[a:Agent {instruction: \"x\", model: \"Offline/m\"} | first, second]";
    let tools = "[first:Tool {description: \"f\"} | (::Text)==>(::Text)]\
                 [second:Tool {description: \"s\"} | (::Text)==>(::Text)]";
    let printed = agent_gram::print(&agent_gram::parse_patterns(agent).expect("gram"));
    assert!(
        printed.ends_with("} |\n  first,\n  second\n]\n"),
        "{printed}"
    );
    let subject = "a:Agent {instruction: \"x\", model: \"Offline/m\"}";
    let right = format!("(first)=[{subject}]=>(second)");
    let left = format!("(second)<=[{subject}]=(first)");
    for text in [agent, &printed, &right, &left] {
        let checked = check(&format!("{text}{tools}"), Options::default());
        assert_eq!(checked.diagnostics, [], "{text}");
        let names: Vec<_> = checked.agents[0]
            .agent
            .tools()
            .iter()
            .map(|tool| tool.name())
            .collect();
        assert_eq!(names, ["first", "second"], "{text}");
    }
    let checked = check(&printed, Options::default());
    let codes: Vec<_> = checked
        .diagnostics
        .iter()
        .map(|found| found.code())
        .collect();
    assert_eq!(codes, [Code::UnknownTool; 2]);
}
