//! The limits of a provider over HTTP: retries, rate limits and the headers of answers. The clock is the real one,
//! so that only the shortest time between two requests is checked.

use crate::support::server::{Answer, Server, status, text};
use agent_runtime::model::ProviderLimits;
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::{Agent, Environment, Runtime};
use std::time::{Duration, Instant};

fn runtime(server: &Server, set_up: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder) -> Runtime {
    let builder = Runtime::builder()
        .environment(Environment::from_pairs([(
            "OPENAI_API_KEY",
            "sk-test-123456",
        )]))
        .base_url(server.base_url())
        .retry_pause(Duration::from_millis(1));
    set_up(builder).build().expect("a runtime")
}

/// An agent without tools.
fn agent() -> Agent {
    Agent::new("greeter", "OpenAI/gpt-6-luna", "Greet.").expect("an agent")
}

/// A text with further headers.
fn text_with(headers: &'static str) -> Answer {
    match text("Hello.") {
        Answer::Plain(status, _, body) => Answer::Plain(status, headers, body),
        other => other,
    }
}

fn too_many(headers: &'static str) -> Answer {
    Answer::Plain(429, headers, r#"{"error": {"message": "slow"}}"#.to_owned())
}

#[tokio::test]
async fn retries_count_as_requests() {
    let server = Server::start(vec![status(500, "{}"), text("Hello."), text("Never.")]);
    let limits = ProviderLimits::new().requests_per_minute(2);
    let runtime = runtime(&server, |builder| {
        let builder = builder.provider_limits("OpenAI", limits);
        builder.run_timeout(Duration::from_secs(20))
    });
    runtime.run(agent(), "Hi").await.expect("an answer");
    let waiting = runtime.run(agent(), "Hi").into_future();
    let waited = tokio::time::timeout(Duration::from_millis(200), waiting).await;
    assert!(waited.is_err(), "it waits for the next minute");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_retry_goes_before_the_requests_that_wait() {
    let server = Server::start(vec![
        too_many("retry-after-ms: 100\r\n"),
        text("first"),
        text("second"),
    ]);
    let limits = ProviderLimits::new().concurrent_requests(1);
    let runtime = runtime(&server, |builder| builder.provider_limits("OpenAI", limits));
    let agent = agent();
    let begin = Instant::now();
    let run = |text| runtime.run(&agent, text).into_future();
    let (first, second) = tokio::join!(run("one"), run("two"));
    assert_eq!(first.expect("an answer").content, "first");
    assert_eq!(second.expect("an answer").content, "second");
    assert!(begin.elapsed() >= Duration::from_millis(100));
    let inputs: Vec<String> = server
        .requests()
        .iter()
        .map(|request| request.json()["messages"][1]["content"].to_string())
        .collect();
    assert_eq!(inputs, ["\"one\"", "\"one\"", "\"two\""]);
}

#[tokio::test]
async fn a_request_waits_for_a_provider_that_limits_the_rate() {
    let refusals = (0..5).map(|_| too_many("retry-after-ms: 1\r\n"));
    let server = Server::start(refusals.chain([text("Hello.")]).collect());
    let limits = ProviderLimits::new();
    let runtime = runtime(&server, |builder| builder.provider_limits("OpenAI", limits));
    runtime.run(agent(), "Hi").await.expect("an answer");
    assert_eq!(server.requests().len(), 6);
    // Other failures use up the attempts.
    let server = Server::start((0..5).map(|_| status(500, "{}")).collect());
    let runtime = self::runtime(&server, |builder| builder.provider_limits("OpenAI", limits));
    runtime.run(agent(), "Hi").await.expect_err("an error");
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn status_429_pauses_the_runs_that_come_later() {
    let server = Server::start(vec![too_many("retry-after-ms: 300\r\n"), text("Hello.")]);
    let runtime = runtime(&server, |builder| {
        let builder = builder.provider_limits("OpenAI", ProviderLimits::new());
        builder.max_attempts(1)
    });
    let begin = Instant::now();
    let error = runtime.run(agent(), "Hi").await.expect_err("a limit");
    assert!(error.is_rate_limited());
    runtime.run(agent(), "Hi").await.expect("an answer");
    assert!(begin.elapsed() >= Duration::from_millis(300));
}

#[tokio::test]
async fn headers_lower_what_is_left_until_their_reset() {
    for headers in [
        "x-ratelimit-limit-requests: 1\r\nx-ratelimit-remaining-requests: 0\r\n\
         x-ratelimit-reset-requests: 300ms\r\n",
        "x-ratelimit-limit-tokens: 100000\r\nx-ratelimit-remaining-tokens: 0\r\n\
         x-ratelimit-reset-tokens: 60s\r\nretry-after: soon\r\n",
    ] {
        let server = Server::start(vec![text_with(headers), text("Hello.")]);
        let limits = ProviderLimits::new();
        let limited = runtime(&server, |builder| builder.provider_limits("OpenAI", limits));
        let begin = Instant::now();
        limited.run(agent(), "Hi").await.expect("an answer");
        // The tokens of a long text come back at the rate that the headers tell: 500 in 300 ms.
        let long = "word ".repeat(400);
        limited.run(agent(), &*long).await.expect("an answer");
        assert!(begin.elapsed() >= Duration::from_millis(300), "{headers}");
    }
}

#[tokio::test]
async fn without_limits_each_request_is_on_its_own() {
    let server = Server::start(vec![too_many("retry-after: 3600\r\n"), text("Hello.")]);
    let runtime = runtime(&server, |builder| builder);
    let error = runtime.run(agent(), "Hi").await.expect_err("a limit");
    assert!(error.is_rate_limited());
    runtime.run(agent(), "Hi").await.expect("an answer");
}
