//! Agents that a run calls: nested runs in its state.

use crate::support::{calls, config, library, spec};
use agent_runtime::conversation::ToolCall;
use agent_runtime::cost::{Price, Prices};
use agent_runtime::hook::{HookFuture, RunContext, ToolVerdict};
use agent_runtime::library::bind_agent_tools;
use agent_runtime::model::{ModelReply, ModelRequest, Scripted, Usage};
use agent_runtime::run::{
    AwaitingApproval, Decision, PendingCall, Run, RunOutcome, Step, UsageLimits,
};
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::tool::{AgentTool, invoke_tool};
use agent_runtime::{
    Agent, Conversation, Environment, Error, Event, Hook, Runtime, ToolContext, ToolError,
    ToolLibrary, agent, tool,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

/// Two specialists; `billing` has a tool that a person approves.
static SUPPORT: Agent = agent! {
    tools: [dynamic refund, dynamic plain],
    [support:Agent {instruction: "Help.", model: "Scripted/any"} |
        [billing:Agent {
            description: "Knows invoices",
            instruction: "Answer {{today}}.",
            model: "Scripted/any",
            variables: ["today"]
        } |
            (question::Text)==>(::String),
            [refund:Tool {description: "Does something.", requiresApproval: true} | ()==>(::Any)],
            plain
        ],
        [research:Agent {description: "Finds out", instruction: "Search.", model: "Scripted/any"} |
            (what::Text)==>(::Object {fields: {text: "Text"}}),
            plain
        ],
        [plain:Tool {description: "Does something."} | ()==>(::Any)]
    ]
};

fn tools() -> ToolLibrary {
    let answer = |name| config(name).build(|_| async { Ok("fine".into()) });
    library([
        answer("plain").expect("a tool"),
        answer("refund").expect("a tool"),
    ])
}

fn ask(id: &str, agent: &str, arguments: &str) -> ModelReply {
    calls(&[(id, agent, arguments)]).with_usage(Usage::of_request(10, 1))
}

fn says(text: &str) -> ModelReply {
    ModelReply::text(text).with_usage(Usage::of_request(10, 1))
}

const QUESTION: &str = r#"{"question": "What do I owe?"}"#;
const WHAT: &str = r#"{"what": "cats"}"#;

/// A flat form of an event.
fn shown(event: &Event) -> Option<String> {
    Some(match event {
        Event::ModelCalled { .. } => "asked".to_owned(),
        Event::TextDelta { text, .. } => format!("{text:?}"),
        Event::ModelReplied { .. } => "replied".to_owned(),
        Event::ToolStarted { call, .. } => format!("{} begins ({})", call.path, call.id),
        Event::ToolFinished { invocation, .. } => {
            format!("{} ends ({})", invocation.tool, invocation.call_id)
        }
        Event::Nested {
            path,
            call_id,
            event,
            ..
        } => format!("{path} {call_id}: {}", shown(event)?),
        Event::Finished { .. } => "finished".to_owned(),
        _ => return None,
    })
}

#[tokio::test]
async fn an_agent_is_called_as_a_tool_and_its_steps_have_their_path() {
    let model = Scripted::new([ask("1", "billing", QUESTION), says("You owe 12 euros.")])
        .agent("billing", [ask("a", "plain", "{}"), says("12 euros")]);
    let runtime = Runtime::builder()
        .model(model.clone())
        .variable("today", "on Monday")
        .build()
        .expect("a runtime");
    let library = tools();
    let mut conversation = Conversation::new();
    let run = runtime.run(&SUPPORT, "What do I owe?").tools(&library);
    let mut stream = run.conversation(&mut conversation).stream();
    let (mut events, mut response) = (Vec::new(), None);
    let mut collector = agent_runtime::event::EventCollector::new();
    while let Some(event) = stream.next().await {
        let event = event.expect("no error");
        collector.push(&event);
        events.extend(shown(&event));
        if let Event::Finished { response: end, .. } = event {
            response = Some(end);
        }
    }
    drop(stream);
    let response = response.expect("an answer");
    assert_eq!(
        events,
        [
            "asked",
            "replied",
            "support/billing begins (1)",
            "support/billing 1: asked",
            "support/billing 1: replied",
            "support/billing 1: support/billing/plain begins (1/a)",
            "support/billing 1: plain ends (1/a)",
            "support/billing 1: asked",
            "support/billing 1: \"12 euros\"",
            "support/billing 1: replied",
            "billing ends (1)",
            "asked",
            "\"You owe 12 euros.\"",
            "replied",
            "finished",
        ]
    );
    assert_eq!(response.content, "You owe 12 euros.");
    assert_eq!(collector.response().usage, response.usage);
    let [call] = response.tools_used.as_slice() else {
        panic!("one call")
    };
    assert_eq!(call.result, Ok("12 euros".into()));
    // What the agent used is part of what the run used.
    assert_eq!(call.usage.map(|usage| usage.input_tokens), Some(20));
    assert_eq!(response.usage.input_tokens, 40);
    assert_eq!(response.usage.requests, 4);
    let requests = model.requests();
    assert_eq!(requests[1].agent, "billing");
    assert_eq!(requests[1].instruction, "Answer on Monday.");
    assert_eq!(requests[1].messages.len(), 1);
    assert_eq!(requests[1].messages[0].content(), "What do I owe?");
    assert_eq!(conversation.messages().len(), 4);
    model.assert_complete();
}

#[tokio::test]
async fn two_agents_and_a_tool_go_on_at_the_same_time() {
    let both = calls(&[
        ("1", "billing", QUESTION),
        ("2", "research", WHAT),
        ("3", "plain", "{}"),
    ]);
    let model = Scripted::new([both, says("Done.")])
        .agent("billing", [says("12 euros")])
        .agent("research", [says(r#"{"text": "cats"}"#)]);
    let runtime = Runtime::builder().model(model).variable("today", "now");
    let runtime = runtime.build().expect("a runtime");
    let mut seen = Vec::new();
    let mut observer = |event: &Event| seen.extend(shown(event));
    let library = tools();
    let run = runtime.run(&SUPPORT, "Hi").tools(&library);
    let response = run.observer(&mut observer).await.expect("an answer");
    let results: Vec<_> = response
        .tools_used
        .iter()
        .map(|call| call.result.clone())
        .collect();
    assert_eq!(
        results,
        [
            Ok("12 euros".into()),
            Ok(json!({"text": "cats"})),
            Ok("fine".into())
        ]
    );
    let place = |text: &str| seen.iter().position(|event| event.contains(text));
    assert!(
        place("support/plain begins") < place("billing ends"),
        "{seen:?}"
    );
    assert!(
        place("support/research 2: asked") < place("support/billing 1: replied"),
        "{seen:?}"
    );
}

/// A run that waits for two persons' decisions, in two nested runs.
async fn paused(runtime: &Runtime) -> (Run, Vec<PendingCall>) {
    let error = runtime
        .run(&SUPPORT, "Hi")
        .tools(&tools())
        .await
        .expect_err("a person decides");
    let paused = AwaitingApproval::of(&error).expect("a paused run");
    (paused.run.clone(), paused.calls.clone())
}

fn two_refunds() -> Scripted {
    let both = calls(&[("1", "billing", QUESTION), ("2", "billing", QUESTION)]);
    Scripted::new([both, says("Done.")]).agent(
        "billing",
        [
            ask("r", "refund", "{}"),
            ask("r", "refund", "{}"),
            says("decided"),
            says("decided"),
        ],
    )
}

#[tokio::test]
async fn approvals_in_two_agents_are_saved_as_one_run_and_resumed_elsewhere() {
    let model = two_refunds();
    let runtime = Runtime::builder().model(model).variable("today", "now");
    let runtime = runtime.build().expect("a runtime");
    let (run, calls) = paused(&runtime).await;
    let ids: Vec<_> = calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["1/r", "2/r"]);
    assert!(
        calls
            .iter()
            .all(|call| call.path == "support/billing/refund")
    );

    let text = run.to_json().to_string();
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let mut run = runtime.read_run(&json, &tools()).expect("a saved run");
    assert_eq!(run.to_json(), json);
    run.approve("1/r", Decision::Approve).expect("it waits");
    run.approve("2/r", Decision::Deny { reason: None })
        .expect("it waits");
    assert!(run.approve("2/r", Decision::Approve).is_err());
    let outcome = runtime.resume(&mut run).tools(&tools()).await;
    let Ok(RunOutcome::Done(response)) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(response.content, "Done.");
    assert_eq!(response.tools_used.len(), 2);
}

#[tokio::test]
async fn the_run_is_sendable_wherever_it_is_dropped() {
    for polls in 0.. {
        let runtime = Runtime::builder()
            .model(Slow(two_plain()))
            .variable("today", "now");
        let runtime = runtime.build().expect("a runtime");
        let (mut conversation, library) = (Conversation::new(), slow_tools());
        let ended = {
            let run = runtime.run(&SUPPORT, "Hi").tools(&library);
            let mut run = run.conversation(&mut conversation).into_future();
            let mut left = polls;
            poll_fn(|context| match run.as_mut().poll(context) {
                Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
                Poll::Pending if left == 0 => Poll::Ready(None),
                Poll::Pending => {
                    left -= 1;
                    context.waker().wake_by_ref();
                    Poll::Pending
                }
            })
            .await
        };
        let next = Scripted::new([says("Good.")]);
        let other = Agent::new("a", "Scripted/any", "Help.").expect("an agent");
        let runtime = Runtime::with_model(next);
        let after = runtime
            .run(&other, "And now?")
            .conversation(&mut conversation);
        assert_eq!(after.await.expect("it can be sent").content, "Good.");
        if let Some(outcome) = ended {
            assert_eq!(outcome.expect("an answer").content, "Done.");
            assert!(polls >= 5, "{polls}");
            return;
        }
    }
}

fn two_plain() -> Scripted {
    let both = calls(&[("1", "billing", QUESTION), ("2", "research", WHAT)]);
    Scripted::new([both, says("Done.")])
        .agent("billing", [ask("p", "plain", "{}"), says("decided")])
        .agent(
            "research",
            [ask("p", "plain", "{}"), says(r#"{"text": "x"}"#)],
        )
}

/// A model that is pending once before each answer.
struct Slow(Scripted);

impl agent_runtime::model::ChatModel for Slow {
    fn chat<'a>(
        &'a self,
        request: &'a agent_runtime::model::ModelRequest,
    ) -> agent_runtime::model::ChatFuture<'a> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            self.0.chat(request).await
        })
    }
}

fn slow_tools() -> ToolLibrary {
    let answer = |name| {
        config(name).build(|_| async {
            tokio::task::yield_now().await;
            Ok("fine".into())
        })
    };
    library([
        answer("plain").expect("a tool"),
        answer("refund").expect("a tool"),
    ])
}

#[test]
fn a_run_that_is_cancelled_keeps_no_agents() {
    let tools = bind_agent_tools(&SUPPORT, &tools()).expect("bound");
    let variables = BTreeMap::from([("today".to_owned(), "now".to_owned())]);
    let run = Run::new(&SUPPORT, &tools, "Hi", &Conversation::new(), &variables);
    let mut run = run.expect("a run");
    run.model_replied(ask("1", "billing", QUESTION))
        .expect("it was due");
    assert!(matches!(run.next(), Ok(Step::Parallel(_))));
    assert!(run.to_json().get("agents").is_some());
    run.cancel();
    let json = run.to_json();
    assert!(json.get("agents").is_none());
    let read = Run::from_json(&json, &tools).expect("its own form");
    assert!(read.is_over());
    assert_eq!(read.to_json(), json);
}

#[test]
fn a_run_that_is_saved_between_all_steps_goes_on_as_one_that_is_not() {
    assert_eq!(play(false), play(true));
}

/// Plays a run with nested runs, step by step, and returns the trail.
fn play(saves: bool) -> Vec<String> {
    let tools = bind_agent_tools(&SUPPORT, &tools()).expect("bound");
    let variables = BTreeMap::from([("today".to_owned(), "now".to_owned())]);
    let run = Run::new(&SUPPORT, &tools, "Hi", &Conversation::new(), &variables);
    let mut run = run.expect("a run");
    let mut trail = Vec::new();
    let mut replies = BTreeMap::from([
        (
            String::new(),
            vec![
                says("Done."),
                calls(&[
                    ("1", "billing", QUESTION),
                    ("2", "research", WHAT),
                    ("3", "plain", "{}"),
                ]),
            ],
        ),
        (
            "1".to_owned(),
            vec![says("12 euros"), ask("r", "refund", "{}")],
        ),
        (
            "2".to_owned(),
            vec![
                says(r#"{"text": "x"}"#),
                says("no json"),
                ask("p", "plain", "{}"),
            ],
        ),
    ]);
    for _ in 0..50 {
        if saves {
            let json: Value = serde_json::from_str(&run.to_json().to_string()).expect("JSON");
            let read = Run::from_json(&json, &tools).expect("its own form");
            assert_eq!(read.to_json(), json);
            run = read;
        }
        let step = run.next().expect("the run goes on");
        let mut reply = |run: &str| replies.get_mut(run).and_then(Vec::pop).expect("a reply");
        trail.push(format!("{step:?}").replace(run.id(), "ID"));
        match step {
            Step::CallModel(_) => run.model_replied(reply("")),
            Step::CallTools(calls) => run.tool_finished(&calls[0].id, Ok("fine".into())),
            Step::AwaitApproval(calls) => run.approve(&calls[0].id, Decision::Approve),
            Step::Parallel(steps) => {
                let last = steps.last().expect("a step");
                match &last.step {
                    Step::CallModel(_) => run.nested_model_replied(&last.run, reply(&last.run)),
                    Step::CallTools(calls) => run.tool_finished(&calls[0].id, Ok("fine".into())),
                    other => panic!("{other:?}"),
                }
            }
            Step::Done(response) => {
                trail.push(response.to_json().to_string());
                return trail;
            }
            other => panic!("{other:?}"),
        }
        .expect("it was due");
    }
    panic!("the run does not end: {trail:#?}");
}

#[tokio::test]
async fn agents_that_call_each_other_in_a_circle_end_at_the_depth() {
    let circle = agent! {
        [a:Agent {description: "A", instruction: "Call b.", model: "Scripted/any"} | b]
        [b:Agent {description: "B", instruction: "Call a.", model: "Scripted/any"} | a]
        [first:Agent {instruction: "Call a.", model: "Scripted/any"} | a]
    };
    let shallow = agent! {
        [outer:Agent {instruction: "Call.", model: "Scripted/any", maxDepth: 1} |
            [a:Agent {description: "A", instruction: "Call b.", model: "Scripted/any", maxDepth: 4} |
                [b:Agent {description: "B", instruction: "Answer.", model: "Scripted/any"}]]]
    };
    let message = r#"{"message": "go"}"#;
    let model = Scripted::new([ask("1", "a", message), says("Enough.")])
        .agent("a", [ask("1", "b", message)])
        .agent_with("a", |request| {
            let last = request.messages.last().expect("a result");
            let expected = "not allowed: a call of the agent `b`, since the calls are as deep as `maxDepth` allows (outer/a)";
            assert!(last.content().starts_with(expected), "{}", last.content());
            Ok(says("up"))
        });
    let runtime = Runtime::with_model(model.clone());
    runtime.run(&shallow, "Hi").await.expect("an answer");
    model.assert_complete();
    let seen = Arc::new(Mutex::new(String::new()));
    let model = (0..8).fold(
        Scripted::new([ask("1", "a", r#"{"message": "go"}"#), says("Enough.")]),
        |model, level| {
            let (own, other) = if level % 2 == 0 {
                ("a", "b")
            } else {
                ("b", "a")
            };
            model.agent(own, [ask("1", other, r#"{"message": "go"}"#)])
        },
    );
    let kept = Arc::clone(&seen);
    let model = model.agent_with("b", move |request| {
        let last = request.messages.last().expect("a result");
        *kept.lock().expect("no panic") = last.content().to_owned();
        Ok(says("too deep"))
    });
    let model = (0..7).fold(model, |model, level| {
        let own = if level % 2 == 0 { "a" } else { "b" };
        model.agent(own, [says("up")])
    });
    let runtime = Runtime::with_model(model.clone());
    let response = runtime.run(&circle, "Hi").await.expect("an answer");
    assert_eq!(response.content, "Enough.");
    let text = seen.lock().expect("no panic").clone();
    assert!(
        text.starts_with(
            "not allowed: a call of the agent `a`, since the calls are as deep as `maxDepth` allows (first/a/b"
        ),
        "{text}"
    );
    model.assert_complete();
}

#[tokio::test]
async fn a_model_reads_any_number_of_calls_that_were_too_deep() {
    let itself = agent! {
        [a:Agent {description: "A", instruction: "Call a.", model: "Scripted/any", maxDepth: 1} | a]
    };
    let many = || {
        let ids: Vec<String> = (0..12).map(|at| at.to_string()).collect();
        let calls = ids
            .iter()
            .map(|id| ToolCall::new(id, "a", r#"{"message": "go"}"#));
        ModelReply::calls(calls).with_usage(Usage::of_request(10, 1))
    };
    for has_hooks in [false, true] {
        let replies = [
            ask("1", "a", r#"{"message": "go"}"#),
            many(),
            says("Enough."),
            says("Done."),
        ];
        let model = Scripted::new(replies);
        let runtime = Runtime::builder().model(model.clone());
        let runtime = match has_hooks {
            true => runtime.hook(Plain),
            false => runtime,
        };
        let runtime = runtime.build().expect("a runtime");
        let response = runtime.run(&itself, "Hi").await.expect("an answer");
        assert_eq!(response.content, "Done.");
        model.assert_complete();
    }
}

/// A hook that changes nothing.
struct Plain;

impl Hook for Plain {}

#[test]
fn a_person_is_not_asked_about_a_call_with_an_empty_text() {
    let asks = agent! {
        [a:Agent {instruction: "Call b.", model: "Scripted/any"} |
            [b:Agent {
                description: "B",
                instruction: "Answer.",
                model: "Scripted/any",
                requiresApproval: true
            } |
                (question::Text)==>(::String)]]
    };
    let bound = bind_agent_tools(&asks, &ToolLibrary::new()).expect("the tools");
    let mut run =
        Run::new(&asks, &bound, "Hi", &Conversation::new(), &BTreeMap::new()).expect("a run");
    run.model_replied(ask("1", "b", r#"{"question": " "}"#))
        .expect("a request is due");
    assert!(matches!(run.next(), Ok(Step::CallModel(_))));
    let error = "the argument `question` of the agent `b` is empty";
    assert_eq!(
        run.invocations()[0].result,
        Err(ToolError::Validation(error.into()))
    );

    run.model_replied(ask("2", "b", QUESTION))
        .expect("a request is due");
    assert!(matches!(run.next(), Ok(Step::AwaitApproval(_))));
    run.approve("2", Decision::Approve).expect("the call waits");
    let error = run
        .approve("2/zz", Decision::Approve)
        .expect_err("there is no such call");
    assert!(error.to_string().contains("the call `2/zz`"), "{error}");
}

#[tokio::test]
async fn an_agent_that_fails_is_a_failed_call() {
    let model = Scripted::new([ask("1", "billing", QUESTION), says("Sorry.")])
        .agent_with("billing", |_| Err(Error::llm("the provider is broken")));
    let runtime = Runtime::builder().model(model).variable("today", "now");
    let runtime = runtime.build().expect("a runtime");
    let mut conversation = Conversation::new();
    let library = tools();
    let run = runtime.run(&SUPPORT, "Hi").tools(&library);
    let response = run
        .conversation(&mut conversation)
        .await
        .expect("an answer");
    assert_eq!(response.content, "Sorry.");
    let Err(ToolError::Execution(text)) = &response.tools_used[0].result else {
        panic!("{response:?}")
    };
    assert_eq!(text, "the agent `billing` failed: the provider is broken");
    assert!(conversation.messages()[2].is_error());
}

#[tokio::test]
async fn an_empty_argument_is_an_error_that_the_model_reads() {
    let model = Scripted::new([
        ask("1", "billing", r#"{"question": " "}"#),
        ask("2", "billing", "{}"),
        says("Sorry."),
    ]);
    let runtime = Runtime::builder().model(model).variable("today", "now");
    let runtime = runtime.build().expect("a runtime");
    let library = tools();
    let response = runtime.run(&SUPPORT, "Hi").tools(&library).await;
    let response = response.expect("an answer");
    let texts: Vec<_> = response
        .tools_used
        .iter()
        .map(|call| call.result.clone().expect_err("an error"))
        .collect();
    assert_eq!(
        texts[0],
        ToolError::Validation("the argument `question` of the agent `billing` is empty".into())
    );
    assert!(matches!(&texts[1], ToolError::Validation(text) if text.contains("question")));
}

#[tokio::test]
async fn the_limits_of_the_run_hold_for_agents() {
    for (limits, expected) in [
        (
            UsageLimits::new().requests(2),
            "the agent `support` has used 2 of at most 2 requests",
        ),
        (
            UsageLimits::new().tool_calls(1),
            "the agent `support` has asked for 2 of at most 1 calls of tools",
        ),
        (
            UsageLimits::new().input_tokens(20),
            "the agent `support` has used 20 of at most 20 sent tokens",
        ),
    ] {
        let model = Scripted::new([ask("1", "billing", QUESTION), says("Never.")])
            .agent("billing", [ask("p", "plain", "{}"), says("never")]);
        let runtime = Runtime::builder()
            .model(model.clone())
            .variable("today", "now");
        let runtime = runtime.build().expect("a runtime");
        let mut conversation = Conversation::new();
        let library = tools();
        let run = runtime
            .run(&SUPPORT, "Hi")
            .tools(&library)
            .usage_limits(limits);
        let error = run
            .conversation(&mut conversation)
            .await
            .expect_err("a limit");
        assert!(error.is_limit());
        assert_eq!(error.to_string(), expected);
        assert_eq!(model.remaining(), 2);
        assert_eq!(conversation.messages().len(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_has_its_own_time_limit_and_no_other() {
    let quick = agent! {
        tools: [dynamic wait],
        [first:Agent {instruction: "Call.", model: "Scripted/any", toolTimeout: 1s} |
            [slow:Agent {description: "Slow", instruction: "Wait.", model: "Scripted/any", timeout: 60s} |
                (what::Text)==>(::String), wait],
            [patient:Agent {description: "Slow", instruction: "Wait.", model: "Scripted/any"} |
                (what::Text)==>(::String), wait]
        ]
    };
    let wait = config("wait")
        .timeout(Duration::from_secs(600))
        .build(|_| async {
            tokio::time::sleep(Duration::from_secs(100)).await;
            Ok("waited".into())
        });
    let wait = library([wait.expect("a tool")]);
    let model = Scripted::new([
        calls(&[("1", "slow", WHAT), ("2", "patient", WHAT)]),
        says("Done."),
    ])
    .agent("slow", [ask("w", "wait", "{}"), says("never")])
    .agent("patient", [ask("w", "wait", "{}"), says("at last")]);
    let runtime = Runtime::with_model(model);
    let response = runtime.run(&quick, "Hi").tools(&wait).await;
    let response = response.expect("an answer");
    assert_eq!(response.tools_used[0].result, Err(ToolError::Timeout));
    assert_eq!(response.tools_used[1].result, Ok("at last".into()));
}

/// Records the calls of tools, and changes those of `billing`.
#[derive(Clone, Default)]
struct Watch(Arc<Mutex<Vec<String>>>);

impl Hook for Watch {
    fn before_tool<'a>(
        &'a self,
        run: &'a RunContext,
        call: &'a PendingCall,
        arguments: &'a mut String,
    ) -> HookFuture<'a, ToolVerdict> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            let text = format!("{}: before {} {}", run.path(), call.path, call.id);
            self.0.lock().expect("no panic").push(text);
            if call.tool == "billing" {
                *arguments = r#"{"question": "Changed?"}"#.to_owned();
            }
            match call.tool.as_str() {
                "research" => Ok(ToolVerdict::Answer(Ok(json!({"text": "from the hook"})))),
                _ => Ok(ToolVerdict::Call),
            }
        })
    }

    fn after_tool<'a>(
        &'a self,
        run: &'a RunContext,
        call: &'a PendingCall,
        result: &'a mut Result<Value, ToolError>,
    ) -> HookFuture<'a> {
        Box::pin(async move {
            let text = format!("{}: after {} {result:?}", run.path(), call.id);
            self.0.lock().expect("no panic").push(text);
            if call.tool == "billing" {
                *result = Ok("changed".into());
            }
            Ok(())
        })
    }
}

#[tokio::test]
async fn hooks_see_the_call_of_an_agent_and_the_calls_that_it_makes() {
    let model = Scripted::new([
        calls(&[("1", "billing", QUESTION), ("2", "research", WHAT)]),
        says("Done."),
    ])
    .agent("billing", [ask("p", "plain", "{}"), says("12 euros")]);
    let watch = Watch::default();
    let runtime = Runtime::builder()
        .model(model.clone())
        .hook(watch.clone())
        .variable("today", "now")
        .build()
        .expect("a runtime");
    let library = tools();
    let response = runtime.run(&SUPPORT, "Hi").tools(&library).await;
    let response = response.expect("an answer");
    assert_eq!(response.tools_used[0].result, Ok("changed".into()));
    assert_eq!(response.tools_used[0].args, json!({"question": "Changed?"}));
    assert_eq!(
        response.tools_used[1].result,
        Ok(json!({"text": "from the hook"}))
    );
    assert_eq!(model.requests()[1].messages[0].content(), "Changed?");
    let seen = watch.0.lock().expect("no panic").clone();
    assert_eq!(
        seen,
        [
            "support: before support/billing 1",
            "support: before support/research 2",
            "support: after 2 Ok(Object {\"text\": String(\"from the hook\")})",
            "support/billing: before support/billing/plain 1/p",
            "support/billing: after 1/p Ok(String(\"fine\"))",
            "support: after 1 Ok(String(\"12 euros\"))",
        ]
    );
}

/// More calls of agents in one answer than may go on at the same time, each of which calls a tool.
fn a_hundred_calls() -> Scripted {
    const CALLS: usize = 100;
    let ids: Vec<String> = (0..CALLS).map(|number| number.to_string()).collect();
    let asked = ids.iter().map(|id| (id.as_str(), "research", WHAT));
    let asked: Vec<_> = asked.collect();
    (0..CALLS).fold(Scripted::new([calls(&asked), says("Done.")]), |model, _| {
        let answer = |request: &ModelRequest| {
            Ok(match request.messages.len() {
                1 => ask("p", "plain", "{}"),
                _ => says(r#"{"text": "cats"}"#),
            })
        };
        model
            .agent_with("research", answer)
            .agent_with("research", answer)
    })
}

#[tokio::test]
async fn a_hundred_calls_of_agents_in_one_answer_are_made_with_and_without_hooks() {
    for hooked in [false, true] {
        let model = a_hundred_calls();
        let mut builder = Runtime::builder()
            .model(model.clone())
            .variable("today", "now");
        if hooked {
            builder = builder.hook(Passing);
        }
        let runtime = builder.build().expect("a runtime");
        let mut started = 0;
        let mut observer = |event: &Event| {
            started += usize::from(matches!(event, Event::ToolStarted { .. }));
        };
        let library = tools();
        let run = runtime
            .run(&SUPPORT, "Hi")
            .tools(&library)
            .observer(&mut observer);
        let response = run.await.expect("an answer");
        assert_eq!(response.tools_used.len(), 100);
        let cats = Ok(json!({"text": "cats"}));
        assert!(response.tools_used.iter().all(|call| call.result == cats));
        assert_eq!((response.usage.requests, started), (202, 100), "{hooked}");
        model.assert_complete();
    }
}

#[tokio::test]
async fn approvals_in_agents_are_decided_and_saved_with_hooks() {
    let builder = |model| {
        let builder = Runtime::builder().model(model).variable("today", "now");
        builder.hook(Passing)
    };
    let library = tools();
    let runtime = builder(two_refunds()).approver(|_| async { Decision::Approve });
    let runtime = runtime.build().expect("a runtime");
    let response = runtime.run(&SUPPORT, "Hi").tools(&library).await;
    assert_eq!(response.expect("an answer").content, "Done.");

    let runtime = builder(two_refunds()).build().expect("a runtime");
    let (run, waiting) = paused(&runtime).await;
    assert_eq!(waiting.len(), 2);
    let json = run.to_json();
    let mut run = runtime.read_run(&json, &library).expect("a saved run");
    for call in &waiting {
        run.approve(&call.id, Decision::Approve).expect("it waits");
    }
    let outcome = runtime.resume(&mut run).tools(&library).await;
    let Ok(RunOutcome::Done(response)) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(response.content, "Done.");
}

/// A hook that changes nothing.
struct Passing;

impl Hook for Passing {}

#[tokio::test]
async fn an_agent_with_its_library_is_registered_like_a_tool() {
    let billing = agent! {
        tools: [dynamic plain],
        [billing:Agent {description: "Knows invoices", instruction: "Answer.", model: "Scripted/any"} | plain]
    };
    let tool = AgentTool::new(billing, &tools()).expect("a tool");
    let mut library = ToolLibrary::new();
    library.add(tool).expect("a name");
    let caller = Agent::new("caller", "Scripted/any", "Call.").expect("an agent");
    let caller = caller.with_reference("billing").expect("a name");
    let model = Scripted::new([
        ModelReply::calls([ToolCall::new("1", "billing", r#"{"message": "Hi"}"#)]),
        says("Done."),
    ])
    .agent("billing", [ask("p", "plain", "{}"), says("12 euros")]);
    let runtime = Runtime::with_model(model);
    let response = runtime.run(&caller, "Hi").tools(&library).await;
    let response = response.expect("an answer");
    assert_eq!(response.tools_used[0].result, Ok("12 euros".into()));
    let without = Agent::new("silent", "Scripted/any", "Call.").expect("an agent");
    let error = AgentTool::new(without, &ToolLibrary::new()).expect_err("no description");
    assert!(error.to_string().contains("no `description`"), "{error}");
}

#[test]
fn a_tool_that_an_agent_needs_is_missed_before_the_run() {
    let error = bind_agent_tools(&SUPPORT, &library([])).expect_err("no tools");
    let text = error.to_string();
    assert!(text.contains("agent `billing`: tool `refund`"), "{text}");
    let _ = spec("plain");
}

static CRITIC: Agent = agent! {
    tools: [dynamic refund],
    [critic:Agent {instruction: "Judge.", model: "Scripted/any"} |
        [refund:Tool {description: "Does something.", requiresApproval: true} | ()==>(::Any)]
    ]
};

/// Judges a text
#[tool]
async fn judge(text: &str, context: &ToolContext) -> Result<String, Error> {
    let library = tools();
    let run = Runtime::of(context)?.run(&CRITIC, text).tools(&library);
    Ok(run.await?.content)
}

fn writer() -> Agent {
    agent! {
        tools: [judge],
        [writer:Agent {instruction: "Write.", model: "Scripted/any"} | judge]
    }
}

#[tokio::test]
async fn an_agent_that_the_body_of_a_tool_calls_counts_for_the_run() {
    let model = Scripted::new([ask("1", "judge", r#"{"text": "A poem"}"#), says("Done.")])
        .agent("critic", [ask("r", "refund", "{}"), says("Good.")]);
    let price = Price::per_million(1_000.0, 10_000.0).expect("a price");
    let prices = Prices::new().with(writer().model().clone(), price);
    let runtime = Runtime::builder().model(model).prices(prices);
    let runtime = runtime.build().expect("a runtime");
    let mut seen = Vec::new();
    let mut observer = |event: &Event| seen.extend(shown(event));
    let library = agent_runtime::tools![judge];
    let writer = writer();
    let run = runtime.run(&writer, "Hi").tools(&library);
    let response = run.observer(&mut observer).await.expect("an answer");
    assert_eq!(response.usage.requests, 4);
    // Each request costs two cents.
    assert!((response.cost.expect("a price is known") - 0.08).abs() < 1e-9);
    assert_eq!(
        response.tools_used[0].usage.map(|usage| usage.requests),
        Some(2)
    );
    assert_eq!(response.tools_used[0].result, Ok("Good.".into()));
    assert_eq!(
        seen,
        [
            "asked",
            "replied",
            "writer/judge begins (1)",
            "writer/judge/critic 1: asked",
            "writer/judge/critic 1: replied",
            // Nobody can approve it, since a run in a function cannot be saved.
            "writer/judge/critic 1: refund ends (1/r)",
            "writer/judge/critic 1: asked",
            "writer/judge/critic 1: replied",
            "judge ends (1)",
            "asked",
            "replied",
            "finished",
        ]
    );
}

#[tokio::test]
async fn an_agent_in_the_body_of_a_tool_has_the_limits_that_are_left() {
    let model = Scripted::new([ask("1", "judge", r#"{"text": "A poem"}"#), says("Never.")])
        .agent("critic", [ask("r", "refund", "{}"), says("never")]);
    let runtime = Runtime::with_model(model.clone());
    let (writer, library) = (writer(), agent_runtime::tools![judge]);
    let run = runtime.run(&writer, "Hi").tools(&library);
    let error = run
        .usage_limits(UsageLimits::new().requests(2))
        .await
        .expect_err("a limit");
    assert_eq!(
        error.to_string(),
        "the agent `writer` has used 2 of at most 2 requests"
    );
    assert_eq!(model.remaining(), 2);
}

/// Measures what a critic says
#[tool]
async fn measure(text: &str, context: &ToolContext) -> Result<String, Error> {
    let library = tools();
    let run = Runtime::of(context)?.run(&CRITIC, text).tools(&library);
    Ok(run.await?.content.len().to_string())
}

#[tokio::test]
async fn the_answers_of_agents_in_the_bodies_of_tools_count_for_the_bound_of_a_run() {
    let ids: Vec<String> = (0..10).map(|id| format!("c{id}")).collect();
    let text = r#"{"text": "A poem"}"#;
    let all: Vec<_> = ids
        .iter()
        .map(|id| (id.as_str(), "measure", text))
        .collect();
    let answers = std::iter::repeat_with(|| ModelReply::text("x".repeat(15 << 20)));
    let model = Scripted::new([calls(&all), says("Never.")]).agent("critic", answers.take(10));
    let runtime = Runtime::with_model(model);
    let agent = agent! {
        tools: [measure],
        [writer:Agent {instruction: "Write.", model: "Scripted/any"} | measure]
    };
    let library = agent_runtime::tools![measure];
    let error = runtime.run(&agent, "Hi").tools(&library).await;
    let error = error.expect_err("too much").to_string();
    let expected = "the answers and results of the agent `writer` are larger than 128 MiB together";
    assert!(error.starts_with(expected), "{error}");
}

#[tokio::test]
async fn a_context_without_a_run_has_no_runtime() {
    let error = Runtime::of(&ToolContext::detached()).expect_err("no run");
    assert!(error.is_configuration());
    assert!(error.to_string().contains("belongs to no run"), "{error}");
    let tool = AgentTool::new(
        CRITIC.clone().with_description("Judges"),
        &ToolLibrary::new(),
    )
    .expect("a tool");
    let error = invoke_tool(&tool, r#"{"message": "Hi"}"#, &ToolContext::detached()).await;
    let text = error.expect_err("no run").to_string();
    assert!(
        text.contains("the agent `critic` cannot be called here"),
        "{text}"
    );
}

#[test]
fn the_check_looks_at_the_agents_that_are_called() {
    let agent = agent! {
        tools: [dynamic library],
        [first:Agent {instruction: "Call.", model: "Scripted/any"} |
            [second:Agent {description: "B", instruction: "Answer.", model: "OpenAI/gpt-6-sol"}], library]
    };
    let inner = agent! {
        tools: [dynamic missing],
        [library:Agent {description: "L", instruction: "Answer.", model: "Scripted/any"} | missing]
    };
    let mut library = ToolLibrary::new();
    let tool = AgentTool::new(inner, &ToolLibrary::new()).expect("a tool");
    library.add(tool).expect("a name");
    let builder = Runtime::builder()
        .environment(agent_runtime::Environment::empty())
        .provider("Scripted", Scripted::default());
    let runtime = builder.build().expect("a runtime");
    let error = runtime.check(&agent, &library).expect_err("two problems");
    let text = error.to_string();
    assert!(text.contains("agent `second`: "), "{text}");
    assert!(text.contains("agent `library`: cannot bind"), "{text}");
}

/// A runtime with a hook that records calls.
fn watched(model: Scripted) -> (Runtime, Watch) {
    let watch = Watch::default();
    let builder = Runtime::builder().model(model).hook(watch.clone());
    let runtime = builder.variable("today", "now").build().expect("a runtime");
    (runtime, watch)
}

#[tokio::test]
async fn hooks_wait_for_an_agent_that_waits_for_a_person() {
    let (runtime, watch) = watched(two_refunds());
    let (mut run, calls) = paused(&runtime).await;
    assert_eq!(calls.len(), 2);
    for call in &calls {
        run.approve(&call.id, Decision::Approve).expect("it waits");
    }
    let outcome = runtime.resume(&mut run).tools(&tools()).await;
    let Ok(RunOutcome::Done(response)) = outcome else {
        panic!("{outcome:?}")
    };
    // The hooks after the calls are called in the second drive.
    let results = response.tools_used.iter().map(|call| call.result.clone());
    assert!(results.eq([Ok("changed".into()), Ok("changed".into())]));
    let seen = watch.0.lock().expect("no panic").clone();
    let count = |text: &str| seen.iter().filter(|line| line.contains(text)).count();
    assert_eq!(count("support: before support/billing "), 2, "{seen:#?}");
    assert_eq!(count("support: after "), 2, "{seen:#?}");
}

#[tokio::test]
async fn more_agents_than_calls_at_once_are_called_in_one_answer() {
    for hooks in [false, true] {
        let ids: Vec<String> = (0..100).map(|id| format!("c{id}")).collect();
        let all: Vec<_> = ids
            .iter()
            .map(|id| (id.as_str(), "billing", QUESTION))
            .collect();
        let answers = std::iter::repeat_with(|| says("12 euros")).take(100);
        let model = Scripted::new([calls(&all), says("Done.")]).agent("billing", answers);
        let runtime = match hooks {
            true => watched(model.clone()).0,
            false => Runtime::builder()
                .model(model.clone())
                .variable("today", "now")
                .build()
                .expect("a runtime"),
        };
        let library = tools();
        let response = runtime.run(&SUPPORT, "Hi").tools(&library).await;
        let response = response.expect("an answer");
        assert_eq!(response.tools_used.len(), 100);
        assert!(response.tools_used.iter().all(|call| call.result.is_ok()));
        model.assert_complete();
    }
}

#[tokio::test]
async fn the_answers_and_results_of_a_run_have_a_bound_together() {
    let long = config("plain").build(|_| async { Ok("x".repeat(15 << 20).into()) });
    let library = library([
        long.expect("a tool"),
        config("refund")
            .build(|_| async { Ok(1.into()) })
            .expect("a tool"),
    ]);
    let text = "the answers and results of the agent `support` are larger than 128 MiB together";
    // The results of one turn.
    let ids: Vec<String> = (0..60).map(|id| format!("c{id}")).collect();
    let all: Vec<_> = ids.iter().map(|id| (id.as_str(), "plain", "{}")).collect();
    let runtime = Runtime::with_model(Scripted::new([calls(&all)]));
    let mut conversation = Conversation::new();
    let run = runtime.run(&SUPPORT, "Hi").tools(&library);
    let run = run.variable("today", "now").conversation(&mut conversation);
    let error = run.await.expect_err("too much");
    assert!(error.is_limit());
    assert!(error.to_string().starts_with(text), "{error}");
    assert_eq!(conversation.messages().len(), 62);
    // The answers of agents.
    let ids: Vec<String> = (0..20).map(|id| format!("c{id}")).collect();
    let all: Vec<_> = ids
        .iter()
        .map(|id| (id.as_str(), "billing", QUESTION))
        .collect();
    let answers = std::iter::repeat_with(|| ModelReply::text("x".repeat(15 << 20)));
    let model = Scripted::new([calls(&all)]).agent("billing", answers.take(20));
    let run = Runtime::with_model(model);
    let run = run
        .run(&SUPPORT, "Hi")
        .tools(&library)
        .variable("today", "now");
    let error = run.await.expect_err("too much");
    assert!(error.to_string().starts_with(text), "{error}");
}

#[tokio::test]
async fn an_agent_whose_id_begins_with_that_of_another_outlives_it() {
    let both = calls(&[("c1", "billing", QUESTION), ("c1-2", "billing", QUESTION)]);
    // The request of the agent that was called last is sent first.
    let model = Scripted::new([both, says("Done.")]).agent(
        "billing",
        [ask("r", "plain", "{}"), says("first"), says("second")],
    );
    let runtime = Runtime::builder().model(model).variable("today", "now");
    let runtime = runtime.build().expect("a runtime");
    let mut seen = Vec::new();
    let mut observer = |event: &Event| seen.extend(shown(event));
    let library = tools();
    let run = runtime.run(&SUPPORT, "Hi").tools(&library);
    let response = run.observer(&mut observer).await.expect("an answer");
    let results = response.tools_used.iter().map(|call| call.result.clone());
    assert!(results.eq([Ok("first".into()), Ok("second".into())]));
    let place = |text: &str| seen.iter().position(|event| event.contains(text));
    let own = place("support/billing c1-2: plain ends (c1-2/r)");
    assert!(
        own.is_some() && own < place("billing ends (c1-2)"),
        "{seen:?}"
    );
}

/// A runtime with keys, in which only a document names the addresses of these tests.
fn with_keys() -> RuntimeBuilder {
    let keys = [("OPENAI_API_KEY", "sk-1"), ("ANTHROPIC_API_KEY", "sk-2")];
    Runtime::builder().environment(Environment::from_pairs(keys))
}

fn parsed(gram: &str) -> Agent {
    Agent::parse(gram, None, Default::default()).expect(gram)
}

/// The refusal would otherwise come in the middle of the run, to the model as a failed call.
#[test]
fn an_address_of_a_called_agent_needs_consent_before_the_first_request() {
    const FIRST: &str = "[first:Agent {instruction: \"x\", model: \"OpenAI/m\"} | ";
    let called = |name: &str, model: &str, url: &str, tools: &str| {
        format!(
            "[{name}:Agent {{description: \"d\", instruction: \"x\", model: \"{model}\", baseUrl: \"{url}\"}}{tools}]"
        )
    };
    let own = "http://127.0.0.1:1/v1";
    let evil = "https://evil.example:8443/v1";
    let last = called("last", "OpenAI/m", evil, "");
    let between = called("between", "OpenAI/m", own, &format!(" | {last}"));
    let apart = called("between", "OpenAI/m", own, " | last");
    for (agents, refused) in [
        (format!("{FIRST}{last}]"), &["last"][..]),
        (format!("{FIRST}{between}]"), &["last"]),
        (format!("{FIRST}between] {apart} {last}"), &["last"]),
        (
            format!("{FIRST}{}]", called("last", "Anthropic/m", evil, "")),
            &["last"],
        ),
        (
            format!("{FIRST}{last}, {}]", called("other", "OpenAI/m", evil, "")),
            &["last", "other"],
        ),
        (
            format!("{FIRST}{}]", called("last", "OpenAI/m", own, "")),
            &[],
        ),
        (
            format!(
                "{FIRST}{}]",
                called("last", "OpenAI/m", "https://api.openai.com/v1", "")
            ),
            &[],
        ),
    ] {
        let agent = parsed(&agents);
        let start = |runtime: RuntimeBuilder| {
            let runtime = runtime.build().expect("a runtime");
            runtime.run(&agent, "Hi").start()
        };
        match start(with_keys()) {
            Ok(_) => assert!(refused.is_empty(), "{agents}"),
            Err(error) => {
                assert!(error.is_configuration(), "{error:?}");
                let text = error.to_string();
                assert_eq!(text.lines().count(), refused.len(), "{text}");
                for (line, name) in text.lines().zip(refused) {
                    let begin = format!(
                        "agent `{name}`: the base URL that the agent gives as `baseUrl` is `{evil}`"
                    );
                    assert!(line.starts_with(&begin), "{line}");
                    assert!(
                        line.contains("use `--allow-base-url evil.example:8443`"),
                        "{line}"
                    );
                }
                let runtime = with_keys().build().expect("a runtime");
                let checked = runtime.check(&agent, &ToolLibrary::new());
                assert_eq!(checked.expect_err("the same error").to_string(), text);
            }
        }
        start(with_keys().allow_base_url("evil.example:8443")).expect(&agents);
    }
    // An address of the program is for all agents of the same provider, and for no other.
    for (model, is_fine) in [("OpenAI/m", true), ("Anthropic/m", false)] {
        let agent = parsed(&format!("{FIRST}{}]", called("last", model, evil, "")));
        let runtime = with_keys().base_url(own).build().expect("a runtime");
        assert_eq!(runtime.run(&agent, "Hi").start().is_ok(), is_fine);
        assert_eq!(runtime.check(&agent, &ToolLibrary::new()).is_ok(), is_fine);
    }
}

#[test]
fn an_address_of_an_agent_of_a_library_needs_consent_if_it_can_be_called() {
    let agent = |name: &str, url: &str, tools: &str| {
        parsed(&format!(
            "[{name}:Agent {{description: \"d\", instruction: \"x\", model: \"OpenAI/m\"{url}}}{tools}]"
        ))
    };
    let evil = ", baseUrl: \"https://evil.example/v1\"";
    let tool = |agent: Agent, tools: &ToolLibrary| AgentTool::new(agent, tools).expect("a tool");
    let mut inner = ToolLibrary::new();
    inner
        .add(tool(agent("last", evil, ""), &ToolLibrary::new()))
        .expect("a new name");
    // Its tool `last` is another agent than that of the caller's library.
    let through = tool(agent("through", "", " | last"), &inner);
    let mut library = ToolLibrary::new();
    for tool in [
        through,
        tool(agent("last", "", ""), &ToolLibrary::new()),
        tool(agent("direct", evil, ""), &ToolLibrary::new()),
        tool(agent("apart", "", ""), &inner),
    ] {
        library.add(tool).expect("a new name");
    }
    let runtime = with_keys().build().expect("a runtime");
    for (tools, refused) in [
        ("last", None),
        ("apart", None),
        ("direct", Some("direct")),
        ("last, through", Some("last")),
        (
            "[through2:Agent {description: \"d\", instruction: \"x\", model: \"OpenAI/m\"} | through]",
            Some("last"),
        ),
    ] {
        let first = agent("first", "", &format!(" | {tools}"));
        let started = runtime.run(&first, "Hi").tools(&library).start();
        match (started, refused) {
            (Ok(_), None) => {}
            (Err(error), Some(name)) => {
                let begin = format!("agent `{name}`: ");
                assert!(error.to_string().starts_with(&begin), "{tools}: {error}");
            }
            (started, _) => panic!("{tools}: {started:?}"),
        }
    }
}

/// The runtime that goes on may be another one than that which began.
#[tokio::test]
async fn a_run_that_goes_on_needs_the_consent_of_its_runtime() {
    let agent = parsed(
        "[first:Agent {instruction: \"x\", model: \"OpenAI/m\", baseUrl: \"http://127.0.0.1:1/v1\"} | \
            [last:Agent {description: \"d\", instruction: \"x\", model: \"OpenAI/m\", baseUrl: \"https://evil.example/v1\"}]]",
    );
    let allowing = with_keys().allow_base_url("evil.example").build();
    let mut run = allowing
        .expect("a runtime")
        .run(&agent, "Hi")
        .start()
        .expect("a run");
    let runtime = with_keys().build().expect("a runtime");
    let error = runtime.resume(&mut run).await.expect_err("no consent");
    assert!(error.to_string().starts_with("agent `last`: "), "{error}");
    assert_eq!(run.usage().requests, 0);
    // The outcome of a run that has ended needs no consent.
    run.cancel();
    let error = runtime.resume(&mut run).await.expect_err("cancelled");
    assert!(error.is_cancelled(), "{error}");
}
