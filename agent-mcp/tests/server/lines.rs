//! Messages that a test writes by hand, a line each.

use agent_mcp::{ServeError, Server};
use agent_runtime::serde_json::{Value, from_str, json};
use agent_runtime::{tool, tools};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};
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
        let (ours, theirs) = duplex(1 << 20);
        let (input, output) = split(theirs);
        let server = Server::new(&tools![greet]).max_message_bytes(10_000);
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

    /// Sends a request of the revision 2026-07-28, which has all that the server must know.
    async fn request(&mut self, id: u32, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(request.to_string().as_bytes()).await;
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

#[tokio::test]
async fn a_line_that_is_too_long_is_dropped() {
    let mut lines = Lines::new();
    lines.greet(1).await;
    let long = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "x".repeat(20_000)}});
    lines.send(long.to_string().as_bytes()).await;
    // It has no answer.
    lines.greet(3).await;
}

#[tokio::test]
async fn a_client_that_leaves_at_once_is_no_error() {
    assert!(Lines::new().close().await.is_ok());
}
