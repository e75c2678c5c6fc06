//! The causes of errors that programs act on, for each provider that reports them.

use crate::providers::exchange::{ANTHROPIC, Dialect, GOOGLE, OLLAMA, OPENAI, RESPONSES};
use crate::support::server::{Answer, Server, status, streamed};
use agent_runtime::model::CompatibleProvider;
use agent_runtime::{Agent, Environment, Error, Runtime};
use std::time::Duration;

/// The name of an error's cause, which is at most one.
fn cause(error: &Error) -> &'static str {
    let causes = [
        ("rate limited", error.is_rate_limited()),
        ("context too long", error.is_context_too_long()),
        ("overloaded", error.is_overloaded()),
        ("refused", error.is_refused()),
        ("timeout", error.is_timeout()),
    ];
    let mut causes = causes.into_iter().filter(|(_, is_cause)| *is_cause);
    let cause = causes.next().map_or("none", |(name, _)| name);
    assert_eq!(causes.next(), None, "{error:?}");
    cause
}

/// A status, further headers, and a body, with the cause and the milliseconds to wait.
type Row = (u16, &'static str, &'static str, &'static str, Option<u64>);

const OPENAI_ROWS: &[Row] = &[
    (
        429,
        "retry-after: 2\r\nretry-after-ms: 1500\r\n",
        r#"{"error": {"message": "Rate limit reached for m. Please try again in 1.5s.", "type": "tokens", "code": "rate_limit_exceeded"}}"#,
        "rate limited",
        Some(1_500),
    ),
    (
        429,
        "retry-after: 2\r\n",
        "slow down",
        "rate limited",
        Some(2_000),
    ),
    // Azure writes the status as a text.
    (
        429,
        "",
        r#"{"error": {"code": "429", "message": "Requests have exceeded the call rate limit."}}"#,
        "rate limited",
        None,
    ),
    // Groq limits the tokens of a minute in this way.
    (
        413,
        "",
        r#"{"error": {"message": "Request too large", "type": "tokens", "code": "rate_limit_exceeded"}}"#,
        "rate limited",
        None,
    ),
    // OpenRouter reports what happens during an answer in its body.
    (
        200,
        "",
        r#"{"error": {"code": 429, "message": "m is temporarily rate-limited upstream"}}"#,
        "rate limited",
        None,
    ),
    (
        429,
        "retry-after: 9\r\n",
        r#"{"error": {"message": "You exceeded your current quota.", "type": "insufficient_quota", "code": "insufficient_quota"}}"#,
        "none",
        Some(9_000),
    ),
    (
        400,
        "",
        r#"{"error": {"message": "Your input exceeds the limit.", "type": "invalid_request_error", "code": "context_length_exceeded"}}"#,
        "context too long",
        None,
    ),
    // vLLM.
    (
        400,
        "",
        r#"{"object": "error", "message": "This model's maximum context length is 4096 tokens. However, you requested 5000.", "type": "BadRequestError", "code": 400}"#,
        "context too long",
        None,
    ),
    // llama.cpp.
    (
        400,
        "",
        r#"{"error": {"code": 400, "message": "request (5000 tokens) is too long", "type": "exceed_context_size_error"}}"#,
        "context too long",
        None,
    ),
    (
        413,
        "",
        "<html>Payload Too Large</html>",
        "context too long",
        None,
    ),
    (
        503,
        "retry-after: 3\r\n",
        r#"{"error": {"message": "The engine is currently overloaded, please try again later."}}"#,
        "overloaded",
        Some(3_000),
    ),
    (
        500,
        "",
        r#"{"error": {"message": "Overloaded.", "code": "server_is_overloaded"}}"#,
        "overloaded",
        None,
    ),
    // Azure.
    (
        400,
        "",
        r#"{"error": {"message": "The response was filtered.", "type": null, "code": "content_filter", "status": 400, "innererror": {"code": "ResponsibleAIPolicyViolation"}}}"#,
        "refused",
        None,
    ),
    // OpenRouter. The key is valid.
    (
        403,
        "",
        r#"{"error": {"code": 403, "message": "m requires moderation", "metadata": {"reasons": ["violence"], "flagged_input": "How to"}}}"#,
        "refused",
        None,
    ),
    (
        400,
        "",
        r#"{"error": {"message": "Invalid prompt: your prompt was flagged.", "code": "invalid_prompt"}}"#,
        "refused",
        None,
    ),
    (408, "", "slow", "timeout", None),
    (504, "", "<html>Gateway Time-out</html>", "timeout", None),
    (524, "", "error code: 524", "timeout", None),
    (500, "", "oops", "none", None),
    (
        400,
        "",
        r#"{"error": {"message": "No such member."}}"#,
        "none",
        None,
    ),
    (
        404,
        "",
        "the maximum context length page is not here",
        "none",
        None,
    ),
];

/// Errors in answers with a success status.
const RESPONSES_ROWS: &[Row] = &[
    (
        200,
        "",
        r#"{"status": "failed", "output": [], "error": {"code": "rate_limit_exceeded", "message": "Rate limit reached for m."}}"#,
        "rate limited",
        None,
    ),
    (
        200,
        "",
        r#"{"type": "error", "code": "context_length_exceeded", "message": "Your input exceeds the context window."}"#,
        "context too long",
        None,
    ),
    (
        200,
        "",
        r#"{"status": "failed", "output": [], "error": {"code": "image_content_policy_violation", "message": "Not this image."}}"#,
        "refused",
        None,
    ),
    (
        200,
        "",
        r#"{"status": "failed", "output": [], "error": {"code": "invalid_image", "message": "It is none."}}"#,
        "none",
        None,
    ),
];

const ANTHROPIC_ROWS: &[Row] = &[
    (
        429,
        "retry-after: 7\r\n",
        r#"{"type": "error", "error": {"type": "rate_limit_error", "message": "Number of request tokens has exceeded your limit"}}"#,
        "rate limited",
        Some(7_000),
    ),
    (
        400,
        "",
        r#"{"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 208310 tokens > 200000 maximum"}}"#,
        "context too long",
        None,
    ),
    (
        400,
        "",
        r#"{"type": "error", "error": {"type": "invalid_request_error", "message": "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"}}"#,
        "context too long",
        None,
    ),
    (
        413,
        "",
        r#"{"type": "error", "error": {"type": "request_too_large", "message": "Request exceeds the maximum size"}}"#,
        "context too long",
        None,
    ),
    (
        529,
        "",
        r#"{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}"#,
        "overloaded",
        None,
    ),
    (
        200,
        "",
        r#"{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}"#,
        "overloaded",
        None,
    ),
    (
        504,
        "",
        r#"{"type": "error", "error": {"type": "timeout_error", "message": "Request timed out"}}"#,
        "timeout",
        None,
    ),
    (
        400,
        "",
        r#"{"type": "error", "error": {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"}}"#,
        "refused",
        None,
    ),
    (
        400,
        "",
        r#"{"type": "error", "error": {"type": "invalid_request_error", "message": "max_tokens: Field required"}}"#,
        "none",
        None,
    ),
];

const GOOGLE_ROWS: &[Row] = &[
    (
        429,
        "",
        r#"{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "You exceeded your current quota.", "details": [{"@type": "type.googleapis.com/google.rpc.Help"}, {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]}}"#,
        "rate limited",
        Some(34_500),
    ),
    (
        400,
        "",
        r#"{"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}"#,
        "context too long",
        None,
    ),
    (
        503,
        "",
        r#"[{"error": {"code": 503, "status": "UNAVAILABLE", "message": "The model is overloaded."}}]"#,
        "overloaded",
        None,
    ),
    (
        200,
        "",
        r#"[{"error": {"code": 503, "status": "UNAVAILABLE", "message": "The model is overloaded."}}]"#,
        "overloaded",
        None,
    ),
    (
        504,
        "",
        r#"{"error": {"code": 504, "status": "DEADLINE_EXCEEDED", "message": "Deadline expired."}}"#,
        "timeout",
        None,
    ),
    (
        200,
        "",
        r#"{"promptFeedback": {"blockReason": "SAFETY"}}"#,
        "refused",
        None,
    ),
    (
        400,
        "",
        r#"{"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "Unknown name"}}"#,
        "none",
        None,
    ),
];

const OLLAMA_ROWS: &[Row] = &[
    (
        429,
        "",
        r#"{"error": "too many requests"}"#,
        "rate limited",
        None,
    ),
    (
        400,
        "",
        r#"{"error": "prompt too long; exceeded max context length by 12 tokens"}"#,
        "context too long",
        None,
    ),
    (
        500,
        "",
        r#"{"error": "the input length exceeds the context length"}"#,
        "context too long",
        None,
    ),
    (
        503,
        "",
        r#"{"error": "server busy, please try again.  maximum pending requests exceeded"}"#,
        "overloaded",
        None,
    ),
    (
        504,
        "",
        r#"{"error": "upstream request timeout"}"#,
        "timeout",
        None,
    ),
    (404, "", r#"{"error": "model 'm' not found"}"#, "none", None),
];

/// Returns the error of a run with this answer and without retries.
async fn error_of(dialect: &Dialect, answer: Answer, is_streamed: bool) -> Error {
    let server = Server::start(vec![answer]);
    let runtime = dialect.runtime(&server).max_attempts(1);
    let runtime = runtime.build().expect("a runtime");
    let agent = Agent::new("greeter", dialect.model, "Greet people.").expect("an agent");
    let run = runtime.run(&agent, "Hello");
    let outcome = if is_streamed {
        let mut stream = run.stream();
        let mut last = None;
        while let Some(event) = stream.next().await {
            last = Some(event);
        }
        last.expect("an error").map(drop)
    } else {
        run.await.map(drop)
    };
    outcome.expect_err("an error")
}

#[tokio::test]
async fn errors_have_the_causes_that_providers_report() {
    for (dialect, rows) in [
        (OPENAI, OPENAI_ROWS),
        (RESPONSES, OPENAI_ROWS),
        (RESPONSES, RESPONSES_ROWS),
        (ANTHROPIC, ANTHROPIC_ROWS),
        (GOOGLE, GOOGLE_ROWS),
        (OLLAMA, OLLAMA_ROWS),
    ] {
        for (status, headers, body, expected, wait) in rows {
            for is_streamed in [false, true] {
                let answer = Answer::Plain(*status, headers, (*body).to_owned());
                let error = error_of(&dialect, answer, is_streamed).await;
                let what = format!("{} {status} {body}: {error:?}", dialect.folder);
                assert!(error.is_llm(), "{what}");
                assert_eq!(cause(&error), *expected, "{what}");
                let wait = wait.map(Duration::from_millis);
                assert_eq!(error.retry_after(), wait, "{what}");
            }
        }
    }
}

#[tokio::test]
async fn an_error_within_a_stream_has_its_cause() {
    let text = "data: {\"choices\": [{\"delta\": {\"content\": \"Half a\"}}]}\n\n";
    let error = "data: {\"error\": {\"code\": \"rate_limit_exceeded\", \"message\": \"wait\"}}\n\n";
    let answer = streamed("text/event-stream", format!("{text}{error}"));
    let error = error_of(&OPENAI, answer, true).await;
    assert!(error.is_rate_limited(), "{error:?}");
    assert!(!error.is_unavailable(), "somebody has read the beginning");
}

/// A retry and a wait do not help an account without credit, but another provider may.
#[tokio::test]
async fn an_account_without_credit_is_not_asked_again() {
    let body = r#"{"error": {"message": "No credit.", "code": "insufficient_quota"}}"#;
    let answers = || Answer::Plain(429, "", body.to_owned());
    let (response, _, server) = OPENAI.execute(vec![answers(), answers()]).await;
    let error = response.expect_err("no credit");
    assert_eq!(server.requests().len(), 1);
    assert!(
        error.is_unavailable() && !error.is_rate_limited(),
        "{error:?}"
    );
}

#[tokio::test]
async fn waits_as_long_as_googles_error_asks() {
    let body = r#"{"error": {"code": 429, "details": [{"retryDelay": "0.4s"}]}}"#;
    let limited = Answer::Plain(429, "", body.to_owned());
    let begun = std::time::Instant::now();
    let (response, ..) = GOOGLE
        .execute(vec![limited, GOOGLE.answer("hello.json")])
        .await;
    response.expect("an answer");
    assert!(begun.elapsed() >= Duration::from_millis(395));
}

/// The first error is the one that the run ends with.
#[tokio::test]
async fn the_cause_survives_fallback_models() {
    let server = Server::start(vec![
        Answer::Plain(429, "retry-after: 5\r\n", "slow down".to_owned()),
        Answer::Plain(500, "", "oops".to_owned()),
    ]);
    let gram =
        "[a:Agent {instruction: \"x\", model: \"OpenAI/first\", fallback: [\"OpenAI/second\"]}]";
    let agent = agent_runtime::spec::AgentPattern::parse(gram).expect("an agent");
    let runtime = OPENAI.runtime(&server).max_attempts(1).build();
    let error = runtime.expect("a runtime").run(&agent, "Hi").await;
    let error = error.expect_err("both are down");
    assert!(error.is_rate_limited(), "{error:?}");
    assert_eq!(error.retry_after(), Some(Duration::from_secs(5)));
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn the_text_of_an_unreachable_server_has_the_cause() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    drop(listener);
    for (host, words) in [
        ("127.0.0.1", "cannot be reached: connection refused"),
        ("no-such-host.invalid", "cannot be reached: "),
    ] {
        let runtime = Runtime::builder()
            .environment(Environment::empty())
            .base_url(format!("http://{host}:{port}/v1?key=secret-in-query"))
            .max_attempts(1)
            .build()
            .expect("a runtime");
        let error = runtime
            .run(OPENAI.agent().with_model(model()), "Hi")
            .tools(&tools())
            .await;
        let error = error.expect_err("nobody listens");
        let text = error.to_string();
        assert!(error.is_llm() && error.is_unavailable(), "{error:?}");
        assert!(text.contains(words) && !text.ends_with(": "), "{text}");
        assert!(
            !text.contains("os error") && !text.contains("secret"),
            "{text}"
        );
    }
}

fn model() -> agent_runtime::Model {
    agent_runtime::Model::parse("OpenAI/m").expect("a model")
}

fn tools() -> agent_runtime::ToolLibrary {
    crate::support::library([crate::support::hello_tool()])
}

/// The examples of the page about providers, for a server at their address.
#[tokio::test]
async fn azure_and_openrouter_get_their_headers() {
    let azure = |url: String| {
        CompatibleProvider::openai(format!(
            "{url}/openai/deployments/four?api-version=2024-10-21"
        ))
        .key("azure-key-123")
        .key_header("api-key")
        .max_completion_tokens()
    };
    let openrouter = |url: String| {
        CompatibleProvider::openai(format!("{url}/api/v1"))
            .key("or-key-123")
            .header("HTTP-Referer", "https://acme.example")
            .header("X-Title", "Acme")
    };
    type Headers = &'static [(&'static str, &'static str)];
    type Provider = fn(String) -> CompatibleProvider;
    let cases: [(Provider, &str, Headers); 2] = [
        (
            azure,
            "POST /openai/deployments/four/chat/completions?api-version=2024-10-21 HTTP/1.1",
            &[("api-key", "azure-key-123")],
        ),
        (
            openrouter,
            "POST /api/v1/chat/completions HTTP/1.1",
            &[
                ("authorization", "Bearer or-key-123"),
                ("http-referer", "https://acme.example"),
                ("x-title", "Acme"),
            ],
        ),
    ];
    for (provider, line, headers) in cases {
        let server = Server::start(vec![OPENAI.answer("hello.json")]);
        let url = format!("http://127.0.0.1:{}", server.port);
        let runtime = Runtime::builder()
            .environment(Environment::empty())
            .compatible_provider("Acme", provider(url))
            .build()
            .expect("a runtime");
        let agent = Agent::new("greeter", "Acme/m", "Greet people.").expect("an agent");
        runtime.run(&agent, "Hello").await.expect("an answer");
        let request = server.requests().remove(0);
        assert_eq!(request.line, line);
        for (name, value) in headers {
            assert_eq!(request.header(name), Some(*value), "{name}");
        }
    }
}

#[tokio::test]
async fn answers_with_too_many_values_are_refused() {
    let unused = format!("\"unused\": [{}{{}}]", "{\"a\":1},".repeat(600_000));
    for dialect in [OPENAI, ANTHROPIC, GOOGLE, OLLAMA] {
        let run = async |answer: Answer| {
            let (result, ..) = dialect.execute(vec![answer]).await;
            result.expect_err("an error").to_string()
        };
        let body = dialect.read("hello.json");
        let body = body.trim().strip_suffix('}').expect("an object");
        let error = run(streamed("application/json", format!("{body}, {unused}}}"))).await;
        assert!(
            error.contains("has more than 1000000 JSON values"),
            "{error}"
        );
        let error = run(status(400, &format!("{{{unused}}}"))).await;
        assert!(error.contains("answered with status 400"), "{error}");
        assert!(error.len() < 1_000, "{} bytes", error.len());
    }
}
