//! A request to the server of MCP over HTTP: the answer is one of HTTP, and its body is a message or events with messages.
//!
//! The input is header lines, an empty line, and the body. The request is a POST; lines that are no headers are left out.

#![no_main]

use agent_fuzz::agents;
use agent_mcp::Server;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{LazyLock, mpsc};
use std::thread;
use std::time::Duration;

static ADDRESS: LazyLock<SocketAddr> = LazyLock::new(|| {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.expect("an async runtime").block_on(async {
            let server = Server::new(&agents::library()).max_message_bytes(20_000);
            let server = server
                .http(([127, 0, 0, 1], 0))
                .session_timeout(Duration::from_secs(1))
                .max_requests_per_second(u32::MAX);
            let bound = server.bind().await.expect("a port");
            sender.send(bound.local_addr()).expect("the target waits");
            bound.run().await.expect("a server without an end");
        });
    });
    receiver.recv().expect("an address")
});

fuzz_target!(|input: &[u8]| {
    let end = input.windows(2).position(|window| window == b"\n\n");
    let (head, body) = match end {
        Some(end) => (&input[..end], &input[end + 2..]),
        None => (&input[..0], input),
    };
    // A subscription has no end.
    if body.windows(6).any(|window| window == b"listen") {
        return;
    }
    let mut request = format!("POST /mcp HTTP/1.1\r\nhost: {}\r\n", *ADDRESS).into_bytes();
    for line in head.split(|byte| *byte == b'\n') {
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        let is_reserved = [
            "host",
            "content-length",
            "transfer-encoding",
            "connection",
            "expect",
        ]
        .iter()
        .any(|reserved| name.eq_ignore_ascii_case(reserved.as_bytes()));
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
        if !is_reserved && !name.is_empty() && name.len() < line.len() && name.iter().all(is_name) {
            request.extend(line.iter().filter(|byte| **byte >= 0x20 && **byte != 0x7f));
            request.extend(b"\r\n");
        }
    }
    request.extend(
        format!(
            "connection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        )
        .into_bytes(),
    );
    request.extend(body);
    let mut stream = TcpStream::connect(*ADDRESS).expect("a server");
    stream
        .set_read_timeout(Some(Duration::from_secs(5)))
        .expect("a timeout");
    // The server may refuse the request by its head.
    let _ = stream.write_all(&request);
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer)
        && answer.is_empty()
    {
        panic!("no answer: {error}");
    }
    check(&String::from_utf8_lossy(&answer));
});

fn check(answer: &str) {
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status: u16 = head
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3)?.parse().ok())
        .unwrap_or_else(|| panic!("{head}"));
    assert_ne!(status, 500, "{answer}");
    let head = head.to_ascii_lowercase();
    if head.contains("content-type: application/json") && !head.contains("transfer-encoding") {
        assert!(serde_json::from_str::<Value>(body).is_ok(), "{answer}");
    }
    for data in body.lines().filter_map(|line| line.strip_prefix("data:")) {
        let data = data.trim();
        assert!(
            data.is_empty() || serde_json::from_str::<Value>(data).is_ok(),
            "{answer}"
        );
    }
}
