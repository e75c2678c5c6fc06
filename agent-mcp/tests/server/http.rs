//! The server over HTTP, with requests that a test writes by hand.

use crate::support::waiting_tool;
use agent_mcp::{HttpServer, ServeError, Server};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::serde_json::{Value, from_str, json};
use agent_runtime::tool::{ToolConfig, create_tool};
use agent_runtime::{Runtime, agent, tool, tools};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, Semaphore, oneshot};
use tokio::task::JoinHandle;

/// Greets a person
#[tool]
fn greet(name: &str) -> String {
    format!("Hello, {name}!")
}

fn server() -> HttpServer {
    Server::new(&tools![greet]).http(([127, 0, 0, 1], 0))
}

/// A server that runs.
struct Running {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<Result<(), ServeError>>,
}

async fn start(server: HttpServer) -> Running {
    let (stop, stopped) = oneshot::channel();
    let server = server.stop_when(async {
        let _ = stopped.await;
    });
    let bound = server.bind().await.unwrap();
    Running {
        address: bound.local_addr(),
        ended: tokio::spawn(bound.run()),
        stop,
    }
}

/// The answer to a request.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    /// The message in the body, which may be an event of a stream.
    fn message(&self) -> Value {
        let lines = self.body.lines();
        let mut data = lines.map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
        let found = data.find_map(|line| from_str::<Value>(line).ok().filter(Value::is_object));
        found.unwrap_or_else(|| panic!("a message: {}", self.body))
    }

    fn header(&self, name: &str) -> Option<&str> {
        let prefix = format!("{name}: ");
        self.head
            .lines()
            .find_map(|line| line.strip_prefix(&prefix))
    }
}

/// Sends a request and reads the answer.
async fn exchange(address: SocketAddr, request: String) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = Vec::new();
    stream.read_to_end(&mut text).await.unwrap();
    let text = String::from_utf8(text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer {
        status,
        head: head.to_ascii_lowercase(),
        body: body.to_owned(),
    }
}

/// The text of a call of `greet` in the revision 2026-07-28. A header is replaced by the one of its name in `headers`.
fn call_of(tool: &str, headers: &[(&str, &str)]) -> String {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": tool,
        "arguments": {"name": "Ada"},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }});
    post(&body.to_string(), tool, headers)
}

fn post(body: &str, tool: &str, headers: &[(&str, &str)]) -> String {
    let mut all = vec![
        ("Host", "localhost"),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", tool),
        ("Connection", "close"),
    ];
    all.retain(|(name, _)| headers.iter().all(|(other, _)| other != name));
    all.extend(headers);
    let length = body.len();
    let mut text = format!("POST /mcp HTTP/1.1\r\nContent-Length: {length}\r\n");
    for (name, value) in all {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    format!("{text}\r\n{body}")
}

async fn call(running: &Running, headers: &[(&str, &str)]) -> Answer {
    exchange(running.address, call_of("greet", headers)).await
}

fn greets(answer: &Answer) {
    assert_eq!(answer.status, 200, "{}", answer.body);
    let message = answer.message();
    assert_eq!(
        message["result"]["structuredContent"], "Hello, Ada!",
        "{message}"
    );
}

#[tokio::test]
async fn a_call_is_one_request() {
    let running = start(server()).await;
    greets(&call(&running, &[]).await);
    greets(&call(&running, &[("Origin", "http://localhost:3000")]).await);
}

#[tokio::test]
async fn another_host_or_origin_is_refused() {
    let running = start(server()).await;
    for wrong in [
        ("Host", "evil.example"),
        ("Origin", "http://evil.example"),
        ("Origin", "null"),
    ] {
        let answer = call(&running, &[wrong]).await;
        assert_eq!(answer.status, 403, "{wrong:?}: {}", answer.body);
    }
    let allowing = server()
        .allow_host("tools.example")
        .allow_origin("https://app.example:443");
    let running = start(allowing).await;
    let headers = [("Host", "tools.example"), ("Origin", "https://app.example")];
    greets(&call(&running, &headers).await);
}

#[tokio::test]
async fn a_host_and_an_origin_are_named_once() {
    let running = start(
        server()
            .allow_host("tools.example:8080")
            .allow_origin("null"),
    )
    .await;
    for (headers, status) in [
        (&[("Host", "localhost"), ("Host", "localhost")][..], 400),
        (&[("Host", "localhost"), ("Host", "evil.example")], 400),
        (&[("Host", "evil.example"), ("Host", "localhost")], 400),
        (&[("Host", "localhost, evil.example")], 400),
        (&[("Host", "evil.example@localhost")], 400),
        (&[("Host", "")], 400),
        (
            &[
                ("Origin", "http://localhost"),
                ("Origin", "http://localhost"),
            ],
            400,
        ),
        (
            &[
                ("Origin", "http://localhost"),
                ("Origin", "http://evil.example"),
            ],
            400,
        ),
        (&[("Origin", "http://localhost, http://evil.example")], 403),
        (&[("Origin", "")], 403),
        (&[("Origin", "localhost")], 403),
        (&[("Origin", "https://localhost")], 403),
        (&[("Host", "localhost.evil.example")], 403),
        (&[("Host", "tools.example")], 403),
        (&[("Host", "tools.example:80")], 403),
        (&[("Host", "TOOLS.example:8080")], 200),
        (&[("Host", "[::1]:7")], 200),
        (&[("Host", "127.0.0.1")], 200),
        (&[("Origin", "null")], 200),
        (&[("Origin", "HTTP://LocalHost:1")], 200),
        (&[("Origin", "http://[::1]")], 200),
    ] {
        let answer = call(&running, headers).await;
        assert_eq!(answer.status, status, "{headers:?}: {}", answer.body);
    }
    for (line, status) in [
        (
            "GET http://evil.example/mcp HTTP/1.1\r\nHost: localhost",
            403,
        ),
        (
            "GET http://localhost/mcp HTTP/1.1\r\nHost: evil.example",
            403,
        ),
        ("GET /mcp HTTP/1.0", 400),
        ("GET /elsewhere HTTP/1.1\r\nHost: evil.example", 403),
    ] {
        let request = format!("{line}\r\nConnection: close\r\n\r\n");
        let answer = exchange(running.address, request).await;
        assert_eq!(answer.status, status, "{line}: {}", answer.body);
    }
}

#[tokio::test]
async fn a_request_that_may_not_be_made_is_neither_counted_nor_read() {
    let limited = || {
        server()
            .bearer_token("open-sesame")
            .max_requests_per_second(1)
    };
    let running = start(limited()).await;
    let right = ("Authorization", "Bearer open-sesame");
    for (headers, status) in [
        (&[][..], 401),
        (&[("Authorization", "Bearer open")], 401),
        (&[right, ("Host", "evil.example")], 403),
        (&[right, ("Origin", "http://evil.example")], 403),
        (&[right, right], 401),
    ] {
        for _ in 0..20 {
            assert_eq!(call(&running, headers).await.status, status);
        }
        // The body never comes.
        let mut stream = TcpStream::connect(running.address).await.unwrap();
        let request = call_of("greet", headers);
        let (head, _) = request.split_once("\r\n\r\n").unwrap();
        let head = head.replace("Content-Length: ", "Content-Length: 1");
        stream
            .write_all(format!("{head}\r\n\r\n").as_bytes())
            .await
            .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        assert!(text.starts_with(&format!("HTTP/1.1 {status} ")), "{text}");
    }
    // Of two at once, both are there.
    greets(&call(&running, &[right]).await);
    greets(&call(&running, &[right]).await);
}

#[tokio::test]
async fn a_bearer_token_is_asked_for() {
    let running = start(server().bearer_token("open-sesame")).await;
    for wrong in [
        "",
        "Bearer",
        "Bearer open",
        "Bearer open-sesame2",
        "Basic open-sesame",
    ] {
        let answer = call(&running, &[("Authorization", wrong)]).await;
        assert_eq!(answer.status, 401, "{wrong:?}");
        assert_eq!(answer.header("www-authenticate"), Some("bearer"));
        assert!(!answer.body.contains("sesame"));
    }
    assert_eq!(call(&running, &[]).await.status, 401);
    let right = ("Authorization", "Bearer open-sesame");
    greets(&call(&running, &[right]).await);
    assert_eq!(call(&running, &[right, right]).await.status, 401);
}

#[tokio::test]
async fn a_function_checks_tokens_and_metadata_name_who_issues_them() {
    let server = server().authorize(|token| async move { token.starts_with("signed-") });
    let server = server.authorization_server("https://login.example");
    let running = start(server.public_url("https://tools.example/mcp")).await;
    let answer = call(&running, &[]).await;
    assert_eq!(answer.status, 401);
    let url = "https://tools.example/.well-known/oauth-protected-resource/mcp";
    let challenge = format!("bearer resource_metadata=\"{url}\"");
    assert_eq!(answer.header("www-authenticate"), Some(challenge.as_str()));
    for path in ["", "/mcp"] {
        let get = format!(
            "GET /.well-known/oauth-protected-resource{path} HTTP/1.1\r\nHost: tools.example\r\nConnection: close\r\n\r\n"
        );
        let answer = exchange(running.address, get).await;
        let expected = json!({
            "resource": "https://tools.example/mcp",
            "authorization_servers": ["https://login.example"],
            "bearer_methods_supported": ["header"],
        });
        assert_eq!((answer.status, answer.message()), (200, expected));
    }
    let headers = [
        ("Authorization", "Bearer signed-1"),
        ("Host", "tools.example"),
    ];
    greets(&call(&running, &headers).await);
}

/// Pays a bill
#[tool(requires_approval)]
fn pay(amount: u32) -> String {
    format!("{amount} euros are paid")
}

/// Calls `pay` with a token and the members of `more`.
async fn pay_as(running: &Running, token: &str, more: &[(&str, &Value)]) -> Value {
    let mut params = json!({
        "name": "pay",
        "arguments": {"amount": 5},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        },
    });
    for (name, value) in more {
        params[*name] = (*value).clone();
    }
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let token = format!("Bearer {token}");
    let request = post(&body.to_string(), "pay", &[("Authorization", &token)]);
    exchange(running.address, request).await.message()
}

/// Answers the question of a call.
async fn approve_as(running: &Running, token: &str, asked: &Value) -> Value {
    let required = &asked["result"];
    let questions = required["inputRequests"].as_object().unwrap().keys();
    let answers = questions.map(|key| (key.clone(), json!({"action": "accept"})));
    let answers = Value::Object(answers.collect());
    let more = [
        ("requestState", &required["requestState"]),
        ("inputResponses", &answers),
    ];
    pay_as(running, token, &more).await
}

#[tokio::test]
async fn an_approval_is_taken_from_the_caller_that_was_asked() {
    let paying = || Server::new(&tools![pay]).http(([127, 0, 0, 1], 0));
    let named = paying().authorize_caller(|token| async move {
        let (name, _) = token.split_once('-')?;
        Some(name.to_owned())
    });
    let by_token = paying().authorize(|token| async move { token.contains('-') });
    for (server, takes_newer_token) in [(named, true), (by_token, false)] {
        let running = start(server).await;
        let asked = pay_as(&running, "ada-1", &[]).await;
        let stolen = approve_as(&running, "bob-1", &asked).await;
        assert_eq!(stolen["error"]["code"], -32602, "{stolen}");
        if takes_newer_token {
            let paid = approve_as(&running, "ada-2", &asked).await;
            assert_eq!(paid["result"]["structuredContent"], "5 euros are paid");
            continue;
        }
        let newer = approve_as(&running, "ada-2", &asked).await;
        assert_eq!(newer["error"]["code"], -32602, "{newer}");
        let paid = approve_as(&running, "ada-1", &asked).await;
        assert_eq!(paid["result"]["structuredContent"], "5 euros are paid");
    }
}

#[tokio::test]
async fn other_paths_are_not_found() {
    let running = start(server()).await;
    for path in ["/", "/mcp/", "/.well-known/oauth-protected-resource"] {
        let get = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        assert_eq!(exchange(running.address, get).await.status, 404);
    }
}

#[tokio::test]
async fn a_message_with_too_many_values_is_refused() {
    let running = start(server()).await;
    let body = format!("[{}1]", "1,".repeat(250_000));
    let answer = exchange(running.address, post(&body, "greet", &[])).await;
    assert_eq!(answer.status, 413);
    assert!(
        answer.body.contains("more than 200000 JSON values"),
        "{}",
        answer.body
    );
    greets(&call(&running, &[]).await);
}

#[tokio::test]
async fn messages_share_a_bound_of_memory() {
    let (begun, let_go) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let (counter, gate) = (Arc::clone(&begun), Arc::clone(&let_go));
    let signature = "(values::Array {elementType: \"Int\"})==>(::String)";
    let wait = ToolConfig::with_signature("wait", "Waits", signature);
    let wait = wait.timeout(Duration::from_secs(600)).build(move |_| {
        let gate = Arc::clone(&gate);
        counter.add_permits(1);
        async move {
            gate.acquire().await.expect("it is open").forget();
            Ok("waited".into())
        }
    });
    let running = start(Server::new(&tools![wait.unwrap()]).http(([127, 0, 0, 1], 0))).await;
    // It takes 15 MB, as the server counts.
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "wait",
        "arguments": {"values": vec![1; 150_000]},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }});
    let request = post(&body.to_string(), "wait", &[]);
    let mut calls = Vec::new();
    for _ in 0..17 {
        calls.push(tokio::spawn(exchange(running.address, request.clone())));
    }
    begun.acquire_many(17).await.unwrap().forget();
    let refused = exchange(running.address, request.clone()).await;
    assert_eq!(refused.status, 503);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert!(refused.body.contains("memory"), "{}", refused.body);
    let_go.add_permits(18);
    for call in calls {
        assert_eq!(call.await.unwrap().status, 200);
    }
    assert_eq!(exchange(running.address, request).await.status, 200);
}

#[tokio::test]
async fn a_message_that_is_too_long_is_refused() {
    let server = Server::new(&tools![greet]).max_message_bytes(1000);
    let running = start(server.http(([127, 0, 0, 1], 0))).await;
    let body = " ".repeat(1001);
    let answer = exchange(running.address, post(&body, "greet", &[])).await;
    assert_eq!(answer.status, 413);
    assert!(
        answer.body.contains("at most 1000 bytes"),
        "{}",
        answer.body
    );
    greets(&call(&running, &[]).await);
}

#[tokio::test]
async fn a_body_that_is_no_message_is_refused() {
    let running = start(server()).await;
    for body in ["{", "", "[]", "\u{1b}[31m", r#"{"jsonrpc": "2.0"}"#] {
        let answer = exchange(running.address, post(body, "greet", &[])).await;
        assert!(
            (400..500).contains(&answer.status),
            "{body:?}: {}",
            answer.status
        );
    }
    // A header that contradicts the body could pass a proxy that reads only headers.
    let answer = call(&running, &[("Mcp-Name", "other")]).await;
    assert_eq!(answer.status, 400, "{}", answer.body);
    greets(&call(&running, &[]).await);
}

#[tokio::test]
async fn too_many_requests_a_second_are_told_to_come_back() {
    let running = start(server().max_requests_per_second(1)).await;
    // Two may come at once, and a few more if the test is slow.
    let mut refused = None;
    for _ in 0..1000 {
        let answer = call(&running, &[]).await;
        if answer.status != 200 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("a request is refused");
    assert_eq!(refused.status, 429);
    assert_eq!(refused.header("retry-after"), Some("1"));
}

#[tokio::test]
async fn a_request_beyond_the_concurrency_is_told_to_come_back() {
    let (began, end) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (begins, ends) = (Arc::clone(&began), Arc::clone(&end));
    let wait = create_tool("wait", "Waits", json!({"type": "object"}), move |_| {
        let (begins, ends) = (Arc::clone(&begins), Arc::clone(&ends));
        async move {
            begins.notify_one();
            ends.notified().await;
            Ok("done".into())
        }
    });
    let server = Server::new(&tools![wait.unwrap(), greet]).http(([127, 0, 0, 1], 0));
    let running = start(server.max_concurrency(1)).await;
    let waiting = tokio::spawn(exchange(running.address, call_of("wait", &[])));
    began.notified().await;
    let refused = call(&running, &[]).await;
    assert_eq!(refused.status, 503);
    assert_eq!(refused.header("retry-after"), Some("1"));
    end.notify_one();
    assert_eq!(waiting.await.unwrap().status, 200);
    // The place is free when the answer was sent.
    greets(&call(&running, &[]).await);
}

#[tokio::test]
async fn half_of_a_surrogate_pair_loses_no_call_over_http() {
    let running = start(server()).await;
    let request = call_of("greet", &[]).replace("\"Ada\"", r#""\uD83d""#);
    let request = request.replace("Content-Length: ", "X: ");
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let request = format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let answer = exchange(running.address, request).await.message();
    let greeting = &answer["result"]["structuredContent"];
    assert_eq!(greeting, "Hello, \u{fffd}!", "{answer}");
}

#[tokio::test]
async fn a_client_that_leaves_cancels_its_call() {
    struct Told(Arc<Notify>);
    impl Drop for Told {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let (began, dropped) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (begins, told) = (Arc::clone(&began), Arc::clone(&dropped));
    let wait = create_tool("wait", "Waits", json!({"type": "object"}), move |_| {
        let (begins, told) = (Arc::clone(&begins), Told(Arc::clone(&told)));
        async move {
            let _told = told;
            begins.notify_one();
            std::future::pending().await
        }
    });
    let running = start(Server::new(&tools![wait.unwrap()]).http(([127, 0, 0, 1], 0))).await;
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    stream
        .write_all(call_of("wait", &[]).as_bytes())
        .await
        .unwrap();
    began.notified().await;
    drop(stream);
    dropped.notified().await;
}

#[tokio::test]
async fn stopping_lets_requests_end() {
    let (began, end) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (begins, ends) = (Arc::clone(&began), Arc::clone(&end));
    let wait = create_tool("wait", "Waits", json!({"type": "object"}), move |_| {
        let (begins, ends) = (Arc::clone(&begins), Arc::clone(&ends));
        async move {
            begins.notify_one();
            ends.notified().await;
            Ok("done".into())
        }
    });
    let server = Server::new(&tools![wait.unwrap()]).http(([127, 0, 0, 1], 0));
    let running = start(server).await;
    let waiting = tokio::spawn(exchange(running.address, call_of("wait", &[])));
    began.notified().await;
    running.stop.send(()).unwrap();
    // The address is free as soon as no connection is accepted any more.
    while TcpStream::connect(running.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    end.notify_one();
    let answer = waiting.await.unwrap();
    assert_eq!(answer.message()["result"]["content"][0]["text"], "done");
    assert!(running.ended.await.unwrap().is_ok());
}

#[tokio::test]
async fn dropping_the_server_ends_its_calls() {
    let (wait, began, mut dropped) = waiting_tool("(name::Text)==>(::String)");
    let server = Server::new(&wait).http(([127, 0, 0, 1], 0));
    drop(wait);
    let running = start(server).await;
    let mut client = TcpStream::connect(running.address).await.unwrap();
    let call = call_of("wait", &[]);
    client.write_all(call.as_bytes()).await.unwrap();
    began.notified().await;
    running.ended.abort();
    // The call had the last sender.
    let ended = tokio::time::timeout(Duration::from_secs(30), dropped.recv()).await;
    assert_eq!(ended, Ok(None));
    drop(client);
}

/// The header of an earlier revision.
const EARLIER: (&str, &str) = ("MCP-Protocol-Version", "2025-11-25");

/// Begins a session of a client with this name.
async fn initialize(running: &Running, name: &str) -> Answer {
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": name, "version": "1"},
    }});
    let headers = [EARLIER, ("Mcp-Method", "initialize")];
    exchange(running.address, post(&hello.to_string(), "greet", &headers)).await
}

fn session_of(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.header("mcp-session-id").unwrap().to_owned()
}

async fn call_in(running: &Running, session: &str) -> Answer {
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "greet", "arguments": {"name": "Ada"},
    }});
    let headers = [EARLIER, ("Mcp-Session-Id", session)];
    exchange(running.address, post(&call.to_string(), "greet", &headers)).await
}

/// A tool whose results are texts of 20 MB, more than a connection holds that nobody reads.
fn long_answers(at_once: usize) -> HttpServer {
    let long = ToolConfig::with_signature("long", "Is long", "(name::Text)==>(::String)")
        .build(async |_| Ok("x".repeat(20_000_000).into()));
    Server::new(&tools![long.unwrap(), greet])
        .http(([127, 0, 0, 1], 0))
        .max_concurrency(at_once)
}

#[tokio::test]
async fn a_client_that_does_not_read_takes_no_place_and_is_let_go() {
    let running = start(long_answers(1).reading_time(Duration::from_millis(500))).await;
    let mut client = TcpStream::connect(running.address).await.unwrap();
    client
        .write_all(call_of("long", &[]).as_bytes())
        .await
        .unwrap();
    let mut first = [0; 1];
    client.read_exact(&mut first).await.unwrap();
    // The answer was begun, so that the place is free.
    greets(&call(&running, &[]).await);
    // The server closes the connection. The number is only a bound for a test that fails.
    for _ in 0..3_000 {
        if client.write_all(b"G").await.is_err() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the client that does not read is still connected");
}

#[tokio::test]
async fn a_long_answer_is_read_whole() {
    let running = start(long_answers(1)).await;
    for _ in 0..3 {
        let answer = exchange(running.address, call_of("long", &[])).await;
        let message = answer.message();
        let text = message["result"]["structuredContent"].as_str().unwrap();
        assert_eq!(text.len(), 20_000_000);
    }
}

#[tokio::test]
async fn a_session_is_of_the_caller_who_began_it() {
    let named = server().authorize_caller(|token| async move {
        let (name, _) = token.split_once('-')?;
        Some(name.to_owned())
    });
    let by_token = server().authorize(|token| async move { token.contains('-') });
    for (server, takes_newer_token) in [(named, true), (by_token, false)] {
        let running = start(server).await;
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"},
        }});
        let ada = ("Authorization", "Bearer ada-1");
        let headers = [EARLIER, ("Mcp-Method", "initialize"), ada];
        let begun = exchange(running.address, post(&hello.to_string(), "greet", &headers)).await;
        let session = session_of(&begun);
        let call_as = async |token: &str| {
            let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
                "name": "greet", "arguments": {"name": "Ada"},
            }});
            let headers = [
                EARLIER,
                ("Mcp-Session-Id", &session),
                ("Authorization", token),
            ];
            let call = post(&call.to_string(), "greet", &headers);
            exchange(running.address, call).await.status
        };
        let other_as = async |method: &str, token: &str| {
            let request = format!(
                "{method} /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: text/event-stream\r\n\
                 {}: {}\r\nMcp-Session-Id: {session}\r\nAuthorization: {token}\r\n\r\n",
                EARLIER.0, EARLIER.1
            );
            exchange(running.address, request).await.status
        };
        assert_eq!(call_as("Bearer bob-1").await, 404);
        // The answer to a question of the server, too, and the stream of its messages.
        let answer =
            json!({"jsonrpc": "2.0", "id": 0, "result": {"action": "accept", "content": {}}});
        let bob = ("Authorization", "Bearer bob-1");
        let headers = [EARLIER, ("Mcp-Session-Id", &session), bob];
        let answer = post(&answer.to_string(), "greet", &headers);
        assert_eq!(exchange(running.address, answer).await.status, 404);
        assert_eq!(other_as("GET", "Bearer bob-1").await, 404);
        assert_eq!(other_as("DELETE", "Bearer bob-1").await, 404);
        let newer = if takes_newer_token { 200 } else { 404 };
        assert_eq!(call_as("Bearer ada-2").await, newer);
        assert_eq!(call_as("Bearer ada-1").await, 200);
        assert_eq!(other_as("DELETE", "Bearer ada-1").await, 202);
        assert_eq!(call_as("Bearer ada-1").await, 404);
    }
}

#[tokio::test]
async fn a_task_is_of_the_caller_who_began_it() {
    let model = Scripted::new([ModelReply::call("pay", r#"{"amount": 5}"#)])
        .then(ModelReply::text("It is paid."));
    let clerk = agent! {
        tools: [pay],
        [clerk:Agent {description: "Pays bills", instruction: "Pay.", model: "Scripted/any"} | pay]
    };
    let server = Server::new(&tools![])
        .agent(&Runtime::with_model(model), &clerk, &tools![pay])
        .unwrap();
    let running = start(server.http(([127, 0, 0, 1], 0)).authorize(async |_| true)).await;
    let ask = async |token: &str, method: &str, mut params: Value| {
        let name = params["name"].as_str().or(params["taskId"].as_str());
        let name = name.unwrap().to_owned();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {
                "elicitation": {},
                "extensions": {"io.modelcontextprotocol/tasks": {}},
            },
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let token = format!("Bearer {token}");
        let headers = [("Authorization", &*token), ("Mcp-Method", method)];
        let request = post(&body.to_string(), &name, &headers);
        exchange(running.address, request).await.message()
    };
    let arguments = json!({"message": "Pay the bill"});
    let begun = ask(
        "ada",
        "tools/call",
        json!({"name": "clerk", "arguments": arguments}),
    )
    .await;
    let task = begun["result"]["taskId"].as_str().unwrap().to_owned();
    let get = || json!({"taskId": task});
    let questions = loop {
        let found = ask("ada", "tasks/get", get()).await;
        if found["result"]["status"] == "input_required" {
            break found["result"]["inputRequests"].clone();
        }
    };
    let key = questions
        .as_object()
        .unwrap()
        .keys()
        .next()
        .unwrap()
        .clone();
    let answers = json!({key: {"action": "accept", "content": {}}});
    let update = json!({"taskId": task, "inputResponses": answers});
    for (method, params) in [
        ("tasks/get", get()),
        ("tasks/update", update.clone()),
        ("tasks/cancel", get()),
    ] {
        let refused = ask("bob", method, params.clone()).await;
        assert_eq!(refused["error"]["code"], -32602, "{method}: {refused}");
        // As of a task that does not exist.
        let mut unknown = params;
        unknown["taskId"] = "none".into();
        let unknown = ask("bob", method, unknown).await;
        let text = |answer: &Value, task: &str| {
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .replace(task, "")
        };
        assert_eq!(text(&refused, &task), text(&unknown, "none"));
    }
    let still = ask("ada", "tasks/get", get()).await;
    assert_eq!(still["result"]["status"], "input_required", "{still}");
    let updated = ask("ada", "tasks/update", update).await;
    assert_eq!(updated["error"], Value::Null, "{updated}");
    loop {
        let found = ask("ada", "tasks/get", get()).await;
        if found["result"]["status"] == "completed" {
            let text = &found["result"]["result"]["content"][0]["text"];
            assert_eq!(text, "It is paid.");
            break;
        }
        assert_ne!(found["result"]["status"], "failed", "{found}");
    }
}

#[tokio::test]
async fn an_earlier_client_has_a_session() {
    let running = start(server()).await;
    let session = session_of(&initialize(&running, "c").await);
    let answer = call_in(&running, &session).await;
    let result = &answer.message()["result"];
    assert_eq!(
        result["structuredContent"],
        json!({"result": "Hello, Ada!"})
    );
    assert_eq!(call_in(&running, "guessed").await.status, 404);
}

#[tokio::test]
async fn an_id_is_of_one_request_of_a_session_at_a_time() {
    let (mut library, began, _dropped) = waiting_tool("()==>(::String)");
    library.merge(&tools![greet]).unwrap();
    let server = Server::new(&library).http(([127, 0, 0, 1], 0));
    let running = start(server).await;
    let session = session_of(&initialize(&running, "c").await);
    let call = |id: &Value| {
        let call =
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "wait"}});
        post(
            &call.to_string(),
            "wait",
            &[EARLIER, ("Mcp-Session-Id", &session)],
        )
    };
    for id in [json!(7), json!("seven")] {
        let waiting = tokio::spawn(exchange(running.address, call(&id)));
        began.notified().await;
        let refused = exchange(running.address, call(&id)).await;
        assert_eq!(refused.status, 400);
        let error = refused.message();
        assert_eq!(
            (&error["id"], &error["error"]["code"]),
            (&id, &json!(-32600))
        );
        // A client of the newer revision has no session.
        greets(&exchange(running.address, call_of("greet", &[])).await);
        waiting.abort();
    }
}

#[tokio::test]
async fn a_session_beyond_the_number_of_sessions_is_told_to_come_back() {
    let running = start(server().max_sessions(2)).await;
    let session = session_of(&initialize(&running, "a").await);
    session_of(&initialize(&running, "b").await);
    let refused = initialize(&running, "c").await;
    assert_eq!(refused.status, 503);
    assert_eq!(refused.header("retry-after"), Some("30"));
    assert!(refused.body.contains("sessions"), "{}", refused.body);
    // The others go on, and so do clients without a session.
    assert_eq!(call_in(&running, &session).await.status, 200);
    greets(&call(&running, &[]).await);
    let end = format!(
        "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{}: {}\r\nMcp-Session-Id: {session}\r\n\r\n",
        EARLIER.0, EARLIER.1
    );
    assert_eq!(exchange(running.address, end).await.status, 202);
    session_of(&initialize(&running, "c").await);
    assert_eq!(initialize(&running, "d").await.status, 503);
}

#[tokio::test]
async fn sessions_that_begin_at_once_do_not_exceed_their_number() {
    let running = Arc::new(start(server().max_sessions(3)).await);
    let mut answers = Vec::new();
    for _ in 0..20 {
        let running = Arc::clone(&running);
        answers.push(tokio::spawn(async move {
            initialize(&running, "c").await.status
        }));
    }
    let mut begun = 0;
    for answer in answers {
        let status = answer.await.unwrap();
        assert!([200, 503].contains(&status), "{status}");
        begun += usize::from(status == 200);
    }
    assert_eq!(begun, 3);
}

#[tokio::test]
async fn an_idle_session_ends() {
    let time = Duration::from_millis(50);
    let server = server().max_sessions(1).session_timeout(time);
    let running = start(server.max_requests_per_second(1_000_000)).await;
    let session = session_of(&initialize(&running, "a").await);
    let mut next = initialize(&running, "b").await;
    while next.status == 503 {
        tokio::time::sleep(Duration::from_millis(10)).await;
        next = initialize(&running, "b").await;
    }
    assert_ne!(session_of(&next), session);
    assert_eq!(call_in(&running, &session).await.status, 404);
}

#[tokio::test]
async fn a_large_initialize_is_refused() {
    let running = start(server()).await;
    session_of(&initialize(&running, &"c".repeat(60_000)).await);
    let refused = initialize(&running, &"c".repeat(70_000)).await;
    assert_eq!(refused.status, 413);
    assert!(
        refused.body.contains("at most 65536 bytes"),
        "{}",
        refused.body
    );
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"experimental": {"a": vec![1; 20_000]}},
        "clientInfo": {"name": "c", "version": "1"},
    }});
    let headers = [EARLIER, ("Mcp-Method", "initialize")];
    let request = post(&hello.to_string(), "greet", &headers);
    assert_eq!(exchange(running.address, request).await.status, 413);
    // Messages that begin no session can be longer.
    let name = "c".repeat(100_000);
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "greet",
        "arguments": {"name": name},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }});
    let request = post(&call.to_string(), "greet", &[]);
    assert_eq!(exchange(running.address, request).await.status, 200);
}

#[tokio::test]
async fn a_parameter_of_a_wrong_type_is_named_over_http() {
    let running = start(server()).await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "greet",
        "arguments": "{}",
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }});
    let answer = exchange(running.address, post(&body.to_string(), "greet", &[])).await;
    let error = &answer.message()["error"];
    assert_eq!(error["code"], -32602, "{error}");
    assert_eq!(
        error["message"],
        "`params.arguments` must be an object, not a string"
    );
}

#[tokio::test]
async fn other_machines_need_a_token() {
    let open = || Server::new(&tools![greet]).http(([0, 0, 0, 0], 0));
    let error = open().bind().await.unwrap_err();
    let ServeError::Configuration(text) = error else {
        panic!("an error of the configuration: {error}");
    };
    assert!(text.contains("no token is asked for"), "{text}");
    assert!(open().bearer_token("open-sesame").bind().await.is_ok());
    assert!(open().without_tokens().bind().await.is_ok());
}

#[tokio::test]
async fn a_taken_address_and_limits_of_zero_are_errors() {
    let running = start(server()).await;
    let error = Server::new(&tools![greet])
        .http(running.address)
        .await
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the address cannot be bound: "),
        "{error}"
    );
    assert!(server().max_concurrency(0).bind().await.is_err());
    assert!(server().max_requests_per_second(0).bind().await.is_err());
}
