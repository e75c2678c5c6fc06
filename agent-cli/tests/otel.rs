//! The export of `agent run` to the collector that the environment names.
#![cfg(feature = "otel")]

use crate::support::{CommandOutput, command};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// Runs an agent offline with a collector at this address.
fn run(collector: &str) -> CommandOutput {
    let arguments = ["run", "agents/hello.gram", "Hello, I'm Ada", "--offline"];
    let mut command = command(&arguments);
    let output = command
        .arg("--format=json")
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", collector);
    CommandOutput::of(output.output().expect("the command starts"))
}

#[test]
fn exports_a_run_to_the_collector_of_the_environment() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let received = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&received);
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let mut reader = BufReader::new(stream);
            let (mut head, mut length) = (String::new(), 0);
            while reader.read_line(&mut head).expect("a line") > 2 {
                let line = head.lines().last().unwrap_or_default();
                if let Some((_, value)) = line.split_once("content-length: ") {
                    length = value.parse().expect("a length");
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).expect("a body");
            let first = head.lines().next().unwrap_or_default().to_owned();
            let body = String::from_utf8_lossy(&body).into_owned();
            seen.lock().expect("no panic").push((first, body));
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
            reader.get_mut().write_all(answer).expect("an answer");
        }
    });
    run(&format!("http://{address}")).expect(0).json();
    let received = received.lock().expect("no panic");
    let sent = |path: &str, text: &str| {
        let mut to = received.iter().filter(|(first, _)| first.contains(path));
        to.any(|(_, body)| body.contains(text))
    };
    assert!(sent("POST /v1/traces ", "invoke_agent "), "{received:?}");
    assert!(
        sent("POST /v1/traces ", "execute_tool sayHello"),
        "{received:?}"
    );
    assert!(
        sent("POST /v1/metrics ", "gen_ai.execute_tool.duration"),
        "{received:?}"
    );
    assert!(!sent("POST", "Ada"), "{received:?}");
}

#[test]
fn a_missing_collector_does_not_fail_the_run() {
    let gone = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = gone.local_addr().expect("an address");
    drop(gone);
    let ended = run(&format!("http://{address}")).expect(0);
    ended.json();
    assert_eq!(ended.stderr, "");
}

#[test]
fn reports_an_invalid_collector_address() {
    let ended = run("localhost:4318").expect(2);
    let text = "`OTEL_EXPORTER_OTLP_ENDPOINT` of the telemetry is no http or https address";
    assert!(ended.stderr.contains(text), "{}", ended.stderr);
}
