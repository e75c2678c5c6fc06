//! Servers that are reached by HTTP: rmcp's own server, and one that is scripted here.

use crate::fixture::call;
use agent_mcp::McpServer;
use agent_runtime::serde_json::{self, Value, json};
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler};
use std::io::Write;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A server with one tool.
#[derive(Clone)]
struct Greeter;

impl ServerHandler for Greeter {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
        let Value::Object(schema) = schema else {
            unreachable!("an object");
        };
        let greet = Tool::new("greet", "Greets", Arc::new(schema));
        Ok(ListToolsResult::with_all_items(vec![greet]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let name = arguments.get("name").and_then(Value::as_str);
        let greeting = format!("Hello, {}!", name.unwrap_or("you"));
        Ok(CallToolResult::success(vec![ContentBlock::text(greeting)]).into())
    }
}

/// Serves rmcp's server on a free port, and returns its address.
async fn greeter(config: StreamableHttpServerConfig) -> String {
    let service = StreamableHttpService::new(
        || Ok(Greeter),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let service = TowerToHyperService::new(service.clone());
            tokio::spawn(
                hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service),
            );
        }
    });
    format!("http://127.0.0.1:{port}/mcp")
}

#[tokio::test]
async fn the_server_of_rmcp_is_connected_and_called() {
    for json_response in [true, false] {
        let mut config = StreamableHttpServerConfig::default();
        config.json_response = json_response;
        let server = McpServer::http("web", greeter(config).await)
            .connect()
            .await;
        let server = server.expect("a server");
        assert_eq!(server.protocol(), "2026-07-28");
        let result = call(&server, "web_greet", &json!({"name": "Ada"})).await;
        assert_eq!(result, Ok(json!("Hello, Ada!")));
        server.close().await;
    }
}

/// An HTTP server that answers each request by a function of the method and the message, and keeps the requests.
struct Scripted {
    url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

async fn scripted<A: Into<Vec<u8>>>(
    answer: impl Fn(&str, &Value) -> A + Send + Sync + 'static,
) -> Scripted {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let requests = Arc::new(Mutex::new(Vec::new()));
    let (seen, answer) = (Arc::clone(&requests), Arc::new(answer));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
            tokio::spawn(async move {
                if let Some(request) = read_request(stream, &*answer).await {
                    seen.lock().expect("a list").push(request);
                }
            });
        }
    });
    let url = format!("http://127.0.0.1:{port}/mcp?key=hunter2hunter2");
    Scripted { url, requests }
}

/// Reads a request and answers it; the connection ends then.
async fn read_request<A: Into<Vec<u8>>>(
    mut stream: TcpStream,
    answer: &(impl Fn(&str, &Value) -> A + ?Sized),
) -> Option<String> {
    let mut bytes = Vec::new();
    let (head, body) = loop {
        stream
            .read_buf(&mut bytes)
            .await
            .ok()
            .filter(|read| *read > 0)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                let is_length = name.eq_ignore_ascii_case("content-length");
                is_length.then(|| value.trim().parse().ok())?
            });
            if body.len() >= length.unwrap_or(0) {
                break (head.to_owned(), body.to_owned());
            }
        }
    };
    let message: Value = serde_json::from_str(&body).unwrap_or_default();
    let method = message["method"].as_str().unwrap_or_default();
    let response = answer(method, &message).into();
    let _ = stream.write_all(&response).await;
    let _ = stream.shutdown().await;
    Some(format!("{head}\r\n\r\n{body}"))
}

fn response(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
    )
}

fn message(message: &str) -> String {
    response("200 OK", "content-type: application/json\r\n", message)
}

/// Compresses the body of a response.
fn compressed(response: &str) -> Vec<u8> {
    let (head, body) = response.split_once("\r\n\r\n").expect("a body");
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body.as_bytes()).expect("room");
    let body = encoder.finish().expect("room");
    let lines = head
        .lines()
        .filter(|line| !line.starts_with("content-length"));
    let head: Vec<&str> = lines.collect();
    let head = format!(
        "{}\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
        head.join("\r\n"),
        body.len()
    );
    [head.as_bytes(), &body].concat()
}

/// The answers of a server of the older revision with one tool.
fn old(method: &str, asked: &Value) -> String {
    let id = &asked["id"];
    match method {
        "initialize" => message(&format!(
            r#"{{"jsonrpc": "2.0", "id": {id}, "result": {{"protocolVersion": "2025-11-25",
                "capabilities": {{"tools": {{}}}}, "serverInfo": {{"name": "web", "version": "1"}}}}}}"#
        )),
        "tools/list" => {
            let schema = r#"{"type":"object","properties":{"title":{},"body":{}}}"#;
            message(&format!(
                r#"{{"jsonrpc": "2.0", "id": {id}, "result": {{"tools":
                    [{{"name": "post", "inputSchema": {schema}}}]}}}}"#
            ))
        }
        "tools/call" => message(&format!(
            r#"{{"jsonrpc": "2.0", "id": {id}, "result": {{"content":
                [{{"type": "text", "text": "posted"}}]}}}}"#
        )),
        "server/discover" => message(&format!(
            r#"{{"jsonrpc": "2.0", "id": {id}, "error": {{"code": -32601, "message": "unknown"}}}}"#
        )),
        "" => response("405 Method Not Allowed", "", ""),
        _ => response("202 Accepted", "", ""),
    }
}

#[tokio::test]
async fn a_server_of_the_older_revision_is_called_with_the_headers_of_the_host() {
    let web = scripted(old).await;
    let server = McpServer::http("web", &*web.url).header("authorization", "Bearer hush-hush-hush");
    let shown = format!("{server:?}");
    assert!(shown.contains("127.0.0.1"), "{shown}");
    assert!(
        !shown.contains("hush") && !shown.contains("hunter2"),
        "{shown}"
    );
    let server = server.connect().await.expect("a server");
    assert_eq!(server.protocol(), "2025-11-25");
    let result = call(&server, "web_post", &json!({})).await;
    assert_eq!(result, Ok(json!("posted")));
    let requests = web.requests.lock().expect("requests");
    assert!(requests.len() >= 4, "{requests:?}");
    for request in requests.iter() {
        assert!(
            request.contains("authorization: Bearer hush-hush-hush"),
            "{request}"
        );
    }
}

#[tokio::test]
async fn compressed_answers_are_asked_for_and_read_within_their_bound() {
    // An event that is too long ends its stream.
    for (as_events, too_long) in [(false, "more than 16 MiB"), (true, "ended during the call")] {
        let web = scripted(move |method, asked| {
            let plain = old(method, asked);
            let (_, body) = plain.split_once("\r\n\r\n").expect("a body");
            // A few kilobytes that become 20 MiB.
            let body = match asked["params"]["arguments"]["title"].as_str() {
                Some("bomb") => format!("{}{body}", " ".repeat(20 << 20)),
                _ => body.replace('\n', " "),
            };
            compressed(&match body.is_empty() {
                true => plain,
                false if as_events => {
                    let event = format!("data: {body}\n\n");
                    response("200 OK", "content-type: text/event-stream\r\n", &event)
                }
                false => message(&body),
            })
        });
        let web = web.await;
        let server = McpServer::http("web", &*web.url).connect().await;
        let server = server.expect("a server");
        let result = call(&server, "web_post", &json!({})).await;
        assert_eq!(result, Ok(json!("posted")));
        let error = call(&server, "web_post", &json!({"title": "bomb"})).await;
        let error = error.expect_err("it is too long").to_string();
        assert!(error.contains(too_long), "{error}");
        let requests = web.requests.lock().expect("requests");
        let asks = |request: &&String| request.contains("accept-encoding: gzip\r\n");
        assert_eq!(requests.iter().filter(asks).count(), requests.len());
    }
}

#[tokio::test]
async fn a_server_of_the_older_revision_may_have_an_empty_result_for_an_unknown_request() {
    let web = scripted(|method, asked| match method {
        "server/discover" => {
            let id = &asked["id"];
            message(&format!(
                r#"{{"jsonrpc": "2.0", "id": {id}, "result": {{}}}}"#
            ))
        }
        _ => old(method, asked),
    });
    let server = McpServer::http("web", web.await.url).connect().await;
    let server = server.expect("a server");
    assert_eq!(server.protocol(), "2025-11-25");
    let result = call(&server, "web_post", &json!({})).await;
    assert_eq!(result, Ok(json!("posted")));
}

#[tokio::test]
async fn parameters_keep_the_order_of_the_server_over_http() {
    let log = r#"{"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "a"}}"#;
    let log = format!("data: {log}\n\n");
    // The events before the response, if it comes as one.
    for before in [None, Some(""), Some("id: 1\ndata: \n\n"), Some(&*log)] {
        let events = before.map(str::to_owned);
        let web = scripted(move |method, asked| match (method, &events) {
            ("tools/list", Some(before)) => {
                let plain = old(method, asked);
                let (_, body) = plain.split_once("\r\n\r\n").expect("a body");
                let data = body.replace('\n', " ");
                let events = format!("{before}data: {data}\n\n");
                response("200 OK", "content-type: text/event-stream\r\n", &events)
            }
            _ => old(method, asked),
        });
        let server = McpServer::http("web", web.await.url).connect().await;
        let server = server.expect("a server");
        let schema = r#"{"type":"object","properties":{"title":{},"body":{}}}"#;
        assert_eq!(server.tools()[0].input_schema, schema, "{before:?}");
    }
}

#[tokio::test]
async fn a_tool_with_a_header_that_is_not_valid_is_refused_and_the_others_are_called() {
    for as_events in [false, true] {
        let web = scripted(move |method, asked| {
            let parameter =
                |name: &str| json!({"region": {"type": "string", "x-mcp-header": name}});
            let tool = |name: &str, header: &str| {
                let schema = json!({"type": "object", "properties": parameter(header)});
                json!({"name": name, "inputSchema": schema})
            };
            let mut result = match method {
                "server/discover" => {
                    json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}})
                }
                "tools/list" => json!({"tools": [tool("far", "a b"), tool("near", "Region")]}),
                _ => json!({"content": [{"type": "text", "text": "posted"}]}),
            };
            result["resultType"] = "complete".into();
            result["ttlMs"] = 0.into();
            result["cacheScope"] = "private".into();
            let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result});
            match as_events {
                true => {
                    let event = format!("data: {answer}\n\n");
                    response("200 OK", "content-type: text/event-stream\r\n", &event)
                }
                false => message(&answer.to_string()),
            }
        });
        let web = web.await;
        let server = McpServer::http("web", &*web.url).connect().await;
        let server = server.expect("a server");
        assert_eq!(server.protocol(), "2026-07-28");
        let [refused] = server.refused() else {
            panic!("{:?}", server.refused());
        };
        assert_eq!((&*refused.name, &*refused.remote), ("web_far", "far"));
        assert!(refused.reason.contains("`x-mcp-header`"), "{refused:?}");
        let result = call(&server, "web_near", &json!({"region": "Ulm"})).await;
        assert_eq!(result, Ok(json!("posted")));
        let requests = web.requests.lock().expect("requests");
        let with_header = |request: &&String| request.contains("mcp-param-region: Ulm\r\n");
        assert_eq!(
            requests.iter().filter(with_header).count(),
            1,
            "{requests:?}"
        );
    }
}

#[tokio::test]
async fn a_tool_that_breaks_the_protocol_is_refused_and_the_others_are_called_over_http() {
    for as_events in [false, true] {
        let web = scripted(move |method, asked| {
            if method != "tools/list" {
                return old(method, asked);
            }
            let tools = json!([
                {"name": "bad", "inputSchema": true},
                {"name": "post", "inputSchema": {"type": "object"}},
            ]);
            let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"tools": tools}});
            match as_events {
                true => {
                    let event = format!("data: {answer}\n\n");
                    response("200 OK", "content-type: text/event-stream\r\n", &event)
                }
                false => message(&answer.to_string()),
            }
        });
        let server = McpServer::http("web", web.await.url).connect().await;
        let server = server.expect("a server");
        let [refused] = server.refused() else {
            panic!("{:?}", server.refused());
        };
        assert_eq!((&*refused.name, &*refused.remote), ("web_bad", "bad"));
        assert!(refused.reason.contains("`inputSchema`"), "{refused:?}");
        let result = call(&server, "web_post", &json!({})).await;
        assert_eq!(result, Ok(json!("posted")));
    }
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let other = scripted(old).await;
    let location = format!("location: {}\r\n", other.url);
    let web = scripted(move |_, _| response("307 Temporary Redirect", &location, "")).await;
    let server = McpServer::http("web", &*web.url).header("x-key", "hush-hush-hush");
    let error = server.connect().await.expect_err("a redirect").to_string();
    assert!(error.contains("`web`"), "{error}");
    assert!(
        !error.contains("hush") && !error.contains("hunter2"),
        "{error}"
    );
    assert!(other.requests.lock().expect("requests").is_empty());
}

#[tokio::test]
async fn a_server_that_asks_for_a_sign_in_is_named() {
    let challenge = "www-authenticate: Bearer realm=\"x\"\r\n";
    let web = scripted(move |_, _| response("401 Unauthorized", challenge, "")).await;
    let error = McpServer::http("web", web.url).connect().await;
    let error = error.expect_err("no token");
    assert!(error.is_unauthorized(), "{error}");
    assert!(
        error.to_string().contains("`web` asks for a sign-in"),
        "{error}"
    );
}

#[tokio::test]
async fn a_message_that_is_too_long_is_an_error() {
    let long = |asked: &Value| {
        let text = "x".repeat(17 << 20);
        let content = json!([{"type": "text", "text": text}]);
        message(
            &json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"content": content}})
                .to_string(),
        )
    };
    let web = scripted(move |method, asked| match method {
        "tools/call" => long(asked),
        _ => old(method, asked),
    });
    let server = McpServer::http("web", web.await.url).connect().await;
    let server = server.expect("a server");
    let error = call(&server, "web_post", &json!({})).await;
    let error = error.expect_err("too long").to_string();
    assert!(error.contains("more than 16 MiB"), "{error}");
    assert!(!error.contains("hunter2"), "{error}");
}

#[tokio::test]
async fn a_message_with_too_many_values_is_an_error_and_not_parsed() {
    for as_events in [false, true] {
        let web = scripted(move |method, asked| {
            if method != "tools/call" {
                return old(method, asked);
            }
            let values = format!("[{}0]", "{\"a\":0},".repeat(200_000));
            let id = &asked["id"];
            let body = format!(
                r#"{{"jsonrpc":"2.0","result":{{"content":[],"structuredContent":{values}}},"id":{id}}}"#
            );
            match as_events {
                true => {
                    let event = format!("data: {body}\n\n");
                    response("200 OK", "content-type: text/event-stream\r\n", &event)
                }
                false => message(&body),
            }
        });
        let server = McpServer::http("web", web.await.url).connect().await;
        let server = server.expect("a server");
        let error = call(&server, "web_post", &json!({})).await;
        let error = error.expect_err("too many values").to_string();
        let words = "the server's answer cannot be read: it has more than 1000000 JSON values";
        assert!(error.contains(words), "{error}");
    }
}

#[tokio::test]
async fn half_of_a_surrogate_pair_loses_no_result_over_http() {
    for as_events in [false, true] {
        let web = scripted(move |method, asked| {
            if method != "tools/call" {
                return old(method, asked);
            }
            let id = &asked["id"];
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"a \ud83d"}}]}}}}"#
            );
            match as_events {
                true => {
                    let event = format!("data: {body}\n\n");
                    response("200 OK", "content-type: text/event-stream\r\n", &event)
                }
                false => message(&body),
            }
        });
        let server = McpServer::http("web", web.await.url).connect().await;
        let server = server.expect("a server");
        let result = call(&server, "web_post", &json!({})).await;
        assert_eq!(result, Ok(json!("a \u{fffd}")));
    }
}

#[tokio::test]
async fn a_failed_request_is_an_error_with_its_cause() {
    for (status, kind, body, words) in [
        (
            "500 Internal Server Error",
            "text/plain",
            "out of disk",
            "the status 500 Internal Server Error: out of disk",
        ),
        (
            "503 Service Unavailable",
            "text/html",
            "",
            "the status 503 Service Unavailable",
        ),
        (
            "400 Bad Request",
            "application/json",
            r#"{"reason": "no"}"#,
            r#"the status 400 Bad Request: {"reason": "no"}"#,
        ),
        (
            "401 Unauthorized",
            "text/plain",
            "",
            "it asks for a sign-in",
        ),
        (
            "200 OK",
            "text/html",
            "<p>",
            "a body of the type `text/html`",
        ),
        ("200 OK", "application/json", "{", "cannot be read"),
        (
            "400 Bad Request",
            "application/json",
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"bad day"}}"#,
            "bad day (code -1)",
        ),
    ] {
        let web = scripted(move |method, asked| match method {
            "tools/call" => response(status, &format!("content-type: {kind}\r\n"), body),
            _ => old(method, asked),
        });
        let server = McpServer::http("web", web.await.url).connect().await;
        let server = server.expect("a server");
        let error = call(&server, "web_post", &json!({})).await;
        let error = error.expect_err(status).to_string();
        assert!(error.contains(words), "{error}");
        let again = call(&server, "web_post", &json!({})).await;
        assert!(
            again.expect_err(status).to_string().contains(words),
            "{words}"
        );
    }
}

#[tokio::test]
async fn a_server_of_the_older_revision_may_refuse_an_unknown_request_by_its_status() {
    for (kind, body) in [
        ("text/plain", "Bad request"),
        (
            "application/json",
            r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"no session"}}"#,
        ),
        ("application/json", "{}"),
    ] {
        let web = scripted(move |method, asked| match method {
            "server/discover" => response(
                "400 Bad Request",
                &format!("content-type: {kind}\r\n"),
                body,
            ),
            _ => old(method, asked),
        });
        let server = McpServer::http("web", web.await.url).connect().await;
        assert_eq!(server.expect(body).protocol(), "2025-11-25");
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_is_an_error_without_its_address() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    drop(listener);
    let url = format!("http://127.0.0.1:{port}/mcp?key=hunter2hunter2");
    let error = McpServer::http("web", url).connect().await;
    let error = error.expect_err("nobody listens").to_string();
    assert!(
        error.contains("`web`") && error.contains("refused"),
        "{error}"
    );
    assert!(!error.contains("hunter2"), "{error}");
}

#[tokio::test]
async fn a_wrong_address_or_header_is_a_configuration_error() {
    for (url, words) in [
        ("nonsense", "is no URL"),
        ("ftp://a.example/mcp", "must begin with"),
        ("https://me:hush@a.example/mcp", "a user or a password"),
    ] {
        let error = McpServer::http("web", url).connect().await;
        let error = error.expect_err(words);
        assert!(error.is_configuration(), "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(!error.to_string().contains("hush"), "{error}");
    }
    let url = "https://a.example/mcp";
    for (server, words) in [
        (
            McpServer::http("web", url).header("a b", "c"),
            "the name of the header `a b`",
        ),
        (
            McpServer::http("web", url).header("a", "hush\n"),
            "the value of the header `a`",
        ),
        (
            McpServer::http("web", url).header("mcp-session-id", "1"),
            "set by the protocol",
        ),
        (
            McpServer::http("web", url).env("A", "b"),
            "`env` is for servers that are started",
        ),
        (
            McpServer::stdio("s", "true", [""; 0]).header("a", "b"),
            "`header` is for servers that are reached by HTTP",
        ),
    ] {
        let error = server.connect().await.expect_err(words);
        assert!(error.is_configuration(), "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(!error.to_string().contains("hush"), "{error}");
    }
}
