//! What a collector receives of runs, over OTLP/HTTP on a socket.
#![cfg(feature = "otel")]

mod support;

use agent_runtime::otel::{Otel, OtelSettings};
use agent_runtime::{
    Conversation, Environment, ExecuteOptions, ModelReply, Runtime, RuntimeBuilder, Scripted,
    ToolConfig, ToolError, ToolLibrary,
};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::time::{Duration, Instant};
use support::collector::{Collector, Seen, Series};
use support::server::{Answer, Server, status, streamed};
use support::{calls, hello_spec, library, spec, tool};
use tracing_subscriber::layer::SubscriberExt;

const KEY: &str = "sk-test-1234567890";

fn settings(url: &str) -> OtelSettings {
    OtelSettings::new()
        .environment(Environment::empty())
        .endpoint(url)
}

/// Does work that is traced, exports it, and ends the export.
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

/// A library whose tool `bad` fails, and whose tool `sayHello` does not; both take a while.
fn tools() -> ToolLibrary {
    const WHILE: Duration = Duration::from_millis(20);
    let hello = ToolConfig::with_signature(
        "sayHello",
        support::GREETING,
        "(personName::Text)==>(::String)",
    );
    let hello = hello.build(|arguments| async move {
        tokio::time::sleep(WHILE).await;
        Ok(arguments["personName"].clone())
    });
    let bad = tool("bad", |_| async {
        tokio::time::sleep(WHILE).await;
        Err(ToolError::Execution("the vault is empty".into()))
    });
    library([hello.expect("a tool"), bad])
}

fn plain_answers() -> Vec<Answer> {
    let called = json!({
        "id": "chatcmpl-1", "model": "gpt-4o-mini-2024",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": null, "tool_calls": [
                {"id": "a", "type": "function",
                    "function": {"name": "sayHello", "arguments": "{\"personName\":\"Ada\"}"}},
                {"id": "b", "type": "function", "function": {"name": "bad", "arguments": "{}"}},
            ],
        }}],
        "usage": {"prompt_tokens": 30, "completion_tokens": 9},
    });
    vec![
        status(200, &called.to_string()),
        support::server::text("Done."),
    ]
}

fn streamed_answers() -> Vec<Answer> {
    let events = |chunks: &[Value]| {
        let mut text = String::new();
        for chunk in chunks {
            text.push_str(&format!("data: {chunk}\n\n"));
        }
        streamed("text/event-stream", text + "data: [DONE]\n\n")
    };
    let delta = |delta: Value| {
        json!({"id": "chatcmpl-1", "model": "gpt-4o-mini-2024",
        "choices": [{"index": 0, "delta": delta}]})
    };
    let end =
        |reason: &str| json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
    let usage = |input: u32, output: u32| {
        json!({"choices": [],
        "usage": {"prompt_tokens": input, "completion_tokens": output}})
    };
    vec![
        events(&[
            delta(json!({"tool_calls": [
                {"index": 0, "id": "a",
                    "function": {"name": "sayHello", "arguments": "{\"personName\":\"Ada\"}"}},
                {"index": 1, "id": "b", "function": {"name": "bad", "arguments": "{}"}},
            ]})),
            end("tool_calls"),
            usage(30, 9),
        ]),
        events(&[
            delta(json!({"content": "Done."})),
            end("stop"),
            usage(20, 5),
        ]),
    ]
}

/// Runs an agent with two tools against a server, and exports what it does.
fn run(
    collector: &Collector,
    answers: Vec<Answer>,
    build: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder,
    options: ExecuteOptions<'_>,
) -> u16 {
    let server = Server::start(answers);
    exported(settings(&collector.url()), async {
        let builder = Runtime::builder()
            .environment(Environment::empty())
            .base_url(server.base_url())
            .api_key(KEY);
        let runtime = build(builder).build().expect("a runtime");
        let agent = support::agent([hello_spec(), spec("bad")]);
        let (mut conversation, library) = (Conversation::new(), tools());
        let input = format!("I am Ada, and my key is {KEY}.");
        let run = runtime.execute_with(&agent, &input, &mut conversation, &library, options);
        run.await.expect("an answer");
    });
    server.port
}

fn named<'a>(spans: &'a [Seen], name: &str) -> Vec<&'a Seen> {
    spans.iter().filter(|seen| seen.span.name == name).collect()
}

#[track_caller]
fn one<'a>(spans: &'a [Seen], name: &str) -> &'a Seen {
    match named(spans, name)[..] {
        [one] => one,
        ref found => {
            let all: Vec<&str> = spans.iter().map(|seen| &*seen.span.name).collect();
            panic!("{} spans of {all:?} are called {name}", found.len())
        }
    }
}

#[track_caller]
fn has(seen: &Seen, attributes: Value) {
    for (key, value) in attributes.as_object().expect("an object") {
        assert_eq!(seen.attributes.get(key), Some(value), "{key}");
    }
}

/// What holds of the run whether its answers were streamed or not.
fn check_run(collector: &Collector, port: u16, streamed: bool) {
    const INTERNAL: i32 = 1;
    const CLIENT: i32 = 3;
    let (spans, resource) = collector.spans();
    assert_eq!(spans.len(), 5);
    assert_eq!(resource["service.name"], "agent-runtime");
    let run = one(&spans, "invoke_agent greeter");
    assert!(run.span.parent_span_id.is_empty());
    assert_eq!(run.span.kind, INTERNAL);
    assert!(!run.is_error());
    has(
        run,
        json!({
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": "openai",
            "gen_ai.agent.name": "greeter",
            "gen_ai.conversation.id": "talk-7",
            "gen_ai.aggregated_usage.input_tokens": 50,
            "gen_ai.aggregated_usage.output_tokens": 14,
            "agent_runtime.run.requests": 2,
            "agent_runtime.run.tool_calls": 2,
            "agent_runtime.run.failed_tool_calls": 1,
        }),
    );
    // Or else backends would count the tokens twice.
    assert!(!run.attributes.contains_key("gen_ai.usage.input_tokens"));
    let answered = |event: &&opentelemetry_proto::tonic::trace::v1::span::Event| {
        event.name == "a call was answered"
    };
    assert_eq!(run.span.events.iter().filter(answered).count(), 2);

    let requests = named(&spans, "chat gpt-4o-mini");
    let [first, last] = requests[..] else {
        panic!("there are two requests");
    };
    let calls = [
        one(&spans, "execute_tool sayHello"),
        one(&spans, "execute_tool bad"),
    ];
    for seen in [first, last, calls[0], calls[1]] {
        assert_eq!(seen.span.parent_span_id, run.id(), "{}", seen.span.name);
        assert_eq!(seen.span.trace_id, run.span.trace_id);
        assert!(run.span.start_time_unix_nano <= seen.span.start_time_unix_nano);
        assert!(seen.span.end_time_unix_nano <= run.span.end_time_unix_nano);
    }
    assert!(first.span.end_time_unix_nano <= calls[0].span.start_time_unix_nano);
    // The tools ran at the same time.
    assert!(calls[1].span.start_time_unix_nano <= calls[0].span.end_time_unix_nano);
    for (request, reason, input, output) in [(first, "tool_calls", 30, 9), (last, "stop", 20, 5)] {
        assert_eq!(request.span.kind, CLIENT);
        has(
            request,
            json!({
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "openai",
                "gen_ai.conversation.id": "talk-7",
                "gen_ai.request.model": "gpt-4o-mini",
                "gen_ai.request.stream": streamed,
                "server.address": "127.0.0.1",
                "server.port": port,
                "gen_ai.response.id": "chatcmpl-1",
                "gen_ai.response.model": "gpt-4o-mini-2024",
                "gen_ai.response.finish_reasons": [reason],
                "gen_ai.usage.input_tokens": input,
                "gen_ai.usage.output_tokens": output,
            }),
        );
        let first_chunk = "gen_ai.response.time_to_first_chunk";
        assert_eq!(request.attributes.contains_key(first_chunk), streamed);
    }
    for (call, id, failed) in [(calls[0], "a", false), (calls[1], "b", true)] {
        assert_eq!(call.span.kind, INTERNAL);
        assert_eq!(call.is_error(), failed);
        assert_eq!(
            call.attributes.get("error.type"),
            failed.then(|| json!("execution")).as_ref()
        );
        has(
            call,
            json!({
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.type": "function",
                "gen_ai.tool.call.id": id,
                "agent_runtime.tool.attempt": 1,
            }),
        );
    }
    check_metrics(collector, port, streamed);
    // Nobody asked for content, and a secret is never part of it.
    for text in ["Ada", "vault", "Greet people", KEY] {
        for received in collector.received() {
            let found = received
                .body
                .windows(text.len())
                .any(|part| part == text.as_bytes());
            assert!(!found, "{text} was sent to {}", received.path);
        }
    }
}

fn sorted(collector: &Collector, name: &str, by: &str) -> Vec<Series> {
    let mut series = collector.series(name);
    series.sort_by_key(|series| series.attributes.get(by).map(Value::to_string));
    series
}

fn check_metrics(collector: &Collector, port: u16, streamed: bool) {
    let of_a_request = json!({
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o-mini",
        "gen_ai.response.model": "gpt-4o-mini-2024",
        "server.address": "127.0.0.1",
        "server.port": port,
    });
    let requests = collector.series("gen_ai.client.operation.duration");
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].unit, "s");
    assert_eq!(json!(requests[0].attributes), of_a_request);
    assert_eq!(requests[0].point.count, 2);
    assert_eq!(
        requests[0].point.explicit_bounds,
        [
            0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92
        ]
    );
    let first = collector.series("gen_ai.client.operation.time_to_first_chunk");
    assert_eq!(first.len(), usize::from(streamed));

    let tokens = sorted(collector, "gen_ai.client.token.usage", "gen_ai.token.type");
    for (series, kind, sum) in [(&tokens[0], "input", 50.0), (&tokens[1], "output", 14.0)] {
        let mut expected = of_a_request.clone();
        expected["gen_ai.token.type"] = kind.into();
        assert_eq!(json!(series.attributes), expected);
        assert_eq!(
            (series.unit.as_str(), series.point.sum),
            ("{token}", Some(sum))
        );
        assert_eq!(series.point.explicit_bounds[..3], [1.0, 4.0, 16.0]);
        assert_eq!(series.point.explicit_bounds[13], 67_108_864.0);
    }
    let runs = collector.series("gen_ai.invoke_agent.duration");
    assert_eq!(runs.len(), 1);
    assert_eq!(
        json!(runs[0].attributes),
        json!({
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": "openai",
            "gen_ai.agent.name": "greeter",
            "gen_ai.request.model": "gpt-4o-mini",
        })
    );
    let calls = sorted(
        collector,
        "gen_ai.execute_tool.duration",
        "gen_ai.tool.name",
    );
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0].attributes["gen_ai.tool.name"], "bad");
    assert_eq!(calls[0].attributes["error.type"], "execution");
    let seconds = calls[0].point.sum.expect("a sum");
    assert!((0.02..2.0).contains(&seconds), "{seconds}");
    assert_eq!(calls[1].attributes["gen_ai.tool.name"], "sayHello");
    assert!(!calls[1].attributes.contains_key("error.type"));
}

#[test]
fn a_run_is_exported() {
    let collector = Collector::start(&[]);
    let options = ExecuteOptions::new().conversation_id("talk-7");
    let port = run(&collector, plain_answers(), |builder| builder, options);
    check_run(&collector, port, false);
}

#[test]
fn a_streamed_run_is_exported() {
    let collector = Collector::start(&[]);
    let options = ExecuteOptions::new().conversation_id("talk-7").streaming();
    let port = run(&collector, streamed_answers(), |builder| builder, options);
    check_run(&collector, port, true);
}

#[test]
fn content_is_exported_when_asked_for_without_the_key() {
    let collector = Collector::start(&[]);
    let build = |builder: RuntimeBuilder| builder.trace_content(true);
    run(&collector, plain_answers(), build, ExecuteOptions::new());
    let (spans, _) = collector.spans();
    let bad = one(&spans, "execute_tool bad");
    has(
        bad,
        json!({
            "gen_ai.tool.call.arguments": "{}",
            "gen_ai.tool.call.result": "the vault is empty",
        }),
    );
    let first = named(&spans, "chat gpt-4o-mini")[0];
    let input = first.attributes["gen_ai.input.messages"].as_str();
    assert!(input.expect("a text").contains("my key is [key]."));
    for received in collector.received() {
        assert!(
            !received
                .body
                .windows(KEY.len())
                .any(|part| part == KEY.as_bytes())
        );
    }
}

/// Runs an agent whose model is a script: one call of `tool`, then an answer.
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

#[test]
fn a_run_is_within_the_programs_own_spans() {
    let collector = Collector::start(&[]);
    exported(settings(&collector.url()).also_target("otel"), async {
        use tracing::Instrument;
        let outer = tracing::info_span!("take_order", table = 7);
        // One of a target that nobody asked for is left out, and what is in it moves up.
        let between = tracing::info_span!(target: "elsewhere", "between");
        scripted("quick", &quick(), |builder| builder)
            .instrument(between)
            .instrument(outer)
            .await;
    });
    let (spans, _) = collector.spans();
    let outer = one(&spans, "take_order");
    has(outer, json!({"table": 7}));
    let run = one(&spans, "invoke_agent greeter");
    assert_eq!(run.span.parent_span_id, outer.id());
    assert!(named(&spans, "between").is_empty());
}

#[test]
fn the_environment_says_where_and_as_what() {
    let collector = Collector::start(&[]);
    let environment = Environment::from_pairs([
        ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url().as_str()),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-team=blue%20team"),
        ("OTEL_SERVICE_NAME", "travel-desk"),
        (
            "OTEL_RESOURCE_ATTRIBUTES",
            "deployment.environment.name=test",
        ),
    ]);
    let settings = OtelSettings::new().environment(environment);
    exported(settings, scripted("quick", &quick(), |builder| builder));
    let (spans, resource) = collector.spans();
    assert_eq!(spans.len(), 4);
    assert_eq!(
        json!(resource),
        json!({"service.name": "travel-desk", "deployment.environment.name": "test"})
    );
    let received = collector.received();
    assert!(
        received
            .iter()
            .any(|received| received.path == "/v1/metrics")
    );
    for received in received {
        assert_eq!(received.headers["x-team"], "blue team");
        assert_eq!(received.headers["content-type"], "application/x-protobuf");
    }
}

#[test]
fn a_busy_collector_is_asked_again() {
    let collector = Collector::start(&[503, 503]);
    exported(
        settings(&collector.url()),
        scripted("quick", &quick(), |builder| builder),
    );
    assert_eq!(collector.spans().0.len(), 4);
    assert_eq!(collector.series("gen_ai.invoke_agent.duration").len(), 1);
}

/// Collectors that take nothing: one that is not there, one that never answers, one that refuses.
fn dead() -> Vec<(&'static str, String, Box<dyn std::any::Any>)> {
    let gone = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let gone = gone.local_addr().expect("an address");
    let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = silent.local_addr().expect("an address").port();
    let refuses = Collector::start(&[400; 65_536]);
    vec![
        ("gone", format!("http://{gone}"), Box::new(())),
        (
            "silent",
            format!("http://127.0.0.1:{port}"),
            Box::new(silent),
        ),
        ("refusing", refuses.url(), Box::new(refuses)),
    ]
}

#[test]
fn a_dead_collector_neither_slows_nor_fails_a_run() {
    for (what, url, _alive) in dead() {
        let settings = settings(&url)
            .metric_interval(Duration::from_millis(10))
            .timeout(Duration::from_secs(1));
        let otel = Otel::start(settings).expect("settings");
        let before = Instant::now();
        traced(&otel, async {
            // More than can wait to be sent, so that some are dropped.
            for _ in 0..3_000 {
                scripted("quick", &quick(), |builder| builder).await;
            }
        });
        let each = before.elapsed() / 3_000;
        assert!(each < Duration::from_millis(5), "{what}: {each:?} a run");
        let before = Instant::now();
        assert!(otel.shutdown().is_err(), "{what}");
        let took = before.elapsed();
        assert!(
            took < Duration::from_secs(7),
            "{what}: the end took {took:?}"
        );
    }
}

#[test]
fn the_export_can_end_within_a_tokio_runtime() {
    let collector = Collector::start(&[]);
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    tokio.expect("a runtime").block_on(async {
        let otel = Otel::start(settings(&collector.url())).expect("settings");
        let subscriber = tracing_subscriber::registry().with(otel.layer());
        let _entered = tracing::subscriber::set_default(subscriber);
        scripted("quick", &quick(), |builder| builder).await;
        drop(otel);
    });
    assert_eq!(collector.spans().0.len(), 4);
}

#[test]
fn a_run_is_exported_while_a_tool_that_timed_out_still_has_its_thread() {
    let collector = Collector::start(&[]);
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let ended = std::sync::Mutex::new(ended);
    let stuck = ToolConfig::with_signature("stuck", "Does something.", "()==>(::Any)");
    let ended = std::sync::Arc::new(ended);
    let stuck = stuck.build(move |_| {
        let (ended, span) = (std::sync::Arc::clone(&ended), tracing::Span::current());
        async move {
            let waits = move || span.in_scope(|| ended.lock().expect("no panic").recv());
            let _ = tokio::task::spawn_blocking(waits).await;
            Ok(json!(null))
        }
    });
    let library = library([stuck.expect("a tool")]);
    let build = |builder: RuntimeBuilder| builder.tool_timeout(Duration::from_millis(30));
    exported(
        settings(&collector.url()),
        scripted("stuck", &library, build),
    );
    let (spans, _) = collector.spans();
    let stuck = one(&spans, "execute_tool stuck");
    has(stuck, json!({"error.type": "timeout"}));
    let run = one(&spans, "invoke_agent greeter");
    assert_eq!(stuck.span.parent_span_id, run.id());
    let took = Duration::from_nanos(run.span.end_time_unix_nano - run.span.start_time_unix_nano);
    assert!(took < Duration::from_secs(2), "{took:?}");
    drop(end);
}

#[test]
fn a_program_has_one_subscriber() {
    let collector = Collector::start(&[]);
    let otel = agent_runtime::otel::init(settings(&collector.url())).expect("the first");
    let again = agent_runtime::otel::init(settings(&collector.url()));
    let error = again.expect_err("the second").to_string();
    assert!(error.contains("Otel::layer"), "{error}");
    otel.shutdown().expect("nothing to send");
}
