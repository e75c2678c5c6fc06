//! A runtime without tokio, or with a tokio that lacks timers.

use crate::support::{greeter, hello_tool, library};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::{Conversation, Error, Runtime, ToolContext};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Polls a future without tokio, once: nothing would wake it.
fn poll<T>(work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("it waits"),
    }
}

fn check(error: &Error) {
    assert!(error.is_configuration(), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains("no tokio runtime") && text.contains("`#[tokio::main]`"),
        "{text}"
    );
}

#[test]
fn a_runtime_outside_tokio_tells_what_to_do() {
    let (runtime, agent) = (Runtime::offline(), greeter());
    let library = library([hello_tool()]);
    let mut conversation = Conversation::new();
    let run = runtime.execute(&agent, "Hello", &mut conversation, &library);
    check(&poll(run).expect_err("no tokio"));
    assert!(conversation.is_empty());

    let mut stream = runtime.run(&agent, "Hello").tools(&library).stream();
    let last = poll(stream.next()).expect("an item");
    assert!(last.expect("an event").is_last());
    let item = poll(stream.next()).expect("an item");
    check(&item.expect_err("no tokio"));
    assert!(poll(stream.next()).is_none());
}

#[test]
fn a_tool_outside_tokio_tells_what_to_do() {
    let (tool, context) = (hello_tool(), ToolContext::detached());
    let call = agent_runtime::tool::invoke_tool(&tool, "{}", &context);
    let error = poll(call).expect_err("no tokio");
    assert!(error.to_string().contains("no tokio runtime"), "{error}");
}

/// The documentation of `Runtime` says so.
#[test]
fn tokios_own_text_names_enable_time() {
    let without_time = tokio::runtime::Builder::new_current_thread().build();
    let without_time = without_time.expect("a tokio runtime");
    let runtime = Runtime::with_model(Scripted::new([ModelReply::text("Hi.")]));
    let (agent, library) = (greeter(), library([hello_tool()]));
    let run = agent_runtime::tool::catch_panic(async {
        let run = runtime.run(&agent, "Hello").tools(&library);
        run.await
    });
    let panic = without_time.block_on(run).expect_err("tokio panics");
    assert!(panic.contains("enable_time"), "{panic}");
}
