//! Further tries: when, how often, after how long, and who gets to know.

use crate::faults::ask::ask;
use crate::faults::certificate::Certificate;
use crate::faults::dialect::{DIALECTS, HELLO, at_the_same_time};
use crate::faults::server::{Act, FOREVER, Server, scripted, whole};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

#[tokio::test]
async fn retries_three_times_on_408_429_5xx_and_529() {
    at_the_same_time(|dialect, streamed| async move {
        for status in [408, 429, 500, 502, 503, 504, 529, 599] {
            let server = Server::start(vec![whole(status, "", "no"); 4]);
            let runtime = dialect.runtime(&[]).base_url(dialect.base_url(server.port));
            let asked = ask(runtime, &dialect.agent(), streamed).await;
            let error = asked.answer.expect_err("a status");
            assert!(error.is_llm() && error.is_unavailable(), "{error:?}");
            assert_eq!(server.requests().len(), 3, "{status}");
        }
        for status in [400, 402, 404, 409, 413, 422] {
            let server = Server::start(vec![whole(status, "", "no"); 2]);
            let runtime = dialect.runtime(&[]).base_url(dialect.base_url(server.port));
            let asked = ask(runtime, &dialect.agent(), streamed).await;
            let error = asked.answer.expect_err("a status");
            assert!(error.is_llm() && !error.is_unavailable(), "{error:?}");
            assert_eq!(server.requests().len(), 1, "{status}");
        }
    })
    .await;
}

#[tokio::test]
async fn makes_as_many_attempts_as_the_program_sets() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            for attempts in [1, 2, 5] {
                let server = Server::start(vec![whole(503, "", "busy"); 6]);
                let runtime = dialect.runtime(&[]).base_url(dialect.base_url(server.port));
                let runtime = runtime.max_attempts(attempts);
                let asked = ask(runtime, &dialect.agent(), streamed).await;
                assert!(asked.answer.expect_err("busy").is_overloaded());
                assert_eq!(server.requests().len(), attempts as usize);
            }
        }
    }
}

#[tokio::test]
async fn tries_to_connect_three_times() {
    let certificate = Certificate::good();
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
            let connections = Arc::new(AtomicUsize::new(0));
            let count = Arc::clone(&connections);
            // It hangs up before a connection with encryption is made.
            let server = Server::answering(listener, scripted([]), move |_| {
                count.fetch_add(1, Ordering::Relaxed);
                None::<std::net::TcpStream>
            });
            let url = dialect.base_url(server.port).replace("http:", "https:");
            let believed = (crate::faults::certificate::FILE, certificate.path());
            let runtime = dialect.runtime(&[believed]).base_url(url);
            let asked = ask(runtime, &dialect.agent(), streamed).await;
            let error = asked.answer.expect_err("no connection");
            assert!(error.to_string().contains("cannot be reached"), "{error}");
            assert_eq!(connections.load(Ordering::Relaxed), 3);
        }
    }
}

#[tokio::test]
async fn suggests_the_base_url_when_it_contains_the_whole_path() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let path = dialect.path(streamed).split('?').next().expect("a path");
            let server = Server::start([whole(404, "", "not here")]);
            let address = format!("http://127.0.0.1:{}", server.port);
            let runtime = dialect.runtime(&[]).base_url(format!("{address}{path}"));
            let asked = ask(runtime, &dialect.agent(), streamed).await;
            let text = asked.answer.expect_err("a whole endpoint").to_string();
            assert!(text.contains(&format!("write `{address}")), "{text}");
            assert!(server.requests().is_empty());
            let runtime = dialect
                .runtime(&[])
                .base_url(format!("{address}{}", dialect.base));
            let asked = ask(runtime, &dialect.agent(), streamed).await;
            let text = asked.answer.expect_err("nothing there").to_string();
            assert!(!text.contains("whole endpoint"), "{text}");
        }
    }
}

/// `model/http/retry.rs` tests that the pauses vary within their step.
#[tokio::test]
async fn backs_off_between_retries() {
    at_the_same_time(|dialect, streamed| async move {
        let server = Server::start(vec![whole(503, "", "busy"); 3]);
        let runtime = dialect
            .runtime(&[])
            .base_url(dialect.base_url(server.port))
            .retry_pause(Duration::from_millis(200));
        let asked = ask(runtime, &dialect.agent(), streamed).await;
        asked.answer.expect_err("busy");
        let times: Vec<_> = server.requests().iter().map(|sent| sent.at).collect();
        // Each is between half and the whole of its step.
        assert!(times[1] - times[0] >= Duration::from_millis(95));
        assert!(times[2] - times[1] >= Duration::from_millis(195));
    })
    .await;
}

#[tokio::test]
async fn honours_retry_after_within_the_deadline() {
    at_the_same_time(|dialect, streamed| async move {
        let never = "Fri, 31 Dec 9999 23:59:59 GMT";
        for (wish, said) in [
            ("0.3", None),
            ("3600", Some("it asks to wait 3600 s, longer than the 1")),
            (never, Some(" s, longer than the 1")),
            ("99999999999999999999", Some(" s, longer than the 1")),
        ] {
            let headers = format!("retry-after: {wish}\r\n");
            let server = Server::start([
                whole(429, &headers, "slow down"),
                dialect.reply("hello", streamed),
            ]);
            let runtime = dialect.runtime(&[]).base_url(dialect.base_url(server.port));
            let runtime = runtime.model_timeout(Duration::from_secs(20));
            let asked = ask(runtime, &dialect.agent(), streamed).await;
            let requests = server.requests();
            match said {
                None => {
                    assert_eq!(asked.answer.expect("an answer").content, HELLO);
                    let pause = requests[1].at - requests[0].at;
                    assert!(pause >= Duration::from_millis(295), "{pause:?}");
                }
                Some(words) => {
                    let error = asked.answer.expect_err("too long").to_string();
                    assert!(error.contains(words), "{error}");
                    assert_eq!(requests.len(), 1);
                    assert!(asked.elapsed < Duration::from_secs(10));
                }
            }
        }
    })
    .await;
}

#[tokio::test]
async fn retries_are_invisible_to_the_model() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let (calls, hello) = (
                dialect.reply("calls", streamed),
                dialect.reply("hello", streamed),
            );
            let busy = whole(503, "", "busy");
            let smooth = Server::start([calls.clone(), hello.clone()]);
            let rough = Server::start([busy.clone(), calls, busy.clone(), busy, hello]);
            let mut answers = Vec::new();
            let mut sent = Vec::new();
            for server in [smooth, rough] {
                let runtime = dialect.runtime(&[]).base_url(dialect.base_url(server.port));
                let asked = ask(runtime, &dialect.agent(), streamed).await;
                let response = asked.answer.expect("an answer");
                assert_eq!(response.usage.requests, 2);
                answers.push((response.content, asked.conversation.len()));
                let mut bodies: Vec<_> = server.requests().iter().map(|sent| sent.json()).collect();
                bodies.dedup();
                sent.push(bodies);
            }
            assert_eq!(answers[0], answers[1]);
            assert_eq!(sent[0].len(), 2);
            if dialect.provider == "OpenAIChat" || dialect.provider == "Anthropic" {
                // The others give their calls no ids, so each run makes its own.
                assert_eq!(sent[0], sent[1]);
            }
            assert_eq!(sent[1].len(), 2);
        }
    }
}

#[tokio::test]
async fn gives_up_a_request_after_its_timeout() {
    at_the_same_time(|dialect, streamed| async move {
        let server = Server::start([vec![Act::Wait(FOREVER)]]);
        let runtime = dialect
            .runtime(&[])
            .base_url(dialect.base_url(server.port))
            .model_timeout(Duration::from_millis(300));
        let asked = ask(runtime, &dialect.agent(), streamed).await;
        let error = asked.answer.expect_err("too late");
        assert!(error.is_llm() && error.is_unavailable(), "{error:?}");
        assert!(error.is_timeout(), "{error:?}");
        assert!(asked.elapsed >= Duration::from_millis(295));
        assert!(asked.elapsed < Duration::from_secs(6));
        assert!(asked.conversation.is_empty());
    })
    .await;
}
