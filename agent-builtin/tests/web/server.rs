//! A server on 127.0.0.1 that sends any bytes, and counts its connections.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

pub(crate) struct Server {
    port: u16,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<Request>>>,
}

/// A request: its target and its head.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) target: String,
    pub(crate) head: String,
}

impl Request {
    /// Returns the value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = headers.find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value)
    }
}

impl Server {
    /// Starts a server that calls `answer` for each connection.
    pub(crate) fn start(
        answer: impl Fn(&Request, &mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let server = Self {
            port,
            connections: Arc::default(),
            requests: Arc::default(),
        };
        let (connections, requests) = (server.connections.clone(), server.requests.clone());
        let answer = Arc::new(answer);
        thread::spawn(move || {
            for stream in listener.incoming() {
                connections.fetch_add(1, Ordering::SeqCst);
                let Ok(mut stream) = stream else { return };
                let (answer, requests) = (Arc::clone(&answer), Arc::clone(&requests));
                thread::spawn(move || {
                    let Some(request) = read(&mut stream) else {
                        return;
                    };
                    requests.lock().expect("no panic").push(request.clone());
                    // A client may close the connection early.
                    let _ = answer(&request, &mut stream);
                });
            }
        });
        server
    }

    /// Starts a server that sends the same response to every request.
    pub(crate) fn always(answer: Vec<u8>) -> Self {
        Self::start(move |_, stream| stream.write_all(&answer))
    }

    /// Starts a server that must not be contacted.
    pub(crate) fn canary() -> Self {
        Self::always(page("text/html", "canary"))
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Returns the grant that covers only this server.
    pub(crate) fn grant(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no panic").clone()
    }
}

fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let target = head.split(' ').nth(1)?.to_owned();
    Some(Request { target, head })
}

/// Returns a whole response.
pub(crate) fn answer(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = body.len();
    let mut bytes = format!(
        "HTTP/1.1 {status} Told\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n"
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// Returns a response with a content type.
pub(crate) fn page(content_type: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    answer(200, &format!("content-type: {content_type}\r\n"), body)
}

/// Returns a redirect.
pub(crate) fn redirect(location: &str) -> Vec<u8> {
    answer(302, &format!("location: {location}\r\n"), "")
}
