//! A small HTTP server on 127.0.0.1 that answers as told and remembers what it was sent.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A request that the server got.
#[derive(Clone, Debug)]
pub struct Request {
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a JSON body")
    }
}

/// An answer of the server.
pub enum Answer {
    /// A status, further header lines, a body.
    Plain(u16, &'static str, String),
    /// These bytes and then the end.
    Raw(Vec<u8>),
    /// A content type, and a body that comes in pieces, each after a pause.
    Pieces(&'static str, Vec<(Duration, Vec<u8>)>),
}

/// A streamed answer that comes as a whole.
pub fn streamed(kind: &'static str, body: impl Into<Vec<u8>>) -> Answer {
    Answer::Pieces(kind, vec![(Duration::ZERO, body.into())])
}

/// An answer of this status.
pub fn status(status: u16, body: &str) -> Answer {
    Answer::Plain(status, "", body.to_owned())
}

/// An answer in words, as OpenAI writes it.
pub fn text(content: &str) -> Answer {
    let body = serde_json::json!({
        "id": "chatcmpl-1",
        "model": "gpt-6-luna-2026-09-22",
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": content},
            "finish_reason": "stop",
        }],
        "usage": {
            "prompt_tokens": 20,
            "completion_tokens": 5,
            "prompt_tokens_details": {"cached_tokens": 8},
            "completion_tokens_details": {"reasoning_tokens": 2},
        },
    });
    status(200, &body.to_string())
}

pub struct Server {
    pub port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Answers one request after the other, each on a connection of its own.
    pub fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for answer in answers {
                let Ok((stream, _)) = listener.accept() else {
                    return;
                };
                serve(stream, answer, &seen);
            }
        });
        Self { port, requests }
    }

    /// The address, as a base URL.
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no test panicked").clone()
    }
}

fn serve(stream: TcpStream, answer: Answer, seen: &Mutex<Vec<Request>>) {
    let mut reader = BufReader::new(stream);
    let mut line = || {
        let mut text = String::new();
        reader.read_line(&mut text).ok()?;
        Some(text.trim_end().to_owned())
    };
    let Some(first) = line() else { return };
    let mut headers = Vec::new();
    while let Some(text) = line().filter(|text| !text.is_empty()) {
        if let Some((key, value)) = text.split_once(':') {
            headers.push((key.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let length = headers.iter().find(|(key, _)| key == "content-length");
    let length = length
        .and_then(|(_, value)| value.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    seen.lock().expect("no test panicked").push(Request {
        line: first,
        headers,
        body: String::from_utf8(body).expect("a text body"),
    });
    let bytes = match answer {
        Answer::Raw(bytes) => bytes,
        Answer::Pieces(kind, pieces) => {
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n");
            let stream = reader.get_mut();
            let _ = stream.set_nodelay(true);
            let _ = stream.write_all(head.as_bytes());
            for (pause, piece) in pieces {
                thread::sleep(pause);
                if stream.write_all(&piece).is_err() {
                    return;
                }
            }
            return;
        }
        Answer::Plain(status, headers, body) => format!(
            "HTTP/1.1 {status} Told\r\ncontent-type: application/json\r\nconnection: close\r\n\
             content-length: {}\r\n{headers}\r\n{body}",
            body.len()
        )
        .into_bytes(),
    };
    // A client may hang up in the middle; that is its right.
    let _ = reader.get_mut().write_all(&bytes);
}
