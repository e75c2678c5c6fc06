//! A server on 127.0.0.1 that answers by a script or by a function of the request, right or wrong, and keeps the
//! requests.

use serde_json::Value;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use tokio::net::TcpSocket;

/// A request that the server received.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Method, target and version.
    pub(crate) line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// The number of its connection, from 0.
    pub(crate) connection: usize,
    /// When it had come.
    pub(crate) at: Instant,
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

    /// Everything, to look for what must not be there.
    pub(crate) fn all(&self) -> String {
        let body = String::from_utf8_lossy(&self.body);
        format!("{} {:?} {body}", self.line, self.headers)
    }
}

/// One thing that the server does with a connection.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    Send(Vec<u8>),
    /// The same bytes so many times.
    Repeat(Vec<u8>, usize),
    Wait(Duration),
    /// Ends the connection.
    Close,
}

/// The reaction of the server to one request.
pub(crate) type Play = Vec<Act>;

/// The reaction of a server to each request. Requests of different connections are answered at the same time.
pub(crate) type Answering = Arc<dyn Fn(&Request) -> Play + Send + Sync>;

/// Longer than any test waits.
pub(crate) const FOREVER: Duration = Duration::from_secs(60);

/// An answer, after which the connection is kept for a further request.
pub(crate) fn whole(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Play {
    let body = body.as_ref();
    vec![head(status, headers, body.len()), Act::Send(body.to_vec())]
}

/// The head of an answer that announces this many bytes. Each further header ends with CRLF.
pub(crate) fn head(status: u16, headers: &str, length: usize) -> Act {
    let text = format!("HTTP/1.1 {status} Told\r\ncontent-length: {length}\r\n{headers}\r\n");
    Act::Send(text.into_bytes())
}

/// A body in one chunk, and its end.
pub(crate) fn chunked(kind: &str, body: &[u8]) -> Play {
    let mut bytes = chunk(kind, body);
    bytes.extend_from_slice(b"0\r\n\r\n");
    vec![Act::Send(bytes)]
}

/// A body in one chunk, without its end.
pub(crate) fn chunk(kind: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 Told\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n\
         {length:x}\r\n"
    );
    [head.as_bytes(), body, b"\r\n"].concat()
}

pub(crate) struct Server {
    pub(crate) port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    answer: Answering,
    requests: Mutex<Vec<Request>>,
}

impl Server {
    pub(crate) fn start(plays: impl IntoIterator<Item = Play>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        Self::on(listener, plays)
    }

    pub(crate) fn on(listener: TcpListener, plays: impl IntoIterator<Item = Play>) -> Self {
        Self::answering(listener, scripted(plays), Some)
    }

    /// A server that reads and writes each connection through `speak`, such as with TLS. A connection for which `speak`
    /// returns nothing is closed.
    pub(crate) fn answering<S: Read + Write>(
        listener: TcpListener,
        answer: Answering,
        speak: impl Fn(TcpStream) -> Option<S> + Clone + Send + 'static,
    ) -> Self {
        let port = listener.local_addr().expect("an address").port();
        let requests = Mutex::default();
        let shared = Arc::new(Shared { answer, requests });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for (connection, stream) in listener.incoming().enumerate() {
                let Ok(stream) = stream else { continue };
                let shared = Arc::clone(&accepting);
                let speak = speak.clone();
                thread::spawn(move || {
                    let _ = stream.set_nodelay(true);
                    if let Some(stream) = speak(stream) {
                        serve(stream, connection, &shared);
                    }
                });
            }
        });
        Self { port, shared }
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        let requests = self.shared.requests.lock();
        requests.expect("no connection panicked").clone()
    }
}

/// Returns the plays in their order, whatever the requests are.
pub(crate) fn scripted(plays: impl IntoIterator<Item = Play>) -> Answering {
    let plays: Mutex<VecDeque<Play>> = Mutex::new(plays.into_iter().collect());
    Arc::new(move |_| {
        let play = plays.lock().expect("no connection panicked").pop_front();
        // No client tries this status again, so a test sees it rather than hangs.
        play.unwrap_or_else(|| whole(418, "", "the test has no answer for this"))
    })
}

/// Returns a port that refuses connections until its socket listens. The socket holds it, so that nobody else gets it.
pub(crate) fn silent_port() -> (TcpSocket, u16) {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket
        .bind(([127, 0, 0, 1], 0).into())
        .expect("a free port");
    let port = socket.local_addr().expect("an address").port();
    (socket, port)
}

fn serve(stream: impl Read + Write, connection: usize, shared: &Shared) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_request(&mut reader, connection) {
        let requests = shared.requests.lock();
        requests
            .expect("no connection panicked")
            .push(request.clone());
        for act in (shared.answer)(&request) {
            let stream = reader.get_mut();
            let done = match act {
                Act::Send(bytes) => stream.write_all(&bytes),
                Act::Repeat(bytes, times) => {
                    let mut times = 0..times;
                    times.try_for_each(|_| stream.write_all(&bytes))
                }
                Act::Wait(time) => {
                    thread::sleep(time);
                    Ok(())
                }
                Act::Close => return,
            };
            // A client may hang up in the middle; that is its right.
            if done.is_err() {
                return;
            }
        }
    }
}

/// The next request, or nothing when the client has ended the connection.
fn read_request(reader: &mut BufReader<impl Read>, connection: usize) -> Option<Request> {
    let line = read_line(reader)?;
    let mut headers = Vec::new();
    loop {
        let text = read_line(reader)?;
        if text.is_empty() {
            break;
        }
        let (key, value) = text.split_once(':')?;
        headers.push((key.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(key, _)| key == "content-length");
    let length = length.map_or(0, |(_, value)| value.parse().unwrap_or(0));
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request {
        line,
        headers,
        body,
        connection,
        at: Instant::now(),
    })
}

fn read_line(reader: &mut BufReader<impl Read>) -> Option<String> {
    let mut text = String::new();
    let read = reader.read_line(&mut text).ok()?;
    (read > 0).then(|| text.trim_end().to_owned())
}
