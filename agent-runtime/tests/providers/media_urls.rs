//! Media from URLs: passed on, or fetched where that is granted.

use crate::support::server::{Server, status};
use agent_runtime::conversation::{Document, Image, Part};
use agent_runtime::runtime::Input;
use agent_runtime::spec::Grants;
use agent_runtime::{AgentResponse, Conversation, Environment, Error, Runtime};
use agent_spec::AgentPattern;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
const PNG_BASE64: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB";

/// A server of files that counts its requests.
struct Files {
    port: u16,
    count: Arc<AtomicUsize>,
}

impl Files {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let count = Arc::new(AtomicUsize::new(0));
        let requests = Arc::clone(&count);
        // The thread runs as long as the test program.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a client");
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    if stream.read(&mut byte).expect("a request") == 0 {
                        break;
                    }
                    head.push(byte[0]);
                }
                requests.fetch_add(1, Ordering::SeqCst);
                let head = String::from_utf8_lossy(&head).into_owned();
                let path = head.split(' ').nth(1).unwrap_or_default();
                let _ = stream.write_all(&answer(path, port));
            }
        });
        Self { port, count }
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    fn requests(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }
}

/// Returns the answer to a path, without its query.
fn answer(path: &str, port: u16) -> Vec<u8> {
    let path = path.split('?').next().unwrap_or_default();
    let (status, headers, body) = match path {
        "/cat.png" => ("200 OK", String::new(), PNG),
        "/notes.md" => ("200 OK", String::new(), "# Notes".as_bytes()),
        "/page.png" => ("200 OK", String::new(), "<html>".as_bytes()),
        "/empty.png" => ("200 OK", String::new(), "".as_bytes()),
        "/gzip.png" => ("200 OK", "content-encoding: gzip\r\n".to_owned(), PNG),
        "/moved.png" => (
            "302 Found",
            "location: /cat.png\r\n".to_owned(),
            "".as_bytes(),
        ),
        "/loop.png" => (
            "302 Found",
            "location: /loop.png\r\n".to_owned(),
            "".as_bytes(),
        ),
        "/away.png" => {
            let other = format!("location: http://127.0.0.2:{port}/cat.png\r\n");
            ("302 Found", other, "".as_bytes())
        }
        "/far.png" => {
            let far = format!(
                "location: http://{}.example/cat.png\r\n",
                "a".repeat(60_000)
            );
            ("302 Found", far, "".as_bytes())
        }
        "/huge.png" => {
            let head = "HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n";
            return head.as_bytes().to_vec();
        }
        _ => ("404 Not Found", String::new(), "".as_bytes()),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}connection: close\r\ncontent-length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

fn ollama(answers: usize) -> Server {
    let body = r#"{"message": {"role": "assistant", "content": "Yes."}, "done": true}"#;
    Server::start((0..answers).map(|_| status(200, body)).collect())
}

fn runtime(server: &Server, grants: Grants) -> Runtime {
    let keys = [("OPENAI_API_KEY", "a-key-of-a-test")];
    Runtime::builder()
        .environment(Environment::from_pairs(keys))
        .base_url(server.base_url())
        .grants(grants)
        .build()
        .expect("a runtime")
}

async fn ask(
    runtime: &Runtime,
    model: &str,
    conversation: &mut Conversation,
    input: Input,
) -> Result<AgentResponse, Error> {
    let gram = format!("[a:Agent {{instruction: \"Look.\", model: \"{model}\"}}]");
    let agent = AgentPattern::parse(&gram).expect("an agent");
    runtime.run(&agent, input).conversation(conversation).await
}

#[tokio::test]
async fn granted_media_are_fetched_once_for_a_provider_that_fetches_none() {
    let (files, server) = (Files::start(), ollama(2));
    let runtime = runtime(&server, Grants::new().network("127.0.0.1"));
    let mut conversation = Conversation::new();
    let input = Input::new("What?")
        .image(Image::from_url(files.url("/moved.png?key=secret")))
        .document(Document::from_url(files.url("/notes.md")));
    ask(&runtime, "Ollama/m", &mut conversation, input)
        .await
        .expect("an answer");
    // With the redirect.
    assert_eq!(files.requests(), 3);
    ask(&runtime, "Ollama/m", &mut conversation, "And now?".into())
        .await
        .expect("an answer");
    assert_eq!(files.requests(), 3);
    let requests = server.requests();
    let first = requests[0].json()["messages"][1].clone();
    assert_eq!(first["images"][0], PNG_BASE64);
    assert_eq!(first["content"], "What?\n\n# Notes");
    // Each request begins with the one before.
    assert_eq!(requests[1].json()["messages"][1], first);
    // The conversation has the URL, which another provider may fetch.
    let url = conversation.messages()[0].parts()[1]
        .media()
        .and_then(|media| media.url());
    assert_eq!(url, Some(files.url("/moved.png?key=secret").as_str()));
}

#[tokio::test]
async fn urls_are_passed_on_to_a_provider_that_fetches_them() {
    let files = Files::start();
    let body = r#"{"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]}"#;
    let server = Server::start(vec![status(200, body)]);
    let runtime = runtime(&server, Grants::new().network("127.0.0.1"));
    let url = files.url("/cat.png");
    let input = Input::new("What?").image(Image::from_url(&url));
    ask(&runtime, "OpenAI/m", &mut Conversation::new(), input)
        .await
        .expect("an answer");
    let sent = server.requests()[0].json()["messages"][1]["content"][1].clone();
    assert_eq!(sent["image_url"]["url"], url.as_str());
    assert_eq!(files.requests(), 0);
}

#[tokio::test]
async fn media_that_cannot_be_fetched_are_errors_before_the_request() {
    let (files, server) = (Files::start(), ollama(0));
    let granted = || Grants::new().network("127.0.0.1");
    let cases: [(&str, Grants, &str); 11] = [
        (
            "/cat.png",
            Grants::new(),
            "is not granted for the network; grant it, or give the bytes",
        ),
        (
            "/cat.png",
            Grants::new().network("example.com"),
            "is not granted for the network",
        ),
        (
            "/gone.png",
            granted(),
            "/gone.png`: the server answered with status 404",
        ),
        (
            "/away.png",
            granted(),
            "not allowed: contacting `127.0.0.2:",
        ),
        (
            "/far.png",
            Grants::new().network("*").network("127.0.0.1"),
            "/far.png`: it has a host of more than 253 bytes",
        ),
        ("/loop.png", granted(), "it redirects more than 5 times"),
        ("/huge.png", granted(), "it has more than 32 MiB"),
        ("/empty.png", granted(), "the answer is empty"),
        ("/gzip.png", granted(), "the answer is compressed"),
        (
            "/page.png",
            granted(),
            "it is `text/plain`; it takes image/png",
        ),
        ("/gone.png?key=secret", granted(), "/gone.png`: the server"),
    ];
    for (path, grants, words) in cases {
        let runtime = runtime(&server, grants);
        let input = Input::new("What?").image(Image::from_url(files.url(path)));
        let error = ask(&runtime, "Ollama/m", &mut Conversation::new(), input).await;
        let error = error.expect_err(words);
        assert!(error.is_validation(), "{error:?}");
        let text = error.to_string();
        assert!(text.contains(words), "{text}");
        assert!(!text.contains("secret"), "{text}");
        assert!(text.len() < 500, "{text}");
    }
    for (url, words) in [
        ("ftp://127.0.0.1/cat.png", "not an `http` or `https` URL"),
        (
            "http://ada:secret@127.0.0.1/cat.png",
            "a user name or a password",
        ),
        ("cat.png", "is invalid"),
        (
            &format!("http://{}/", "a".repeat(60_000)),
            "a host of more than",
        ),
        (&files.url(&"/a".repeat(30_000)), "status 404"),
    ] {
        let runtime = runtime(&server, granted());
        let input = Input::from(vec![Part::from("What?"), Image::from_url(url).into()]);
        let error = ask(&runtime, "Ollama/m", &mut Conversation::new(), input).await;
        let text = error.expect_err(words).to_string();
        assert!(text.contains(words) && !text.contains("secret"), "{text}");
        assert!(text.len() < 1000, "{text}");
    }
    assert_eq!(server.requests().len(), 0);
}
