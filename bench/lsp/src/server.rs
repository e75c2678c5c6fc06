//! The server as a process, and what comes from it, with the time.

use bench_shared::Failure;
use bench_shared::process::peak_memory;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// After so long a server that does not answer is stuck.
const PATIENCE: Duration = Duration::from_secs(60);

/// A message, and when its last byte was there.
pub(crate) struct Received {
    pub(crate) at: Instant,
    pub(crate) message: Value,
}

pub(crate) struct Server {
    child: Child,
    stdin: ChildStdin,
    pub(crate) received: Receiver<Received>,
    last_id: i64,
}

impl Server {
    pub(crate) fn start(program: &Path) -> Result<Self, Failure> {
        let mut child = Command::new(program)
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| {
                let build =
                    "build it with `cargo build --release -p gramwork-cli`, or name it with --agent";
                format!("cannot start `{}`: {error}; {build}", program.display())
            })?;
        let stdin = child.stdin.take().ok_or("no pipe to the server")?;
        let stdout = child.stdout.take().ok_or("no pipe from the server")?;
        Ok(Self {
            child,
            stdin,
            received: receive(stdout),
            last_id: 0,
        })
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) -> Result<(), Failure> {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    /// Sends a request, and gives its id.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Result<i64, Failure> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        Ok(id)
    }

    /// Sends a request, and waits for its answer.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value, Failure> {
        let id = self.ask(method, params)?;
        loop {
            let message = self.next()?.message;
            if message["id"] == id {
                return Ok(message);
            }
        }
    }

    pub(crate) fn next(&self) -> Result<Received, Failure> {
        let received = self.received.recv_timeout(PATIENCE);
        received.map_err(|_| "the server does not answer".into())
    }

    /// Returns the peak memory of the server in bytes, where there is a `/proc`.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        peak_memory(&self.child.id().to_string())
    }

    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.request("shutdown", Value::Null)?;
        self.notify("exit", Value::Null)?;
        let status = self.child.wait()?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("the server ended with {status}").into())
        }
    }

    fn send(&mut self, message: Value) -> Result<(), Failure> {
        let body = message.to_string();
        let message = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.stdin.write_all(message.as_bytes())?;
        Ok(self.stdin.flush()?)
    }
}

fn receive(stdout: ChildStdout) -> Receiver<Received> {
    let (sender, received) = channel();
    std::thread::spawn(move || {
        let mut stdout = BufReader::with_capacity(1 << 20, stdout);
        while let Some(body) = read_body(&mut stdout) {
            let at = Instant::now();
            let Ok(message) = serde_json::from_slice(&body) else {
                return;
            };
            if sender.send(Received { at, message }).is_err() {
                return;
            }
        }
    });
    received
}

fn read_body(input: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.trim_end().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body).ok()?;
    Some(body)
}
