//! Tests of OpenAI's wire format.

use crate::providers::exchange::OPENAI;
use crate::support::server::{Answer, status, streamed};
use agent_runtime::model::FinishReason;
use agent_runtime::{Conversation, Event};
use serde_json::{Value, json};

#[tokio::test]
async fn a_streamed_request_asks_for_usage() {
    let streamed = OPENAI.stream(vec![OPENAI.answer("hello.sse")]).await;
    let request = &streamed.requests[0];
    assert_eq!(request["stream"], json!(true));
    assert_eq!(request["stream_options"], json!({"include_usage": true}));
    let usage = streamed.response().usage.to_json();
    assert_eq!(
        usage,
        json!({"inputTokens": 82, "outputTokens": 9, "requests": 1, "cachedTokens": 64,
               "reasoningTokens": 2})
    );
}

#[tokio::test]
async fn reports_events_in_order() {
    let answers = vec![OPENAI.answer("calls.sse"), OPENAI.answer("hello.sse")];
    let streamed = OPENAI.stream(answers).await;
    let mut told: Vec<String> = Vec::new();
    for event in &streamed.events {
        let word = match event {
            Event::ModelCalled { .. } => "model".to_owned(),
            Event::TextDelta { .. } => "text".to_owned(),
            Event::CallStarted { index, tool, .. } => format!("call {index} {tool}"),
            Event::ArgumentsDelta { index, .. } => format!("arguments {index}"),
            Event::ModelReplied { calls, .. } => {
                let ids: Vec<&str> = calls.iter().map(|call| call.id()).collect();
                format!("replied {ids:?}")
            }
            Event::ToolStarted { call, .. } => format!("tool {}", call.id),
            Event::ToolFinished { invocation, .. } => format!("result {}", invocation.call_id),
            Event::Finished { .. } => "end".to_owned(),
            other => format!("{other:?}"),
        };
        if told.last() != Some(&word) {
            told.push(word);
        }
    }
    assert_eq!(
        told,
        [
            "model",
            "call 0 sayHello",
            "arguments 0",
            "call 1 sayHello",
            "arguments 1",
            "replied [\"call_a1\", \"call_b2\"]",
            "tool call_a1",
            "tool call_b2",
            "result call_a1",
            "result call_b2",
            "model",
            "text",
            "replied []",
            "end",
        ]
    );
    assert_eq!(streamed.text(), "Grüß dich, Ada 👋!");
}

/// A streamed answer of these deltas.
fn deltas(deltas: impl IntoIterator<Item = Value>) -> Answer {
    let mut text = String::new();
    for delta in deltas {
        let chunk = json!({"choices": [{"index": 0, "delta": delta}]});
        text.push_str(&format!("data: {chunk}\n\n"));
    }
    text.push_str("data: [DONE]\n\n");
    streamed("text/event-stream", text)
}

/// Pieces of calls: index, id, name and arguments.
type Pieces = &'static [(Option<u64>, &'static str, &'static str, &'static str)];

/// The expected calls: name and arguments.
type Calls = &'static [(&'static str, &'static str)];

const ZERO: Option<u64> = Some(0);

/// Cases of pieces and their calls. An empty id is one that the run creates.
const PIECES: &[(&str, Pieces, Calls)] = &[
    (
        "the id comes after the name",
        &[(ZERO, "", "one", "{\"a\""), (ZERO, "x", "", ":1}")],
        &[("one", "{\"a\":1}")],
    ),
    (
        "the name comes after the arguments",
        &[(ZERO, "", "", "{"), (ZERO, "x", "one", "}")],
        &[("one", "{}")],
    ),
    (
        "id and name come again with every piece",
        &[(ZERO, "x", "one", "{"), (ZERO, "x", "one", "}")],
        &[("one", "{}")],
    ),
    (
        "the name comes again, without ids",
        &[
            (ZERO, "", "one", ""),
            (ZERO, "", "one", "{"),
            (ZERO, "", "one", "}"),
        ],
        &[("one", "{}")],
    ),
    (
        "another id with every piece",
        &[(ZERO, "x", "one", "{"), (ZERO, "y", "", "}")],
        &[("one", "{}")],
    ),
    (
        "no id at first, then another call",
        &[(ZERO, "", "one", "{}"), (ZERO, "x", "two", "{}")],
        &[("one", "{}"), ("two", "{}")],
    ),
    (
        "whole calls without ids",
        &[(ZERO, "", "one", "{}"), (ZERO, "", "two", "{}")],
        &[("one", "{}"), ("two", "{}")],
    ),
    (
        "whole calls of one tool without ids",
        &[
            (ZERO, "", "one", "{\"a\":1}"),
            (ZERO, "", "one", "{\"a\":2}"),
        ],
        &[("one", "{\"a\":1}"), ("one", "{\"a\":2}")],
    ),
    (
        "whole calls without ids and indexes",
        &[(None, "", "one", "{}"), (None, "", "one", "{}")],
        &[("one", "{}"), ("one", "{}")],
    ),
    (
        "the same id for every call",
        &[
            (ZERO, "x", "one", "{}"),
            (ZERO, "x", "two", "{}"),
            (Some(1), "x", "two", "{}"),
        ],
        &[("one", "{}"), ("two", "{}"), ("two", "{}")],
    ),
    (
        "pieces by turns at one index",
        &[
            (ZERO, "x", "one", "{"),
            (ZERO, "y", "two", "{"),
            (ZERO, "x", "", "}"),
            (ZERO, "y", "", "}"),
        ],
        &[("one", "{}"), ("two", "{}")],
    ),
    (
        "pieces by turns without an index",
        &[
            (None, "x", "one", "{"),
            (None, "y", "two", "{"),
            (None, "x", "", "}"),
            (None, "y", "", "}"),
        ],
        &[("one", "{}"), ("two", "{}")],
    ),
    (
        "the whole call once more at the end",
        &[
            (ZERO, "x", "one", "{"),
            (ZERO, "x", "", "}"),
            (ZERO, "x", "one", "{}"),
        ],
        &[("one", "{}")],
    ),
    (
        "arguments that hold braces",
        &[(ZERO, "", "one", "{\"a\":\"}"), (ZERO, "", "one", "{\"}")],
        &[("one", "{\"a\":\"}{\"}")],
    ),
];

#[tokio::test]
async fn assigns_pieces_to_their_calls() {
    for (name, pieces, expected) in PIECES {
        let answer = deltas(pieces.iter().map(|(index, id, name, arguments)| {
            let function = json!({"name": name, "arguments": arguments});
            json!({"tool_calls": [{"index": index, "id": id, "function": function}]})
        }));
        let streamed = OPENAI
            .stream(vec![answer, OPENAI.answer("hello.sse")])
            .await;
        assert!(streamed.error.is_none(), "{name}: {:?}", streamed.error);
        let calls = streamed.conversation.messages()[1].tool_calls();
        let calls: Vec<_> = calls
            .iter()
            .map(|call| (call.tool(), call.args_text()))
            .collect();
        assert_eq!(&calls, expected, "{name}");
    }
}

#[tokio::test]
async fn equal_calls_of_a_whole_answer_are_calls_of_their_own() {
    for id in ["", "x"] {
        let call = json!({"id": id, "function": {"name": "sayHello", "arguments": "{}"}});
        let message = json!({"content": null, "tool_calls": [call, call]});
        let body = json!({"choices": [{"message": message}]}).to_string();
        let answers = vec![status(200, &body), OPENAI.answer("hello.json")];
        let (_, conversation, _) = OPENAI.execute(answers).await;
        assert_eq!(conversation.messages()[1].tool_calls().len(), 2, "{id:?}");
    }
}

/// `function_call` is the older form, and `tool_calls` the newer one.
#[tokio::test]
async fn a_call_in_both_forms_is_one_call() {
    let function = json!({"name": "sayHello", "arguments": "{}"});
    let both = json!({
        "tool_calls": [{"index": 0, "id": "x", "function": function}],
        "function_call": function,
    });
    let answers = vec![deltas([both]), OPENAI.answer("hello.sse")];
    let streamed = OPENAI.stream(answers).await;
    let calls = streamed.conversation.messages()[1].tool_calls();
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert_eq!(
        streamed.requests[1]["messages"][2]["tool_calls"][0]["id"],
        "x"
    );
}

#[tokio::test]
async fn returns_a_refusal_as_text() {
    let message = json!({"role": "assistant", "content": null, "refusal": "I'd rather not."});
    let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
    let body = json!({"choices": [choice]}).to_string();
    let (plain, ..) = OPENAI.execute(vec![status(200, &body)]).await;
    let refusal = ["I'd ", "rather not."].map(|text| json!({"refusal": text}));
    let streamed = OPENAI.stream(vec![deltas(refusal)]).await;
    for response in [&plain.expect("an answer"), streamed.response()] {
        assert_eq!(response.content, "I'd rather not.");
        assert_eq!(response.finish_reason, FinishReason::ContentFilter);
    }
}

/// Compatible servers pass on the words of other vendors.
#[tokio::test]
async fn parses_finish_reasons_of_compatible_servers() {
    for (word, reason) in [
        ("stop", FinishReason::Stop),
        ("eos", FinishReason::Stop),
        ("eos_token", FinishReason::Stop),
        ("end_turn", FinishReason::Stop),
        ("stop_sequence", FinishReason::Stop),
        ("length", FinishReason::Length),
        ("model_length", FinishReason::Length),
        ("max_tokens", FinishReason::Length),
        ("content_filter", FinishReason::ContentFilter),
        ("something_new", FinishReason::Other("something_new".into())),
    ] {
        let choice = json!({"message": {"content": "Hi."}, "finish_reason": word});
        let body = json!({"choices": [choice]}).to_string();
        let (response, ..) = OPENAI.execute(vec![status(200, &body)]).await;
        assert_eq!(response.expect("an answer").finish_reason, reason, "{word}");
    }
}

/// The request is retried once, as for every empty answer.
#[tokio::test]
async fn reports_a_blocked_answer() {
    let choice = json!({"message": {"content": ""}, "finish_reason": "content_filter"});
    let body = json!({"choices": [choice]}).to_string();
    let (held, ..) = OPENAI
        .execute(vec![status(200, &body), status(200, &body)])
        .await;
    let error = held.expect_err("no answer");
    let words = "held back twice by its provider; the finish reason is `content_filter`";
    assert!(
        error.is_llm() && error.to_string().contains(words),
        "{error}"
    );
}

#[tokio::test]
async fn spoken_words_and_images_are_an_answer() {
    let image = json!({"type": "image_url",
                       "image_url": {"url": "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB"}});
    let parts = |conversation: &Conversation| -> Vec<String> {
        let answer = conversation.messages().last().expect("an answer");
        let kinds = answer.parts().iter().map(|part| {
            let kind = part.media().and_then(|media| media.media_type());
            kind.unwrap_or(part.as_text().unwrap_or_default())
                .to_owned()
        });
        kinds.collect()
    };
    for (message, expected) in [
        (json!({"content": "", "images": [image]}), vec!["image/png"]),
        (
            json!({"content": null, "audio": {"id": "audio_1", "expires_at": 1,
                   "data": "UklGRgAAAABXQVZF", "transcript": "Hello!"}}),
            vec!["Hello!", "audio/wav"],
        ),
    ] {
        let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
        let body = json!({"id": "c", "model": "m", "choices": [choice]}).to_string();
        let (response, conversation, _) = OPENAI.execute(vec![status(200, &body)]).await;
        response.expect("an answer");
        assert_eq!(parts(&conversation), expected);
    }
    let chunk = |delta: Value, reason: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
        format!(
            "data: {}\n\n",
            json!({"id": "c", "model": "m", "choices": [choice]})
        )
    };
    for (deltas, expected) in [
        (
            vec![json!({"content": "", "images": [image]})],
            vec!["image/png"],
        ),
        (
            vec![
                json!({"audio": {"id": "audio_1", "transcript": "Hel"}}),
                json!({"audio": {"data": "AAEC", "transcript": "lo!"}}),
                json!({"audio": {"data": "AwQ"}}),
                json!({"audio": {"data": "F", "expires_at": 1}}),
            ],
            vec!["Hello!", "audio/pcm"],
        ),
    ] {
        let mut body: String = deltas
            .into_iter()
            .map(|delta| chunk(delta, Value::Null))
            .collect();
        body.push_str(&chunk(json!({}), json!("stop")));
        body.push_str("data: [DONE]\n\n");
        let streamed = OPENAI
            .stream(vec![streamed("text/event-stream", body)])
            .await;
        assert!(streamed.error.is_none(), "{:?}", streamed.error);
        assert_eq!(streamed.fold.response(), streamed.response());
        assert_eq!(parts(&streamed.conversation), expected);
        let parts = streamed.response().parts.iter();
        let bytes: Vec<_> = parts.filter_map(|part| part.media()?.bytes()).collect();
        if expected.len() == 2 {
            assert_eq!(bytes, [[0, 1, 2, 3, 4, 5]]);
        }
    }
}
