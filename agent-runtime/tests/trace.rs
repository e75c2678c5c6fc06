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
        ("execute_tool", "otel.status_code", "\"ERROR\""),
        ("execute_tool", "agent_runtime.tool.attempt", "1"),
        ("invoke_agent", "agent_runtime.run.requests", "2"),
        ("invoke_agent", "agent_runtime.run.tool_calls", "2"),
        ("invoke_agent", "agent_runtime.run.failed_tool_calls", "1"),
        ("chat", "gen_ai.request.stream", "false"),
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

/// The span of this name that has this value of an attribute.
fn one<'a>(spans: &'a [Span], name: &str, key: &str, value: &str) -> &'a Span {
    let mut found = spans
        .iter()
        .filter(|span| span.name == name && span.fields.get(key).is_some_and(|is| is == value));
    let one = found.next().expect("such a span");
    assert!(found.next().is_none(), "two of {name} with {key} {value}");
    one
}

#[test]
fn each_attempt_at_a_tool_is_counted() {
    let spans = recorded(async {
        let agent = support::agent([support::spec("bad")]);
        let bad = support::tool("bad", |_| async { Err(ToolError::Execution("no".into())) });
        let model = Scripted::new([
            calls(&[("a", "bad", "{}")]),
            calls(&[("b", "bad", "{}"), ("c", "none", "{}")]),
            ModelReply::text("I give up."),
        ]);
        let runtime = Runtime::with_model(model);
        let (mut conversation, library) = (Conversation::new(), library([bad]));
        let run = runtime.execute(&agent, "Hi", &mut conversation, &library);
        run.await.expect("an answer");
    });
    for (id, attempt) in [("\"a\"", "1"), ("\"b\"", "2")] {
        let span = one(&spans, "execute_tool", "gen_ai.tool.call.id", id);
        assert_eq!(span.fields["agent_runtime.tool.attempt"], attempt);
    }
    // Also of a call that was never made, and so has no span.
    let told: Vec<_> = spans
        .iter()
        .filter(|event| event.level == Some(Level::DEBUG))
        .filter(|event| event.fields["message"] == "a call was answered")
        .map(|event| {
            let [tool, attempt, error] = [
                "gen_ai.tool.name",
                "agent_runtime.tool.attempt",
                "error.type",
            ]
            .map(|key| event.fields[key].as_str());
            (tool, attempt, error)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("\"bad\"", "1", "\"execution\""),
            ("\"bad\"", "2", "\"execution\""),
            ("\"none\"", "1", "\"execution\""),
        ]
    );
}

#[test]
fn a_run_that_is_dropped_is_cancelled_in_its_trace() {
    let spans = recorded(async {
        let agent = support::agent([support::spec("slow")]);
        let slow = support::tool("slow", |_| std::future::pending());
        let runtime = Runtime::with_model(Scripted::new([calls(&[("a", "slow", "{}")])]));
        let (mut conversation, library) = (Conversation::new(), library([slow]));
        let run = runtime.execute(&agent, "Hi", &mut conversation, &library);
        let moment = std::time::Duration::from_millis(20);
        assert!(tokio::time::timeout(moment, run).await.is_err());
    });
    for name in ["invoke_agent", "execute_tool"] {
        let span = one(&spans, name, "error.type", "\"cancelled\"");
        let seconds: f64 = span.fields["agent_runtime.duration"].parse().expect("f64");
        assert!((0.01..1.0).contains(&seconds), "{name} took {seconds}");
    }
}

#[cfg(feature = "http")]
mod over_http {
    use super::*;
    use agent_runtime::{Environment, ExecuteOptions, RuntimeBuilder};
    use support::server::{Answer, Server, status, streamed, text};

    const KEY: &str = "sk-test-1234567890";

    fn runtime(server: &Server) -> RuntimeBuilder {
        Runtime::builder()
            .environment(Environment::empty())
            .base_url(server.base_url())
            .api_key(KEY)
            .retry_pause(std::time::Duration::from_millis(1))
    }

    fn traced(
        answers: Vec<Answer>,
        build: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder,
        options: ExecuteOptions<'_>,
    ) -> (Vec<Span>, u16) {
        let server = Server::start(answers);
        let spans = recorded(async {
            let runtime = build(runtime(&server)).build().expect("a runtime");
            let document = r#"[greeter:Agent {model: "OpenAI/gpt-4o-mini", instruction: "Greet.",
                temperature: 0.5, maxTokens: 50, stop: ["END", "STOP"], reasoningEffort: "low"}]"#;
            let agent = agent_runtime::AgentPattern::parse(document).expect("an agent");
            let mut conversation = Conversation::new();
            let (input, library) = (format!("My key is {KEY}."), library([]));
            let run = runtime.execute_with(&agent, &input, &mut conversation, &library, options);
            let _ = run.await;
        });
        (spans, server.port)
    }

    fn chat(spans: &[Span]) -> &BTreeMap<&'static str, String> {
        let span = spans.iter().find(|span| span.name == "chat");
        &span.expect("the span of the request").fields
    }

    #[test]
    fn a_request_has_all_its_attributes() {
        let busy = status(503, "{}");
        let options = ExecuteOptions::new().conversation_id("talk-7");
        let (spans, port) = traced(vec![busy, text("Hi.")], |builder| builder, options);
        let fields = chat(&spans);
        for (key, value) in [
            ("otel.name", "chat gpt-4o-mini"),
            ("otel.kind", "\"client\""),
            ("gen_ai.provider.name", "\"openai\""),
            ("gen_ai.conversation.id", "\"talk-7\""),
            ("gen_ai.request.temperature", "0.5"),
            ("gen_ai.request.max_tokens", "50"),
            ("gen_ai.request.stop_sequences", r#"["END","STOP"]"#),
            ("gen_ai.request.reasoning.level", "\"low\""),
            ("gen_ai.request.stream", "false"),
            ("server.address", "\"127.0.0.1\""),
            ("server.port", port.to_string().as_str()),
            ("http.request.resend_count", "1"),
            ("gen_ai.response.id", "\"chatcmpl-1\""),
            ("gen_ai.response.model", "\"gpt-4o-mini-2024\""),
            ("gen_ai.response.finish_reasons", "[\"stop\"]"),
            ("gen_ai.usage.input_tokens", "20"),
            ("gen_ai.usage.output_tokens", "5"),
            ("gen_ai.usage.cache_read.input_tokens", "8"),
            ("gen_ai.usage.reasoning.output_tokens", "2"),
        ] {
            assert_eq!(fields.get(key).map(String::as_str), Some(value), "{key}");
        }
        assert!(fields.contains_key("agent_runtime.duration"));
        assert!(!fields.contains_key("gen_ai.response.time_to_first_chunk"));
        // An answer in words is of no type, and what there are for tools is content.
        for absent in [
            "error.type",
            "gen_ai.output.type",
            "gen_ai.tool.definitions",
        ] {
            assert!(!fields.contains_key(absent), "{absent}");
        }
    }

    #[test]
    fn a_streamed_answer_tells_when_it_began() {
        let pieces = concat!(
            "data: {\"id\":\"chatcmpl-2\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi.\"}}]}\n\n",
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
            "data: [DONE]\n\n",
        );
        let answers = vec![streamed("text/event-stream", pieces)];
        let options = ExecuteOptions::new().streaming();
        let (spans, _) = traced(answers, |builder| builder, options);
        let fields = chat(&spans);
        assert_eq!(fields["gen_ai.request.stream"], "true");
        assert_eq!(fields["gen_ai.response.id"], "\"chatcmpl-2\"");
        let [first, all] = [
            "gen_ai.response.time_to_first_chunk",
            "agent_runtime.duration",
        ]
        .map(|key| fields[key].parse::<f64>().expect("seconds"));
        assert!(0.0 < first && first <= all, "{first} of {all}");
    }

    #[test]
    fn a_failed_request_says_its_kind_alone() {
        let refused = status(400, &format!(r#"{{"error":{{"message":"no {KEY}"}}}}"#));
        let (spans, _) = traced(vec![refused], |builder| builder, ExecuteOptions::new());
        assert_eq!(chat(&spans)["error.type"], "\"llm\"");
        assert_eq!(
            telling(&spans, "no [key]").len(),
            1,
            "the body is on the wire"
        );
        assert_eq!(telling(&spans, KEY), []);
    }

    #[test]
    fn content_is_traced_when_asked_for_and_never_the_key() {
        let build = |builder: RuntimeBuilder| builder.trace_content(true);
        let answers = vec![text(&format!("You said {KEY}."))];
        let (spans, _) = traced(answers, build, ExecuteOptions::new());
        let fields = chat(&spans);
        let json = |key: &str| -> serde_json::Value {
            let text: String = serde_json::from_str(&fields[key]).expect("a text");
            serde_json::from_str(&text).expect("JSON")
        };
        assert_eq!(
            json("gen_ai.system_instructions"),
            serde_json::json!([{"type": "text", "content": "Greet."}])
        );
        assert_eq!(
            json("gen_ai.input.messages"),
            serde_json::json!([{"role": "user", "parts": [
                {"type": "text", "content": "My key is [key]."},
            ]}])
        );
        assert_eq!(
            json("gen_ai.output.messages"),
            serde_json::json!([{"role": "assistant", "finish_reason": "stop", "parts": [
                {"type": "text", "content": "You said [key]."},
            ]}])
        );
        assert_eq!(telling(&spans, KEY), []);
    }
}

#[test]
fn what_tools_are_given_and_give_is_traced_when_asked_for() {
    let spans = recorded(async {
        let model = Scripted::new([
            calls(&[("a", "sayHello", r#"{"personName":"Ada"}"#)]),
            ModelReply::text("Done."),
        ]);
        let builder = Runtime::builder().model(model).trace_content(true);
        let runtime = builder.build().expect("a runtime");
        let mut conversation = Conversation::new();
        let (agent, library) = (greeter(), library([hello_tool()]));
        let run = runtime.execute(&agent, "Hi", &mut conversation, &library);
        run.await.expect("an answer");
    });
    let call = one(&spans, "execute_tool", "gen_ai.tool.call.id", "\"a\"");
    let text = |key: &str| serde_json::from_str::<String>(&call.fields[key]).expect("a text");
    assert_eq!(
        text("gen_ai.tool.call.arguments"),
        r#"{"personName":"Ada"}"#
    );
    assert_eq!(
        text("gen_ai.tool.call.result"),
        r#""Hello, Ada! Nice to meet you.""#
    );
    let last = spans.iter().rfind(|span| span.name == "chat");
    let input = &last.expect("the second request").fields["gen_ai.input.messages"];
    let input: String = serde_json::from_str(input).expect("a text");
    let input: serde_json::Value = serde_json::from_str(&input).expect("JSON");
    assert_eq!(
        input[1]["parts"][0],
        serde_json::json!({"type": "tool_call", "id": "a", "name": "sayHello",
            "arguments": {"personName": "Ada"}})
    );
    let tools = &last.expect("the second request").fields["gen_ai.tool.definitions"];
    let tools: String = serde_json::from_str(tools).expect("a text");
    let tools: serde_json::Value = serde_json::from_str(&tools).expect("JSON");
    assert_eq!(tools[0]["type"], "function");
    assert_eq!(tools[0]["name"], "sayHello");
    assert_eq!(tools[0]["description"], support::GREETING);
    let parameters = &tools[0]["parameters"]["properties"]["personName"];
    assert_eq!(parameters["type"], "string");
    assert_eq!(input[2]["role"], "tool");
    assert_eq!(input[2]["parts"][0]["type"], "tool_call_response");
}

#[test]
fn an_answer_of_a_type_is_asked_for_as_json() {
    let spans = recorded(async {
        let given = calls(&[("a", "finalAnswer", r#"{"answer": 7}"#)]);
        let runtime = Runtime::with_model(Scripted::new([given]));
        let mut conversation = Conversation::new();
        let (agent, library) = (greeter(), library([hello_tool()]));
        let run = runtime.execute_as::<u8, _>(&agent, "Hi", &mut conversation, &library);
        assert_eq!(run.await.expect("an answer").value, 7);
    });
    for name in ["invoke_agent", "chat"] {
        let span = one(&spans, name, "gen_ai.output.type", "\"json\"");
        // The choice of a tool has no name in the conventions.
        assert!(span.fields.keys().all(|key| !key.contains("tool_choice")));
    }
}

/// What is replayed is traced as what was recorded.
#[cfg(feature = "testing")]
#[test]
fn a_replay_is_traced_under_the_provider_that_was_recorded() {
    use agent_runtime::testing::Cassette;
    use agent_runtime::{Environment, Model, RuntimeBuilder};

    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("traced.json");
    let agent = |model: &str| support::agent([]).with_model(Model::parse(model).expect("a model"));
    let providers = |model: &str, build: &dyn Fn(RuntimeBuilder) -> RuntimeBuilder| {
        let spans = recorded(async {
            let builder = Runtime::builder().environment(Environment::empty());
            let runtime = build(builder).build().expect("a runtime");
            let mut conversation = Conversation::new();
            let agent = agent(model);
            let run = runtime.execute_agent(&agent, "Hi", &mut conversation);
            run.await.expect("an answer");
        });
        ["invoke_agent", "chat"].map(|name| {
            let span = spans.iter().find(|span| span.name == name);
            span.expect(name).fields["gen_ai.provider.name"].clone()
        })
    };
    let mine = || Scripted::new([ModelReply::text("Hi.")]);
    for (model, expected) in [
        ("OpenAI/one", "\"openai\""),
        ("Google/one", "\"gcp.gemini\""),
        // Nobody says what this one is.
        ("Acme/one", "\"cassette\""),
    ] {
        let name = model.split('/').next().expect("a name");
        let record = |builder: RuntimeBuilder| {
            let builder = builder.cassette(Cassette::record(&path));
            builder.provider(name, mine())
        };
        let replay = |builder: RuntimeBuilder| builder.cassette(Cassette::replay(&path));
        let as_model = |builder: RuntimeBuilder| builder.model(Cassette::replay(&path));
        assert_eq!(providers(model, &record), ["\"scripted\""; 2]);
        assert_eq!(providers(model, &replay), [expected; 2]);
        assert_eq!(providers(model, &as_model), [expected; 2]);
        // A program that registers the provider when it replays, too, has it under its own name.
        let both = |builder: RuntimeBuilder| replay(builder).provider(name, mine());
        assert_eq!(providers(model, &both), ["\"scripted\""; 2]);
    }
}
