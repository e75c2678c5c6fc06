//! A server that does what a test asks, well or badly. It is this test program itself, started with a script in a
//! variable.

use agent_mcp::{ConnectedServer, McpServer};
use agent_runtime::serde_json::{self, Value, json};
use agent_runtime::tool::invoke_tool;
use agent_runtime::{ToolContext, ToolError};
use std::io::{self, BufRead, Write};
use std::process::exit;
use std::time::Duration;

/// The variable with the script of the server.
pub(crate) const SCRIPT: &str = "AGENT_MCP_FIXTURE";

/// The arguments with which this program is the server.
pub(crate) const ARGUMENTS: [&str; 3] = ["--exact", "fixture::serve", "--nocapture"];

/// The revisions of the protocol.
pub(crate) const OLD: &str = "2025-11-25";
pub(crate) const NEW: &str = "2026-07-28";

/// Describes a server with a script: its `revision`, its `tools`, and what it does `on` a method.
pub(crate) fn server(script: &Value) -> McpServer {
    let program = std::env::current_exe().expect("the path of the test program");
    McpServer::stdio("s", program, ARGUMENTS)
        .env(SCRIPT, script.to_string())
        .restart_delay(Duration::from_millis(1))
}

/// Connects a server with a script.
pub(crate) async fn connected(script: &Value) -> ConnectedServer {
    server(script).connect().await.expect("a server")
}

/// Calls a tool of a server.
pub(crate) async fn call(
    server: &ConnectedServer,
    tool: &str,
    arguments: &Value,
) -> Result<Value, ToolError> {
    let library = server.library();
    let tool = library.lookup(tool).expect("a tool of this name");
    let context = ToolContext::detached();
    invoke_tool(&**tool, &arguments.to_string(), &context).await
}

/// Waits until something is so. The time is only a bound for a test that fails.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..3_000 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{what} takes too long");
}

/// The server. Without a script, this is a test that passes.
#[test]
fn serve() {
    if let Ok(script) = std::env::var(SCRIPT) {
        let script = serde_json::from_str(&script).expect("a script");
        Fixture {
            script,
            cancelled: 0,
            asked: None,
            listed: 0,
        }
        .serve();
        exit(0);
    }
}

struct Fixture {
    script: Value,
    /// How often a request was cancelled.
    cancelled: usize,
    /// The call that waits for the answer to a question.
    asked: Option<Value>,
    /// How often the list was read.
    listed: usize,
}

fn write(line: &str) {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").expect("the client reads");
    out.flush().expect("the client reads");
}

fn answer(id: &Value, result: &Value) {
    write(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
}

fn fail(id: &Value, code: i32, message: &str) {
    let error = json!({"code": code, "message": message});
    write(&json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
}

fn text(text: impl Into<String>) -> Value {
    json!({"content": [{"type": "text", "text": text.into()}]})
}

impl Fixture {
    fn serve(&mut self) {
        if let Some(path) = self.script["marker"].as_str() {
            // A process that is started again has the next list.
            self.listed = usize::from(std::fs::File::create_new(path).is_err());
        }
        if let Some(text) = self.script["stderr"].as_str() {
            eprintln!("{text}");
        }
        if let Some(seconds) = self.script["starts_in"].as_f64() {
            std::thread::sleep(Duration::from_secs_f64(seconds));
        }
        for line in io::stdin().lock().lines() {
            let message: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
            self.take(&message);
        }
    }

    fn is_new(&self) -> bool {
        self.script["revision"] != OLD
    }

    fn take(&mut self, message: &Value) {
        let id = &message["id"];
        let method = message["method"].as_str().unwrap_or("answer");
        if let Some(fault) = self.script["on"][method].as_str() {
            return misbehave(fault, id);
        }
        match method {
            "server/discover" if self.is_new() => {
                let result = json!({
                    "resultType": "complete",
                    "supportedVersions": [NEW],
                    "capabilities": {"tools": {"listChanged": true}},
                    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "fixture", "version": "1.2.3"}},
                    "ttlMs": 0,
                    "cacheScope": "private",
                });
                answer(id, &result);
            }
            "initialize" if !self.is_new() => {
                let result = json!({
                    "protocolVersion": OLD,
                    "capabilities": {"tools": {"listChanged": true}},
                    "serverInfo": {"name": "fixture", "version": "1.2.3"},
                });
                answer(id, &result);
            }
            "tools/list" => self.list(id, &message["params"]),
            "tools/call" => self.call(message),
            "notifications/cancelled" => self.cancelled += 1,
            "subscriptions/listen" => {
                let accepted = json!({
                    "notifications": {"toolsListChanged": true},
                    "_meta": {"io.modelcontextprotocol/subscriptionId": id},
                });
                notify("notifications/subscriptions/acknowledged", &accepted);
                // Notifications of changes name the subscription.
                self.script["subscription"] = id.clone();
            }
            "answer" => {
                let asked = self.asked.take().expect("a question was asked");
                answer(&asked, &text(message["result"].to_string()));
            }
            _ if method.starts_with("notifications/") => {}
            _ => fail(id, -32601, "there is no such method"),
        }
    }

    fn list(&mut self, id: &Value, params: &Value) {
        if let Some(tools) = self.script["raw"].as_str() {
            let more = r#""resultType": "complete", "ttlMs": 0, "cacheScope": "private""#;
            let result = format!(r#"{{"tools": {tools}, {more}}}"#);
            return write(&format!(
                r#"{{"jsonrpc": "2.0", "id": {id}, "result": {result}}}"#
            ));
        }
        let lists = match &self.script["lists"] {
            Value::Array(lists) => lists[self.listed.min(lists.len() - 1)].clone(),
            _ => default_tools(),
        };
        let mut tools = lists.as_array().expect("tools").clone();
        for tool in &mut tools {
            // A variable cannot hold a script with a schema that is too long.
            if tool["name"] == "long" {
                tool["inputSchema"]["description"] = "x".repeat(300_000).into();
            }
        }
        if let Some(many) = self.script["many"].as_u64() {
            let tool = |at| json!({"name": format!("tool{at}"), "inputSchema": {"type": "object"}});
            tools = match &self.script["tool"] {
                Value::Null => (0..many).map(tool).collect(),
                same => (0..many).map(|_| same.clone()).collect(),
            };
        }
        let mut result = json!({"tools": tools});
        match self.script["pages"].as_str() {
            // Lists without an end. The first two are of servers that ignore cursors.
            Some("endless") => result["nextCursor"] = "more".into(),
            Some("counting") => {
                let at = params["cursor"].as_str().unwrap_or("0");
                let at: u32 = at.parse().expect("a number");
                result["nextCursor"] = (at + 1).to_string().into();
            }
            Some("stuck") => {
                result["tools"] = match params["cursor"].is_null() {
                    true => json!([tools[0]]),
                    false => tools[1..].into(),
                };
                result["nextCursor"] = "rest".into();
            }
            Some("cycle") => {
                let (page, next) = match params["cursor"].as_str() {
                    None => (&tools[..1], "a"),
                    Some("a") => (&tools[1..2], "b"),
                    Some(_) => (&tools[2..], "a"),
                };
                result["tools"] = page.into();
                result["nextCursor"] = next.into();
            }
            Some("two") if params["cursor"].is_null() => {
                result["tools"] = json!([tools[0]]);
                result["nextCursor"] = "rest".into();
            }
            Some("two") => result["tools"] = tools[1..].into(),
            _ => {}
        }
        if result["nextCursor"].is_null() {
            self.listed += 1;
        }
        if self.is_new() {
            result["resultType"] = "complete".into();
            result["ttlMs"] = 60_000.into();
            result["cacheScope"] = "private".into();
        }
        answer(id, &result);
    }

    fn call(&mut self, message: &Value) {
        let id = &message["id"];
        let params = &message["params"];
        let arguments = &params["arguments"];
        let said = arguments["text"].as_str().unwrap_or_default();
        if let Some(fault) = self.script["calls"][params["name"].as_str().unwrap_or("")].as_str() {
            return misbehave(fault, id);
        }
        if let Some(result) = self.script["results"][params["name"].as_str().unwrap_or("")].as_str()
        {
            // As it is, because a JSON value holds no lone surrogates.
            return write(&format!(
                r#"{{"jsonrpc": "2.0", "id": {id}, "result": {result}}}"#
            ));
        }
        let result = match params["name"].as_str().expect("a name") {
            "echo" => text(said),
            // The arguments as they arrived.
            name if name.starts_with("arguments") => text(arguments.to_string()),
            "sum" => json!({
                "content": [],
                "structuredContent": {"sum": arguments["a"].as_i64().unwrap_or(0) + 1},
            }),
            "badSum" => json!({"content": [], "structuredContent": {"sum": "many"}}),
            "photo" => json!({"content": [
                {"type": "text", "text": "A pixel:"},
                {"type": "image", "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB", "mimeType": "image/png"},
            ]}),
            "fail" => {
                let mut failed = text(said);
                failed["isError"] = true.into();
                failed
            }
            "refuse" => return fail(id, -32602, said),
            "progress" => {
                let token = &params["_meta"]["progressToken"];
                let progress =
                    json!({"progressToken": token, "progress": 1, "total": 2, "message": said});
                return notify("notifications/progress", &progress);
            }
            "cancelled" => text(self.cancelled.to_string()),
            "listed" => text(self.listed.to_string()),
            "pid" => text(std::process::id().to_string()),
            "child" => {
                let program = std::env::current_exe().expect("a path");
                let child = std::process::Command::new(program)
                    .args(ARGUMENTS)
                    .env(SCRIPT, "{}")
                    .stdin(std::process::Stdio::piped())
                    .stdout(std::process::Stdio::null())
                    .stderr(std::process::Stdio::null())
                    .spawn()
                    .expect("a child");
                let id = child.id();
                // The child ends when its input is closed, so that the pipe must not be dropped.
                std::mem::forget(child);
                text(id.to_string())
            }
            "env" => {
                let names =
                    std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
                let mut names: Vec<String> = names.collect();
                names.sort();
                text(names.join(" "))
            }
            "folder" => {
                let folder = std::env::current_dir().expect("a folder");
                text(folder.to_string_lossy())
            }
            "change" => {
                let mut params = json!({});
                if !self.script["subscription"].is_null() {
                    params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": self.script["subscription"]});
                }
                notify("notifications/tools/list_changed", &params);
                text("changed")
            }
            "ask" => match self.question(message) {
                Some(result) => result,
                None => return,
            },
            name => return fail(id, -32602, &format!("there is no tool `{name}`")),
        };
        let mut result = result;
        if self.is_new() && result["resultType"].is_null() {
            result["resultType"] = "complete".into();
        }
        answer(id, &result);
    }

    /// Asks for input, as the revision does it. Returns the result if there is one now.
    fn question(&mut self, message: &Value) -> Option<Value> {
        let params = &message["params"];
        let method = self.script["asks"].as_str().unwrap_or("elicitation/create");
        let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
        let question = json!({"mode": "form", "message": "Which city?", "requestedSchema": schema});
        let question = match method {
            "elicitation/create" => json!({"method": method, "params": question}),
            "sampling/createMessage" => {
                json!({"method": method, "params": {"messages": [], "maxTokens": 5}})
            }
            _ => json!({"method": method}),
        };
        if !self.is_new() {
            let mut request = question;
            request["jsonrpc"] = "2.0".into();
            request["id"] = "q1".into();
            self.asked = Some(message["id"].clone());
            write(&request.to_string());
            return None;
        }
        if let answers @ Value::Object(_) = &params["inputResponses"] {
            assert_eq!(params["requestState"], "state");
            return Some(text(answers["q"].to_string()));
        }
        Some(json!({
            "resultType": "input_required",
            "inputRequests": {"q": question},
            "requestState": "state",
        }))
    }
}

fn notify(method: &str, params: &Value) {
    write(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
}

/// Does what no server should.
fn misbehave(fault: &str, id: &Value) {
    let valid = json!({"jsonrpc": "2.0", "id": id, "result": text("late")});
    match fault {
        "hang" => {}
        "die" => {
            eprintln!("\u{1b}[31mout of memory\u{1b}[0m");
            exit(3);
        }
        "twice" => {
            write(&valid.to_string());
            write(&valid.to_string());
        }
        "wrong id" => answer(&json!(4_711), &text("late")),
        "huge" => {
            let chunk = vec![b'x'; 1 << 20];
            let mut out = io::stdout().lock();
            out.write_all(
                br#"{"jsonrpc": "2.0", "result": {"content": [{"type": "text", "text": ""#,
            )
            .expect("the client reads");
            for _ in 0..100 {
                // A client may stop reading at any time, and then quotes what a panic would print.
                if out.write_all(&chunk).is_err() {
                    exit(1);
                }
            }
            writeln!(out, r#""}}]}}, "id": {id}}}"#).expect("the client reads");
            out.flush().expect("the client reads");
        }
        "bad JSON" => write(r#"{"jsonrpc": "2.0", "id": 1, "result": {"#),
        "bad UTF-8" => {
            let mut out = io::stdout().lock();
            write!(out, r#"{{"jsonrpc": "2.0", "id": {id}, "result": ""#)
                .expect("the client reads");
            out.write_all(b"\xff\xfe\"}\n").expect("the client reads");
            out.flush().expect("the client reads");
        }
        "deep" => {
            let (open, close) = ("[".repeat(500), "]".repeat(500));
            let deep =
                format!(r#"{{"jsonrpc": "2.0", "id": {id}, "result": {{"a": {open}{close}}}}}"#);
            write(&deep);
        }
        "many values" => {
            let values = format!("[{}0]", "{\"a\":0},".repeat(200_000));
            write(&format!(
                r#"{{"jsonrpc": "2.0", "result": {{"content": [], "_meta": {{"a": {values}}}}}, "id": {id}}}"#
            ));
        }
        "escapes" => {
            eprintln!("\u{1b}[2Jerased");
            let mut failed = text("\u{1b}[2Jerased");
            failed["isError"] = true.into();
            answer(id, &failed);
        }
        "empty" => answer(id, &json!({})),
        "no result" => answer(id, &json!({"tools": "none"})),
        "task" => answer(
            id,
            &json!({"resultType": "task", "taskId": "t", "status": "working", "ttlMs": 1000,
                "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z"}),
        ),
        "closed" => {
            // A server that goes on without its output.
            drop(io::stdout());
            exit(0);
        }
        other => panic!("`{other}` is no fault"),
    }
}

/// The tools of a server without tools in its script.
pub(crate) fn default_tools() -> Value {
    let said = || json!({"type": "object", "properties": {"text": {"type": "string"}}});
    let none = || json!({"type": "object"});
    let sum = json!({
        "type": "object",
        "properties": {"sum": {"type": "integer"}},
        "required": ["sum"],
    });
    let count = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    let mut tools = vec![
        json!({"name": "echo", "description": "Repeats a text", "inputSchema": said()}),
        json!({"name": "fail", "inputSchema": said()}),
        json!({"name": "refuse", "inputSchema": said()}),
        json!({"name": "progress", "inputSchema": said()}),
        json!({"name": "sum", "inputSchema": count, "outputSchema": sum}),
        json!({"name": "badSum", "inputSchema": none(), "outputSchema": sum}),
    ];
    for name in [
        "photo",
        "cancelled",
        "listed",
        "pid",
        "child",
        "env",
        "folder",
        "change",
        "ask",
    ] {
        tools.push(json!({"name": name, "inputSchema": none()}));
    }
    tools.into()
}
