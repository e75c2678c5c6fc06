//! The export of runs to a collector, over OTLP/HTTP on a socket.

#[path = "../../../agent-runtime/tests/support/mod.rs"]
mod support;

mod collector;
mod program;
mod recorded;
mod run;
mod tls;
mod trouble;

use agent_otel::{Otel, OtelSettings};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::{Conversation, Environment, Runtime, ToolLibrary};
use collector::ReceivedSpan;
use serde_json::{Value, json};
use support::{calls, library, spec, tool};
use tracing_subscriber::layer::SubscriberExt;

const KEY: &str = "sk-test-1234567890";

fn settings(url: &str) -> OtelSettings {
    OtelSettings::new()
        .environment(Environment::empty())
        .endpoint(url)
}

/// Traces the work, exports it, and ends the export.
fn exported<T>(settings: OtelSettings, work: impl Future<Output = T>) -> T {
    let otel = Otel::start(settings).expect("settings that make sense");
    let done = traced(&otel, work);
    otel.shutdown().expect("a collector that takes it");
    done
}

fn traced<T>(otel: &Otel, work: impl Future<Output = T>) -> T {
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let subscriber = tracing_subscriber::registry().with(otel.layer());
    let done = tracing::subscriber::with_default(subscriber, || tokio.block_on(work));
    tokio.shutdown_background();
    done
}

fn named<'a>(spans: &'a [ReceivedSpan], name: &str) -> Vec<&'a ReceivedSpan> {
    spans.iter().filter(|seen| seen.span.name == name).collect()
}

#[track_caller]
fn one<'a>(spans: &'a [ReceivedSpan], name: &str) -> &'a ReceivedSpan {
    match named(spans, name)[..] {
        [one] => one,
        ref found => {
            let all: Vec<&str> = spans.iter().map(|seen| &*seen.span.name).collect();
            panic!("{} spans of {all:?} are called {name}", found.len())
        }
    }
}

#[track_caller]
fn has(seen: &ReceivedSpan, attributes: Value) {
    for (key, value) in attributes.as_object().expect("an object") {
        assert_eq!(seen.attributes.get(key), Some(value), "{key}");
    }
}

/// Runs an agent with a scripted model: one call of `tool`, then an answer.
async fn scripted(
    tool: &'static str,
    library: &ToolLibrary,
    build: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder,
) {
    let model = Scripted::new([calls(&[("a", tool, "{}")]), ModelReply::text("Done.")]);
    let runtime = build(Runtime::builder().model(model)).build();
    let (runtime, agent) = (runtime.expect("a runtime"), support::agent([spec(tool)]));
    let mut conversation = Conversation::new();
    let run = runtime.execute(&agent, "Hi", &mut conversation, library);
    run.await.expect("an answer");
}

fn quick() -> ToolLibrary {
    library([tool("quick", |_| async { Ok(json!("done")) })])
}
