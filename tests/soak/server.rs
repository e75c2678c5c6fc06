//! A server that answers like OpenAI's: two calls of tools, one after the other, then words. It fails
//! the first try of one request in twenty, and holds the first answers back until all runs wait.

use serde_json::{Value, json};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Notify;

/// The variable that tells the process how many runs there will be.
const RUNS: &str = "SOAK_RUNS";

/// The text before the port that the process prints.
const PORT: &str = "soak port ";

/// The final answer to the run of this number.
pub(crate) fn answer(number: usize) -> String {
    format!("It rains where person {number} lives.")
}

/// The server as a process, which ends with this value.
pub(crate) struct ServerProcess {
    child: Child,
    port: u16,
}

impl ServerProcess {
    pub(crate) fn start(runs: usize) -> Self {
        let program = std::env::current_exe().expect("this program");
        let mut child = Command::new(program)
            .args(["--ignored", "--exact", "serve", "--nocapture"])
            .env(RUNS, runs.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut out = BufReader::new(child.stdout.take().expect("an output"));
        let port = out.by_ref().lines().find_map(|line| {
            let line = line.expect("a line");
            line.rsplit_once(PORT)?.1.parse().ok()
        });
        // After a minute the test runner of the process writes that the test still runs, and would end if nobody read it.
        std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
        Self {
            child,
            port: port.expect("a port"),
        }
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    pub(crate) async fn wait_until_all_wait(&self) {
        self.ask("wait").await;
    }

    pub(crate) async fn let_go(&self) {
        self.ask("go").await;
    }

    pub(crate) async fn failed(&self) -> usize {
        self.ask("failed").await
    }

    pub(crate) async fn requests(&self) -> usize {
        self.ask("requests").await
    }

    /// Asks the server about itself: a word instead of a request of HTTP.
    async fn ask(&self, word: &str) -> usize {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))
            .await
            .expect("it listens");
        stream
            .write_all(format!("!{word}\r\n\r\n").as_bytes())
            .await
            .expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer");
        answer.trim().parse().expect("a number")
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Answers until standard input ends, in the process that is the server.
pub(crate) fn serve() {
    let Ok(runs) = std::env::var(RUNS) else {
        return;
    };
    crate::process::file_limit();
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    tokio.expect("a runtime").block_on(async {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(([127, 0, 0, 1], 0).into()).expect("a port");
        let listener = socket.listen(4_096).expect("it listens");
        println!("{PORT}{}", listener.local_addr().expect("bound").port());
        std::io::stdout().flush().expect("flushed");
        let house = Arc::new(House::new(runs.parse().expect("a number")));
        tokio::spawn(accept(listener, house));
        // The end of whoever started it ends this, too.
        let end = tokio::task::spawn_blocking(|| {
            let _ = std::io::stdin().read_to_end(&mut Vec::new());
        });
        end.await.expect("no panic");
    });
}

/// The state that the connections share.
struct House {
    runs: usize,
    waiting: AtomicUsize,
    all_wait: Notify,
    go: Notify,
    gone: AtomicUsize,
    failed: AtomicUsize,
    requests: AtomicUsize,
    /// The requests that were failed once.
    seen: Mutex<HashSet<u64>>,
}

impl House {
    fn new(runs: usize) -> Self {
        Self {
            runs,
            waiting: AtomicUsize::new(0),
            all_wait: Notify::new(),
            go: Notify::new(),
            gone: AtomicUsize::new(0),
            failed: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
            seen: Mutex::default(),
        }
    }

    /// Waits until the runs may go on, unless they may.
    async fn hold(&self) {
        let go = self.go.notified();
        if self.gone.load(Ordering::SeqCst) > 0 {
            return;
        }
        if self.waiting.fetch_add(1, Ordering::SeqCst) + 1 == self.runs {
            self.all_wait.notify_one();
        }
        go.await;
    }

    /// The fault of a request, if it has one: one of twenty requests fails at its first attempt.
    fn fault(&self, body: &[u8]) -> Option<u64> {
        let mut hasher = DefaultHasher::new();
        body.hash(&mut hasher);
        let hash = hasher.finish();
        let is_first = || self.seen.lock().expect("no panic").insert(hash);
        (hash.is_multiple_of(20) && is_first()).then(|| {
            self.failed.fetch_add(1, Ordering::Relaxed);
            hash / 20 % 4
        })
    }

    async fn about_itself(&self, word: &[u8]) -> usize {
        match word {
            b"wait" => self.all_wait.notified().await,
            b"go" => {
                self.gone.store(1, Ordering::SeqCst);
                self.go.notify_waiters();
            }
            b"failed" => return self.failed.load(Ordering::Relaxed),
            _ => return self.requests.load(Ordering::Relaxed),
        }
        0
    }
}

async fn accept(listener: TcpListener, house: Arc<House>) {
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        let house = Arc::clone(&house);
        tokio::spawn(async move {
            let _ = connection(stream, &house).await;
        });
    }
}

async fn connection(mut stream: TcpStream, house: &House) -> std::io::Result<()> {
    let mut held = Vec::new();
    loop {
        let Some((begin, end)) = body(&held) else {
            if stream.read_buf(&mut held).await? == 0 {
                return Ok(());
            }
            continue;
        };
        if let Some(word) = held.strip_prefix(b"!") {
            let number = house.about_itself(word.trim_ascii_end()).await;
            return stream.write_all(number.to_string().as_bytes()).await;
        }
        house.requests.fetch_add(1, Ordering::Relaxed);
        let body = &held[begin..end];
        let answer = match house.fault(body) {
            Some(0) => http(503, "", "busy"),
            Some(1) => http(
                429,
                "retry-after: 0\r\n",
                "{\"error\": {\"message\": \"slowly\"}}",
            ),
            Some(2) => http(500, "", "{}"),
            // Closed without an answer.
            Some(_) => return Ok(()),
            None => {
                let request: Value = serde_json::from_slice(body)?;
                let (is_first, reply) = reply(&request);
                if is_first {
                    house.hold().await;
                }
                http(
                    200,
                    "content-type: application/json\r\n",
                    &reply.to_string(),
                )
            }
        };
        stream.write_all(answer.as_bytes()).await?;
        held.drain(..end);
    }
}

/// The range of the first request's body, once it has arrived.
fn body(held: &[u8]) -> Option<(usize, usize)> {
    let begin = held.windows(4).position(|bytes| bytes == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&held[..begin]).unwrap_or_default();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let is_length = name.eq_ignore_ascii_case("content-length");
        is_length.then(|| value.trim().parse::<usize>().ok())?
    });
    let end = begin + length.unwrap_or(0);
    (held.len() >= end).then_some((begin, end))
}

fn http(status: u16, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\n\r\n{body}")
}

/// The reply to a request, and whether it is the first of a run that is held back.
fn reply(request: &Value) -> (bool, Value) {
    let messages = request["messages"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let said = |at: usize| messages.get(at).and_then(|said| said["content"].as_str());
    let number = said(1).and_then(|text| text.rsplit(' ').next()?.parse().ok());
    let number: usize = number.unwrap_or(0);
    let results = messages
        .iter()
        .filter(|said| said["role"] == "tool")
        .count();
    let call = |name: &str, arguments: Value| {
        json!({"role": "assistant", "content": null, "tool_calls": [{
            "id": format!("call_{number}_{results}"),
            "type": "function",
            "function": {"name": name, "arguments": arguments.to_string()},
        }]})
    };
    let (message, reason) = match results {
        0 => (
            call("address", json!({"person": format!("Person {number}")})),
            "tool_calls",
        ),
        1 => (call("weather", json!({"town": "Ulm"})), "tool_calls"),
        _ => (
            json!({"role": "assistant", "content": answer(number)}),
            "stop",
        ),
    };
    let reply = json!({
        "id": "chatcmpl-1",
        "model": "any",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 50, "completion_tokens": 10},
    });
    // The run that warms everything up is not waited for.
    (results == 0 && number > 0, reply)
}
