//! Compressed answers: asked for, read within the bounds of answers, and streamed piece by piece.

use crate::providers::exchange::{ANTHROPIC, Dialect, GOOGLE, OLLAMA, OPENAI, RESPONSES};
use crate::support::server::{Answer, Server};
use agent_runtime::{Conversation, Event};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;

const DIALECTS: [Dialect; 5] = [OPENAI, RESPONSES, ANTHROPIC, GOOGLE, OLLAMA];

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("room");
    encoder.finish().expect("room")
}

fn compressed(status: u16, kind: &str, encoding: &str, body: &[u8]) -> Answer {
    let head = format!(
        "HTTP/1.1 {status} Told\r\ncontent-type: {kind}\r\ncontent-encoding: {encoding}\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    Answer::Raw([head.as_bytes(), body].concat())
}

#[tokio::test]
async fn asks_for_compressed_answers_and_reads_them() {
    for dialect in DIALECTS {
        let body = gzip(dialect.read("hello.json").as_bytes());
        let answer = compressed(200, "application/json", "gzip", &body);
        let (response, _, server) = dialect.execute(vec![answer]).await;
        assert_eq!(response.expect("an answer").content, "Grüß dich, Ada 👋!");
        let requests = server.requests();
        assert_eq!(requests[0].header("accept-encoding"), Some("gzip"));

        let (kind, extension) = dialect.stream;
        let body = gzip(dialect.read(&format!("hello{extension}")).as_bytes());
        let streamed = dialect.stream(vec![compressed(200, kind, "gzip", &body)]);
        assert_eq!(streamed.await.text(), "Grüß dich, Ada 👋!");
    }
}

#[tokio::test]
async fn reads_the_text_of_a_compressed_error() {
    let body = gzip(b"{\"error\": {\"message\": \"no such model\"}}");
    let error = OPENAI.execute_err(vec![compressed(404, "application/json", "gzip", &body)]);
    let error = error.await.to_string();
    assert!(error.contains("status 404: no such model"), "{error}");
}

/// The bounds count what a body becomes. Each of these has less than 300 KB.
#[tokio::test]
async fn a_body_that_grows_beyond_the_bound_is_not_read_to_its_end() {
    let blanks = vec![b' '; 1 << 20];
    let events = b": alive\n\n".repeat(1 << 17);
    for (kind, piece) in [
        ("application/json", &blanks),
        ("text/event-stream", &blanks),
        ("text/event-stream", &events),
    ] {
        let body = gzip(&piece.repeat(40));
        assert!(body.len() < 300_000);
        let answer = || compressed(200, kind, "gzip", &body);
        let plain = OPENAI.execute_err(vec![answer()]).await;
        let streamed = OPENAI.stream(vec![answer()]).await.error.expect("an error");
        for error in [plain, streamed] {
            assert!(
                error.to_string().contains("answered with more than 32 MB"),
                "{error}"
            );
        }
    }
    // The text of an error has a lower bound, beyond which only the status is told.
    let error = OPENAI.execute_err(vec![compressed(
        400,
        "text/plain",
        "gzip",
        &gzip(&blanks.repeat(2)),
    )]);
    let error = error.await.to_string();
    assert!(error.ends_with("answered with status 400"), "{error}");
}

#[tokio::test]
async fn what_is_no_gzip_is_an_error() {
    let body = gzip(OPENAI.read("hello.json").as_bytes());
    let mut broken = body.clone();
    broken[20] ^= 0xff;
    for (encoding, body, words) in [
        ("gzip", &body[..body.len() / 2], "broke its answer off"),
        ("gzip", &body[..5], "broke its answer off"),
        ("gzip", b"{}", "broke its answer off"),
        ("gzip", &broken, "broke its answer off"),
        ("br", &body, "in the encoding `br`, which was not asked for"),
        ("gzip, gzip", &body, "in the encoding `gzip, gzip`"),
    ] {
        for streamed in [false, true] {
            let answers = vec![compressed(200, "application/json", encoding, body)];
            let error = match streamed {
                false => OPENAI.execute_err(answers).await,
                true => OPENAI.stream(answers).await.error.expect("an error"),
            };
            assert!(
                error.to_string().contains(words),
                "{encoding} {streamed}: {error}"
            );
        }
    }
}

/// The server sends the second event only after the client has the text of the first one.
#[tokio::test]
async fn a_compressed_stream_flows_piece_by_piece() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    let (saw_first, wait) = mpsc::channel();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let mut request = vec![0; 1 << 16];
        let _ = stream.read(&mut request).expect("a request");
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n";
        stream.write_all(head.as_bytes()).expect("a client");
        let mut encoder = GzEncoder::new(stream, Compression::default());
        let mut send = |text: &str| {
            let json = serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}}]});
            write!(encoder, "data: {json}\n\n").expect("a client");
            encoder.flush().expect("a client");
        };
        send("one");
        // Far longer than any machine needs, so that the client fails and does not hang.
        let seen = wait.recv_timeout(Duration::from_secs(60)).is_ok();
        send(" two");
        encoder.write_all(b"data: [DONE]\n\n").expect("a client");
        encoder.finish().expect("a client");
        seen
    });
    let runtime = OPENAI.runtime(&Server::start(Vec::new()));
    let runtime = runtime.base_url(format!("http://127.0.0.1:{port}/v1"));
    let runtime = runtime.build().expect("a runtime");
    let mut conversation = Conversation::new();
    let agent = OPENAI.agent();
    let library = crate::support::library([crate::support::hello_tool()]);
    let mut stream = runtime
        .run(&agent, "Hello")
        .tools(&library)
        .conversation(&mut conversation)
        .stream();
    let mut text = String::new();
    while let Some(event) = stream.next().await {
        if let Event::TextDelta { text: piece, .. } = event.expect("no error") {
            text.push_str(&piece);
            let _ = saw_first.send(());
        }
    }
    assert!(
        server.join().expect("no panic"),
        "the first event came alone"
    );
    assert_eq!(text, "one two");
}
