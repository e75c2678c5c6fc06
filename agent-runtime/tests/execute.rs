//! The driver: a scripted model, real tools, one runtime.

mod support;

use agent_runtime::{
    AgentPattern, AgentResponse, Cancellation, Conversation, Decision, Error, Event,
    ExecuteOptions, MAX_CALLS_AT_ONCE, Message, ModelReply, PendingCall, Progress, Role, Runtime,
    Scripted, ToolContext, ToolError, ToolLibrary, bind_agent_tools, tools,
};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::{agent, calls, config, greeter, hello_tool, library, results, spec, tool};

async fn run(
    model: &Scripted,
    agent: &agent_runtime::Agent,
    library: &ToolLibrary,
) -> (Result<AgentResponse, Error>, Conversation) {
    let mut conversation = Conversation::new();
    let result = Runtime::with_model(model.clone())
        .execute(agent, "Hello!", &mut conversation, library)
        .await;
    conversation.check().expect("a valid history");
    (result, conversation)
}

#[tokio::test]
async fn a_tool_is_called_and_the_conversation_told() {
    let model = Scripted::new([
        calls(&[("a", "sayHello", r#"{"personName":"Ada"}"#)]),
        ModelReply::text("I greeted Ada."),
    ]);
    let (result, conversation) = run(&model, &greeter(), &library([hello_tool()])).await;
    let response = result.expect("an answer");
    model.assert_complete();
    assert_eq!(response.content, "I greeted Ada.");
    assert_eq!(response.tools_used[0].args, support::ada());
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
async fn a_pattern_that_is_no_agent_is_a_validation_error() {
    let runtime = Runtime::offline();
    let mut conversation = Conversation::new();
    let error = runtime
        .execute_agent(&AgentPattern::new("half"), "Hi", &mut conversation)
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
async fn calls_of_one_turn_run_at_the_same_time_and_answer_in_order() {
    let barrier = Arc::new(tokio::sync::Barrier::new(2));
    let tools = ["first", "second"].map(|name| {
        let barrier = Arc::clone(&barrier);
        tool(name, move |_| {
            let barrier = Arc::clone(&barrier);
            async move {
                // Neither can pass without the other.
                barrier.wait().await;
                Ok(name.into())
            }
        })
    });
    let model = Scripted::new([
        calls(&[("b", "second", "{}"), ("a", "first", "{}")]),
        ModelReply::text("Done."),
    ]);
    let agent = agent([spec("first"), spec("second")]);
    let (result, conversation) = run(&model, &agent, &library(tools)).await;
    result.expect("an answer");
    let results = results(&conversation);
    assert_eq!((results[0].0.as_str(), results[1].0.as_str()), ("b", "a"));
}

#[tokio::test]
async fn a_panic_is_an_error_result() {
    async fn broken() -> Result<Value, ToolError> {
        panic!("the {} hit the fan", "x".repeat(1000))
    }
    let tools = [
        tool("breaks", |_| broken()),
        tool("breaksAtOnce", |_| -> std::future::Ready<_> {
            panic!("at once")
        }),
    ];
    let model = Scripted::new([
        calls(&[("a", "breaks", "{}"), ("b", "breaksAtOnce", "{}")]),
        ModelReply::text("Sorry."),
    ]);
    let agent = agent([spec("breaks"), spec("breaksAtOnce")]);
    let (result, conversation) = run(&model, &agent, &library(tools)).await;
    result.expect("an answer");
    let results = results(&conversation);
    assert!(results[0].2 && results[0].1.contains("panicked") && results[0].1.len() < 400);
    assert!(results[1].2 && results[1].1.contains("at once"));
}

#[tokio::test(start_paused = true)]
async fn a_slow_tool_is_stopped_at_the_tightest_limit() {
    let forever = |name, timeout: Option<u64>| {
        let mut config = config(name);
        if let Some(seconds) = timeout {
            config = config.timeout(Duration::from_secs(seconds));
        }
        config.build(|_| std::future::pending()).expect("a tool")
    };
    let gram = "[timed:Agent {instruction: \"x\", model: \"Offline/x\"} |
        [plain:Tool {description: \"Does something.\"} | ()==>(::Any)],
        [long:Tool {description: \"Does something.\"} | ()==>(::Any)],
        [tight:Tool {description: \"Does something.\", timeout: 2s} | ()==>(::Any)]]";
    let pattern = AgentPattern::parse(gram).expect("an agent");
    let tools = library([
        forever("plain", None),
        forever("long", Some(60)),
        forever("tight", Some(60)),
    ]);
    for (name, seconds) in [("plain", 10), ("long", 60), ("tight", 2)] {
        let model = Scripted::new([calls(&[("a", name, "{}")]), ModelReply::text("Sorry.")]);
        let start = tokio::time::Instant::now();
        let mut conversation = Conversation::new();
        let response = Runtime::with_model(model)
            .execute(&pattern, "Hi", &mut conversation, &tools)
            .await
            .expect("an answer");
        assert_eq!(response.tools_used[0].result, Err(ToolError::Timeout));
        // The clock is the test's own, so this is exact.
        assert_eq!(start.elapsed().as_secs(), seconds, "{name}");
    }
}

#[tokio::test]
async fn a_result_of_another_type_is_a_validation_error() {
    let wrong = agent_runtime::ToolConfig::with_signature(
        "sayHello",
        support::GREETING,
        "(personName::Text)==>(::String)",
    )
    .build(|_| async { Ok(json!(5)) })
    .expect("a tool");
    let model = Scripted::new([
        calls(&[("a", "sayHello", r#"{"personName":"Ada"}"#)]),
        ModelReply::text("Sorry."),
    ]);
    let (result, conversation) = run(&model, &greeter(), &library([wrong])).await;
    let used = result.expect("an answer").tools_used.remove(0);
    assert!(matches!(used.result, Err(ToolError::Validation(_))));
    assert!(results(&conversation)[0].1.contains('$'));
}

#[tokio::test]
async fn tools_see_the_run_they_are_part_of() {
    struct Pool(u32);
    let seen = config("looks")
        .build_with_context(|_, context| async move {
            context.report("half way");
            let pool = context.extension::<Pool>().map(|pool| pool.0);
            assert!(context.extension::<String>().is_none());
            assert!(context.deadline().is_some() && !context.is_cancelled());
            Ok(json!([
                context.tool(),
                context.call_id(),
                context.run_id().len(),
                pool
            ]))
        })
        .expect("a tool");
    let model = Scripted::new([calls(&[("a", "looks", "{}")]), ModelReply::text("Done.")]);
    let runtime = Runtime::builder()
        .model(model)
        .extension(Pool(7))
        .build()
        .expect("a runtime");
    let mut events = Vec::new();
    let mut observer = |event: &Event| events.push(event.clone());
    let response = runtime
        .execute_with(
            &agent([spec("looks")]),
            "Hi",
            &mut Conversation::new(),
            &library([seen]),
            ExecuteOptions::new().observer(&mut observer),
        )
        .await
        .expect("an answer");
    let result = response.tools_used[0].result.clone().expect("a result");
    assert_eq!(result, json!(["looks", "a", 32, 7]));
    let names: Vec<&str> = events
        .iter()
        .map(|event| match event {
            Event::ModelCalled { .. } => "called",
            Event::ModelReplied { .. } => "replied",
            Event::ToolStarted { .. } => "started",
            Event::ToolProgress { text, .. } => {
                assert_eq!(text, "half way");
                "progress"
            }
            Event::ToolFinished { .. } => "finished",
            Event::Finished { response: told, .. } => {
                assert_eq!(told, &response);
                "end"
            }
            _ => "other",
        })
        .collect();
    let expected = [
        "called", "replied", "started", "progress", "finished", "called", "replied", "end",
    ];
    assert_eq!(names, expected);
}

/// A tool that says when it starts and when it is dropped before its end.
fn endless(started: &Arc<tokio::sync::Notify>, dropped: &Arc<AtomicU32>) -> ToolLibrary {
    struct OnDrop(Arc<AtomicU32>);
    impl Drop for OnDrop {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let (started, dropped) = (Arc::clone(started), Arc::clone(dropped));
    let endless = config("endless")
        .build_with_context(move |_, context| {
            let (started, guard) = (Arc::clone(&started), OnDrop(Arc::clone(&dropped)));
            let dropped = Arc::clone(&dropped);
            // Work elsewhere hears of the end through the context.
            tokio::spawn(async move {
                context.cancellation().cancelled().await;
                dropped.fetch_add(10, Ordering::SeqCst);
            });
            async move {
                let _guard = guard;
                started.notify_one();
                std::future::pending().await
            }
        })
        .expect("a tool");
    library([endless, tool("quick", |_| async { Ok("done".into()) })])
}

#[tokio::test]
async fn dropping_a_run_cancels_its_tools_and_keeps_what_was_done() {
    let started = Arc::new(tokio::sync::Notify::new());
    let dropped = Arc::new(AtomicU32::new(0));
    let library = endless(&started, &dropped);
    let agent = agent([spec("endless"), spec("quick")]);
    let model = Scripted::new([calls(&[("a", "endless", "{}"), ("b", "quick", "{}")])]);
    let runtime = Runtime::with_model(model);
    let mut conversation = Conversation::new();
    {
        let run = runtime.execute(&agent, "Hi", &mut conversation, &library);
        tokio::select! {
            _ = run => panic!("the tool does not end"),
            () = started.notified() => {}
        }
    }
    while dropped.load(Ordering::SeqCst) < 11 {
        tokio::task::yield_now().await;
    }
    conversation.check().expect("a valid history");
    let results = results(&conversation);
    assert!(results[0].2 && results[0].1.contains("cancelled"));
    assert_eq!((results[1].1.as_str(), results[1].2), ("done", false));
    // And it can go on.
    let model = Scripted::new([ModelReply::text("Again.")]);
    let runtime = Runtime::with_model(model.clone());
    let reply = runtime
        .execute(&agent, "Again?", &mut conversation, &library)
        .await;
    assert_eq!(reply.expect("an answer").content, "Again.");
    assert_eq!(model.requests()[0].messages.len(), 5);
}

#[tokio::test]
async fn a_caller_can_cancel_and_gets_an_error_that_says_so() {
    let started = Arc::new(tokio::sync::Notify::new());
    let library = endless(&started, &Arc::default());
    let agent = agent([spec("endless"), spec("quick")]);
    let model = Scripted::new([calls(&[("a", "endless", "{}")])]);
    let cancellation = Cancellation::new();
    let cancel = cancellation.clone();
    tokio::spawn(async move {
        started.notified().await;
        cancel.cancel();
    });
    let mut conversation = Conversation::new();
    let error = Runtime::with_model(model)
        .execute_with(
            &agent,
            "Hi",
            &mut conversation,
            &library,
            ExecuteOptions::new().cancellation(cancellation),
        )
        .await
        .expect_err("cancelled");
    assert!(error.is_cancelled());
    assert_eq!(conversation.len(), 3);
    conversation.check().expect("a valid history");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_takes_too_long_ends_with_a_limit_error() {
    let library = endless(&Arc::default(), &Arc::default());
    let agent = agent([spec("endless")]);
    let turn = || calls(&[("", "endless", "{}")]);
    let runtime = Runtime::builder()
        .model(Scripted::new([turn(), turn(), turn()]))
        .run_timeout(Duration::from_secs(15))
        .build()
        .expect("a runtime");
    let mut conversation = Conversation::new();
    let error = runtime
        .execute(&agent, "Hi", &mut conversation, &library)
        .await
        .expect_err("too long");
    assert!(error.is_limit(), "{error}");
    assert_eq!(results(&conversation).len(), 2);
    conversation.check().expect("a valid history");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_does_not_answer_is_given_up() {
    struct Silent;
    impl agent_runtime::ChatModel for Silent {
        fn chat<'a>(&'a self, _: &'a agent_runtime::ModelRequest) -> agent_runtime::ChatFuture<'a> {
            Box::pin(std::future::pending())
        }
    }
    let mut conversation = Conversation::new();
    let error = Runtime::with_model(Silent)
        .execute_agent(&agent([]), "Hi", &mut conversation)
        .await
        .expect_err("no answer");
    assert!(error.is_llm() && error.is_unavailable(), "{error}");
    assert!(conversation.is_empty());
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

fn risky() -> (agent_runtime::Agent, ToolLibrary, Scripted) {
    let risky = config("risky").requires_approval(true);
    let risky = risky
        .build(|_| async { Ok("boom".into()) })
        .expect("a tool");
    let model = Scripted::new([calls(&[("a", "risky", "{}")]), ModelReply::text("Done.")]);
    (agent([spec("risky")]), library([risky]), model)
}

#[tokio::test]
async fn without_an_approver_the_call_is_denied() {
    let (agent, library, model) = risky();
    let (result, conversation) = run(&model, &agent, &library).await;
    let used = result.expect("an answer").tools_used.remove(0);
    assert!(matches!(used.result, Err(ToolError::Authorization(_))));
    assert!(results(&conversation)[0].1.contains("approval"));
}

#[tokio::test]
async fn an_approver_is_asked() {
    let (agent, library, model) = risky();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let runtime = Runtime::builder().model(model).approver({
        let asked = Arc::clone(&asked);
        move |call: PendingCall| {
            asked.lock().expect("no panic").push(call.tool);
            async { Decision::Approve }
        }
    });
    let runtime = runtime.build().expect("a runtime");
    let mut conversation = Conversation::new();
    let response = runtime
        .execute(&agent, "Hi", &mut conversation, &library)
        .await;
    let used = response.expect("an answer").tools_used.remove(0);
    assert_eq!(used.result, Ok("boom".into()));
    assert_eq!(*asked.lock().expect("no panic"), ["risky"]);
}

#[tokio::test]
async fn a_run_waits_for_a_person_saved_as_json() {
    let (agent, library, model) = risky();
    let runtime = Runtime::with_model(model);
    let mut run = runtime
        .start(&agent, "Hi", &Conversation::new(), &library)
        .expect("a run");
    let progress = runtime
        .drive(&mut run, &library, ExecuteOptions::new())
        .await;
    let Progress::AwaitApproval(waiting) = progress.expect("a pause") else {
        panic!("the call needs approval");
    };
    let saved = run.to_json().to_string();
    drop(run);
    let saved = serde_json::from_str(&saved).expect("JSON");
    let mut run = runtime.resume(&saved, &library).expect("the same run");
    run.approve(&waiting[0].id, Decision::Approve)
        .expect("it waits");
    let progress = runtime
        .drive(&mut run, &library, ExecuteOptions::new())
        .await;
    let Progress::Done(response) = progress.expect("an answer") else {
        panic!("nothing else needs approval");
    };
    assert_eq!(response.content, "Done.");
    assert_eq!(response.tools_used[0].result, Ok("boom".into()));
}

#[tokio::test]
async fn a_run_that_is_driven_has_variables_and_limits_of_its_own() {
    let (agent, library) = (greeter(), library([hello_tool()]));
    let agent = agent_runtime::Agent::new("greeter", "Scripted/any", "Greet {{who}}.")
        .and_then(|started| started.with_tool(agent.tools()[0].clone()))
        .expect("an agent");
    let model = Scripted::new((0..9).map(|_| calls(&[("", "sayHello", "{}")])));
    let runtime = Runtime::with_model(model.clone());
    let options = ExecuteOptions::new().variable("who", "Ada");
    let mut run = runtime
        .start_with(&agent, "Hi", &Conversation::new(), &library, &options)
        .expect("a run");
    let limits = agent_runtime::UsageLimits::new().requests(2);
    let options = ExecuteOptions::new().usage_limits(limits);
    let error = runtime.drive(&mut run, &library, options).await;
    assert!(error.expect_err("it is stopped").is_limit());
    assert_eq!(model.requests().len(), 2);
    assert_eq!(model.requests()[0].instruction, "Greet Ada.");
}

#[tokio::test]
async fn one_agent_runs_against_different_libraries() {
    let agent = greeter();
    let other = agent_runtime::ToolConfig::with_signature(
        "sayHello",
        support::GREETING,
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
        let result = runtime.execute_agent(&agent, "Hi", &mut conversation).await;
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
    shared::<agent_runtime::Run>();
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

#[tokio::test]
async fn tools_can_be_invoked_alone() {
    let agent = greeter();
    let tools = bind_agent_tools(&agent, &library([hello_tool()])).expect("bound");
    let bound = tools.get("sayHello").expect("the tool");
    let context = agent_runtime::ToolContext::detached();
    let result = agent_runtime::invoke_tool(&**bound.tool(), r#"{"personName":"Ada"}"#, &context);
    assert_eq!(result.await, Ok("Hello, Ada! Nice to meet you.".into()));
    let reply = calls(&[("a", "sayHello", "{}")]);
    assert_eq!(
        agent_runtime::detect_tool_call(&reply),
        Some(("sayHello", json!({})))
    );
    assert_eq!(
        agent_runtime::detect_tool_call(&ModelReply::text("Hi")),
        None
    );
    let message = Message::user("Hi");
    assert_eq!((message.role(), message.content()), (Role::User, "Hi"));
}

/// Runs an agent whose tool cancels the run, with the signal given before or not.
async fn check_cancelled(before: bool, requests: usize, made: u32) {
    let signal = Cancellation::new();
    if before {
        signal.cancel();
    }
    let count = Arc::new(AtomicU32::new(0));
    let cancels = tool("cancels", {
        let (count, signal) = (Arc::clone(&count), signal.clone());
        move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            signal.cancel();
            async { Ok(Value::Null) }
        }
    });
    let turn = || calls(&[("", "cancels", "{}")]);
    let model = Scripted::new([turn(), turn(), ModelReply::text("Done.")]);
    let mut conversation = Conversation::new();
    let error = Runtime::with_model(model.clone())
        .execute_with(
            &agent([spec("cancels")]),
            "Hi",
            &mut conversation,
            &library([cancels]),
            ExecuteOptions::new().cancellation(signal),
        )
        .await
        .expect_err("cancelled");
    assert!(error.is_cancelled(), "{error}");
    assert_eq!(model.requests().len(), requests);
    assert_eq!(count.load(Ordering::SeqCst), made);
    conversation.check().expect("a valid history");
}

#[tokio::test]
async fn a_run_cancelled_beforehand_makes_no_request() {
    check_cancelled(true, 0, 0).await;
}

#[tokio::test]
async fn a_run_cancelled_during_a_step_makes_no_further_one() {
    check_cancelled(false, 1, 1).await;
}

/// Talks.
#[agent_runtime::tool(timeout = "1h")]
fn chatter(context: &ToolContext) {
    let start = std::time::Instant::now();
    // The minute is only for the case that it is not stopped.
    while !context.is_cancelled() && start.elapsed() < Duration::from_secs(60) {
        context.report("again");
    }
}

#[tokio::test]
async fn a_tool_that_reports_without_pause_is_stopped_in_time() {
    let chatter = || tools![chatter];
    let spec = agent_runtime::ToolSpec::new("chatter", "Talks.", "()==>(::Null)").expect("a spec");
    let agent = agent([spec]);
    let mut settings = agent.settings().clone();
    settings.tool_timeout = Some(Duration::from_millis(100));
    let impatient = agent.clone().with_settings(settings).expect("right");
    let execute = async |agent: &agent_runtime::Agent, limit| {
        let turn = calls(&[("a", "chatter", "{}")]);
        let runtime = Runtime::builder()
            .model(Scripted::new([turn, ModelReply::text("Done.")]))
            .run_timeout(limit)
            .build()
            .expect("a runtime");
        // As slow as a terminal, so that reports come faster than they are shown.
        let mut observer = |_: &Event| std::thread::sleep(Duration::from_micros(50));
        let options = ExecuteOptions::new().observer(&mut observer);
        runtime
            .execute_with(agent, "Hi", &mut Conversation::new(), &chatter(), options)
            .await
    };
    let response = execute(&impatient, Duration::from_secs(50)).await;
    let used = response.expect("an answer").tools_used.remove(0);
    assert_eq!(used.result, Err(ToolError::Timeout));
    let error = execute(&agent, Duration::from_millis(100)).await;
    assert!(error.expect_err("too long").is_limit());
}

static LATE: AtomicU32 = AtomicU32::new(0);

/// Counts that it was run.
#[agent_runtime::tool(timeout = "50ms")]
fn late() {
    LATE.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn a_call_that_waits_for_a_thread_is_not_made_after_its_timeout() {
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .expect("a runtime");
    tokio.block_on(async {
        let (release, held) = std::sync::mpsc::channel::<()>();
        let hog = tokio::task::spawn_blocking(move || held.recv().is_err());
        let library = tools![late];
        let late = library.lookup("late").expect("the tool");
        let context = ToolContext::detached();
        let result = agent_runtime::invoke_tool(&**late, "{}", &context).await;
        assert_eq!(result, Err(ToolError::Timeout));
        drop(release);
        assert!(hog.await.expect("no panic"));
        // The only thread does what is queued in order, so the call would have come before this.
        tokio::task::spawn_blocking(|| ()).await.expect("no panic");
        assert_eq!(LATE.load(Ordering::SeqCst), 0);
    });
}

#[tokio::test]
async fn calls_that_a_decision_settles_are_not_asked_about() {
    let signature = "(n::Int)==>(::Any)";
    let careful = agent_runtime::ToolConfig::with_signature("careful", "Acts.", signature)
        .requires_approval(true)
        .sequential(true)
        .build(|_| async { Ok(Value::Null) })
        .expect("a tool");
    let spec = agent_runtime::ToolSpec::new("careful", "Acts.", signature).expect("a spec");
    let (good, bad) = (r#"{"n": 1}"#, r#"{"n": "one"}"#);
    let list = [good, bad, bad, bad, good].map(|arguments| ("", "careful", arguments));
    let model = Scripted::new([calls(&list), ModelReply::text("Done.")]);
    let asked = Arc::new(AtomicU32::new(0));
    let runtime = Runtime::builder().model(model).approver({
        let asked = Arc::clone(&asked);
        move |_: PendingCall| {
            asked.fetch_add(1, Ordering::SeqCst);
            async { Decision::Deny { reason: None } }
        }
    });
    let runtime = runtime.build().expect("a runtime");
    let mut conversation = Conversation::new();
    let response = runtime
        .execute(&agent([spec]), "Hi", &mut conversation, &library([careful]))
        .await
        .expect("an answer");
    // The three bad calls after the first use up the attempts, so the last is settled with it.
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    assert_eq!(response.tools_used.len(), 5);
    assert!(results(&conversation)[4].1.contains("no attempts"));
}

#[tokio::test]
async fn thousands_of_calls_in_one_answer_run_a_few_at_a_time() {
    let (now, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let counted = tool("counted", {
        let (now, most) = (Arc::clone(&now), Arc::clone(&most));
        move |_| {
            let (now, most) = (Arc::clone(&now), Arc::clone(&most));
            async move {
                let running = now.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(running, Ordering::SeqCst);
                tokio::task::yield_now().await;
                now.fetch_sub(1, Ordering::SeqCst);
                Ok(Value::Null)
            }
        }
    });
    let ids: Vec<String> = (0..20_000).map(|n| format!("id{n}")).collect();
    let list: Vec<_> = ids
        .iter()
        .map(|id| (id.as_str(), "counted", "{}"))
        .collect();
    let model = Scripted::new([calls(&list), ModelReply::text("Done.")]);
    let (result, conversation) = run(&model, &agent([spec("counted")]), &library([counted])).await;
    assert_eq!(result.expect("an answer").tools_used.len(), ids.len());
    let answered: Vec<_> = results(&conversation)
        .into_iter()
        .map(|(id, ..)| id)
        .collect();
    assert_eq!(answered, ids);
    assert_eq!(most.load(Ordering::SeqCst) as usize, MAX_CALLS_AT_ONCE);
}

/// The binding rule makes sure that what is left to the tool means the same there. A tool that was
/// bound by its name alone need not keep it.
#[tokio::test]
async fn a_required_argument_is_left_only_to_a_tool_that_keeps_the_rule() {
    let signature = "(n::Text {default: \"x\"})==>(::Any)";
    let tool = agent_runtime::ToolConfig::with_signature("t", "Does something.", signature)
        .build(async |arguments| Ok(arguments))
        .expect("a right tool");
    let agent = agent([
        agent_runtime::ToolSpec::new("t", "Other.", "(n::Int)==>(::Any)").expect("a right spec"),
    ]);
    let model = Scripted::new([calls(&[("a", "t", "{}")]), ModelReply::text("done")]);
    let mut conversation = Conversation::new();
    let response = Runtime::builder()
        .model(model)
        .bind_policy(agent_runtime::BindPolicy::Name)
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
