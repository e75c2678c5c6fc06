//! What a run writes into traces: names after the OpenTelemetry conventions, and no content.

mod support;

use agent_runtime::{Conversation, ModelReply, Runtime, Scripted, ToolError, Usage};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use support::{calls, config, greeter, hello_tool, library};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<Span>>>);

#[derive(Clone, Debug, Default)]
struct Span {
    name: &'static str,
    fields: BTreeMap<&'static str, String>,
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
            let mut span = Span::default();
            event.record(&mut Fields(&mut span.fields));
            spans.push(span);
        });
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn spans_have_their_names_and_no_content() {
    let recorder = Recorder::default();
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    tracing::subscriber::with_default(recorder.clone(), || {
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
        tokio.block_on(run).expect("an answer");
    });
    let spans = recorder.with(|spans| spans.clone());
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
