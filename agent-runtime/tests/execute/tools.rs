//! Calls of tools: at the same time, within their limits, whatever the tools do.

use crate::execute::run;
use crate::support::{agent, calls, config, greeter, hello_tool, library, results, spec, tool};
use agent_runtime::conversation::Role;
use agent_runtime::library::bind_agent_tools;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::run::{MAX_CALLS, MAX_CALLS_AT_ONCE};
use agent_runtime::spec::AgentPattern;
use agent_runtime::{Conversation, Event, Message, Runtime, ToolContext, ToolError, tools};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

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
    let wrong = agent_runtime::tool::ToolConfig::with_signature(
        "sayHello",
        crate::support::GREETING,
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
        .run(agent([spec("looks")]), "Hi")
        .tools(&library([seen]))
        .conversation(&mut Conversation::new())
        .observer(&mut observer)
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

#[tokio::test]
async fn tools_can_be_invoked_alone() {
    let agent = greeter();
    let tools = bind_agent_tools(&agent, &library([hello_tool()])).expect("bound");
    let bound = tools.get("sayHello").expect("the tool");
    let context = agent_runtime::ToolContext::detached();
    let result =
        agent_runtime::tool::invoke_tool(&**bound.tool(), r#"{"personName":"Ada"}"#, &context);
    assert_eq!(result.await, Ok("Hello, Ada! Nice to meet you.".into()));
    let reply = calls(&[("a", "sayHello", "{}")]);
    assert_eq!(
        agent_runtime::model::detect_tool_call(&reply),
        Some(("sayHello", json!({})))
    );
    assert_eq!(
        agent_runtime::model::detect_tool_call(&ModelReply::text("Hi")),
        None
    );
    let message = Message::user("Hi");
    assert_eq!((message.role(), message.content()), (Role::User, "Hi"));
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
        runtime
            .run(agent, "Hi")
            .tools(&chatter())
            .conversation(&mut Conversation::new())
            .observer(&mut observer)
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
        let result = agent_runtime::tool::invoke_tool(&**late, "{}", &context).await;
        assert_eq!(result, Err(ToolError::Timeout));
        drop(release);
        assert!(hog.await.expect("no panic"));
        // The only thread does what is queued in order, so the call would have come before this.
        tokio::task::spawn_blocking(|| ()).await.expect("no panic");
        assert_eq!(LATE.load(Ordering::SeqCst), 0);
    });
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
    let ids: Vec<String> = (0..MAX_CALLS).map(|n| format!("id{n}")).collect();
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
