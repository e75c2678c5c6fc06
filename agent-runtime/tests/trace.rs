//! What a run writes into traces: names after the OpenTelemetry conventions, and no content.

mod support;

use agent_runtime::{
    Conversation, ModelReply, Runtime, Scripted, ToolContext, ToolError, Usage, invoke_tool,
};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use support::{calls, config, greeter, hello_tool, library};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_core::span::Current;

#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<Span>>>);

#[derive(Clone, Debug, Default)]
struct Span {
    name: &'static str,
    /// Of events only.
    target: String,
    level: Option<Level>,
    fields: BTreeMap<&'static str, String>,
    /// The threads on which it was entered.
    threads: Vec<ThreadId>,
    /// How often it was entered and not yet left.
    depth: usize,
    metadata: Option<&'static Metadata<'static>>,
}

struct Fields<'a>(&'a mut BTreeMap<&'static str, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}

impl Recorder {
    fn with<T>(&self, act: impl FnOnce(&mut Vec<Span>) -> T) -> T {
        act(&mut self.0.lock().expect("no panic"))
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("agent_runtime")
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        self.with(|spans| {
            let mut span = Span {
                name: attributes.metadata().name(),
                metadata: Some(attributes.metadata()),
                ..Span::default()
            };
            attributes.record(&mut Fields(&mut span.fields));
            spans.push(span);
            Id::from_u64(spans.len() as u64)
        })
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        self.with(|spans| {
            let at = usize::try_from(id.into_u64()).expect("small") - 1;
            values.record(&mut Fields(&mut spans[at].fields));
        });
    }

    fn event(&self, event: &Event<'_>) {
        self.with(|spans| {
            let mut span = Span {
                target: event.metadata().target().to_owned(),
                level: Some(*event.metadata().level()),
                ..Span::default()
            };
            event.record(&mut Fields(&mut span.fields));
            spans.push(span);
        });
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, id: &Id) {
        self.with(|spans| {
            let at = usize::try_from(id.into_u64()).expect("small") - 1;
            spans[at].threads.push(std::thread::current().id());
            spans[at].depth += 1;
        });
    }

    fn exit(&self, id: &Id) {
        self.with(|spans| {
            let at = usize::try_from(id.into_u64()).expect("small") - 1;
            spans[at].depth -= 1;
        });
    }

    /// Good enough here: the newest span that is entered is the innermost.
    fn current_span(&self) -> Current {
        self.with(|spans| {
            let Some(at) = spans.iter().rposition(|span| span.depth > 0) else {
                return Current::none();
            };
            let metadata = spans[at].metadata.expect("a span");
            Current::new(Id::from_u64(at as u64 + 1), metadata)
        })
    }
}

/// What is recorded while a future runs: spans and events in their order.
fn recorded<T>(work: impl Future<Output = T>) -> Vec<Span> {
    let recorder = Recorder::default();
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    tracing::subscriber::with_default(recorder.clone(), || tokio.block_on(work));
    recorder.with(|spans| spans.clone())
}

/// The events that hold a text, as target and level.
fn telling<'a>(spans: &'a [Span], text: &str) -> Vec<(&'a str, Option<Level>)> {
    spans
        .iter()
        .filter(|span| span.fields.values().any(|value| value.contains(text)))
        .map(|span| (span.target.as_str(), span.level))
        .collect()
}

#[test]
fn the_text_of_a_panic_is_content() {
    let spans = recorded(async {
        let bad = config("bad").build(|_| async { panic!("the secret is 7") });
        let bad = bad.expect("a tool");
        let result = invoke_tool(&bad, "{}", &ToolContext::detached()).await;
        assert!(result.is_err());
    });
    let wire = ("agent_runtime::wire", Some(Level::TRACE));
    assert_eq!(telling(&spans, "secret"), [wire]);
    let told = spans.iter().find(|span| span.level == Some(Level::ERROR));
    assert_eq!(told.expect("an event").fields["tool"], "\"bad\"");
}

#[cfg(feature = "http")]
#[test]
fn what_is_sent_is_traced_without_key_and_query() {
    use support::server::{Server, text};

    const KEY: &str = "sk-test-1234567890";
    let server = Server::start(vec![text("Hi.")]);
    let spans = recorded(async {
        let runtime = Runtime::builder()
            .environment(agent_runtime::Environment::empty())
            .base_url(format!("{}?token=hush", server.base_url()))
            .api_key(KEY)
            .build()
            .expect("a runtime");
        let mut conversation = Conversation::new();
        let input = format!("My key is {KEY}, and my dog is Rex.");
        let (agent, library) = (greeter(), library([hello_tool()]));
        let run = runtime.execute(&agent, &input, &mut conversation, &library);
        run.await.expect("an answer");
    });
    assert!(server.requests()[0].line.contains("token=hush"));
    let wire = ("agent_runtime::wire", Some(Level::TRACE));
    assert_eq!(telling(&spans, "Rex"), [wire]);
    assert_eq!(telling(&spans, KEY), []);
    assert_eq!(telling(&spans, "hush"), []);
}

#[test]
fn spans_have_their_names_and_no_content() {
    let spans = recorded(async {
        let bad = config("bad");
        let bad = bad.build(|_| async { Err(ToolError::Execution("secret".into())) });
        let library = library([hello_tool(), bad.expect("a tool")]);
        let agent = greeter().with_tool(support::spec("bad")).expect("an agent");
        let model = Scripted::new([
            calls(&[
                ("a", "sayHello", r#"{"personName":"secret","secret2":1}"#),
                ("b", "bad", "{}"),
            ])
            .with_usage(Usage::of_request(11, 5)),
            ModelReply::text("secret"),
        ]);
        let runtime = Runtime::with_model(model);
        let mut conversation = Conversation::new();
        let run = runtime.execute(&agent, "secret", &mut conversation, &library);
        run.await.expect("an answer");
    });
    assert!(
        spans
            .iter()
            .all(|span| !span.fields.contains_key("gen_ai.conversation.id"))
    );
    let names: Vec<_> = spans
        .iter()
        .map(|span| span.name)
        .filter(|name| !name.is_empty())
        .collect();
    assert_eq!(
        names,
        [
            "invoke_agent",
            "chat",
            "execute_tool",
            "execute_tool",
            "chat"
        ]
    );
    let find = |name: &str, key: &str| {
        let span = spans
            .iter()
            .rfind(|span| span.name == name)
            .expect("the span");
        span.fields.get(key).cloned().unwrap_or_default()
    };
    for (span, key, value) in [
        ("invoke_agent", "otel.name", "invoke_agent greeter"),
        ("invoke_agent", "gen_ai.agent.name", "\"greeter\""),
        ("invoke_agent", "gen_ai.operation.name", "\"invoke_agent\""),
        ("invoke_agent", "gen_ai.aggregated_usage.input_tokens", "11"),
        ("chat", "gen_ai.request.model", "\"gpt-4o-mini\""),
        ("chat", "gen_ai.provider.name", "\"scripted\""),
        ("chat", "gen_ai.response.finish_reasons", "[\"stop\"]"),
        ("execute_tool", "gen_ai.tool.name", "\"bad\""),
        ("execute_tool", "gen_ai.tool.call.id", "\"b\""),
        ("execute_tool", "error.type", "\"execution\""),
    ] {
        assert_eq!(find(span, key), value, "{span} {key}");
    }
    for span in &spans {
        for (key, value) in &span.fields {
            assert!(
                !value.contains("secret") || *key == "argument",
                "{key}: {value}"
            );
        }
    }
}

/// Does something.
#[agent_runtime::tool]
fn elsewhere() -> serde_json::Value {
    serde_json::Value::Null
}

#[test]
fn a_tool_on_a_thread_is_within_the_span_of_its_call() {
    let recorder = Recorder::default();
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    tracing::subscriber::with_default(recorder.clone(), || {
        let agent = support::agent([support::spec("elsewhere")]);
        let library = agent_runtime::tools![elsewhere];
        let model = Scripted::new([
            calls(&[("a", "elsewhere", "{}")]),
            ModelReply::text("Done."),
        ]);
        let runtime = Runtime::with_model(model);
        let mut conversation = Conversation::new();
        let run = runtime.execute(&agent, "Hi", &mut conversation, &library);
        tokio.block_on(run).expect("an answer");
    });
    let here = std::thread::current().id();
    let spans = recorder.with(|spans| spans.clone());
    let call = spans.iter().find(|span| span.name == "execute_tool");
    let threads = &call.expect("the span").threads;
    assert!(threads.iter().any(|thread| *thread != here));
}
