//! The memory of requests with media, counted by the allocator.

use agent_runtime::conversation::{Document, Image, estimate_tokens};
use agent_runtime::runtime::Input;
use agent_runtime::{Conversation, Environment, Message, Runtime};
use agent_spec::AgentPattern;
use peak_alloc::PeakAlloc;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The size of an image, in bytes.
const SIZE: usize = 10_000_000;

/// Reads a request without keeping its body. Returns the length of the body.
fn read_request(stream: &TcpStream) -> usize {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a head");
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
    }
    let (mut left, mut buffer) = (length, [0; 8192]);
    while left > 0 {
        let read = reader.read(&mut buffer).expect("a body");
        assert!(read > 0, "the body is cut off");
        left -= read;
    }
    length
}

/// Answers one request for each status, on a connection of its own. Returns the lengths of the bodies.
fn serve(
    listener: TcpListener,
    statuses: &'static [u16],
    body: &'static str,
) -> JoinHandle<Vec<usize>> {
    std::thread::spawn(move || {
        let answer = |status: &u16| {
            let (mut stream, _) = listener.accept().expect("a client");
            let length = read_request(&stream);
            let answer = format!(
                "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\nconnection: close\r\n\
                 content-length: {}\r\n\r\n{body}",
                body.len()
            );
            stream.write_all(answer.as_bytes()).expect("an answer");
            length
        };
        statuses.iter().map(answer).collect()
    })
}

/// Sends an input, and returns the lengths of the bodies.
async fn send(
    model: &str,
    body: &'static str,
    statuses: &'static [u16],
    streamed: bool,
    input: Input,
) -> Vec<usize> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    let server = serve(listener, statuses, body);
    let keys = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"];
    let keys = keys.map(|name| (name, "a-key-of-a-test"));
    let runtime = Runtime::builder()
        .environment(Environment::from_pairs(keys))
        .base_url(format!("http://127.0.0.1:{port}"))
        .retry_pause(Duration::ZERO)
        .build()
        .expect("a runtime");
    let gram = format!("[a:Agent {{instruction: \"Look.\", model: \"{model}\"}}]");
    let agent = AgentPattern::parse(&gram).expect("an agent");
    let mut run = runtime.run(&agent, input);
    if streamed {
        run = run.streaming();
    }
    let response = run.await.expect("an answer");
    assert_eq!(response.content, "Yes.", "{model}");
    server.join().expect("the requests")
}

fn image(size: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size);
    bytes.extend_from_slice(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0");
    bytes.resize(size, 0xa5);
    bytes
}

fn pdf(size: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size);
    bytes.extend_from_slice(b"%PDF-1.7\n");
    bytes.resize(size, 0xa5);
    bytes
}

/// The image itself counts, so the body has room once. One test, because tests of a program share its allocator.
#[tokio::test]
async fn a_request_takes_two_and_a_half_times_the_memory_of_its_image() {
    let as_image: fn(usize) -> Input = |size| Input::new("What?").image(image(size));
    // Anthropic takes no image of this size.
    let as_pdf: fn(usize) -> Input = |size| Input::new("What?").document(Document::new(pdf(size)));
    // With line ends and quotes, which a body escapes.
    let as_text: fn(usize) -> Input =
        |size| Input::new("What?").document(Document::new(b"He said \"no\"\n".repeat(size / 13)));
    let as_named: fn(usize) -> Input =
        |size| Input::new("What?").image(Image::new(image(size)).with_name("a.png"));
    let openai = r#"{"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]}"#;
    let responses = r#"{"output": [{"type": "message", "content": [{"type": "output_text", "text": "Yes."}]}]}"#;
    let anthropic = r#"{"content": [{"type": "text", "text": "Yes."}], "stop_reason": "end_turn"}"#;
    let google =
        r#"{"candidates": [{"content": {"parts": [{"text": "Yes."}]}, "finishReason": "STOP"}]}"#;
    let ollama = r#"{"message": {"role": "assistant", "content": "Yes."}, "done": true}"#;
    for (model, body, input) in [
        ("OpenAI/m", openai, as_named),
        ("OpenAI/m", openai, as_pdf),
        ("OpenAIResponses/m", responses, as_named),
        ("Anthropic/m", anthropic, as_pdf),
        ("Google/m", google, as_image),
        ("Ollama/m", ollama, as_image),
        ("OpenAI/m", openai, as_text),
        ("Anthropic/m", anthropic, as_text),
        ("Google/m", google, as_text),
    ] {
        for streamed in [false, true] {
            // What is made once, such as the trusted certificates, is no part of the request.
            send(model, body, &[200], streamed, input(100)).await;
            let base = ALLOCATOR.current_usage();
            ALLOCATOR.reset_peak_usage();
            // The second attempt sends the same bytes.
            let lengths = send(model, body, &[503, 200], streamed, input(SIZE)).await;
            let peak = ALLOCATOR.peak_usage() - base;
            let encoded = match std::ptr::fn_addr_eq(input, as_text) {
                true => SIZE / 13 * 16,
                false => SIZE.div_ceil(3) * 4,
            };
            assert!(
                lengths.iter().all(|length| *length > encoded),
                "{lengths:?}"
            );
            assert_eq!(lengths.len(), 2);
            assert!(
                peak <= SIZE * 5 / 2,
                "{model}, streamed: {streamed}: {} times its size",
                peak as f64 / SIZE as f64
            );
            assert!(peak > SIZE + encoded, "the allocator does not count");
        }
    }
    digests_and_estimates_encode_nothing();
}

fn digests_and_estimates_encode_nothing() {
    let message = Message::user_parts([Image::new(image(SIZE)).into()]);
    let conversation = Conversation::from_iter([message]);
    let base = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    assert!(conversation.to_json().to_string().contains("sha256"));
    assert_eq!(
        estimate_tokens(&conversation.messages()[0]),
        4 + 640 * 480 / 750
    );
    assert!(ALLOCATOR.peak_usage() - base < SIZE / 100);
}
