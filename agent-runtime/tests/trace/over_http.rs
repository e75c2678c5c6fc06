//! The spans of requests over HTTP.

use crate::exchange::RESPONSES;
use crate::recorder::{Span, recorded, telling};
use crate::support::library;
use crate::support::server::{Answer, Server, status, streamed, text};
use agent_runtime::runtime::{RunBuilder, RuntimeBuilder};
use agent_runtime::{Conversation, Environment, Runtime};
use std::collections::BTreeMap;

const KEY: &str = "sk-test-1234567890";

fn runtime(server: &Server) -> RuntimeBuilder {
    Runtime::builder()
        .environment(Environment::empty())
        .base_url(server.base_url())
        .api_key(KEY)
        .retry_pause(std::time::Duration::from_millis(1))
}

/// Sets the options of a run.
type Configure = for<'a> fn(RunBuilder<'a>) -> RunBuilder<'a>;

fn traced(
    answers: Vec<Answer>,
    build: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder,
    configure: Configure,
) -> (Vec<Span>, u16) {
    let server = Server::start(answers);
    let spans = recorded(async {
        let runtime = build(runtime(&server)).build().expect("a runtime");
        let document = r#"[greeter:Agent {model: "OpenAI/gpt-6-luna", instruction: "Greet.",
            temperature: 0.5, maxTokens: 50, stop: ["END", "STOP"], reasoningEffort: "low"}]"#;
        let agent = agent_runtime::spec::AgentPattern::parse(document).expect("an agent");
        let mut conversation = Conversation::new();
        let (input, library) = (format!("My key is {KEY}."), library([]));
        let run = runtime
            .run(&agent, &input)
            .tools(&library)
            .conversation(&mut conversation);
        let run = configure(run);
        let _ = run.await;
    });
    (spans, server.port)
}

/// The server may keep earlier reasoning from the model, which is no error.
#[test]
fn removed_reasoning_is_in_the_span_of_the_request() {
    for is_streamed in [false, true] {
        for (name, expected) in [
            (
                "removed_reasoning",
                Some("\"model_mismatch, prefix_mismatch, turn_boundary\""),
            ),
            ("hello", None),
        ] {
            let ending = if is_streamed { "sse" } else { "json" };
            let server = Server::start(vec![RESPONSES.answer(&format!("{name}.{ending}"))]);
            let spans = recorded(async {
                let runtime = RESPONSES.runtime(&server).build().expect("a runtime");
                let agent = RESPONSES.agent();
                let library = library([crate::support::hello_tool()]);
                let run = runtime.run(&agent, "Hi").tools(&library);
                let response = match is_streamed {
                    true => run.streaming().await,
                    false => run.await,
                };
                response.expect("an answer");
            });
            let found = chat(&spans).get("agent_runtime.request.removed_reasoning");
            assert_eq!(found.map(String::as_str), expected, "{name}");
        }
    }
}

fn chat(spans: &[Span]) -> &BTreeMap<&'static str, String> {
    let span = spans.iter().find(|span| span.name == "chat");
    &span.expect("the span of the request").fields
}

#[test]
fn a_request_has_all_its_attributes() {
    let busy = status(503, "{}");
    let options: Configure = |run| run.conversation_id("talk-7");
    let (spans, port) = traced(vec![busy, text("Hi.")], |builder| builder, options);
    let fields = chat(&spans);
    for (key, value) in [
        ("otel.name", "chat gpt-6-luna"),
        ("otel.kind", "\"client\""),
        ("gen_ai.provider.name", "\"openai\""),
        ("gen_ai.conversation.id", "\"talk-7\""),
        ("gen_ai.request.temperature", "0.5"),
        ("gen_ai.request.max_tokens", "50"),
        ("gen_ai.request.stop_sequences", r#"["END","STOP"]"#),
        ("gen_ai.request.stream", "false"),
        ("server.address", "\"127.0.0.1\""),
        ("server.port", port.to_string().as_str()),
        ("http.request.resend_count", "1"),
        ("gen_ai.response.id", "\"chatcmpl-1\""),
        ("gen_ai.response.model", "\"gpt-6-luna-2026-09-22\""),
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
fn traces_the_time_to_the_first_chunk() {
    let pieces = concat!(
        "data: {\"id\":\"chatcmpl-2\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi.\"}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
        "data: [DONE]\n\n",
    );
    let answers = vec![streamed("text/event-stream", pieces)];
    let options: Configure = |run| run.streaming();
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
fn traces_only_the_kind_of_a_failed_request() {
    let refused = status(400, &format!(r#"{{"error":{{"message":"no {KEY}"}}}}"#));
    let (spans, _) = traced(vec![refused], |builder| builder, |run| run);
    assert_eq!(chat(&spans)["error.type"], "\"llm\"");
    assert_eq!(
        telling(&spans, "no [key]").len(),
        1,
        "the body is on the wire"
    );
    assert_eq!(telling(&spans, KEY), []);
}

#[test]
fn traces_content_on_request_and_never_the_key() {
    let build = |builder: RuntimeBuilder| builder.trace_content(true);
    let answers = vec![text(&format!("You said {KEY}."))];
    let (spans, _) = traced(answers, build, |run| run);
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
