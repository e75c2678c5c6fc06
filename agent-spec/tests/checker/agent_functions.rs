//! Agents with signatures, and agents that call agents.

use agent_spec::check::{AgentElement, Checked, Options, check, choose_agent};
use agent_spec::{Agent, AgentPattern, MAX_AGENT_DEPTH, ToolSpec};

const TRANSLATE: &str = r#"[translate:Agent {
  description: "Translates a text",
  instruction: "Translate into {{language}}. Keep names as they are.",
  model: "OpenAI/gpt-6-luna"
} |
  (text::Text)==>(language::Text {enum: ["de", "fr"]})==>(::Object {fields: {text: "Text", confident: "Bool"}}),
  [lookUp:Tool {description: "Looks a word up"} | (word::Text)==>(::String)]
]"#;

fn found(source: &str) -> Vec<String> {
    found_with(source, Options::default())
}

fn found_with(source: &str, options: Options<'_>) -> Vec<String> {
    let checked = check(source, options);
    let lines = checked.diagnostics.iter().map(|found| {
        let (span, help) = (found.span(), found.help().unwrap_or_default());
        let part = &source[span.start..span.end];
        format!("{} `{part}` {}; {help}", found.code(), found.message())
    });
    lines.collect()
}

fn parse(source: &str) -> Agent {
    Agent::parse(source, None, Options::default()).expect(source)
}

/// An agent of a name, with these elements.
fn named(name: &str, elements: &str) -> String {
    with_elements(
        &format!("{name}:Agent {{description: \"d\", instruction: \"i\", model: \"OpenAI/m\"}}"),
        elements,
    )
}

/// An agent with these properties and elements.
fn with_properties(properties: &str, elements: &str) -> String {
    with_elements(
        &format!("m:Agent {{{properties}, model: \"OpenAI/m\"}}"),
        elements,
    )
}

fn with_elements(head: &str, elements: &str) -> String {
    match elements {
        "" => format!("[{head}]"),
        elements => format!("[{head} | {elements}]"),
    }
}

#[test]
fn an_agent_has_a_signature() {
    let agent = parse(TRANSLATE);
    assert!(agent.has_own_signature());
    assert_eq!(
        agent.signature().to_string(),
        "(text::Text)==>(language::Text {enum: [\"de\", \"fr\"]})==>(::Object {fields: [{name: \"text\", type: \"Text\"}, \
         {name: \"confident\", type: \"Bool\"}]})"
    );
    assert_eq!(agent.tools().len(), 1);
    assert!(found(TRANSLATE).is_empty());
    let plain = parse("[a:Agent {instruction: \"i\", model: \"OpenAI/m\"}]");
    assert!(!plain.has_own_signature());
    assert_eq!(
        plain.signature().to_string(),
        "(message::Text)==>(::String)"
    );
}

#[test]
fn an_agent_with_a_signature_round_trips() {
    for source in [
        TRANSLATE.to_owned(),
        "[a:Agent {description: \"d\", instruction: \"{{b}} {{now}}\", prompt: \"{{c}}\", variables: [\"now\"], model: \
         \"OpenAI/m\", maxTokens: 5, timeout: 10s, requiresApproval: true} | (b::Int)==>(c::Text)==>(::String)]"
            .to_owned(),
        "[a:Agent {instruction: \"i\", model: \"OpenAI/m\", maxDepth: 3} | (photo::Image {optional: true})==>(more::Parts)
          ==>(::Any)]"
            .to_owned(),
        named("a", &format!("{}, c", named("b", &named("c", "a, b")))),
        format!("{}\n{}\n{}", named("a", "b, c"), named("b", "c"), named("c", "")),
    ] {
        let agent = parse(&source);
        assert_eq!(parse(&agent.to_gram()), agent, "{}", agent.to_gram());
        assert_eq!(Agent::from_json(&agent.to_json()), Ok(agent.clone()), "{}", agent.to_json());
        assert_eq!(agent.to_pattern().to_agent(), Ok(agent.clone()));
    }
}

#[test]
fn mistakes_around_signatures_are_reported_at_their_places() {
    let agent = |properties: &str, elements: &str| {
        with_elements(
            &format!("a:Agent {{model: \"OpenAI/m\", {properties}}}"),
            elements,
        )
    };
    for (source, expected) in [
        (
            agent("instruction: \"i\"", "(b::Int)==>(::String), ()==>(::Int)"),
            vec!["agent::several-signatures `()==>(::Int)` an agent has at most one signature"],
        ),
        (
            agent("instruction: \"i\"", "(b::Txt)==>(::String)"),
            vec!["agent::unknown-type `Txt`"],
        ),
        (
            agent("instruction: \"i {{ c }}\"", "(b::Int)==>(::String)"),
            vec![
                "agent::unfilled-variable `c` `c` is no parameter of the agent and is not in its `variables`; add a \
                 parameter, `(c::Text)`",
            ],
        ),
        (
            agent(
                "instruction: \"i {{lnguage}}\"",
                "(language::Text)==>(::String)",
            ),
            vec![
                "agent::unfilled-variable `lnguage` `lnguage` is no parameter of the agent and is not in its \
                  `variables`; did you mean `language`?",
            ],
        ),
        (
            agent(
                "instruction: \"i\", prompt: \"{{b}} {{now}}\"",
                "(b::Int)==>(::String)",
            ),
            vec!["agent::unfilled-variable `now`"],
        ),
        (
            agent(
                "instruction: \"i {{now}}\", variables: [\"now\"]",
                "(b::Int)==>(::String)",
            ),
            vec![],
        ),
        (
            agent(
                "instruction: \"i\", variables: [\"a b\"]",
                "(b::Int)==>(::String)",
            ),
            vec!["agent::bad-variable `\"a b\"`"],
        ),
        (
            agent(
                "instruction: \"i\", prompt: \"{{b}}\"",
                "(b::Int)==>(c::Int)==>(::String)",
            ),
            vec![
                "agent::unused-parameter `c` neither a template nor the message has the parameter `c`",
            ],
        ),
        (
            agent(
                "instruction: \"i\", prompt: \"{{b\"",
                "(b::Int)==>(::String)",
            ),
            vec!["agent::bad-variable `{{b`", "agent::unused-parameter `b`"],
        ),
        (
            agent("instruction: \"i\", prompt: \" \"", ""),
            vec!["agent::bad-value `\" \"`"],
        ),
        (
            agent("instruction: \"i\", prompt: \"Say {{message}}\"", ""),
            vec![],
        ),
        (
            agent("instruction: \"i {{now}}\", variables: []", ""),
            vec!["agent::unfilled-variable `now` nobody fills the variable `now`"],
        ),
        (
            agent("instruction: \"i\"", "(b)-->(c)"),
            vec![
                "agent::not-a-tool `(b)-->(c)` an element of an agent must be its signature, a tool, another agent, \
                 or the name of a tool or agent; write a signature, `(text::Text)==>(::String)`; a tool,",
            ],
        ),
        (
            agent("instruction: \"i\"", "(b::Text)-[:calls]->(::String)"),
            vec![
                "agent::not-a-tool `(b::Text)-[:calls]->(::String)` an element of an agent must be its signature",
            ],
        ),
        (
            agent("instruction: \"i\"", "(::Text)"),
            vec!["agent::not-a-tool `(::Text)` an element of an agent must be its signature"],
        ),
        (
            agent(
                "instruction: \"i {{b}}\", variables: [\"b\"]",
                "(b::Text)==>(::String)",
            ),
            vec![
                "agent::bad-variable `\"b\"` `b` is a parameter of the agent, so the program cannot fill it",
            ],
        ),
        (
            agent(
                "instruction: \"i {{b}}\"",
                "(b::Image)==>(c::Text)==>(::String)",
            ),
            vec!["agent::bad-variable `b` `b` is `Image`, which cannot be inserted into a text"],
        ),
        (
            agent(
                "instruction: \"i\", prompt: \"{{c}}\"",
                "(b::Image)==>(c::Text)==>(::String)",
            ),
            vec![],
        ),
        (
            agent(
                "instruction: \"i\"",
                "[b:Tool {description: \"d\"} | (b::Image)==>(::String)]",
            ),
            vec!["agent::misplaced-type `Image`"],
        ),
        (
            agent("instruction: \"i\", promt: \"{{b}}\"", ""),
            vec!["agent::unknown-property `promt`"],
        ),
        (
            agent("instruction: \"i\", maxDepth: 17", ""),
            vec![
                "agent::bad-value `17` `maxDepth` must be a whole number from 1 to 16; found the whole number 17",
            ],
        ),
        (
            agent("instruction: \"i\"", "[b:Agnt {} | c]"),
            vec![
                "agent::not-a-tool `Agnt` Tool specification must have ToolSpecification label; did you mean \
                  `Agent`?",
            ],
        ),
        (
            agent("instruction: \"i\", timeout: 5", ""),
            vec!["agent::bad-value `5`"],
        ),
    ] {
        let found = found(&source);
        assert_eq!(found.len(), expected.len(), "{source}\n{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{source}\n{found}\n{expected}");
        }
    }
}

#[test]
fn an_agent_calls_other_agents() {
    let source = format!(
        "{}\n[billing:Agent {{description: \"Knows invoices\", instruction: \"i\", model: \"OpenAI/m\", timeout: 9s}} |
            (question::Text)==>(::String)]\n[lookUp:Tool {{description: \"d\"}} | (word::Text)==>(::String)]",
        named("support", &format!("billing, {}, lookUp", named("research", "lookUp")))
    );
    let agent = parse(&source);
    assert_eq!(agent.name(), "support");
    let names: Vec<&str> = agent.tools().iter().map(|tool| tool.name()).collect();
    assert_eq!(names, ["billing", "research", "lookUp"]);
    let billing = agent.tool("billing").expect("a spec");
    assert_eq!(billing.description(), "Knows invoices");
    assert_eq!(
        billing.signature().to_string(),
        "(question::Text)==>(::String)"
    );
    assert_eq!(billing.timeout().map(|timeout| timeout.as_secs()), Some(9));
    assert!(agent.is_agent("research") && !agent.is_agent("lookUp"));
    let research = agent.agent("research").expect("an agent");
    assert_eq!(research.tools()[0].name(), "lookUp");
    assert_eq!(agent.agents().len(), 2);
    let checked = check(&source, Options::default());
    let node = choose_agent(&checked.agents, None).expect("a root");
    assert!(
        matches!(&node.elements[0], AgentElement::Agent { name, span } if name == "billing"
        && &source[span.start..span.end] == "billing")
    );
}

#[test]
fn agents_may_call_each_other_in_a_circle() {
    let source = format!(
        "{}\n{}\n{}",
        named("a", "b"),
        named("b", "c"),
        named("c", "b, c")
    );
    let agent = parse(&source);
    assert_eq!(agent.name(), "a");
    assert_eq!(
        agent
            .agents()
            .iter()
            .map(|agent| agent.name())
            .collect::<Vec<_>>(),
        ["b", "c"]
    );
    let deep = agent
        .agent("b")
        .and_then(|b| b.agent("c"))
        .and_then(|c| c.agent("b"));
    assert_eq!(deep, agent.agent("b"));
    // Nobody is the root of a circle.
    let circle = format!("{}\n{}", named("a", "b"), named("b", "a"));
    let error = Agent::parse(&circle, None, Options::default()).expect_err("no root");
    assert!(
        error
            .to_string()
            .contains("agents that are all called by others; choose one of a, b"),
        "{error}"
    );
    let chosen = Agent::parse(&circle, Some("b"), Options::default()).expect("b");
    assert_eq!(parse(&chosen.to_gram()), chosen, "{}", chosen.to_gram());
}

#[test]
fn an_agent_may_call_itself_and_not_be_defined_inside_itself() {
    let agent = parse(&named("a", "a"));
    assert_eq!(agent.agents().len(), 1);
    assert_eq!(agent.agent("a").as_ref(), Some(&agent));
    assert_eq!(parse(&agent.to_gram()), agent, "{}", agent.to_gram());
    let twice = found(&named("a", &named("a", "")));
    assert_eq!(twice.len(), 1, "{twice:#?}");
    assert!(
        twice[0].starts_with("agent::duplicate-agent `a` the agent `a` is there twice"),
        "{}",
        twice[0]
    );
}

#[test]
fn a_pattern_keeps_how_its_called_agents_are_written() {
    let source = "[a:Agent:Main {description: md`*d*`, instruction: \"i\", model: \"OpenAI/m\"} | b, t]
        [b:Agent:Expert {description: \"d\", instruction: \"i\", model: \"OpenAI/m\"} | c, t, a, (x::Text)==>(::String)]
        [c:Agent:Expert {description: \"d\", instruction: \"i\", model: \"OpenAI/m\"} | b]
        [t:Tool:Mine {description: \"d\"} | ()==>(::Int)]";
    let agent = Agent::parse(source, Some("a"), Options::default()).expect("an agent");
    // The root is called by others, too, so the document is read without one that is about `a` alone.
    let source = source.replace("t, a, (x", "t, (x");
    let pattern = AgentPattern::parse(&source).expect("a pattern");
    let text = pattern.as_pattern().to_string();
    for part in [
        "a:Agent:Main",
        "md`*d*`",
        "b:Agent:Expert",
        "c:Agent:Expert",
        "t:Tool:Mine",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let compiled = pattern.to_agent().expect("an agent");
    assert_eq!(compiled, parse(&source));
    assert_eq!(compiled.agents().len(), 2);
    assert!(agent.is_agent("b"));
}

#[test]
fn a_pattern_is_extended_with_agents() {
    let pattern = |source: &str| AgentPattern::parse(source).expect(source);
    let (ours, theirs) = (named("a", "b"), named("x", &named("b", &named("c", ""))));
    let ours = Agent::parse(&(ours + &named("b", "")), None, Options::default()).expect("ours");
    let outer = pattern(&named("a", "t"));
    let extended = outer.extend(&pattern(&theirs)).expect("no conflict");
    let agent = extended.to_agent().expect("an agent");
    assert_eq!(agent.agents().len(), 2);
    let conflict = ours
        .to_pattern()
        .extend(&pattern(&theirs))
        .expect_err("they differ");
    assert!(
        conflict.to_string().contains("an agent that differs"),
        "{conflict}"
    );
    let same = pattern(&theirs)
        .extend(&pattern(&theirs))
        .expect("they are equal");
    assert_eq!(same.to_agent(), pattern(&theirs).to_agent());
}

#[test]
fn an_agent_that_is_called_needs_a_name_for_tools_and_a_description() {
    for (inner, expected) in [
        (
            "[b:Agent {instruction: \"i\", model: \"OpenAI/m\"}]",
            "agent::missing-description `b` the agent `b` needs a description",
        ),
        (
            "[`b c`:Agent {description: \"d\", instruction: \"i\", model: \"OpenAI/m\"}]",
            "agent::bad-name ``b c`` `b c` is not a name that every provider takes for a tool",
        ),
        (
            "[b:Agent {description: \"d\", instruction: \"i\", model: \"OpenAI/m\"}], b",
            "agent::duplicate-tool `b`",
        ),
        (
            "lookUpp",
            "agent::unknown-tool `lookUpp` no tool or agent `lookUpp` is defined",
        ),
    ] {
        let source = named("a", inner);
        let found = found(&source);
        assert_eq!(found.len(), 1, "{source}\n{found:#?}");
        assert!(found[0].starts_with(expected), "{source}\n{}", found[0]);
    }
    let both = format!(
        "{}\n[b:Tool {{description: \"d\"}} | ()==>(::Int)]\n{}",
        named("a", "b"),
        named("b", "")
    );
    assert!(
        found(&both)[0].contains("`b` is the name of an agent and of a tool"),
        "{:?}",
        found(&both)
    );
}

#[test]
fn a_misspelt_agent_explains_why_there_are_several_roots() {
    let source = format!("{}\n{}", named("a", "biling"), named("billing", ""));
    let error = Agent::parse(&source, None, Options::default()).expect_err("two roots");
    assert!(
        error
            .to_string()
            .contains("one of them names `biling`, which is none (did you mean `billing`?)"),
        "{error}"
    );
}

#[test]
fn a_misspelt_agent_is_suggested() {
    let source = format!("{}\n{}", named("a", "biling"), named("billing", ""));
    assert!(
        found(&source)[0].ends_with("did you mean `billing`?"),
        "{:?}",
        found(&source)
    );
}

#[test]
fn chains_and_crowds_of_agents_are_read_in_linear_time() {
    let chain = |count: usize| -> String {
        (0..count)
            .map(|at| named(&format!("a{at}"), &format!("a{}", at + 1)) + "\n")
            .collect::<String>()
            + &named(&format!("a{count}"), "")
    };
    let agent = parse(&chain(MAX_AGENT_DEPTH));
    assert_eq!(agent.agents().len(), MAX_AGENT_DEPTH);
    assert_eq!(parse(&agent.to_gram()), agent);
    let too_deep = found(&chain(10_000));
    assert_eq!(too_deep.len(), 1, "{too_deep:#?}");
    assert!(
        too_deep[0].contains("`a33` can only be called 33 agents deep"),
        "{}",
        too_deep[0]
    );

    let crowd: String = (0..10_000)
        .map(|at| named(&format!("b{at}"), "") + "\n")
        .collect();
    let names: Vec<String> = (0..10_000).map(|at| format!("b{at}")).collect();
    let source = crowd + &named("a", &names.join(", "));
    let agent = parse(&source);
    assert_eq!((agent.name(), agent.agents().len()), ("a", 10_000));
    let is_found =
        |tool: &ToolSpec| agent.is_agent(tool.name()) && agent.agent(tool.name()).is_some();
    assert!(agent.tools().iter().all(is_found));
    assert_eq!(parse(&agent.to_gram()), agent);
    assert_eq!(Agent::from_json(&agent.to_json()), Ok(agent));
}

#[test]
fn the_texts_that_references_stand_for_are_bounded() {
    // A short document would otherwise take any memory, since each agent has specs of its own.
    let fields: Vec<String> = (0..10_000).map(|at| format!("f{at}: \"Text\"")).collect();
    let signature = format!(
        "(p::Object {{fields: {{{}}}}})==>(::String)",
        fields.join(", ")
    );
    let tool = format!("[large:Tool {{description: \"d\"}} | {signature}]\n");
    let agents = |count: usize, tool: &str| -> String {
        (0..count)
            .map(|at| named(&format!("a{at}"), tool) + "\n")
            .collect()
    };
    assert_eq!(found(&(tool.clone() + &agents(20, "large"))), [""; 0]);
    let message = "come to more than 16 MiB, each counted as often as it is named";
    let of_tool = found(&(tool + &agents(1_000, "large")));
    assert_eq!(of_tool.len(), 1, "{of_tool:#?}");
    assert!(of_tool[0].contains(message), "{}", of_tool[0]);
    let of_agent = found(&(named("large", &signature) + "\n" + &agents(1_000, "large")));
    assert_eq!(of_agent.len(), 1, "{of_agent:#?}");
    assert!(of_agent[0].contains(message), "{}", of_agent[0]);
}

#[test]
fn agents_made_in_code_have_the_same_checks() {
    let agent = |name: &'static str| {
        Agent::new(name, "OpenAI/m", "i")
            .expect("an agent")
            .with_description("d")
    };
    let inner = agent("b").with_agent(&agent("c")).expect("an agent");
    let outer = agent("a").with_agent(&inner).expect("an agent");
    assert_eq!(outer, parse(&named("a", &named("b", &named("c", "")))));
    assert!(
        agent("a")
            .with_agent(&inner)
            .and_then(|agent| agent.with_agent(&inner))
            .is_err()
    );
    let bare = Agent::new("b", "OpenAI/m", "i").expect("an agent");
    assert!(agent("a").with_agent(&bare).is_err());
    let asks = outer.requiring_approval(|tool| tool.name() == "c");
    let called = asks.agent("b").and_then(|b| b.agent("c")).expect("c");
    assert!(called.requires_approval());
    assert_eq!(parse(&asks.to_gram()), asks);
}

#[test]
fn an_agent_keeps_a_reference_to_a_tool_of_a_library() {
    let options = Options {
        keep_unknown_references: true,
        ..Options::default()
    };
    let source = format!("{}\n{}", named("a", "b, readFile"), named("b", "readFile"));
    let Checked {
        agents,
        diagnostics,
        ..
    } = check(&source, options);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let agent = &choose_agent(&agents, None).expect("a root").agent;
    assert!(agent.references().eq(["readFile"]));
    assert!(agent.agent("b").expect("b").references().eq(["readFile"]));
}

#[test]
fn variables_that_nobody_fills_are_found_in_linear_time() {
    let source = |template: &str| {
        format!(
            "[a:Agent {{instruction: \"{template}\", model: \"OpenAI/m\"}} | {}(::String)]",
            (0..2_000)
                .map(|at| format!("(p{at}::Image)==>"))
                .collect::<String>()
        )
    };
    let unknown: String = (0..20_000)
        .map(|at| format!("{{{{unknown{at}}}}}"))
        .collect();
    let media = "{{p1999}}".repeat(20_000);
    let escaped = "{{\\na}}".repeat(20_000);
    for template in [unknown, media, escaped] {
        assert!(!found(&source(&template)).is_empty());
    }
}

#[test]
fn warns_of_grants_that_a_called_agent_asks_for_and_its_caller_lacks() {
    let source = |outer: &str, inner: &str| {
        let agent = |name: &str, grants: &str| {
            let grants = match grants {
                "" => String::new(),
                grants => format!(", grants: {{{grants}}}"),
            };
            format!(
                "[{name}:Agent {{description: \"d\", instruction: \"i\", model: \"OpenAI/m\"{grants}}}"
            )
        };
        format!("{} | {}]]", agent("caller", outer), agent("called", inner))
    };
    for (outer, inner, beyond) in [
        ("", r#"read: ["a"]"#, None),
        (r#"read: ["a"]"#, "", None),
        (r#"read: ["docs"]"#, r#"read: ["./docs/in"]"#, None),
        (r#"read: ["."]"#, r#"read: ["docs"]"#, None),
        (
            r#"read: ["docs"]"#,
            r#"read: ["docs2"]"#,
            Some("read: \"docs2\""),
        ),
        (
            r#"read: ["."]"#,
            r#"read: ["/etc"]"#,
            Some("read: \"/etc\""),
        ),
        (
            r#"read: ["docs"]"#,
            r#"write: ["docs"]"#,
            Some("write: \"docs\""),
        ),
        (
            r#"network: ["*"]"#,
            r#"network: ["example.org:8080"]"#,
            None,
        ),
        (
            r#"network: ["*.example.org"]"#,
            r#"network: ["api.example.org"]"#,
            None,
        ),
        (
            r#"network: ["*.example.org"]"#,
            r#"network: ["notexample.org"]"#,
            Some("network: \"notexample.org\""),
        ),
        (
            r#"network: ["*.example.org"]"#,
            r#"network: ["example.org"]"#,
            Some("network: \"example.org\""),
        ),
        (
            r#"network: ["example.org:443"]"#,
            r#"network: ["example.org"]"#,
            Some("network: \"example.org\""),
        ),
        (
            r#"environment: ["A"]"#,
            r#"environment: ["B"]"#,
            Some("environment: \"B\""),
        ),
        (
            r#"read: ["docs"]"#,
            r#"read: ["docs/../etc"]"#,
            Some("read: \"docs/../etc\""),
        ),
        (
            "read: []",
            r#"network: ["example.org"]"#,
            Some("network: \"example.org\""),
        ),
        (
            r#"network: ["10.0.0.0/8"]"#,
            r#"network: ["10.1.0.0/16"]"#,
            None,
        ),
        (
            r#"network: ["10.0.0.5"]"#,
            r#"network: ["10.0.0.0/8"]"#,
            Some("network: \"10.0.0.0/8\""),
        ),
        (
            r#"network: ["*"]"#,
            r#"network: ["10.0.0.5"]"#,
            Some("network: \"10.0.0.5\""),
        ),
    ] {
        let found = found(&source(outer, inner));
        let warned = found
            .iter()
            .find(|line| line.starts_with("agent::more-grants"));
        match beyond {
            None => assert_eq!(warned, None, "{outer} {inner}"),
            Some(text) => {
                let warned = warned.unwrap_or_else(|| panic!("{outer} {inner}: {found:?}"));
                let expected =
                    format!("`called` asks for the grant `{text}`, which `caller` does not have");
                assert!(warned.contains(&expected), "{warned}");
            }
        }
    }
}

#[test]
fn a_mistake_in_a_signature_is_the_only_error_of_an_agent_with_templates() {
    let wrong = "(text::Text)==>(mode::Txt)==>(::String)";
    for variables in ["", ", variables: [\"today\"]"] {
        let templates = "instruction: \"Do {{mode}}\", prompt: \"{{text}}\"";
        let found_of = |elements: &str| {
            found(&format!(
                "[m:Agent {{{templates}, model: \"OpenAI/m\"{variables}}} | {elements}]"
            ))
        };
        let found = found_of(wrong);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(
            found[0].starts_with("agent::unknown-type `Txt`"),
            "{found:?}"
        );
        // A path without types was meant as the signature.
        let found = found_of("(text)==>(mode)==>()");
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].starts_with("agent::not-a-tool"), "{found:?}");
        // One with a syntax error, too.
        let found = found_of("(text::Text)==>(mode::Text");
        assert!(
            found.iter().all(|line| line.starts_with("gram::")),
            "{found:#?}"
        );
    }
    let found = found(&with_properties("instruction: \"{{a b}}\"", wrong));
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].starts_with("agent::bad-variable"), "{found:?}");
}

#[test]
fn an_agent_answers_with_text_or_data() {
    for label in ["Image", "Audio", "Document", "Parts", "Null"] {
        let found = found(&with_properties(
            "instruction: \"i\"",
            &format!("(text::Text)==>(::{label})"),
        ));
        assert_eq!(found.len(), 1, "{found:?}");
        let expected = format!("agent::misplaced-type `{label}`");
        assert!(found[0].starts_with(&expected), "{found:?}");
        assert!(found[0].contains("answers with text or data"), "{found:?}");
    }
    let answers = "(photo::Image)==>(::Object {fields: {text: \"Text\"}})";
    assert_eq!(
        found(&with_properties("instruction: \"i\"", answers)),
        [""; 0]
    );
}

#[test]
fn arrows_that_point_from_the_result_are_found() {
    let found_of = |elements: &str| found(&with_properties("instruction: \"i\"", elements));
    let reversed = found_of("(x::Text)<==(::String)");
    assert_eq!(reversed.len(), 1, "{reversed:?}");
    let expected = "agent::bad-direction `<==` this arrow points at the result, which is `x` here";
    assert!(reversed[0].starts_with(expected), "{reversed:?}");
    assert_eq!(found_of("(::String)<==(x::Text)"), [""; 0]);
    assert_eq!(found_of("(answer::String)<==(x::Text)"), [""; 0]);
}

#[test]
fn an_agent_has_no_further_arguments() {
    let further = "(topic::Text)==>(`*`::Text)==>(::String)";
    let found = found(&with_properties("instruction: \"{{topic}}\"", further));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("agent::bad-parameter-name `\u{60}*\u{60}`"),
        "{found:?}"
    );
}

#[test]
fn media_inside_a_parameter_of_an_agent_are_advised_to_be_parts() {
    let found = found(&with_properties(
        "instruction: \"i\"",
        "(photos::Array {elementType: \"Image\"})==>(::String)",
    ));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("`Image` stands only as a whole parameter"),
        "{found:?}"
    );
    assert!(found[0].contains("(name::Parts)"), "{found:?}");
}

#[test]
fn one_mistake_of_an_agent_is_one_finding() {
    let both = "[a:Agent {instruction: \"i\", model: \"OpenAI/m\"} | b, [b:Tool {description: \"d\"} | \
                (x::Int)==>(::Int)]]\n[b:Agent {description: \"d\", instruction: \"i\", model: \"OpenAI/m\"}]";
    for (source, expected) in [
        (
            with_properties(
                "instruction: \"i\", prompt: \" \"",
                "(text::Text)==>(::String)",
            ),
            "agent::bad-value",
        ),
        (
            with_properties("instruction: \" \"", "(a::Text)==>(b::Text)==>(::String)"),
            "agent::missing-instruction",
        ),
        (
            with_properties(
                "instruction: \"i\"",
                "(a::Text)==>(::String), (b::Text)==>(::String), (c::Text)==>(::String)",
            ),
            "agent::several-signatures",
        ),
        (both.to_owned(), "agent::duplicate-agent"),
    ] {
        let found = found(&source);
        assert_eq!(found.len(), 1, "{source}\n{found:#?}");
        assert!(found[0].starts_with(expected), "{found:?}");
    }
}

#[test]
fn warns_of_variables_and_messages_that_no_template_has() {
    for (properties, elements, expected) in [
        (
            "instruction: \"i {{r}}\", variables: [\"q\", \"r\", \"q\"]",
            "",
            vec![
                "`\"q\"` no template has the variable `q`",
                "`\"q\"` `q` is listed twice",
            ],
        ),
        (
            "instruction: \"i\", prompt: \"Q\"",
            "",
            vec!["`\"Q\"` no template has the message of the user"],
        ),
        ("instruction: \"{{message}}\", prompt: \"Q\"", "", vec![]),
        ("instruction: \"i\", prompt: \"{{message}}\"", "", vec![]),
        (
            "instruction: \"i\", prompt: \"Q\"",
            "()==>(::String)",
            vec![],
        ),
    ] {
        let found = found(&with_properties(properties, elements));
        assert_eq!(found.len(), expected.len(), "{properties}\n{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            let expected = format!("agent::unused-parameter {expected}");
            assert!(found.starts_with(&expected), "{found}\n{expected}");
        }
    }
}

/// The warnings of more grants in a document of such agents: name, grants, elements.
fn more_grants(agents: &[(&str, &str, &str)]) -> Vec<String> {
    let agents = agents.iter().map(|(name, grants, elements)| {
        format!(
            "[{name}:Agent {{description: \"d\", instruction: \"i\", model: \"OpenAI/m\"{grants}}}{elements}]\n"
        )
    });
    let mut found = found(&agents.collect::<String>());
    found.retain(|line| line.starts_with("agent::more-grants"));
    found
}

#[test]
fn warns_of_more_grants_of_agents_that_are_referred_to() {
    for (outer, inner) in [
        (
            r#", grants: {read: ["sub"]}"#,
            r#", grants: {read: ["/etc"]}"#,
        ),
        (", grants: {}", r#", grants: {read: ["/etc"]}"#),
        (", grants: {}", r#", grants: {environment: ["HOME"]}"#),
    ] {
        let found = more_grants(&[("a", outer, " | c, b"), ("b", inner, " | c"), ("c", "", "")]);
        assert_eq!(found.len(), 1, "{outer} {inner}: {found:?}");
    }
}

#[test]
fn warns_of_grants_that_the_caller_of_a_caller_lacks() {
    let read = |folder: &str| format!(", grants: {{read: [\"{folder}\"]}}");
    let found = more_grants(&[
        ("a", &read("docs"), " | b"),
        ("b", "", " | c, a"),
        ("c", &read("/etc"), " | b, c"),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("`c` asks for the grant `read: \"/etc\"`, which `a` does not have"),
        "{found:?}"
    );
}

#[test]
fn compares_many_grants_in_bounded_time() {
    let many = |letter: char| {
        let hosts: Vec<String> = (0..3_000)
            .map(|at| format!("\"{letter}{at}.org\""))
            .collect();
        format!(", grants: {{network: [{}]}}", hosts.join(", "))
    };
    let found = more_grants(&[("a", &many('a'), " | b"), ("b", &many('b'), "")]);
    assert_eq!(found, [""; 0]);
}
