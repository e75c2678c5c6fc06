//! The spans and metrics of a whole run, as a collector receives them.

use crate::collector::{Collector, Series};
use crate::support::server::{Answer, Server, status, streamed};
use crate::support::{hello_spec, library, spec, tool};
use crate::{KEY, exported, has, named, one, settings};
use agent_runtime::runtime::{RunBuilder, RuntimeBuilder};
use agent_runtime::tool::ToolConfig;
use agent_runtime::{Conversation, Environment, Runtime, ToolError, ToolLibrary};
use serde_json::{Value, json};
use std::time::Duration;

/// A library whose tool `bad` fails, and whose tool `sayHello` does not; both take a while.
fn tools() -> ToolLibrary {
    const WHILE: Duration = Duration::from_millis(20);
    let hello = ToolConfig::with_signature(
        "sayHello",
        crate::support::GREETING,
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
        "id": "chatcmpl-1", "model": "gpt-6-luna-2026-09-22",
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
        crate::support::server::text("Done."),
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
        json!({"id": "chatcmpl-1", "model": "gpt-6-luna-2026-09-22",
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

/// Sets the options of a run.
type Configure = for<'a> fn(RunBuilder<'a>) -> RunBuilder<'a>;

/// Runs an agent with two tools against a server, and exports what it does.
fn run(
    collector: &Collector,
    answers: Vec<Answer>,
    build: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder,
    configure: Configure,
) -> u16 {
    let server = Server::start(answers);
    exported(settings(&collector.url()), async {
        let builder = Runtime::builder()
            .environment(Environment::empty())
            .base_url(server.base_url())
            .api_key(KEY);
        let runtime = build(builder).build().expect("a runtime");
        let agent = crate::support::agent([hello_spec(), spec("bad")]);
        let (mut conversation, library) = (Conversation::new(), tools());
        let input = format!("I am Ada, and my key is {KEY}.");
        let run = runtime
            .run(&agent, &input)
            .tools(&library)
            .conversation(&mut conversation);
        let run = configure(run);
        run.await.expect("an answer");
    });
    server.port
}

/// Checks the spans and metrics of the run, with streamed answers or not.
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

    let requests = named(&spans, "chat gpt-6-luna");
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
                "gen_ai.request.model": "gpt-6-luna",
                "gen_ai.request.stream": streamed,
                "server.address": "127.0.0.1",
                "server.port": port,
                "gen_ai.response.id": "chatcmpl-1",
                "gen_ai.response.model": "gpt-6-luna-2026-09-22",
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
    // Content is not exported by default, and secrets never are.
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
        "gen_ai.request.model": "gpt-6-luna",
        "gen_ai.response.model": "gpt-6-luna-2026-09-22",
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
            "gen_ai.request.model": "gpt-6-luna",
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
fn exports_a_run() {
    let collector = Collector::start(&[]);
    let options: Configure = |run| run.conversation_id("talk-7");
    let port = run(&collector, plain_answers(), |builder| builder, options);
    check_run(&collector, port, false);
}

#[test]
fn exports_a_streamed_run() {
    let collector = Collector::start(&[]);
    let options: Configure = |run| run.conversation_id("talk-7").streaming();
    let port = run(&collector, streamed_answers(), |builder| builder, options);
    check_run(&collector, port, true);
}

#[test]
fn exports_content_on_request_without_the_key() {
    let collector = Collector::start(&[]);
    let build = |builder: RuntimeBuilder| builder.trace_content(true);
    run(&collector, plain_answers(), build, |run| run);
    let (spans, _) = collector.spans();
    let bad = one(&spans, "execute_tool bad");
    has(
        bad,
        json!({
            "gen_ai.tool.call.arguments": "{}",
            "gen_ai.tool.call.result": "the vault is empty",
        }),
    );
    let first = named(&spans, "chat gpt-6-luna")[0];
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
