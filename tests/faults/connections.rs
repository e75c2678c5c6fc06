//! Connections, further tries, request ids and times.

use crate::faults::ask::{all_texts, ask};
use crate::faults::dialect::{DIALECTS, HELLO, at_the_same_time};
use crate::faults::server::{Act, FOREVER, Server, chunk, silent_port, whole};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

#[tokio::test]
async fn reuses_a_connection() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let replies = ["calls", "hello"].map(|name| dialect.reply(name, streamed));
            let server = Server::start(replies);
            let runtime = dialect.runtime(&[]).base_url(dialect.base_url(server.port));
            let asked = ask(runtime, &dialect.agent(), streamed).await;
            assert_eq!(asked.answer.expect("an answer").content, HELLO);
            let requests = server.requests();
            let connections: Vec<usize> = requests.iter().map(|sent| sent.connection).collect();
            assert_eq!(connections, [0, 0], "{}: {streamed}", dialect.provider);
        }
    }
}

/// The end of a body often comes in a packet of its own, after what says that all was said.
#[tokio::test]
async fn reuses_a_connection_with_a_late_end_of_answer() {
    for dialect in DIALECTS {
        let replies = ["calls", "hello"].map(|name| {
            let body = dialect.body(name, true);
            let chunk = chunk(dialect.kind(true), body.as_bytes());
            let end = b"0\r\n\r\n".to_vec();
            let pause = Duration::from_millis(5);
            vec![Act::Send(chunk), Act::Wait(pause), Act::Send(end)]
        });
        let server = Server::start(replies);
        let runtime = dialect.runtime(&[]).base_url(dialect.base_url(server.port));
        let asked = ask(runtime, &dialect.agent(), true).await;
        assert_eq!(asked.answer.expect("an answer").content, HELLO);
        let requests = server.requests();
        let connections: Vec<usize> = requests.iter().map(|sent| sent.connection).collect();
        assert_eq!(connections, [0, 0], "{}", dialect.provider);
    }
}

#[tokio::test]
async fn retries_until_a_starting_server_answers() {
    at_the_same_time(|dialect, streamed| async move {
        let (socket, port) = silent_port();
        let reply = dialect.reply("hello", streamed);
        let starting = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(200)).await;
            let listener = socket.listen(16).and_then(TcpListener::into_std);
            let listener = listener.expect("the port");
            listener.set_nonblocking(false).expect("a listener");
            Server::on(listener, [reply])
        });
        let runtime = dialect
            .runtime(&[])
            .base_url(dialect.base_url(port))
            .retry_pause(Duration::from_millis(800));
        let asked = ask(runtime, &dialect.agent(), streamed).await;
        let response = asked.answer.expect("an answer");
        assert_eq!(response.usage.requests, 1);
        assert_eq!(starting.await.expect("a server").requests().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn reports_a_refused_connection_after_three_tries() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let (_held, port) = silent_port();
            let url = dialect.base_url(port);
            let runtime = dialect.runtime(&[]).base_url(&url);
            let asked = ask(runtime, &dialect.agent(), streamed).await;
            let error = asked.answer.expect_err("nobody");
            assert!(error.is_llm() && error.is_unavailable(), "{error:?}");
            let text = error.to_string();
            assert!(
                text.contains("cannot be reached: connection refused") && text.contains(&url),
                "{text}"
            );
            assert!(all_texts(&error).contains("refused"), "{error:?}");
        }
    }
}

#[tokio::test]
async fn errors_name_the_request_id_of_the_server() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            for header in ["x-request-id", "request-id"] {
                let headers = format!("{header}: req_0123\r\n");
                let server = Server::start([whole(400, &headers, "no")]);
                let runtime = dialect.runtime(&[]).base_url(dialect.base_url(server.port));
                let asked = ask(runtime, &dialect.agent(), streamed).await;
                let text = asked.answer.expect_err("an error").to_string();
                assert!(text.contains("(request req_0123): no"), "{text}");
            }
        }
    }
}

#[tokio::test]
async fn request_timeout_includes_retries() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let server = Server::start(vec![whole(503, "", "busy"); 3]);
            let runtime = dialect
                .runtime(&[])
                .base_url(dialect.base_url(server.port))
                .retry_pause(Duration::from_secs(3))
                .model_timeout(Duration::from_secs(1));
            let begun = Instant::now();
            let asked = ask(runtime, &dialect.agent(), streamed).await;
            // A pause that the deadline would cut is not begun.
            assert!(begun.elapsed() < Duration::from_secs(1) + Duration::from_millis(900));
            let error = asked.answer.expect_err("busy");
            assert!(error.to_string().contains("status 503: busy"), "{error}");
            assert_eq!(server.requests().len(), 1);
        }
    }
}

#[tokio::test]
async fn a_stream_has_an_idle_timeout_only() {
    let mut tests = JoinSet::new();
    for dialect in DIALECTS {
        let body = dialect.body("hello", true).into_bytes();
        let beginning = chunk(dialect.kind(true), &body[..1]);
        let mut slow = vec![Act::Send(beginning)];
        for byte in body[1..].chunks(body.len() / 5) {
            let mut piece = format!("{:x}\r\n", byte.len()).into_bytes();
            piece.extend_from_slice(byte);
            piece.extend_from_slice(b"\r\n");
            slow.extend([Act::Wait(Duration::from_millis(300)), Act::Send(piece)]);
        }
        let mut silent = slow[..2].to_vec();
        silent.push(Act::Wait(FOREVER));
        for (play, ends) in [(slow, true), (silent, false)] {
            tests.spawn(async move {
                let server = Server::start([play]);
                let runtime = dialect
                    .runtime(&[])
                    .base_url(dialect.base_url(server.port))
                    .idle_timeout(Duration::from_millis(1_000));
                let asked = ask(runtime, &dialect.agent(), true).await;
                assert_eq!(asked.answer.is_ok(), ends, "{:?}", asked.answer);
                if let Err(error) = asked.answer {
                    assert!(error.to_string().contains("sent nothing for 1s"), "{error}");
                    assert!(asked.elapsed < Duration::from_secs(6));
                }
            });
        }
    }
    tests.join_all().await;
}

#[tokio::test]
async fn does_not_retry_after_streamed_output() {
    for dialect in DIALECTS {
        let body = dialect.body("hello", true);
        let emoji = body.find('👋').expect("an emoji");
        let beginning = chunk(dialect.kind(true), &body.as_bytes()[..emoji]);
        let server = Server::start([
            vec![Act::Send(beginning), Act::Close],
            dialect.reply("hello", true),
        ]);
        let runtime = dialect.runtime(&[]).base_url(dialect.base_url(server.port));
        let asked = ask(runtime, &dialect.agent(), true).await;
        let error = asked.answer.expect_err("a cut stream");
        assert!(!error.is_unavailable(), "{error:?}");
        assert_eq!(server.requests().len(), 1);
        // The user has read the beginning.
        let texts: Vec<_> = asked.conversation.messages().iter().collect();
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts[1].content().ends_with("[interrupted]"), "{texts:?}");
    }
}
