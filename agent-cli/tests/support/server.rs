//! A server that answers one request in the format of OpenAI.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread::JoinHandle;

pub struct OneAnswer {
    port: u16,
    /// Receives the request.
    thread: JoinHandle<String>,
}

impl OneAnswer {
    /// Answers the first request with this text.
    pub fn start(content: &str) -> Self {
        let body = serde_json::json!({"choices": [{"message": {"content": content}}]});
        Self::answering("200 OK", "application/json", body.to_string())
    }

    /// Answers the first request with this status, content type and body.
    pub fn answering(status: &'static str, kind: &'static str, body: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let thread = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            let mut request = Vec::new();
            while !String::from_utf8_lossy(&request).contains("\"role\":\"user\"") {
                let mut bytes = [0; 4096];
                let read = stream.read(&mut bytes).expect("a request");
                request.extend_from_slice(&bytes[..read]);
            }
            let head =
                format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nconnection: close\r\n");
            let length = body.len();
            let answer = format!("{head}content-length: {length}\r\n\r\n{body}");
            stream.write_all(answer.as_bytes()).expect("an answer");
            String::from_utf8_lossy(&request).into_owned()
        });
        Self { port, thread }
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.host())
    }

    /// Returns the request, head and body.
    pub fn request(self) -> String {
        self.thread.join().expect("a request")
    }
}
