//! The builder of a run.

use crate::support::{agent, calls, config, greeter, hello_tool, library, spec};
use agent_runtime::hook::{HookFuture, RunContext};
use agent_runtime::model::{ModelReply, ModelRequest, Scripted};
use agent_runtime::run::UsageLimits;
use agent_runtime::runtime::RunStream;
use agent_runtime::spec::AgentPattern;
use agent_runtime::{Agent, Cancellation, Conversation, Event, Grants, Hook, Runtime};
use std::sync::{Arc, Mutex};

/// Builds a run whose builder, library and agent are gone when it is polled, as in an HTTP handler.
fn handler(runtime: &Runtime) -> RunStream<'static> {
    let (agent, library) = (greeter(), library([hello_tool()]));
    let input = String::from("Hello, I'm Ada");
    runtime.run(agent, input).tools(&library).stream()
}

#[tokio::test]
async fn a_run_without_borrows_can_be_spawned() {
    let runtime = Runtime::offline();
    let (agent, library) = (greeter(), library([hello_tool()]));
    let run = runtime.run(&agent, "Hello, I'm Ada").tools(&library);
    drop((agent, library));
    let response = tokio::spawn(run.into_future()).await.expect("no panic");
    assert!(response.expect("an answer").content.contains("Ada"));
}

#[tokio::test]
async fn a_stream_without_borrows_can_be_returned_and_spawned() {
    let mut events = handler(&Runtime::offline());
    let last = tokio::spawn(async move {
        let mut last = None;
        while let Some(event) = events.next().await {
            last = Some(event.expect("no error"));
        }
        last
    });
    let last = last.await.expect("no panic");
    assert!(matches!(last, Some(Event::Finished { .. })), "{last:?}");
}

#[tokio::test]
async fn takes_agents_and_patterns_by_value_and_by_reference() {
    let runtime = Runtime::with_model(Scripted::new((0..4).map(|_| ModelReply::text("Hi."))));
    let agent = Agent::new("a", "Scripted/any", "Help.").expect("an agent");
    let pattern = agent.to_pattern();
    assert!(runtime.run(&agent, "Hi").await.is_ok());
    assert!(runtime.run(agent, "Hi").await.is_ok());
    assert!(runtime.run(&pattern, "Hi").await.is_ok());
    assert!(runtime.run(pattern, String::from("Hi")).await.is_ok());
    let error = runtime.run(AgentPattern::new("half"), "Hi").await;
    assert!(error.expect_err("it has no model").is_validation());
}

/// Records what hooks see of a run.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<String>>>);

/// A user, given as an extension.
struct User(&'static str);

impl Hook for Recorder {
    fn before_model<'a>(
        &'a self,
        run: &'a RunContext,
        request: &'a mut ModelRequest,
    ) -> HookFuture<'a> {
        assert_eq!(request.conversation_id.as_deref(), run.conversation_id());
        let user = run.extension::<User>().map_or("nobody", |user| user.0);
        let hosts = run.permissions().check_host("a.example", 443).is_ok();
        let conversation = run.conversation_id().unwrap_or("none");
        let (agent, limited) = (
            run.agent().name(),
            *run.usage_limits() != UsageLimits::new(),
        );
        let text = format!("{agent} {user} {hosts} {conversation} {limited}");
        self.0.lock().expect("no panic").push(text);
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test]
async fn hooks_and_tools_see_the_values_of_the_run() {
    let ask = config("ask").build_with_context(|_, context| {
        let user = context.extension::<User>().map_or("nobody", |user| user.0);
        async move { Ok(user.into()) }
    });
    let (agent, library) = (agent([spec("ask")]), library([ask.expect("a tool")]));
    let script = (0..2).flat_map(|_| [calls(&[("", "ask", "{}")]), ModelReply::text("Done.")]);
    let recorder = Recorder::default();
    let runtime = Runtime::builder()
        .model(Scripted::new(script))
        .extension(User("the runtime's"))
        .grants(Grants::new().network("a.example"))
        .hook(recorder.clone())
        .build()
        .expect("a runtime");

    let plain = runtime.run(&agent, "Hi").tools(&library).await;
    let plain = plain.expect("an answer").tools_used.remove(0);
    assert_eq!(plain.result, Ok("the runtime's".into()));
    let own = runtime
        .run(&agent, "Hi")
        .tools(&library)
        .extension(User("Ada"))
        .grants(Grants::new().network("b.example"))
        .usage_limits(UsageLimits::new().requests(5))
        .conversation_id("desk-7")
        .await;
    let own = own.expect("an answer").tools_used.remove(0);
    assert_eq!(own.result, Ok("Ada".into()));
    let seen = recorder.0.lock().expect("no panic");
    assert_eq!(seen[0], "greeter the runtime's true none false");
    assert_eq!(seen[2], "greeter Ada false desk-7 true");
}

#[tokio::test]
async fn grants_of_a_run_never_widen_those_of_the_runtime() {
    let recorder = Recorder::default();
    let runtime = Runtime::builder()
        .model(Scripted::new([ModelReply::text("Done.")]))
        .hook(recorder.clone())
        .build()
        .expect("a runtime");
    let run = runtime
        .run(agent([]), "Hi")
        .grants(Grants::new().network("a.example"));
    run.await.expect("an answer");
    let seen = recorder.0.lock().expect("no panic");
    assert_eq!(seen[0], "greeter nobody false none false");
}

#[tokio::test]
async fn a_cancelled_run_leaves_its_conversation_valid() {
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let mut conversation = Conversation::new();
    let error = Runtime::offline()
        .run(agent([]), "Hi")
        .conversation(&mut conversation)
        .cancellation(cancellation)
        .await;
    assert!(error.expect_err("it is cancelled").is_cancelled());
    conversation.check().expect("a valid conversation");
}
