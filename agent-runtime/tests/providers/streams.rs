//! Tests of streams with slow readers, silent senders and broken answers.

use crate::providers::exchange::{ANTHROPIC, Dialect, GOOGLE, OLLAMA, OPENAI, RESPONSES, Streamed};
use crate::support::server::{Answer, Server, status, streamed};
use crate::support::{check_unanswered, hello_tool, library};
use agent_runtime::{Conversation, Environment, Event, Runtime};
use std::time::Duration;

fn events(text: &str) -> Answer {
    streamed("text/event-stream", text)
}

fn delta(text: &str) -> String {
    let json = serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    format!("data: {json}\n\n")
}

async fn broken(answer: Answer) -> Streamed {
    let streamed = OPENAI.stream(vec![answer]).await;
    let error = streamed.error.as_ref().expect("an error");
    assert!(error.is_llm(), "{error}");
    check_unanswered(&streamed.conversation);
    streamed
}

#[tokio::test]
async fn reports_a_missing_end_after_the_parts() {
    let streamed = broken(events(&delta("Half a"))).await;
    assert_eq!(streamed.text(), "Half a");
    let error = streamed.error.expect("an error");
    assert!(
        error.to_string().contains("broke its answer off"),
        "{error}"
    );
    assert!(!error.is_unavailable(), "somebody has read the beginning");
}

#[tokio::test]
async fn reports_an_error_within_a_stream() {
    let error = "data: {\"error\":{\"message\":\"too hot\",\"type\":\"server_error\"}}\n\n";
    let streamed = broken(events(&format!("{}{error}", delta("Half a")))).await;
    assert_eq!(streamed.text(), "Half a");
    assert!(
        streamed
            .error
            .expect("an error")
            .to_string()
            .contains("too hot")
    );
    let streamed = broken(events(error)).await;
    assert!(
        streamed.error.expect("an error").is_unavailable(),
        "nobody has read anything"
    );
}

#[tokio::test]
async fn rejects_answers_that_are_no_stream() {
    for (answer, words) in [
        (events("data: {\"choices\":\n\n"), "is not JSON"),
        (
            events(
                "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\"}]}}]}\n\ndata: [DONE]\n\n",
            ),
            "gave an answer that has a tool call without a name",
        ),
        (events("event: error\ndata:\n\n"), "reports an error"),
        (
            events("data: {\"error\":\"\"}\n\n"),
            "reports an error: {\"error\":\"\"}",
        ),
        (
            streamed("text/event-stream", b"data: \xff\n\n".to_vec()),
            "not UTF-8",
        ),
        (events(""), "gave an empty answer"),
        (events(": alive\n\n"), "broke its answer off"),
        (
            streamed("text/html", "<html>Log in</html>"),
            "is no stream of events: <html>Log in",
        ),
    ] {
        let error = broken(answer).await.error.expect("an error");
        let error = error.to_string();
        assert!(error.contains(words), "{error}");
        assert!(!error.ends_with(": "), "{error}");
    }
}

#[tokio::test]
async fn ignores_a_byte_order_mark() {
    for dialect in [OPENAI, RESPONSES, ANTHROPIC, GOOGLE, OLLAMA] {
        let body = format!("\u{feff}{}", dialect.read("hello.json"));
        let (response, ..) = dialect.execute(vec![status(200, &body)]).await;
        assert_eq!(response.expect("an answer").content, "Grüß dich, Ada 👋!");
    }
}

/// Some proxies send them to keep a connection open.
#[tokio::test]
async fn ignores_events_without_data() {
    for dialect in [OPENAI, RESPONSES, ANTHROPIC, GOOGLE] {
        let text = dialect.read("hello.sse");
        let answer = events(&text.replace("\n\n", "\n\ndata:\n\nevent: ping\ndata: \n\n"));
        let streamed = dialect.stream(vec![answer]).await;
        assert!(streamed.error.is_none(), "{:?}", streamed.error);
        assert_eq!(streamed.text(), "Grüß dich, Ada 👋!");
    }
}

#[tokio::test]
async fn parses_the_whole_answer_of_a_server_that_does_not_stream() {
    for (dialect, calls) in [
        (OPENAI, "calls.json"),
        (RESPONSES, "calls_thinking.json"),
        (ANTHROPIC, "calls_thinking.json"),
        (GOOGLE, "calls_signed.json"),
    ] {
        let answers = || vec![dialect.answer(calls), dialect.answer("hello.json")];
        let streamed = dialect.stream(answers()).await;
        let (response, conversation, _) = dialect.execute(answers()).await;
        assert_eq!(streamed.response(), &response.expect(calls));
        assert_eq!(streamed.conversation, conversation);
    }
}

/// The beginning of an answer decides its form, not the content type.
#[tokio::test]
async fn ignores_a_wrong_content_type() {
    let stream = streamed("application/json", OPENAI.read("hello.sse"));
    assert_eq!(
        OPENAI.stream(vec![stream]).await.text(),
        "Grüß dich, Ada 👋!"
    );
    let whole = streamed("text/event-stream", OPENAI.read("hello.json"));
    assert_eq!(
        OPENAI.stream(vec![whole]).await.text(),
        "Grüß dich, Ada 👋!"
    );
}

#[tokio::test]
async fn parses_a_whole_answer_of_ollama_on_one_or_several_lines() {
    let text = OLLAMA.read("hello.json");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let pretty = serde_json::to_string_pretty(&json).expect("a text");
    for text in [json.to_string(), format!("{json}\n"), pretty] {
        let streamed = OLLAMA.stream(vec![status(200, &text)]).await;
        assert_eq!(streamed.text(), json["message"]["content"], "{text}");
    }
}

#[tokio::test]
async fn reports_a_truncated_first_line() {
    let cut = streamed("application/x-ndjson", "{\"message\": {\"content\": \"Hel");
    let error = OLLAMA.stream(vec![cut]).await.error.expect("an error");
    assert!(
        error.to_string().contains("broke its answer off"),
        "{error}"
    );
}

/// The quote is shortened, but never in the middle of a key.
#[tokio::test]
async fn a_quoted_page_shows_no_part_of_the_key() {
    let key = "sk-0123456789abcdefghijklmnopqrstuv";
    for before in 1_980..2_060 {
        let page = format!("<html>{}{key}", " ".repeat(before));
        let server = Server::start(vec![streamed("text/html", page)]);
        let runtime = Runtime::builder()
            .environment(Environment::empty())
            .base_url(server.base_url())
            .api_key(key)
            .build()
            .expect("a runtime");
        let (agent, library) = (OPENAI.agent(), library([hello_tool()]));
        let mut conversation = Conversation::new();
        let mut stream = runtime
            .run(&agent, "Hello")
            .tools(&library)
            .conversation(&mut conversation)
            .stream();
        let mut error = None;
        while let Some(event) = stream.next().await {
            error = event.err();
        }
        let error = error.expect("an error").to_string();
        assert!(!error.contains("sk-"), "{before}: {error}");
    }
}

#[tokio::test]
async fn retries_transient_errors_before_the_answer_begins() {
    let answers = vec![status(503, "busy"), OPENAI.answer("hello.sse")];
    let streamed = OPENAI.stream(answers).await;
    assert_eq!(streamed.requests.len(), 2);
    assert_eq!(streamed.text(), "Grüß dich, Ada 👋!");
}

#[tokio::test]
async fn parses_a_stream_however_its_bytes_are_split() {
    for (dialect, file) in [
        (OPENAI, "hello.sse"),
        (ANTHROPIC, "hello.one_character.sse"),
        (GOOGLE, "hello.sse"),
        (OLLAMA, "hello.ndjson"),
    ] {
        let text = dialect.read(file);
        let emoji = text.find('👋').expect("an emoji");
        for cut in [1, emoji + 1, emoji + 2, emoji + 3, text.len() - 1] {
            let (first, second) = text.as_bytes().split_at(cut);
            let pause = Duration::from_millis(20);
            let pieces = vec![(Duration::ZERO, first.to_vec()), (pause, second.to_vec())];
            let answer = Answer::Pieces(dialect.stream.0, pieces);
            let streamed = dialect.stream(vec![answer]).await;
            assert_eq!(streamed.text(), "Grüß dich, Ada 👋!", "{file} at {cut}");
        }
    }
}

/// A streamed answer with pieces of JSON text in the places of `$`, and its end.
fn in_pieces(dialect: &Dialect, before: &[&str], piece: &str, pieces: &[&str]) -> Answer {
    let end = match dialect.folder {
        "openai" => r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
        "responses" => {
            r#"{"type":"response.completed","response":{"status":"completed","output":[]}}"#
        }
        "anthropic" => r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
        "google" => r#"{"candidates":[{"content":{"parts":[]},"finishReason":"STOP"}]}"#,
        _ => r#"{"message":{"content":""},"done":true,"done_reason":"stop"}"#,
    };
    let pieces = pieces.iter().map(|text| piece.replace('$', text));
    let before = before.iter().map(|frame| (*frame).to_owned());
    let frames = before.chain(pieces).chain([end.to_owned()]);
    let frames = frames.map(|frame| match dialect.stream.1 {
        ".sse" => format!("data: {frame}\n\n"),
        _ => format!("{frame}\n"),
    });
    streamed(dialect.stream.0, frames.collect::<String>())
}

/// The frame of a piece of text.
const TEXTS: [(Dialect, &str); 5] = [
    (OPENAI, r#"{"choices":[{"delta":{"content":"$"}}]}"#),
    (
        RESPONSES,
        r#"{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"$"}"#,
    ),
    (
        ANTHROPIC,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"$"}}"#,
    ),
    (
        GOOGLE,
        r#"{"candidates":[{"content":{"parts":[{"text":"$"}],"role":"model"}}]}"#,
    ),
    (OLLAMA, r#"{"message":{"content":"$"},"done":false}"#),
];

/// Servers that split texts by UTF-16 units divide characters.
#[tokio::test]
async fn joins_a_character_that_two_pieces_divide() {
    for (dialect, piece) in TEXTS {
        for (pieces, expected) in [
            (&["Hi \\ud83d", "\\udc4b"][..], "Hi 👋"),
            (&["\\uD83D", "\\uDC4B!"], "👋!"),
            (&["\\ud83d", "\\udc4b\\ud83d", "\\udc4b"], "👋👋"),
            (&["\\ud83d", "\\udc4b\\ud83d\\udc4b"], "👋👋"),
            (&["\\ud83d", "", "\\udc4b"], "👋"),
            (
                &["\\ud83d", "", "", "\\udc4b\\ud83d", "", "\\udc4b!"],
                "👋👋!",
            ),
            // Halves that have no other half.
            (&["\\ud83d", "b"], "\u{fffd}b"),
            (&["\\ud83d", "\\ud83d", "\\udc4b"], "\u{fffd}👋"),
            (&["b", "\\udc4b"], "b\u{fffd}"),
            (&["\\ud83d ", "\\udc4b"], "\u{fffd} \u{fffd}"),
            (&["Hi \\ud83d"], "Hi \u{fffd}"),
            (&["Hi \\ud83d", ""], "Hi \u{fffd}"),
            (&["\\ud83d", "", "b", "\\udc4b"], "\u{fffd}b\u{fffd}"),
        ] {
            let answer = in_pieces(&dialect, &[], piece, pieces);
            let streamed = dialect.stream(vec![answer]).await;
            let what = format!("{} {pieces:?}: {:?}", dialect.folder, streamed.error);
            assert_eq!(streamed.text(), expected, "{what}");
            assert_eq!(streamed.response().content, expected, "{what}");
        }
    }
}

/// Servers and proxies send frames that keep a connection open, or have no text yet.
#[tokio::test]
async fn joins_a_character_over_frames_without_text() {
    let empty = [
        r#"{"choices":[{"delta":{}}]}"#,
        r#"{"type":"response.in_progress","response":{}}"#,
        r#"{"type":"ping"}"#,
        r#"{"candidates":[{"content":{"role":"model"}}]}"#,
        r#"{"message":{"role":"assistant"},"done":false}"#,
    ];
    for ((dialect, piece), empty) in TEXTS.into_iter().zip(empty) {
        let first = piece.replace('$', "\\ud83d");
        for (count, expected) in [(1, "👋"), (9, "👋"), (99, "\u{fffd}\u{fffd}")] {
            let mut before = vec![first.as_str()];
            before.extend(std::iter::repeat_n(empty, count));
            let answer = in_pieces(&dialect, &before, piece, &["\\udc4b"]);
            let streamed = dialect.stream(vec![answer]).await;
            let what = format!("{} {count}: {:?}", dialect.folder, streamed.error);
            assert_eq!(streamed.text(), expected, "{what}");
        }
    }
}

/// The arguments of a call are JSON in a text, so that a character may be divided in the text and in its JSON.
#[tokio::test]
async fn joins_and_repairs_characters_in_arguments() {
    for (dialect, before, piece) in [
        (
            OPENAI,
            &[
                r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"sayHello"}}]}}]}"#,
            ][..],
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"$"}}]}}]}"#,
        ),
        (
            RESPONSES,
            &[
                r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"a","name":"sayHello"}}"#,
            ],
            r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"$"}"#,
        ),
        (
            ANTHROPIC,
            &[
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"sayHello","input":{}}}"#,
            ],
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"$"}}"#,
        ),
    ] {
        let (open, close) = (r#"{\"personName\": \""#, r#"\"}"#);
        for (pieces, expected) in [
            (["\\ud83d", "\\udc4b"], "👋"),
            (["\\\\ud83d", "\\\\udc4b"], "👋"),
            (["\\\\ud83d\\\\ud", "c4b"], "👋"),
            (["\\ud83d", "b"], "\u{fffd}b"),
            (["\\\\ud83d", "b"], "\u{fffd}b"),
            (["b\\\\udc4b", ""], "b\u{fffd}"),
            (["\\\\\\\\ud83d", ""], "\\ud83d"),
        ] {
            let first = format!("{open}{}", pieces[0]);
            let second = format!("{}{close}", pieces[1]);
            let answers = vec![
                in_pieces(&dialect, before, piece, &[&first, &second]),
                dialect.answer("hello.sse"),
            ];
            let streamed = dialect.stream(answers).await;
            let what = format!("{} {pieces:?}: {:?}", dialect.folder, streamed.error);
            let used = &streamed.response().tools_used[0];
            assert_eq!(
                used.args,
                serde_json::json!({"personName": expected}),
                "{what}"
            );
            assert!(used.result.is_ok(), "{what}");
        }
    }
}

#[tokio::test]
async fn idle_timeout_counts_from_the_last_bytes() {
    let pieces = |between: &str| {
        let mut pieces = vec![(Duration::ZERO, delta("Half a").into_bytes())];
        for _ in 0..8 {
            pieces.push((Duration::from_millis(500), between.as_bytes().to_vec()));
        }
        let end = match between {
            "" => Duration::from_secs(30),
            _ => Duration::ZERO,
        };
        pieces.push((end, b"data: [DONE]\n\n".to_vec()));
        Answer::Pieces("text/event-stream", pieces)
    };
    for (between, ends) in [("", false), (": alive\n\n", true)] {
        let server = Server::start(vec![pieces(between)]);
        let runtime = OPENAI.runtime(&server).idle_timeout(Duration::from_secs(3));
        let runtime = runtime.build().expect("a runtime");
        let (agent, library) = (OPENAI.agent(), library([hello_tool()]));
        let mut conversation = Conversation::new();
        let mut stream = runtime
            .run(&agent, "Hello")
            .tools(&library)
            .conversation(&mut conversation)
            .stream();
        let mut last = None;
        while let Some(event) = stream.next().await {
            last = Some(event);
        }
        match last {
            Some(Ok(Event::Finished { .. })) => assert!(ends),
            Some(Err(error)) => {
                assert!(
                    !ends && error.to_string().contains("sent nothing for"),
                    "{error}"
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Without an end mark, such events could follow for ever.
#[tokio::test]
async fn keep_alive_events_do_not_extend_a_complete_answer() {
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    let mut pieces = vec![(Duration::ZERO, format!("{}{end}", delta("Hi")).into_bytes())];
    for _ in 0..400 {
        pieces.push((Duration::from_millis(250), b": alive\n\n".to_vec()));
    }
    let begun = std::time::Instant::now();
    let streamed = OPENAI
        .stream(vec![Answer::Pieces("text/event-stream", pieces)])
        .await;
    assert_eq!(streamed.response().content, "Hi");
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[tokio::test]
async fn removes_control_characters_from_a_servers_text() {
    let said = "{\"error\":{\"message\":\"a\\u001b[2Jb\\u202ec\"}}";
    let streamed = OPENAI.stream(vec![status(400, said)]).await;
    let text = streamed.error.expect("an error").to_string();
    assert!(text.contains("a\u{fffd}[2Jb\u{fffd}c"), "{text:?}");
}

/// The socket must stop the sender while the reader reads nothing.
#[tokio::test]
async fn a_slow_reader_slows_the_sender_down() {
    use std::io::{Read, Write};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&sent);
    let sender = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let mut seen = Vec::new();
        while !seen.windows(4).any(|end| end == b"\r\n\r\n") {
            let mut bytes = [0; 4096];
            let read = stream.read(&mut bytes).expect("a request");
            seen.extend_from_slice(&bytes[..read]);
        }
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        stream.write_all(head.as_bytes()).expect("a head");
        let piece = delta(&"x".repeat(16_384));
        // Ends when the client closes the connection.
        for _ in 0..4_000 {
            if stream.write_all(piece.as_bytes()).is_err() {
                return;
            }
            counter.fetch_add(1, Ordering::SeqCst);
        }
    });
    let runtime = agent_runtime::Runtime::builder()
        .environment(agent_runtime::Environment::empty())
        .base_url(format!("http://127.0.0.1:{port}/v1"))
        .build()
        .expect("a runtime");
    let (agent, library) = (OPENAI.agent(), library([hello_tool()]));
    let mut conversation = Conversation::new();
    let mut stream = runtime
        .run(&agent, "Hello")
        .tools(&library)
        .conversation(&mut conversation)
        .stream();
    while !matches!(stream.next().await, Some(Ok(Event::TextDelta { .. }))) {}
    // A sender that nothing holds up sends all 4,000 pieces.
    let mut before = 0;
    let after = loop {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let now = sent.load(Ordering::SeqCst);
        if now == before {
            break now;
        }
        before = now;
    };
    assert!(after < 2_000, "{after} pieces of 16 KB were taken");
    drop(stream);
    // Dropping the stream closes the connection.
    let ended = tokio::task::spawn_blocking(move || sender.join());
    let ended = tokio::time::timeout(Duration::from_secs(60), ended).await;
    assert!(matches!(ended, Ok(Ok(Ok(())))), "the sender goes on");
    check_unanswered(&conversation);
}
