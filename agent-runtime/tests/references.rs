//! Agents that only name their tools: the library gives the specs.

use crate::support::{GREETING, calls, config, hello_spec, hello_tool, library, spec, tool};
use agent_runtime::library::{BindPolicy, BoundTools, bind_agent_tools, bind_agent_tools_with};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::run::{Run, Step};
use agent_runtime::spec::AgentPattern;
use agent_runtime::{Agent, Conversation, Runtime, ToolLibrary, ToolSpec};
use serde_json::Value;
use serde_json::json;
use std::collections::BTreeMap;

/// An agent with the spec of `fine`, between references to other tools.
fn agent() -> Agent {
    let agent = Agent::new("greeter", "Scripted/any", "Greet the user.")
        .and_then(|agent| agent.with_reference("sayHello"))
        .and_then(|agent| agent.with_tool(spec("fine")))
        .and_then(|agent| agent.with_reference("other"));
    agent.expect("a correct agent")
}

fn full() -> ToolLibrary {
    let fine = |name| tool(name, |_| async { Ok(1.into()) });
    library([fine("fine"), fine("unused"), hello_tool(), fine("other")])
}

fn bound() -> BoundTools {
    bind_agent_tools(&agent(), &full()).expect("the library has all tools")
}

fn names(agent: &Agent) -> Vec<&str> {
    agent.tools().iter().map(ToolSpec::name).collect()
}

fn run(tools: &BoundTools) -> Run {
    let run = Run::new(
        &agent(),
        tools,
        "Hi",
        &Conversation::new(),
        &BTreeMap::new(),
    );
    run.expect("a run")
}

#[test]
fn a_reference_is_bound_to_the_spec_of_the_library() {
    let tools = bound();
    let specs: Vec<&ToolSpec> = tools.iter().map(|tool| tool.spec()).collect();
    let signatures: Vec<String> = specs
        .iter()
        .map(|spec| format!("{}: {}", spec.name(), spec.signature()))
        .collect();
    assert_eq!(
        signatures,
        [
            "sayHello: (personName::Text {default: \"world\"})==>(::String)",
            "fine: ()==>(::Any)",
            "other: ()==>(::Any)",
        ]
    );
    assert_eq!(specs[0].description(), GREETING);
    assert!(tools.undeclared().eq(["unused"]));
    // A tool fits its own spec, also exactly.
    for policy in [BindPolicy::Exact, BindPolicy::Name] {
        assert!(bind_agent_tools_with(&agent(), &full(), policy).is_ok());
    }
}

#[test]
fn an_unknown_reference_names_the_nearest_tool() {
    let agent = agent().with_reference("sayHelo").expect("a name");
    let library = library([hello_tool()]);
    let error = bind_agent_tools(&agent, &library).expect_err("three are missing");
    let failed: Vec<&str> = error.failures().iter().map(|found| found.tool()).collect();
    assert_eq!(failed, ["fine", "other", "sayHelo"]);
    assert_eq!(
        error.failures()[2].to_string(),
        "tool `sayHelo`: the library has no tool of this name; did you mean `sayHello`?"
    );
}

#[test]
fn a_reference_to_a_tool_with_schemas_gets_the_signature_that_they_say() {
    use agent_runtime::tool::ToolConfig;

    let input = json!({
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    });
    let weather = ToolConfig::with_schema("weather", "Weather.", input)
        .build(|_| async { Ok(Value::Null) })
        .expect("a tool");
    let agent = Agent::new("a", "Offline/any", "i").expect("an agent");
    let agent = agent.with_reference("weather").expect("a name");
    let tools = bind_agent_tools(&agent, &library([weather])).expect("it has a signature");
    let spec = tools.get("weather").expect("it is bound").spec();
    assert_eq!(spec.signature().to_string(), "(city::Text)==>(::Any)");
}

/// The model gets the tool's own schema of the part that gram cannot express.
#[cfg(feature = "json-schema")]
#[test]
fn a_reference_to_a_tool_with_schemas_gets_any_for_what_gram_cannot_express() {
    use agent_runtime::tool::ToolConfig;

    let odd = json!({"not": {"type": "string"}});
    let input = json!({
        "type": "object",
        "properties": {"n": odd, "word": {"type": "string"}},
        "required": ["n"],
    });
    let tool = ToolConfig::with_schema("odd", "Odd.", input)
        .build(|_| async { Ok(Value::Null) })
        .expect("a tool");
    let agent = Agent::new("a", "Offline/any", "i").expect("an agent");
    let agent = agent.with_reference("odd").expect("a name");
    let tools = bind_agent_tools(&agent, &library([tool])).expect("it has parameters");
    let spec = tools.get("odd").expect("it is bound").spec();
    assert_eq!(
        spec.signature().to_string(),
        "(n::Any)==>(word::Text {optional: true})==>(::Any)"
    );
    let run = Run::new(
        &agent,
        &tools,
        "Hi",
        &Conversation::new(),
        &Default::default(),
    );
    let Ok(Step::CallModel(request)) = run.expect("a run").next() else {
        panic!("the model is asked first");
    };
    let schema = request.tools[0].schema().to_value();
    assert_eq!(schema["properties"]["n"], odd);
}

#[cfg(feature = "json-schema")]
#[test]
fn a_reference_to_a_tool_without_signature_says_what_is_missing() {
    use agent_runtime::tool::ToolConfig;

    let input = json!({"type": "object", "properties": {"$top": {"type": "integer"}}});
    let odd = ToolConfig::with_schema("odd", "Odd.", input)
        .build(|_| async { Ok(Value::Null) })
        .expect("a tool");
    let agent = Agent::new("a", "Offline/any", "i").expect("an agent");
    let agent = agent.with_reference("odd").expect("a name");
    let error = bind_agent_tools(&agent, &library([odd])).expect_err("no signature");
    let text = error.to_string();
    for part in ["tool `odd`: the agent only names it", "`$top`", "define it"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_reference_to_a_tool_without_its_key_is_a_configuration_error() {
    use agent_runtime::tool::{Tool, ToolDescriptor, ToolFuture};

    struct Unset(agent_runtime::tool::DynamicTool);
    impl Tool for Unset {
        fn descriptor(&self) -> &ToolDescriptor {
            self.0.descriptor()
        }
        fn call<'a>(
            &'a self,
            arguments: &'a str,
            context: &'a agent_runtime::ToolContext,
        ) -> ToolFuture<'a> {
            self.0.call(arguments, context)
        }
        fn check_configuration(&self) -> Result<(), String> {
            Err("the variable KEY is missing".to_owned())
        }
    }
    let mut library = ToolLibrary::new();
    let tool = config("search").build(|_| async { Ok(1.into()) });
    library.add(Unset(tool.expect("a tool"))).expect("a name");
    let agent = Agent::new("a", "Offline/any", "i").expect("an agent");
    let agent = agent.with_reference("search").expect("a name");
    let error = bind_agent_tools(&agent, &library).expect_err("no key");
    assert!(error.failures()[0].is_configuration(), "{error}");
}

#[test]
fn a_run_holds_the_bound_agent_and_sends_its_specs_in_the_written_order() {
    let mut run = run(&bound());
    assert_eq!(run.agent().references().len(), 0);
    assert_eq!(names(run.agent()), ["sayHello", "fine", "other"]);
    let Ok(Step::CallModel(request)) = run.next() else {
        panic!("the model is asked first");
    };
    let sent: Vec<&str> = request.tools.iter().map(|tool| tool.name()).collect();
    assert_eq!(sent, ["sayHello", "fine", "other"]);
    assert_eq!(request.tools[0].description(), GREETING);
}

#[test]
fn a_saved_run_holds_the_bound_agent() {
    let json = run(&bound()).to_json();
    let saved = Run::saved_agent(&json).expect("a saved run");
    assert_eq!(names(&saved), ["sayHello", "fine", "other"]);
    let runtime = Runtime::with_model(Scripted::new([ModelReply::text("Hi.")]));
    assert_eq!(
        runtime
            .read_run(&json, &full())
            .map(|run| run.to_json())
            .ok(),
        Some(json.clone())
    );
    // The spec that the model saw counts, also after the library changed.
    let changed = library([
        config("sayHello")
            .build(|_| async { Ok(1.into()) })
            .expect("a tool"),
        tool("fine", |_| async { Ok(1.into()) }),
        tool("other", |_| async { Ok(1.into()) }),
    ]);
    let error = runtime.read_run(&json, &changed).expect_err("another tool");
    assert!(error.to_string().contains("`sayHello`"), "{error}");
    // A name that was written into the saved run is bound, too.
    let mut edited = json;
    edited["agent"]["tools"][0] = json!("sayHello");
    let run = runtime.read_run(&edited, &full()).expect("it is bound");
    assert_eq!(names(run.agent()), ["sayHello", "fine", "other"]);
}

#[test]
fn a_run_needs_each_tool_that_its_agent_refers_to() {
    let none = BoundTools::default();
    let created = Run::new(
        &agent(),
        &none,
        "Hi",
        &Conversation::new(),
        &BTreeMap::new(),
    );
    let error = created.expect_err("nothing is bound");
    assert!(error.to_string().contains("`sayHello`"), "{error}");
}

#[tokio::test]
async fn executes_an_agent_and_a_pattern_that_only_name_a_tool() {
    let source = "[greeter:Agent {instruction: \"Greet.\", model: \"Scripted/any\"} | sayHello]";
    let pattern = AgentPattern::parse(source).expect("an agent");
    let agent = pattern.to_agent().expect("an agent");
    let mut texts = Vec::new();
    for is_pattern in [true, false] {
        let replies = [
            calls(&[("1", "sayHello", "{\"personName\": \"Ada\"}")]),
            ModelReply::text("Done."),
        ];
        let runtime = Runtime::with_model(Scripted::new(replies));
        runtime.check(&pattern, &full()).expect("it can run");
        let (mut conversation, library) = (Conversation::new(), full());
        let response = if is_pattern {
            let run = runtime.execute(&pattern, "Hi", &mut conversation, &library);
            run.await
        } else {
            let run = runtime.execute(&agent, "Hi", &mut conversation, &library);
            run.await
        };
        let response = response.expect("an answer");
        texts.push(response.tools_used[0].result.clone());
    }
    assert_eq!(texts[0], Ok("Hello, Ada! Nice to meet you.".into()));
    assert_eq!(texts[0], texts[1]);
}

#[test]
fn the_check_reports_a_tool_that_the_library_does_not_have() {
    let runtime = Runtime::offline();
    let error = runtime.check(agent(), &library([hello_tool()]));
    let error = error.expect_err("two are missing").to_string();
    assert!(
        error.contains("`fine`") && error.contains("`other`"),
        "{error}"
    );
    assert!(!error.contains("sayHello"), "{error}");
}

#[test]
fn approval_can_be_required_once_the_specs_are_there() {
    let agent = bound().complete(agent()).expect("all are bound");
    let careful = agent.requiring_approval(|spec| spec.name() == "sayHello");
    assert!(careful.tools()[0].requires_approval());
    assert_eq!(careful.tools()[1], spec("fine"));
    let expected = hello_spec();
    assert_eq!(careful.tools()[0].description(), expected.description());
}
