//! The processes of servers: what they are given, and that they end.

use crate::fixture::{call, connected, server, until};
use agent_mcp::{ConnectedServer, McpServer, McpTransport};
use agent_runtime::serde_json::json;
use rustix::process::{Pid, test_kill_process};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

async fn pid(server: &ConnectedServer, tool: &str) -> Pid {
    let pid = call(server, tool, &json!({})).await.expect("a pid");
    let pid = pid.as_str().and_then(|pid| pid.parse().ok());
    Pid::from_raw(pid.expect("a number")).expect("a pid")
}

/// Whether a process has ended. One that nobody waited for, because its parent was killed, has ended, too.
fn has_ended(pid: Pid) -> bool {
    let path = format!("/proc/{}/stat", pid.as_raw_nonzero());
    match std::fs::read_to_string(path) {
        Ok(stat) => stat
            .rsplit(')')
            .next()
            .is_some_and(|rest| rest.trim().starts_with('Z')),
        Err(_) => test_kill_process(pid).is_err(),
    }
}

#[tokio::test]
async fn a_dropped_server_ends_with_the_processes_that_it_started() {
    let server = connected(&json!({})).await;
    let (process, child) = (pid(&server, "s_pid").await, pid(&server, "s_child").await);
    assert!(!has_ended(process) && !has_ended(child));
    let library = server.library();
    drop(server);
    // The tools still need it.
    assert!(!has_ended(process));
    drop(library);
    until("the end of the server", || has_ended(process)).await;
    until("the end of its child", || has_ended(child)).await;
}

#[tokio::test]
async fn a_closed_server_has_ended() {
    let server = connected(&json!({})).await;
    let process = pid(&server, "s_pid").await;
    server.close().await;
    assert!(has_ended(process));
}

#[test]
fn a_server_ends_with_the_runtime_of_its_host() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (server, process, child) = runtime.block_on(async {
        let server = connected(&json!({})).await;
        let (process, child) = (pid(&server, "s_pid").await, pid(&server, "s_child").await);
        (server, process, child)
    });
    drop(runtime);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        until("the end of the server", || has_ended(process)).await;
        until("the end of its child", || has_ended(child)).await;
    });
    drop(server);
}

#[tokio::test]
async fn a_server_gets_only_the_variables_that_it_is_granted() {
    let server = connected(&json!({})).await;
    let names = call(&server, "s_env", &json!({})).await.expect("names");
    let allowed = [
        "AGENT_MCP_FIXTURE",
        "HOME",
        "LOGNAME",
        "PATH",
        "SHELL",
        "TERM",
        "USER",
    ];
    for name in names.as_str().expect("a text").split(' ') {
        assert!(allowed.contains(&name), "{name}");
    }
    // Cargo sets others for the tests.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
}

#[tokio::test]
async fn a_server_runs_in_the_folder_that_it_is_given() {
    let server = server(&json!({})).current_dir("/");
    let server = server.connect().await.expect("a server");
    let folder = call(&server, "s_folder", &json!({})).await;
    assert_eq!(folder, Ok(json!("/")));
}

#[tokio::test]
async fn values_of_variables_are_redacted() {
    let script = json!({"stderr": "the key is hunter2hunter2", "on": {"tools/list": "die"}});
    let server = server(&script).env("KEY", "hunter2hunter2");
    let shown = format!("{server:?}");
    assert!(!shown.contains("hunter2"), "{shown}");
    let error = server.connect().await.expect_err("it dies").to_string();
    assert!(error.contains("the key is [key]"), "{error}");
}

/// Keeps the events of the target of this crate.
struct Events(Arc<Mutex<Vec<String>>>);

impl Subscriber for Events {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "agent_mcp"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        struct Fields(String);
        impl Visit for Fields {
            fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
                self.0.push_str(&format!("{field}={value:?} "));
            }
        }
        let mut fields = Fields(String::new());
        event.record(&mut fields);
        self.0.lock().expect("a list").push(fields.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn standard_error_goes_to_the_trace() {
    let events = Arc::new(Mutex::new(Vec::new()));
    let _guard = tracing::subscriber::set_default(Events(Arc::clone(&events)));
    let script = json!({"stderr": "\u{1b}[31mready, hunter2hunter2"});
    let server = server(&script).env("KEY", "hunter2hunter2");
    let _server = server.connect().await.expect("a server");
    let logged = || {
        let events = events.lock().expect("a list");
        events.iter().find(|event| event.contains("ready")).cloned()
    };
    until("the line", || logged().is_some()).await;
    let event = logged().expect("the line");
    assert!(event.contains("\\u{1b}[31mready, [key]"), "{event}");
    assert!(event.contains("server=\"s\""), "{event}");
}

#[tokio::test]
async fn a_wrong_description_is_a_configuration_error() {
    let none: [&str; 0] = [];
    let missing = McpServer::stdio("s", "no-such-command-anywhere", none);
    let error = missing.connect().await.expect_err("no command");
    assert!(error.is_configuration(), "{error}");
    assert!(error.to_string().contains("no-such-command-anywhere"));
    for name in ["", "1a", "a b", &"x".repeat(41)] {
        let error = McpServer::stdio(name, "true", none).connect().await;
        assert!(error.expect_err("no name").is_configuration(), "{name}");
    }
    let error = server(&json!({})).timeout(Duration::ZERO).connect().await;
    assert!(error.expect_err("no time").to_string().contains("above 0"));
}

#[tokio::test]
async fn a_document_of_a_server_holds_no_keys() {
    let schema = json!({"type": "object", "properties": {"p": {"type": "string", "default": "hunter2hunter2"}}});
    let tool = json!({"name": "echo", "description": "Signed in with hunter2hunter2", "inputSchema": schema});
    let bad = json!({"name": "hunter2hunter2", "inputSchema": {"type": "array"}});
    let server =
        server(&json!({"raw": json!([tool, bad]).to_string()})).env("KEY", "hunter2hunter2");
    let server = server.connect().await.expect("a server");
    let refused: Vec<&str> = server.refused().iter().map(|tool| &*tool.remote).collect();
    assert_eq!(refused, ["[key]"]);
    let transport = McpTransport::Command {
        command: vec!["server".into()],
        env: vec!["KEY".into()],
    };
    let imported = server.imported(transport);
    let text = imported.lock.to_gram();
    assert!(text.contains("Signed in with [key]"), "{text}");
    assert!(text.contains("default: \"[key]\""), "{text}");
    let all = format!("{text}{:?}", imported.refused);
    assert!(!all.contains("hunter2"), "{all}");
}
