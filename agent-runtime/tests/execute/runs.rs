//! Whole runs: their conditions, their history and their response.

use crate::execute::run;
use crate::support::{agent, calls, greeter, hello_tool, library};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::spec::AgentPattern;
use agent_runtime::{Conversation, Error, Executable, Runtime, ToolLibrary};
use serde_json::json;
use std::sync::Arc;

#[tokio::test]
async fn calls_a_tool_and_writes_the_conversation() {
    let model = Scripted::new([
        calls(&[("a", "sayHello", r#"{"personName":"Ada"}"#)]),
        ModelReply::text("I greeted Ada."),
    ]);
    let (result, conversation) = run(&model, &greeter(), &library([hello_tool()])).await;
    let response = result.expect("an answer");
    model.assert_complete();
    assert_eq!(response.content, "I greeted Ada.");
    assert_eq!(response.tools_used[0].args, crate::support::ada());
    assert_eq!(
        conversation.to_json(),
        json!([
            {"role": "user", "content": "Hello!"},
            {"role": "assistant", "content": "",
             "toolCalls": [{"id": "a", "tool": "sayHello", "args": {"personName": "Ada"}}]},
            {"role": "function", "name": "sayHello", "callId": "a",
             "content": "Hello, Ada! Nice to meet you."},
            {"role": "assistant", "content": "I greeted Ada."},
        ])
    );
    let requests = model.requests();
    assert_eq!(requests[0].tools[0].name(), "sayHello");
    assert_eq!(requests[1].messages, conversation.messages()[..3]);
    let read = Conversation::from_json(&conversation.to_json()).expect("its own form");
    assert_eq!(read, conversation);
}

#[tokio::test]
async fn an_agent_and_its_pattern_do_the_same() {
    let agent = greeter();
    let pattern: AgentPattern = agent.to_pattern();
    let library = library([hello_tool()]);
    let script = || Scripted::new([calls(&[("a", "sayHello", "{}")]), ModelReply::text("Done.")]);
    let (first, second) = (script(), script());
    let (mut a, mut b) = (Conversation::new(), Conversation::new());
    let runtime = Runtime::with_model(first.clone());
    let by_agent = runtime.execute(&agent, "Hi", &mut a, &library).await;
    let runtime = Runtime::with_model(second.clone());
    let by_pattern = runtime.execute(&pattern, "Hi", &mut b, &library).await;
    assert_eq!(by_agent.expect("an answer"), by_pattern.expect("an answer"));
    assert_eq!(first.requests(), second.requests());
    assert_eq!(a, b);
}

#[tokio::test]
async fn executes_an_agent_that_tasks_share() {
    let agent = Arc::new(greeter());
    let shared: Arc<dyn Executable + Send> = Arc::clone(&agent) as _;
    let library = library([hello_tool()]);
    let runtime = Runtime::with_model(Scripted::new([
        ModelReply::text("One."),
        ModelReply::text("Two."),
    ]));
    let mut conversation = Conversation::new();
    for answer in ["One.", "Two."] {
        let agent = Arc::clone(&agent);
        let response = runtime
            .execute(&agent, "Hi", &mut conversation, &library)
            .await;
        assert_eq!(response.expect("an answer").content, answer);
    }
    assert_eq!(shared.to_agent().expect("an agent").name(), agent.name());
}

#[tokio::test]
async fn a_pattern_of_another_kind_is_a_validation_error() {
    let runtime = Runtime::offline();
    let mut conversation = Conversation::new();
    let error = runtime
        .run(AgentPattern::new("half"), "Hi")
        .conversation(&mut conversation)
        .await
        .expect_err("no model");
    assert!(error.is_validation(), "{error:?}");
}

#[tokio::test]
async fn tools_are_bound_before_the_first_request() {
    let model = Scripted::default();
    let (result, conversation) = run(&model, &greeter(), &ToolLibrary::new()).await;
    let error = result.expect_err("no tool");
    assert!(
        error.is_tool() && error.to_string().contains("`sayHello`"),
        "{error}"
    );
    assert!(model.requests().is_empty() && conversation.is_empty());
}

#[tokio::test]
async fn an_error_keeps_what_was_done_and_takes_back_an_unanswered_input() {
    let model = Scripted::new([calls(&[("a", "sayHello", "{}")])]).then_error(Error::llm("down"));
    let (result, conversation) = run(&model, &greeter(), &library([hello_tool()])).await;
    assert!(result.expect_err("down").is_llm());
    assert_eq!(conversation.len(), 3);
    let model = Scripted::default().then_error(Error::llm("down"));
    let (result, conversation) = run(&model, &greeter(), &library([hello_tool()])).await;
    assert!(result.is_err() && conversation.is_empty());
}

#[tokio::test]
async fn a_run_that_is_driven_has_variables_and_limits_of_its_own() {
    let (agent, library) = (greeter(), library([hello_tool()]));
    let agent = agent_runtime::Agent::new("greeter", "Scripted/any", "Greet {{who}}.")
        .and_then(|started| started.with_tool(agent.tools()[0].clone()))
        .expect("an agent");
    let model = Scripted::new((0..9).map(|_| calls(&[("", "sayHello", "{}")])));
    let runtime = Runtime::with_model(model.clone());
    let mut run = runtime
        .run(&agent, "Hi")
        .tools(&library)
        .variable("who", "Ada")
        .start()
        .expect("a run");
    let limits = agent_runtime::run::UsageLimits::new().requests(2);
    let error = runtime
        .resume(&mut run)
        .tools(&library)
        .usage_limits(limits)
        .await;
    assert!(error.expect_err("it is stopped").is_limit());
    assert_eq!(model.requests().len(), 2);
    assert_eq!(model.requests()[0].instruction, "Greet Ada.");
}

#[tokio::test]
async fn an_agent_runs_with_different_libraries() {
    let agent = greeter();
    let other = agent_runtime::tool::ToolConfig::with_signature(
        "sayHello",
        crate::support::GREETING,
        "(personName::Text)==>(::String)",
    )
    .build(|_| async { Ok("Yo.".into()) })
    .expect("a tool");
    let base = library([hello_tool()]);
    let mut changed = base.clone();
    let replaced = changed.register("sayHello", other).expect("its own name");
    assert!(replaced.is_some());
    for (library, expected) in [(&base, "Hello, Ada! Nice to meet you."), (&changed, "Yo.")] {
        let mut conversation = Conversation::new();
        let runtime = Runtime::offline();
        let reply = runtime
            .execute(&agent, "Hi, I'm Ada", &mut conversation, library)
            .await;
        assert_eq!(reply.expect("an answer").content, expected);
    }
}

#[tokio::test]
async fn providers_are_found_by_name_and_misspelled_ones_suggested() {
    let error_for = async |model: &str| {
        let agent = agent_runtime::Agent::new("a", model, "x").expect("an agent");
        let runtime = Runtime::builder()
            .environment(agent_runtime::Environment::empty())
            .provider("Mine", Scripted::new([ModelReply::text("mine")]))
            .build()
            .expect("a runtime");
        let mut conversation = Conversation::new();
        let result = runtime
            .run(&agent, "Hi")
            .conversation(&mut conversation)
            .await;
        result.map(|response| response.content).map_err(|error| {
            assert!(error.is_configuration(), "{error:?}");
            error.to_string()
        })
    };
    assert_eq!(error_for("Mine/x").await, Ok("mine".into()));
    assert!(error_for("Offline/x").await.is_ok());
    let text = error_for("openai/x").await.expect_err("a misspelling");
    assert!(text.contains("did you mean `OpenAI`"), "{text}");
    let text = error_for("mine/x").await.expect_err("a misspelling");
    assert!(text.contains("did you mean `Mine`"), "{text}");
    let text = error_for("Scripted/x").await.expect_err("no script");
    assert!(text.contains("script"), "{text}");
    let text = error_for("Anthropic/x").await.expect_err("not set up");
    assert!(text.contains("--offline"), "{text}");
}

#[test]
fn futures_and_values_can_cross_threads() {
    fn send<T: Send>(_: T) {}
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Runtime>();
    shared::<ToolLibrary>();
    shared::<Conversation>();
    shared::<agent_runtime::run::Run>();
    shared::<Error>();
    let (runtime, agent, library) = (Runtime::offline(), greeter(), ToolLibrary::new());
    let mut conversation = Conversation::new();
    send(runtime.execute(&agent, "Hi", &mut conversation, &library));
    send(runtime.execute(
        &agent.to_pattern(),
        "Hi",
        &mut Conversation::new(),
        &library,
    ));
}

/// The binding rule makes sure that what is left to the tool means the same there. A tool that was
/// bound by its name alone need not keep it.
#[tokio::test]
async fn leaves_a_required_argument_only_to_a_compatible_tool() {
    let signature = "(n::Text {default: \"x\"})==>(::Any)";
    let tool = agent_runtime::tool::ToolConfig::with_signature("t", "Does something.", signature)
        .build(async |arguments| Ok(arguments))
        .expect("a right tool");
    let agent = agent([
        agent_runtime::ToolSpec::new("t", "Other.", "(n::Int)==>(::Any)").expect("a right spec"),
    ]);
    let model = Scripted::new([calls(&[("a", "t", "{}")]), ModelReply::text("done")]);
    let mut conversation = Conversation::new();
    let response = Runtime::builder()
        .model(model)
        .bind_policy(agent_runtime::library::BindPolicy::Name)
        .build()
        .expect("right settings")
        .execute(&agent, "Hello!", &mut conversation, &library([tool]))
        .await
        .expect("an answer");
    assert!(
        response.tools_used[0].result.is_err(),
        "{:?}",
        response.tools_used
    );
}
