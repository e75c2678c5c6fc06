//! An HTTP server on 127.0.0.1 that sends the bytes of an input. Its connections are kept alive.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// A request that the server received.
#[derive(Debug)]
pub struct Request {
    /// The method and the target, such as `POST /v1/chat/completions HTTP/1.1`.
    pub line: String,
    pub body: Vec<u8>,
}

/// An answer of the server.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    /// Further header lines, each with its line end.
    pub headers: String,
    pub body: Vec<u8>,
    /// The number of bytes of a piece of the body; `None` sends the body in one piece with its length.
    pub piece: Option<usize>,
}

impl Answer {
    /// Creates an answer with the status 200.
    #[must_use]
    pub fn json(body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            headers: "content-type: application/json\r\n".to_owned(),
            body: body.into(),
            piece: None,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!("HTTP/1.1 {} Answer\r\n{}", self.status, self.headers).into_bytes();
        let Some(piece) = self.piece else {
            let length = self.body.len();
            bytes.extend(format!("content-length: {length}\r\n\r\n").into_bytes());
            bytes.extend(&self.body);
            return bytes;
        };
        bytes.extend(b"transfer-encoding: chunked\r\n\r\n");
        for piece in self.body.chunks(piece.max(1)) {
            bytes.extend(format!("{:x}\r\n", piece.len()).into_bytes());
            bytes.extend(piece);
            bytes.extend(b"\r\n");
        }
        bytes.extend(b"0\r\n\r\n");
        bytes
    }
}

/// Returns the header line, or nothing if the value cannot be sent in a header.
#[must_use]
pub fn header(name: &str, value: &str) -> String {
    let value = value.trim();
    let is_sendable = value.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    match is_sendable && !value.is_empty() {
        true => format!("{name}: {value}\r\n"),
        false => String::new(),
    }
}

/// Starts a server that answers each request with a function. Returns its port. The server ends with the process.
pub fn start(answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let answer = Arc::new(answer);
    thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let answer = Arc::clone(&answer);
            thread::spawn(move || serve(stream, &*answer));
        }
    });
    port
}

/// Serves a connection until the client closes it.
fn serve(stream: TcpStream, answer: &(dyn Fn(&Request) -> Answer + Send + Sync)) {
    let _ = stream.set_nodelay(true);
    let mut stream = BufReader::new(stream);
    while let Some(request) = read(&mut stream) {
        if stream
            .get_mut()
            .write_all(&answer(&request).bytes())
            .is_err()
        {
            return;
        }
    }
}

/// Reads a request; `None` at the end of the connection.
fn read(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let line = read_line(stream)?;
    let mut length = 0;
    loop {
        let header = read_line(stream)?;
        if header.is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(Request { line, body })
}

fn read_line(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    let read = stream.read_line(&mut line).ok()?;
    (read > 0).then(|| line.trim_end().to_owned())
}
