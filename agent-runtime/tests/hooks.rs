//! Hooks, which observe, change and stop runs.

use crate::support::{ada, calls, greeter, hello_tool, library};
use agent_runtime::conversation::Part;
use agent_runtime::hook::{HookFuture, RunContext, StopRun, ToolVerdict};
use agent_runtime::model::{ModelReply, ModelRequest, Scripted};
use agent_runtime::run::PendingCall;
use agent_runtime::{AgentResponse, Conversation, Error, Hook, Message, Runtime, ToolError};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// A hook that notes each of its calls, and changes values as its fields say.
#[derive(Clone, Default)]
struct Noting {
    name: &'static str,
    notes: Arc<Mutex<Vec<String>>>,
    request: Option<fn(&mut ModelRequest)>,
    reply: Option<fn(&mut ModelReply)>,
    call: Option<fn(&PendingCall, &mut String) -> ToolVerdict>,
    result: Option<fn(&mut Result<Value, ToolError>)>,
    stops_at: &'static str,
}

impl Noting {
    fn note(&self, place: &str) -> Result<(), StopRun> {
        let note = format!("{}{place}", self.name);
        self.notes.lock().expect("no panic").push(note);
        if self.stops_at == place {
            return Err(StopRun::new(format!("enough, {place}")));
        }
        Ok(())
    }
}

impl Hook for Noting {
    fn before_model<'a>(
        &'a self,
        _run: &'a RunContext,
        request: &'a mut ModelRequest,
    ) -> HookFuture<'a> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            if let Some(change) = self.request {
                change(request);
            }
            self.note("before model")
        })
    }

    fn after_model<'a>(
        &'a self,
        _run: &'a RunContext,
        _: &'a ModelRequest,
        reply: &'a mut ModelReply,
    ) -> HookFuture<'a> {
        Box::pin(async move {
            if let Some(change) = self.reply {
                change(reply);
            }
            self.note("after model")
        })
    }

    fn before_tool<'a>(
        &'a self,
        _run: &'a RunContext,
        call: &'a PendingCall,
        arguments: &'a mut String,
    ) -> HookFuture<'a, ToolVerdict> {
        Box::pin(async move {
            self.note("before tool")?;
            let verdict = self.call.map(|change| change(call, arguments));
            Ok(verdict.unwrap_or(ToolVerdict::Call))
        })
    }

    fn after_tool<'a>(
        &'a self,
        _run: &'a RunContext,
        _: &'a PendingCall,
        result: &'a mut Result<Value, ToolError>,
    ) -> HookFuture<'a> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            if let Some(change) = self.result {
                change(result);
            }
            self.note("after tool")
        })
    }
}

/// Plays a run that calls the tool once, with hooks.
async fn play(
    hooks: impl IntoIterator<Item = Noting>,
) -> (Result<AgentResponse, Error>, Conversation, Scripted) {
    let script = Scripted::new([
        calls(&[("a", "sayHello", &ada().to_string())]),
        ModelReply::text("Done."),
    ]);
    let mut builder = Runtime::builder().model(script.clone());
    for hook in hooks {
        builder = builder.hook(hook);
    }
    let runtime = builder.build().expect("a runtime");
    let (greeter, library) = (greeter(), library([hello_tool()]));
    let mut conversation = Conversation::new();
    let response = runtime
        .execute(&greeter, "Hello", &mut conversation, &library)
        .await;
    conversation.check().expect("a valid history");
    (response, conversation, script)
}

#[tokio::test]
async fn hooks_run_in_order_before_and_in_reverse_after() {
    let notes = Arc::default();
    let hook = |name| Noting {
        name,
        notes: Arc::clone(&notes),
        ..Noting::default()
    };
    let (response, ..) = play([hook("1 "), hook("2 ")]).await;
    assert_eq!(response.expect("an answer").content, "Done.");
    let turn = [
        "1 before model",
        "2 before model",
        "2 after model",
        "1 after model",
    ];
    let tool = [
        "1 before tool",
        "2 before tool",
        "2 after tool",
        "1 after tool",
    ];
    let expected: Vec<_> = turn.iter().chain(&tool).chain(&turn).collect();
    assert_eq!(
        notes.lock().expect("no panic").iter().collect::<Vec<_>>(),
        expected
    );
}

#[tokio::test]
async fn a_request_can_be_changed_and_the_history_is_not() {
    let hook = Noting {
        request: Some(|request| {
            request.instruction.push_str(" Be brief.");
            request.messages.push(Message::user("Psst."));
        }),
        ..Noting::default()
    };
    let (_, conversation, script) = play([hook]).await;
    for request in script.requests() {
        assert!(request.instruction.ends_with("Be brief."));
        assert_eq!(
            request.messages.last().expect("a message").content(),
            "Psst."
        );
    }
    assert!(
        conversation
            .messages()
            .iter()
            .all(|said| said.content() != "Psst.")
    );
}

#[tokio::test]
async fn an_answer_can_be_changed() {
    let hook = Noting {
        reply: Some(|reply| {
            if let [Part::Text(text)] = reply.parts.as_mut_slice() {
                text.push_str(" (checked)");
            }
        }),
        ..Noting::default()
    };
    let (response, conversation, _) = play([hook]).await;
    assert_eq!(response.expect("an answer").content, "Done. (checked)");
    let last = conversation.messages().last().expect("an answer");
    assert_eq!(last.content(), "Done. (checked)");
}

#[tokio::test]
async fn arguments_can_be_changed_and_are_validated_then() {
    let changed = Noting {
        call: Some(|_, arguments| {
            *arguments = json!({"personName": "Bob"}).to_string();
            ToolVerdict::Call
        }),
        ..Noting::default()
    };
    let (response, conversation, _) = play([changed]).await;
    let used = &response.expect("an answer").tools_used[0];
    assert_eq!(used.args, json!({"personName": "Bob"}));
    assert!(
        used.result
            .as_ref()
            .is_ok_and(|text| text.to_string().contains("Bob"))
    );
    // The history keeps what the model said.
    assert_eq!(conversation.messages()[1].tool_calls()[0].args(), ada());

    let broken = Noting {
        call: Some(|_, arguments| {
            *arguments = json!({"personName": 7}).to_string();
            ToolVerdict::Call
        }),
        ..Noting::default()
    };
    let (response, ..) = play([broken]).await;
    let used = &response.expect("an answer").tools_used[0];
    assert!(
        matches!(used.result, Err(ToolError::Validation(_))),
        "{used:?}"
    );
}

/// A hook sees what the hooks before made of the arguments, and beside it the call as it was.
#[tokio::test]
async fn each_hook_gets_the_arguments_of_the_hook_before() {
    let first = Noting {
        call: Some(|_, arguments| {
            *arguments = json!({"personName": "Bob"}).to_string();
            ToolVerdict::Call
        }),
        ..Noting::default()
    };
    let second = Noting {
        call: Some(|call, arguments| {
            assert_eq!(call.args(), ada());
            *arguments = arguments.replace("Bob", "Bob and Eve");
            ToolVerdict::Call
        }),
        ..Noting::default()
    };
    let (response, ..) = play([first, second]).await;
    let used = &response.expect("an answer").tools_used[0];
    assert_eq!(used.args, json!({"personName": "Bob and Eve"}));
}

#[tokio::test]
async fn a_call_can_be_answered_in_place_of_the_tool() {
    let cached = Noting {
        call: Some(|_, _| ToolVerdict::Answer(Ok("from the cache".into()))),
        ..Noting::default()
    };
    let (response, ..) = play([cached]).await;
    let used = &response.expect("an answer").tools_used[0];
    assert_eq!(used.result, Ok("from the cache".into()));
}

#[tokio::test]
async fn a_result_can_be_changed() {
    let masked = Noting {
        result: Some(|result| *result = Ok("[hidden]".into())),
        ..Noting::default()
    };
    let (_, conversation, _) = play([masked]).await;
    assert_eq!(crate::support::results(&conversation)[0].1, "[hidden]");
}

/// The agent declares what the tool gives, and nobody gives the model anything else.
#[tokio::test]
async fn rejects_a_result_of_another_type_also_from_a_hook() {
    let answers = Noting {
        call: Some(|_, _| ToolVerdict::Answer(Ok(json!(7)))),
        ..Noting::default()
    };
    let changes = Noting {
        result: Some(|result| *result = Ok(json!(["x"]))),
        ..Noting::default()
    };
    for hook in [answers, changes] {
        let (response, ..) = play([hook]).await;
        let used = &response.expect("an answer").tools_used[0];
        assert!(
            matches!(used.result, Err(ToolError::Validation(_))),
            "{used:?}"
        );
    }
}

#[tokio::test]
async fn a_hook_can_stop_the_run_anywhere() {
    for place in ["before model", "after model", "before tool", "after tool"] {
        let hook = Noting {
            stops_at: place,
            ..Noting::default()
        };
        let (response, conversation, _) = play([hook]).await;
        let error = response.expect_err("the run was stopped");
        assert!(error.is_cancelled(), "{error}");
        assert_eq!(
            error.to_string(),
            format!("a hook stopped the run: enough, {place}")
        );
        // An input that nothing answered is taken back.
        assert_eq!(conversation.messages().is_empty(), place == "before model");
    }
}

/// Stops the run after the call `a`.
struct StopsAfterTheFirst;

impl Hook for StopsAfterTheFirst {
    fn after_tool<'a>(
        &'a self,
        _run: &'a RunContext,
        call: &'a PendingCall,
        _: &'a mut Result<Value, ToolError>,
    ) -> HookFuture<'a> {
        let stop = (call.id == "a").then(|| StopRun::new("enough"));
        Box::pin(async move { stop.map_or(Ok(()), Err) })
    }
}

/// The history must show the calls that were made.
#[tokio::test]
async fn calls_that_ended_with_the_one_after_which_a_hook_stopped_the_run_keep_their_results() {
    let count = Arc::new(Mutex::new(0));
    let counts = {
        let count = Arc::clone(&count);
        crate::support::tool("counts", move |_| {
            let mut count = count.lock().expect("no panic");
            *count += 1;
            let done = json!(*count);
            async move { Ok(done) }
        })
    };
    let list = [
        ("a", "counts", "{}"),
        ("b", "counts", "{}"),
        ("c", "counts", "{}"),
    ];
    let builder = Runtime::builder().model(Scripted::new([calls(&list)]));
    let runtime = builder.hook(StopsAfterTheFirst).build().expect("a runtime");
    let mut conversation = Conversation::new();
    let agent = crate::support::agent([crate::support::spec("counts")]);
    let error = runtime
        .execute(&agent, "Hi", &mut conversation, &library([counts]))
        .await
        .expect_err("stopped");
    assert!(error.is_cancelled(), "{error}");
    let results = crate::support::results(&conversation);
    let succeeded = results.iter().filter(|(.., is_error)| !is_error).count();
    assert_eq!(succeeded, *count.lock().expect("no panic"), "{results:?}");
    assert_eq!(succeeded, 3);
}

/// Panics in one method, in place of a future or in it.
struct Panicking {
    place: &'static str,
    in_future: bool,
}

impl Panicking {
    fn at<T: Default + Send + 'static>(&self, place: &str) -> HookFuture<'static, T> {
        let (panics, in_future) = (self.place == place, self.in_future);
        let panic = || panic!("out of paper, key sk-very-secret-0123456789");
        if panics && !in_future {
            panic();
        }
        Box::pin(async move {
            tokio::task::yield_now().await;
            if panics {
                panic();
            }
            Ok(T::default())
        })
    }
}

impl Hook for Panicking {
    fn before_model<'a>(&'a self, _: &'a RunContext, _: &'a mut ModelRequest) -> HookFuture<'a> {
        self.at("before_model")
    }

    fn after_model<'a>(
        &'a self,
        _: &'a RunContext,
        _: &'a ModelRequest,
        _: &'a mut ModelReply,
    ) -> HookFuture<'a> {
        self.at("after_model")
    }

    fn before_tool<'a>(
        &'a self,
        _: &'a RunContext,
        _: &'a PendingCall,
        _: &'a mut String,
    ) -> HookFuture<'a, ToolVerdict> {
        let panics = self.at::<()>("before_tool");
        Box::pin(async move { panics.await.map(|()| ToolVerdict::Call) })
    }

    fn after_tool<'a>(
        &'a self,
        _: &'a RunContext,
        _: &'a PendingCall,
        _: &'a mut Result<Value, ToolError>,
    ) -> HookFuture<'a> {
        self.at("after_tool")
    }
}

#[tokio::test]
async fn a_panic_in_a_hook_is_an_error_of_the_run() {
    for place in ["before_model", "after_model", "before_tool", "after_tool"] {
        for in_future in [false, true] {
            let script = Scripted::new([
                calls(&[("a", "sayHello", &ada().to_string())]),
                ModelReply::text("Done."),
            ]);
            let runtime = Runtime::builder()
                .model(script)
                .secret("sk-very-secret-0123456789")
                .hook(Panicking { place, in_future })
                .build()
                .expect("a runtime");
            let (agent, library) = (greeter(), library([hello_tool()]));
            let mut conversation = Conversation::new();
            let error = runtime
                .execute(&agent, "Hello", &mut conversation, &library)
                .await
                .expect_err("a hook panicked");
            assert!(error.is_panic() && !error.is_cancelled(), "{error:?}");
            assert_eq!(error.kind_name(), "panic");
            let expected = format!("a hook panicked in `{place}`: out of paper, key [key]");
            assert_eq!(error.to_string(), expected);
            // The run stays valid: what was done is kept, and the conversation goes on.
            conversation.check().expect("a valid history");
            assert_eq!(conversation.is_empty(), place == "before_model");
            let model = Scripted::new([ModelReply::text("Again.")]);
            let response = Runtime::with_model(model)
                .execute(&agent, "Again?", &mut conversation, &library)
                .await;
            assert_eq!(response.expect("an answer").content, "Again.");
        }
    }
}

/// A call that ran keeps its result, and a saved run its error.
#[tokio::test]
async fn a_run_after_a_panic_in_a_hook_can_be_saved() {
    let script = Scripted::new([calls(&[("a", "sayHello", &ada().to_string())])]);
    let hook = Panicking {
        place: "after_tool",
        in_future: true,
    };
    let builder = Runtime::builder().model(script).hook(hook);
    let runtime = builder.build().expect("a runtime");
    let (agent, library) = (greeter(), library([hello_tool()]));
    let run = runtime.run(&agent, "Hello").tools(&library).start();
    let mut run = run.expect("a run");
    let driven = runtime.resume(&mut run).tools(&library).await;
    assert!(driven.expect_err("a hook panicked").is_panic());
    assert!(run.is_over());
    let (_, text, is_error) = crate::support::results(&run.conversation()).remove(0);
    assert!(text.contains("Hello, Ada") && !is_error, "{text}");
    let saved = runtime.read_run(&run.to_json(), &library);
    let error = saved.expect("its own form").next();
    assert!(error.expect_err("it has failed").is_panic());
}
