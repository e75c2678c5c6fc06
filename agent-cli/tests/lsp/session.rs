//! A client that sends the messages of a test and receives those of the server.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The time after which a message of the server is missing.
const TIMEOUT: Duration = Duration::from_secs(120);

/// The day for the command, because documents of tests name models that end some day.
pub const TODAY: &str = "2026-09-01";

/// A server process with its input and output.
pub struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    stderr: ChildStderr,
    received: Receiver<Value>,
    last_id: i64,
}

/// The end of a server process.
pub struct Ended {
    pub code: Option<i32>,
    pub stderr: String,
}

/// Returns the command, to run in the folder of the examples without environment variables.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agent"));
    command.arg("lsp").args(args).env_clear();
    command.env("AGENT_TODAY", TODAY);
    command.current_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples"));
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Returns a message with its header.
pub fn framed(body: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Reads the next message. Returns `None` at the end of the output.
pub fn read_message(input: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).expect("the output is text") == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.trim_end().parse().ok();
        }
    }
    let mut body = vec![0; length.expect("a header has a length")];
    input.read_exact(&mut body).expect("a message is whole");
    Some(serde_json::from_slice(&body).expect("a message is JSON"))
}

impl Session {
    /// Starts a server without sending a message.
    pub fn start(args: &[&str]) -> Self {
        Self::run(command(args))
    }

    /// Starts a server with a command.
    pub fn run(mut command: Command) -> Self {
        let mut child = command.spawn().expect("the command starts");
        let stdout = child.stdout.take().expect("its output is a pipe");
        Self {
            stdin: child.stdin.take(),
            stderr: child.stderr.take().expect("its errors are a pipe"),
            received: receive(stdout),
            child,
            last_id: 0,
        }
    }

    /// Starts a server and initializes it with these capabilities.
    pub fn open(args: &[&str], capabilities: Value) -> Self {
        let mut session = Self::start(args);
        session.initialize(capabilities);
        session
    }

    /// Initializes the server with these capabilities and returns the result.
    pub fn initialize(&mut self, capabilities: Value) -> Value {
        let params = json!({"processId": null, "rootUri": null, "capabilities": capabilities});
        let result = self.request("initialize", params);
        self.notify("initialized", json!({}));
        result["result"].clone()
    }

    /// Writes bytes. Returns whether the server has not closed its input.
    pub fn raw(&mut self, bytes: &[u8]) -> bool {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).is_ok()
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        assert!(self.raw(&framed(&message.to_string())), "nobody reads");
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and returns its id.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends a request and returns the response. Messages before it are ignored.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.wait_for(|message| message["id"] == id && message.get("method").is_none())
    }

    /// Returns the next message.
    pub fn next(&mut self) -> Value {
        let received = self.received.recv_timeout(TIMEOUT);
        received.unwrap_or_else(|error| panic!("no message: {error}"))
    }

    /// Returns the next message that matches. Messages before it are ignored.
    pub fn wait_for(&mut self, matches: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next();
            if matches(&message) {
                return message;
            }
        }
    }

    /// Opens a document.
    pub fn did_open(&mut self, uri: &str, version: i32, text: &str) {
        let document = json!({"uri": uri, "languageId": "gram", "version": version, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Changes a document.
    pub fn did_change(&mut self, uri: &str, version: i32, changes: Value) {
        let document = json!({"uri": uri, "version": version});
        let params = json!({"textDocument": document, "contentChanges": changes});
        self.notify("textDocument/didChange", params);
    }

    /// Waits for the diagnostics of a version of a document.
    pub fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        let message = self.wait_for(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == version
        });
        let diagnostics = message["params"]["diagnostics"].as_array();
        diagnostics.expect("diagnostics are a list").clone()
    }

    /// Closes the pipe to the server.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Sends `shutdown` and `exit`, and checks that the server ends without errors.
    pub fn finish(mut self) {
        assert_eq!(self.request("shutdown", json!(null))["result"], json!(null));
        self.notify("exit", json!(null));
        let ended = self.ended();
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    }

    /// Waits until the server ends.
    pub fn ended(mut self) -> Ended {
        let mut stderr = String::new();
        self.stderr
            .read_to_string(&mut stderr)
            .expect("errors are text");
        let status = self.child.wait().expect("the command ends");
        Ended {
            code: status.code(),
            stderr,
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The server would run on after a failed test. Killing it fails if it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Receives the messages of the server on a thread.
fn receive(stdout: ChildStdout) -> Receiver<Value> {
    let (sender, received) = channel();
    std::thread::spawn(move || {
        let mut stdout = BufReader::new(stdout);
        while let Some(message) = read_message(&mut stdout) {
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    received
}
