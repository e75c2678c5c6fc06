//! `--provider`: names of providers, and servers behind them.

mod support;

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use support::{Folder, agent, command};

const DOCUMENT: &str = "[a:Agent {instruction: \"x\", model: \"Acme Two/large\"}]";

#[test]
fn a_provider_is_known_once_it_is_given() {
    let folder = Folder::new();
    let document = folder.file("acme.gram", DOCUMENT);
    let ended = agent(&["check", &document]).expect(1);
    assert!(
        ended.stderr.contains("`Acme Two` is not a known provider"),
        "{}",
        ended.stderr
    );
    let ended = agent(&["check", &document, "--provider", "Acme Too"]).expect(1);
    assert!(
        ended.stderr.contains("did you mean `Acme Too/large`?"),
        "{}",
        ended.stderr
    );
    for given in ["Acme Two", "Acme Two=https://models.acme.example/v1"] {
        agent(&["check", &document, "--provider", given]).expect(0);
    }
    agent(&[
        "run",
        &document,
        "Hi",
        "--offline",
        "--provider",
        "Acme Two",
    ])
    .expect(0);
}

#[test]
fn what_is_no_provider_is_wrong_usage() {
    let folder = Folder::new();
    let document = folder.file("acme.gram", DOCUMENT);
    for bad in ["", "Acme/large", "=http://h", "Acme="] {
        let ended = agent(&["check", &document, "--provider", bad]).expect(2);
        assert!(ended.stderr.contains("NAME=URL"), "{}", ended.stderr);
    }
    let ended = agent(&["run", &document, "Hi", "--provider", "Acme Two=nowhere"]).expect(2);
    assert!(ended.stderr.contains("base URL"), "{}", ended.stderr);
}

#[test]
fn a_provider_with_an_address_is_asked_there_with_its_own_key() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let mut request = Vec::new();
        while !String::from_utf8_lossy(&request).contains("\"role\":\"user\"") {
            let mut bytes = [0; 4096];
            let read = stream.read(&mut bytes).expect("a request");
            request.extend_from_slice(&bytes[..read]);
        }
        let body = "{\"choices\":[{\"message\":{\"content\":\"Hi from Acme.\"}}]}";
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
        let length = body.len();
        let answer = format!("{head}content-length: {length}\r\n\r\n{body}");
        stream.write_all(answer.as_bytes()).expect("an answer");
        String::from_utf8_lossy(&request).into_owned()
    });
    let folder = Folder::new();
    let document = folder.file("acme.gram", DOCUMENT);
    let provider = format!("Acme Two=http://127.0.0.1:{port}/v1");
    let output = command(&["run", &document, "Hi", "--provider", &provider])
        .env("ACME_TWO_API_KEY", "acme-key")
        .env("OPENAI_API_KEY", "another-key")
        .output()
        .expect("the command starts");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("Hi from Acme."), "{output:?}");
    let request = server.join().expect("a request");
    assert!(
        request.starts_with("POST /v1/chat/completions"),
        "{request}"
    );
    assert!(
        request.contains("authorization: Bearer acme-key"),
        "{request}"
    );
    assert!(!request.contains("another-key"), "{request}");
}
