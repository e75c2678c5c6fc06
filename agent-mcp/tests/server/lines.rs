//! Messages that a test writes by hand, a line each.

use agent_mcp::{ServeError, Server};
use agent_runtime::serde_json::{Value, from_str, json};
use agent_runtime::tool::ToolConfig;
use agent_runtime::{tool, tools};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// Greets a person
#[tool]
fn greet(name: &str) -> String {
    format!("Hello, {name}!")
}

/// The client's end of a connection.
struct Lines {
    input: BufReader<ReadHalf<DuplexStream>>,
    output: WriteHalf<DuplexStream>,
    server: JoinHandle<Result<(), ServeError>>,
}

impl Lines {
    fn new() -> Self {
        Self::of(Server::new(&tools![greet]).max_message_bytes(10_000))
    }

    fn of(server: Server) -> Self {
        let (ours, theirs) = duplex(1 << 20);
        let (input, output) = split(theirs);
        let server = tokio::spawn(server.stream(input, output));
        let (input, output) = split(ours);
        Self {
            input: BufReader::new(input),
            output,
            server,
        }
    }

    async fn send(&mut self, line: &[u8]) {
        self.output.write_all(line).await.unwrap();
        self.output.write_all(b"\n").await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.input.read_line(&mut line).await.unwrap();
        from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Sends a request of the revision 2026-07-28, and returns the answer.
    async fn request(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.send(&request(id, method, params)).await;
        loop {
            let answer = self.receive().await;
            // An answer to what is no message has no id.
            if !answer["id"].is_null() {
                return answer;
            }
        }
    }

    /// Greets, to see that the server still answers.
    async fn greet(&mut self, id: u32) {
        let call = json!({"name": "greet", "arguments": {"name": "Ada"}});
        let answer = self.request(id, "tools/call", call).await;
        assert_eq!(answer["id"], id);
        assert_eq!(answer["result"]["resultType"], "complete");
        assert_eq!(answer["result"]["structuredContent"], "Hello, Ada!");
    }

    /// Closes the connection and returns the end of the server.
    async fn close(mut self) -> Result<(), ServeError> {
        self.output.shutdown().await.unwrap();
        self.server.await.unwrap()
    }
}

/// Returns a request of the revision 2026-07-28, which has all that the server must know.
fn request(id: u32, method: &str, mut params: Value) -> Vec<u8> {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    request.to_string().into_bytes()
}

#[tokio::test]
async fn a_request_needs_no_handshake() {
    let mut lines = Lines::new();
    let found = lines.request(1, "server/discover", json!({})).await;
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-11-25")));
    let offered = found["result"]["capabilities"].as_object().unwrap();
    assert_eq!(offered.keys().collect::<Vec<_>>(), ["tools"]);
    lines.greet(2).await;
    assert!(lines.close().await.is_ok());
}

#[tokio::test]
async fn an_earlier_client_shakes_hands() {
    let mut lines = Lines::new();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"},
    }});
    lines.send(hello.to_string().as_bytes()).await;
    let answer = lines.receive().await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(answer["result"]["serverInfo"]["name"], "agent-mcp");
    lines
        .send(br#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#)
        .await;
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "greet", "arguments": {"name": "Ada"},
    }});
    lines.send(call.to_string().as_bytes()).await;
    let answer = lines.receive().await;
    assert_eq!(
        answer["result"]["structuredContent"],
        json!({"result": "Hello, Ada!"})
    );
    assert_eq!(answer["result"]["resultType"], Value::Null);
    assert!(lines.close().await.is_ok());
}

#[tokio::test]
async fn what_is_no_message_does_not_end_the_server() {
    let mut lines = Lines::new();
    lines.greet(1).await;
    for wrong in [&b"{"[..], b"\xff\xfe", b"[1, 2", b"\x1b[31mred"] {
        lines.send(wrong).await;
    }
    lines.greet(2).await;
    assert!(lines.close().await.is_ok());
}

#[tokio::test]
async fn a_first_line_that_is_no_request_is_answered() {
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"},
    }});
    let hello = hello.to_string();
    for (first, code) in [
        (&b"hello"[..], -32700),
        (b"GET / HTTP/1.1\r", -32700),
        (b"{\"jsonrpc\": \"2.0\", ", -32700),
        (b"\xff\xfe", -32700),
        (b"{}", -32600),
        (b"[]", -32600),
        (b"5", -32600),
        (br#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#, -32600),
        (br#"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}"#, -32600),
        (br#"{"jsonrpc": "2.0", "method": "tools/list"}"#, -32600),
        (br#"{"jsonrpc": "2.0", "id": null, "method": "initialize"}"#, -32600),
        (br#"{"jsonrpc": "2.0", "id": 1}"#, -32600),
        (br#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#, -32600),
        (br#"{"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "m"}}"#, -32600),
    ] {
        for begins in [&b""[..], br#"{"jsonrpc": "2.0", "id": 8, "method": "ping"}"#] {
            let mut lines = Lines::new();
            if !begins.is_empty() {
                // Which revision the client speaks is not known after a ping either.
                lines.send(begins).await;
                assert_eq!(lines.receive().await["id"], 8);
            }
            lines.send(first).await;
            let answer = lines.receive().await;
            assert_eq!(answer["error"]["code"], code, "{}", first.escape_ascii());
            assert_eq!(answer["id"], Value::Null);
            lines.send(hello.as_bytes()).await;
            let answer = lines.receive().await;
            assert_eq!(answer["result"]["serverInfo"]["name"], "agent-mcp", "{answer}");
            assert!(lines.close().await.is_ok());
        }
        // A client of the newer revision begins with any request.
        let mut lines = Lines::new();
        lines.send(first).await;
        lines.greet(1).await;
        assert!(lines.close().await.is_ok());
        // And one that says nothing else.
        let mut lines = Lines::new();
        lines.send(first).await;
        assert!(lines.close().await.is_ok());
    }
}

#[tokio::test]
async fn a_peer_that_answers_errors_is_not_answered_without_end() {
    let mut lines = Lines::new();
    for _ in 0..100 {
        lines.send(b"hello").await;
    }
    for _ in 0..16 {
        assert_eq!(lines.receive().await["error"]["code"], -32700);
    }
    lines.greet(1).await;
    // Notifications and answers are read on.
    lines
        .send(br#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#)
        .await;
    lines
        .send(br#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#)
        .await;
    lines.send(b"hello").await;
    lines.greet(2).await;
    assert!(lines.close().await.is_ok());
}

#[tokio::test]
async fn half_of_a_surrogate_pair_loses_no_call() {
    let mut lines = Lines::new();
    let call = json!({"name": "greet", "arguments": {"name": "Ada *"}});
    let line = String::from_utf8(request(1, "tools/call", call)).unwrap();
    lines.send(line.replace('*', "\\ud83d").as_bytes()).await;
    let answer = lines.receive().await;
    assert_eq!(
        answer["result"]["structuredContent"],
        "Hello, Ada \u{fffd}!"
    );
}

#[tokio::test]
async fn an_unknown_method_is_answered() {
    let mut lines = Lines::new();
    for (id, method) in [
        (1, "tools/fly"),
        (2, "prompts/list"),
        (3, "completion/complete"),
        (4, "resources/list"),
    ] {
        let params = match method {
            "completion/complete" => json!({
                "ref": {"type": "ref/prompt", "name": "a"}, "argument": {"name": "a", "value": ""},
            }),
            _ => json!({}),
        };
        let answer = lines.request(id, method, params).await;
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
    lines.greet(5).await;
}

/// Reads an answer, which must be an error with this id and code. Returns its message.
async fn refused(lines: &mut Lines, id: Value, code: i32) -> String {
    let answer = lines.receive().await;
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&id, &json!(code)),
        "{answer}"
    );
    answer["error"]["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_line_that_is_too_long_is_refused() {
    let mut lines = Lines::new();
    lines.greet(1).await;
    let text = "x".repeat(20_000);
    let params = format!(r#""params": {{"name": "{text}"}}"#);
    // The TypeScript SDK writes the id last.
    for (line, id) in [
        (
            format!(r#"{{"jsonrpc": "2.0", "id": 2, "method": "tools/call", {params}}}"#),
            json!(2),
        ),
        (
            format!(r#"{{"method": "tools/call", {params}, "jsonrpc": "2.0", "id": "b"}}"#),
            json!("b"),
        ),
        (
            format!(r#"{{"method": "tools/call", {params}}}"#),
            Value::Null,
        ),
        (text.clone(), Value::Null),
    ] {
        lines.send(line.as_bytes()).await;
        let problem = refused(&mut lines, id, -32600).await;
        assert_eq!(problem, "a message has at most 10000 bytes");
    }
    // The end is found wherever the line is cut.
    for surplus in 1..12 {
        let start = r#"{"method": "tools/call", "params": {"name": ""#;
        let end = r#""}, "id": 7}"#;
        let text = "x".repeat(10_000 + surplus - start.len() - end.len());
        lines.send(format!("{start}{text}{end}").as_bytes()).await;
        refused(&mut lines, json!(7), -32600).await;
    }
    // Its id is that of a request of the server.
    let answer = format!(r#"{{"jsonrpc": "2.0", "id": 3, "result": "{text}"}}"#);
    lines.send(answer.as_bytes()).await;
    let call = json!({"name": "greet", "arguments": {"name": "Ada"}});
    lines.send(&request(3, "tools/call", call)).await;
    let answer = lines.receive().await;
    assert_eq!(answer["result"]["structuredContent"], "Hello, Ada!");
}

#[tokio::test]
async fn a_line_that_is_not_utf_8_is_refused() {
    let mut lines = Lines::new();
    for (line, id) in [
        (&b"{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"tools/call\", \"params\": {\"name\": \"\xff\"}}"[..], json!(2)),
        (b"{\"jsonrpc\": \"2.0\", \"id\": 3, \"method\": \"\xe4\"}", json!(3)),
        (b"\xff\xfe", Value::Null),
    ] {
        lines.send(line).await;
        let problem = refused(&mut lines, id, -32700).await;
        assert!(problem.starts_with("the line is not UTF-8 after "), "{problem}");
    }
    lines.greet(4).await;
}

#[tokio::test]
async fn a_request_that_is_not_json_is_refused() {
    let mut lines = Lines::new();
    lines
        .send(br#"{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {]}"#)
        .await;
    let problem = refused(&mut lines, json!(2), -32700).await;
    assert!(problem.starts_with("the line is not JSON: "), "{problem}");
    lines.greet(3).await;
}

#[tokio::test]
async fn a_client_that_leaves_at_once_is_no_error() {
    assert!(Lines::new().close().await.is_ok());
}

#[tokio::test]
async fn a_parameter_of_a_wrong_type_is_named() {
    let mut lines = Lines::new();
    let cases = [
        (
            "tools/call",
            json!({"arguments": {}}),
            "`params.name` is missing; it must be a string",
        ),
        (
            "tools/call",
            json!({"name": 5}),
            "`params.name` must be a string, not a number",
        ),
        (
            "tools/call",
            json!({"name": "greet", "arguments": "{}"}),
            "`params.arguments` must be an object, not a string",
        ),
        (
            "tools/call",
            json!({"name": "greet", "requestState": 5}),
            "`params.requestState` must be a string, not a number",
        ),
        (
            "tools/call",
            json!({"name": "greet", "inputResponses": []}),
            "`params.inputResponses` must be an object, not an array",
        ),
        (
            "tasks/get",
            json!({}),
            "`params.taskId` is missing; it must be a string",
        ),
    ];
    for (id, (method, params, problem)) in (0..).zip(cases) {
        let answer = lines.request(id, method, params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert_eq!(answer["error"]["message"], problem);
    }
    lines.greet(9).await;
}

/// A server of the tool `wait`, whose calls end when they are let go.
struct Waiting {
    lines: Lines,
    begun: Arc<AtomicU32>,
    let_go: Arc<Semaphore>,
}

impl Waiting {
    fn new(max_message_bytes: usize) -> Self {
        let (begun, let_go) = (Arc::new(AtomicU32::new(0)), Arc::new(Semaphore::new(0)));
        let (counter, gate) = (Arc::clone(&begun), Arc::clone(&let_go));
        let wait = ToolConfig::with_signature("wait", "Waits", "(text::Text)==>(::String)").build(
            move |_| {
                let gate = Arc::clone(&gate);
                counter.fetch_add(1, Ordering::Relaxed);
                async move {
                    gate.acquire().await.expect("it is open").forget();
                    Ok("waited".into())
                }
            },
        );
        let server = Server::new(&tools![greet, wait.expect("a tool")]);
        let server = server.max_message_bytes(max_message_bytes);
        Self {
            lines: Lines::of(server),
            begun,
            let_go,
        }
    }

    async fn call(&mut self, id: u32, text: &str) {
        let call = json!({"name": "wait", "arguments": {"text": text}});
        self.lines.send(&request(id, "tools/call", call)).await;
    }

    async fn cancel(&mut self, id: u32) {
        let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        self.lines.send(cancelled.to_string().as_bytes()).await;
    }

    /// Waits until this number of calls was begun.
    async fn until_begun(&self, number: u32) {
        while self.begun.load(Ordering::Relaxed) < number {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn requests_wait_for_others_and_can_be_cancelled() {
    let mut waiting = Waiting::new(4 << 20);
    for id in 0..1000 {
        waiting.call(id, "").await;
    }
    // One that was begun, and one that was not. The other tool shows that both were read, because it waits, too.
    waiting.cancel(5).await;
    waiting.cancel(900).await;
    waiting.until_begun(257).await;
    waiting.let_go.add_permits(300);
    let mut answered = BTreeSet::new();
    for _ in 0..300 {
        answered.insert(waiting.lines.receive().await["id"].as_u64().unwrap());
    }
    // Never more than 256 at a time.
    assert!(waiting.begun.load(Ordering::Relaxed) <= 256 + 1 + 300);
    waiting.let_go.add_permits(1000);
    for _ in 0..698 {
        answered.insert(waiting.lines.receive().await["id"].as_u64().unwrap());
    }
    let all = (0..1000).filter(|id| ![5, 900].contains(id));
    assert_eq!(answered, all.collect());
    assert_eq!(waiting.begun.load(Ordering::Relaxed), 999);
    assert!(waiting.lines.close().await.is_ok());
}

#[tokio::test]
async fn requests_before_the_end_are_answered() {
    let mut lines = Lines::new();
    for id in 0..1000 {
        let call = json!({"name": "greet", "arguments": {"name": "Ada"}});
        lines.send(&request(id, "tools/call", call)).await;
    }
    lines.output.shutdown().await.unwrap();
    let mut answered = BTreeSet::new();
    for _ in 0..1000 {
        answered.insert(lines.receive().await["id"].as_u64().unwrap());
    }
    assert_eq!(answered.len(), 1000);
}

#[tokio::test]
async fn a_request_beyond_those_that_are_held_is_refused() {
    let mut waiting = Waiting::new(10_300);
    for id in 0..256 {
        waiting.call(id, "").await;
    }
    // As many are held as have the length of 16 of the longest messages.
    let text = "x".repeat(10_000);
    for id in 256..272 {
        waiting.call(id, &text).await;
    }
    let refused = waiting.lines.receive().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(271), &json!(-32000))
    );
    waiting.let_go.add_permits(1000);
    for _ in 0..271 {
        let answer = waiting.lines.receive().await;
        assert_eq!(answer["result"]["structuredContent"], "waited");
    }
    waiting.lines.greet(1000).await;
}

#[tokio::test]
async fn an_id_is_of_one_request_at_a_time() {
    let mut waiting = Waiting::new(4 << 20);
    waiting.call(1, "").await;
    waiting.call(1, "").await;
    let refused = waiting.lines.receive().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(1), &json!(-32600))
    );
    waiting.let_go.add_permits(1);
    let answer = waiting.lines.receive().await;
    assert_eq!(answer["result"]["structuredContent"], "waited");
    assert_eq!(waiting.begun.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_message_with_too_many_values_is_refused() {
    let mut waiting = Waiting::new(4 << 20);
    let text = format!("[{}1]", "1,".repeat(250_000));
    let line =
        format!(r#"{{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {text}}}"#);
    waiting.lines.send(line.as_bytes()).await;
    let refused = waiting.lines.receive().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(7), &json!(-32600))
    );
    let problem = refused["error"]["message"].as_str().unwrap();
    assert!(
        problem.contains("more than 200000 JSON values"),
        "{problem}"
    );
    // Lists within lists are no message, and take no memory.
    waiting.lines.send("[".repeat(2 << 20).as_bytes()).await;
    waiting.lines.greet(8).await;
}

#[tokio::test]
async fn a_request_that_cannot_be_read_is_answered() {
    let mut lines = Lines::new();
    lines.greet(1).await;
    lines
        .send(br#"{"jsonrpc": "1.0", "id": 2, "method": "tools/call"}"#)
        .await;
    let refused = lines.receive().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(2), &json!(-32600))
    );
    lines.greet(3).await;
}

#[tokio::test]
async fn requests_of_a_client_that_is_gone_are_not_begun() {
    let mut waiting = Waiting::new(4 << 20);
    for id in 0..1000 {
        waiting.call(id, "").await;
    }
    waiting.until_begun(256).await;
    let Waiting {
        lines,
        begun,
        let_go,
    } = waiting;
    // Both streams.
    drop((lines.input, lines.output));
    let_go.add_permits(1000);
    lines.server.await.unwrap().unwrap();
    assert!(begun.load(Ordering::Relaxed) < 1000);
}
