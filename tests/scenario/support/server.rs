//! A small HTTP/1.1 server on 127.0.0.1 that answers as told and remembers what it was sent.

use serde_json::Value;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request that the server received.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    /// A header by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }
}

/// The server's answer to one request: a status and a body.
#[derive(Clone)]
pub(crate) struct Answer(pub(crate) u16, pub(crate) String);

/// The server. It answers until it is dropped; requests beyond the answers it was given get a
/// status that no client tries again, so that a test sees them rather than hangs.
pub(crate) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// A function that answers a request; without an answer, the client waits until it hangs up.
type AnswerFn = Box<dyn Fn(&Request) -> Option<Answer> + Send + Sync>;

struct Shared {
    answer: AnswerFn,
    requests: Mutex<Vec<Request>>,
    closed: AtomicBool,
}

impl Server {
    /// Starts a server that gives these answers, one after the other.
    pub(crate) fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let answers: VecDeque<Answer> = answers.into_iter().collect();
        let answers = Mutex::new(answers);
        Self::answering(move |_| {
            answers
                .lock()
                .expect("no connection panicked")
                .pop_front()
                .or_else(none_left)
        })
    }

    /// Starts a server whose answers depend on the requests. The function is called on the thread of each connection.
    pub(crate) fn answering(
        answer: impl Fn(&Request) -> Option<Answer> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("a bound address");
        let shared = Arc::new(Shared {
            answer: Box::new(answer),
            requests: Mutex::default(),
            closed: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if accepting.closed.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let shared = Arc::clone(&accepting);
                // A connection is kept for further requests, so it must not hold up others.
                thread::spawn(move || serve(stream, &shared));
            }
        });
        Self { address, shared }
    }

    /// `host:port`, as an allowance for a key names it.
    pub(crate) fn host(&self) -> String {
        self.address.to_string()
    }

    /// The address as OpenAI's clients take it.
    pub(crate) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The requests so far. A request is listed before it is answered.
    pub(crate) fn requests(&self) -> Vec<Request> {
        let requests = self.shared.requests.lock();
        requests.expect("no connection panicked").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        // The thread that accepts hears of it at the next connection, so here is one.
        let _ = TcpStream::connect(self.address);
    }
}

/// Answers requests on one connection until either side ends it.
fn serve(stream: TcpStream, shared: &Shared) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_request(&mut reader) {
        let requests = shared.requests.lock();
        requests
            .expect("no connection panicked")
            .push(request.clone());
        let Some(Answer(status, body)) = (shared.answer)(&request) else {
            continue;
        };
        let bytes = response(status, &body);
        // A client may hang up in the middle; that is its right.
        if reader.get_mut().write_all(bytes.as_bytes()).is_err() {
            return;
        }
    }
}

/// The answer to a request beyond those that the test foresaw.
pub(crate) fn none_left() -> Option<Answer> {
    let text = "the test has no answer for this request";
    Some(Answer(418, text.to_owned()))
}

fn response(status: u16, body: &str) -> String {
    let length = body.len();
    let kind = match body.starts_with("data:") {
        true => "text/event-stream",
        false => "application/json",
    };
    format!(
        "HTTP/1.1 {status} Told\r\n\
         content-type: {kind}\r\n\
         content-length: {length}\r\n\
         \r\n\
         {body}"
    )
}

/// The next request, or nothing when the client has ended the connection.
fn read_request(reader: &mut BufReader<TcpStream>) -> Option<Request> {
    let first = read_line(reader)?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = Vec::new();
    while let Some(line) = read_line(reader).filter(|line| !line.is_empty()) {
        let (key, value) = line.split_once(':')?;
        headers.push((key.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(key, _)| key == "content-length");
    let mut body = vec![0; length.map_or(Some(0), |(_, value)| value.parse().ok())?];
    reader.read_exact(&mut body).ok()?;
    Some(Request {
        method,
        path,
        headers,
        body,
    })
}

fn read_line(reader: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    let length = reader.read_line(&mut line).ok()?;
    (length > 0).then(|| line.trim_end().to_owned())
}
