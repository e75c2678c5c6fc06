//! The memory of requests with media and of hostile answers, counted by the allocator.

use agent_runtime::conversation::{Document, Image, ToolCall, estimate_tokens};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::run::MAX_CALLS;
use agent_runtime::runtime::Input;
use agent_runtime::tool::ToolConfig;
use agent_runtime::{
    AgentResponse, Conversation, Environment, Error, Message, Runtime, ToolLibrary,
};
use agent_spec::AgentPattern;
use peak_alloc::PeakAlloc;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::task::JoinSet;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Only one test runs at a time, because the tests of a program share its allocator.
static ALONE: Mutex<()> = Mutex::const_new(());

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
    kind: &'static str,
    body: &'static str,
) -> JoinHandle<Vec<usize>> {
    std::thread::spawn(move || {
        let answer = |status: &u16| {
            let (mut stream, _) = listener.accept().expect("a client");
            let length = read_request(&stream);
            let head = format!(
                "HTTP/1.1 {status} x\r\ncontent-type: {kind}\r\nconnection: close\r\n\
                 content-length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes()).expect("a head");
            // The client closes the connection of an answer that it refuses.
            let _ = stream.write_all(body.as_bytes());
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
    let server = serve(listener, statuses, "application/json", body);
    let response = ask(model, port, streamed, input).await;
    assert_eq!(response.expect("an answer").content, "Yes.", "{model}");
    server.join().expect("the requests")
}

async fn ask(model: &str, port: u16, streamed: bool, input: Input) -> Result<AgentResponse, Error> {
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
    run.await
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

/// The image itself counts, so the body has room once.
#[tokio::test]
#[ignore = "these take half a minute; at night"]
async fn a_request_takes_two_and_a_half_times_the_memory_of_its_image() {
    let _alone = ALONE.lock().await;
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
}

#[tokio::test]
#[ignore = "these take half a minute; at night"]
async fn digests_and_estimates_encode_nothing() {
    let _alone = ALONE.lock().await;
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

/// Asks for an answer with this body, which is refused. Returns the most memory that the request takes.
async fn memory_of_refused(model: &str, kind: &'static str, body: String) -> usize {
    let body: &'static str = body.leak();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    let server = serve(listener, &[200], kind, body);
    let streamed = kind != "application/json";
    let base = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let error = ask(model, port, streamed, Input::new("What?")).await;
    let text = error.expect_err(model).to_string();
    let words = "has parts with more than 300000 JSON values";
    assert!(text.contains(words), "{model} {kind}: {text}");
    // On another thread, because this one closes the connection on which the server writes.
    let joined = tokio::task::spawn_blocking(|| server.join());
    joined.await.expect("a thread").expect("the request");
    ALLOCATOR.peak_usage() - base
}

/// Objects of 7 bytes take 640 bytes of memory each, so 32 MB of them would take 3 GB.
#[tokio::test]
#[ignore = "these take half a minute; at night"]
async fn an_answer_of_many_objects_takes_less_than_100_mb() {
    let _alone = ALONE.lock().await;
    let objects = format!("[{}0]", "{\"\":0},".repeat(90_000));
    let event = |json: &str| format!("data: {json}\n\n").repeat(5);
    let item = format!(r#"{{"type": "web_search_call", "id": "w", "x": {objects}}}"#);
    let block = format!(r#"{{"type": "web_search_tool_result", "content": {objects}}}"#);
    let part = format!(r#"{{"executableCode": {objects}}}"#);
    let chunk = format!(r#"{{"candidates": [{{"content": {{"parts": [{part}]}}}}]}}"#);
    let begun =
        format!(r#"{{"type": "content_block_start", "index": 0, "content_block": {block}}}"#);
    let done = format!(r#"{{"type": "response.output_item.done", "item": {item}}}"#);
    for (model, whole, events) in [
        (
            "OpenAIResponses/m",
            format!(r#"{{"output": [{item}]}}"#),
            event(&done),
        ),
        (
            "Anthropic/m",
            format!(r#"{{"content": [{block}, {{"type": "text", "text": "a"}}]}}"#),
            event(&begun),
        ),
        ("Google/m", chunk.clone(), event(&chunk)),
    ] {
        for (kind, body) in [("application/json", whole), ("text/event-stream", events)] {
            let memory = memory_of_refused(model, kind, body).await;
            assert!(memory < 100_000_000, "{model} {kind}: {memory} bytes");
            assert!(memory > 50_000_000, "the allocator does not count");
        }
    }
}

/// A part of a few bytes takes hundreds of bytes of memory.
#[tokio::test]
#[ignore = "these take half a minute; at night"]
async fn an_answer_of_many_parts_takes_less_than_100_mb() {
    let _alone = ALONE.lock().await;
    let many = |event: &dyn Fn(usize) -> String| (0..60_000).map(event).collect::<String>();
    let text_and_thought = |at: usize| {
        if at.is_multiple_of(2) {
            "content"
        } else {
            "reasoning"
        }
    };
    let call = r#""function": {"name": "t", "arguments": {}}"#;
    let bodies = [
        (
            "OpenAI/m",
            many(&|at| {
                let key = text_and_thought(at);
                format!("data: {{\"choices\": [{{\"delta\": {{\"{key}\": \"a\"}}}}]}}\n\n")
            }),
        ),
        (
            "OpenAIResponses/m",
            many(&|at| {
                format!(
                    "data: {{\"type\": \"response.output_text.delta\", \"output_index\": {at}, \"delta\": \"a\"}}\n\n"
                )
            }),
        ),
        (
            "Anthropic/m",
            many(&|at| {
                format!(
                    "data: {{\"type\": \"content_block_delta\", \"index\": {at}, \
             \"delta\": {{\"type\": \"text_delta\", \"text\": \"a\"}}}}\n\n"
                )
            }),
        ),
        // Each piece nests 60 objects.
        (
            "Google/m",
            many(&|at| {
                let name = if at == 0 { "\"name\": \"t\", " } else { "" };
                let path = format!("$.k{at}{}", ".a".repeat(60));
                let piece = format!("{{\"jsonPath\": \"{path}\", \"boolValue\": true}}");
                let call = format!("{{{name}\"partialArgs\": [{piece}], \"willContinue\": true}}");
                let parts = format!("[{{\"functionCall\": {call}}}]");
                format!("data: {{\"candidates\": [{{\"content\": {{\"parts\": {parts}}}}}]}}\n\n")
            }),
        ),
        (
            "Ollama/m",
            many(&|_| format!("{{\"message\": {{\"tool_calls\": [{{{call}}}]}}}}\n")),
        ),
    ];
    for (model, body) in bodies {
        let kind = match model {
            "Ollama/m" => "application/x-ndjson",
            _ => "text/event-stream",
        };
        let memory = memory_of_refused(model, kind, body).await;
        assert!(memory < 100_000_000, "{model}: {memory} bytes");
    }
}

/// Each result has the text of 14 KB and takes 1.3 MB of memory, so that 128 MiB of text would take 12 GB.
#[tokio::test]
#[ignore = "these take half a minute; at night"]
async fn a_run_whose_results_have_many_values_takes_less_than_400_mb() {
    let _alone = ALONE.lock().await;
    let mut library = ToolLibrary::new();
    let config = ToolConfig::with_signature("many", "Gives objects.", "()==>(::Any)");
    let objects = || Ok(Value::from(vec![json!({"": 0}); 2_000]));
    let tool = config.build(move |_| std::future::ready(objects()));
    library.add(tool.expect("a tool")).expect("a name");
    let asked = (0..MAX_CALLS).map(|id| ToolCall::new(id.to_string(), "many", "{}"));
    let answer = ModelReply::calls(asked);
    let model = Scripted::new([answer.clone(), answer]);
    let gram = r#"[a:Agent {instruction: "Ask.", model: "Offline/any"} |
        [many:Tool {description: "Gives objects."} | ()==>(::Any)]]"#;
    let agent = AgentPattern::parse(gram).expect("an agent");
    let base = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let mut conversation = Conversation::new();
    let runtime = Runtime::with_model(model);
    let run = runtime.execute(&agent, "Go.", &mut conversation, &library);
    let error = run.await.expect_err("too many bytes");
    assert!(error.is_limit(), "{error:?}");
    let peak = ALLOCATOR.peak_usage() - base;
    assert!(peak < 400_000_000, "{peak} bytes");
    assert!(peak > 100_000_000, "the allocator does not count");
}

/// The results of the calls of an answer may arrive together, before the first of them ends the run.
#[tokio::test]
#[ignore = "these take half a minute; at night"]
async fn results_that_arrive_when_a_run_is_full_are_not_kept() {
    let _alone = ALONE.lock().await;
    let mut library = ToolLibrary::new();
    let config = ToolConfig::with_signature("long", "Gives a text.", "()==>(::Any)");
    let text = || Ok(Value::from("x".repeat(40 << 20)));
    let tool = config.build(move |_| std::future::ready(text()));
    library.add(tool.expect("a tool")).expect("a name");
    let asked = (0..8).map(|id| ToolCall::new(id.to_string(), "long", "{}"));
    let model = Scripted::new([ModelReply::calls(asked)]);
    let gram = r#"[a:Agent {instruction: "Ask.", model: "Offline/any"} |
        [long:Tool {description: "Gives a text."} | ()==>(::Any)]]"#;
    let agent = AgentPattern::parse(gram).expect("an agent");
    let mut conversation = Conversation::new();
    let runtime = Runtime::with_model(model);
    let run = runtime.execute(&agent, "Go.", &mut conversation, &library);
    let error = run.await.expect_err("too many bytes");
    assert!(error.is_limit(), "{error:?}");
    let results = conversation.messages()[2..].iter();
    let are_kept: Vec<bool> = results
        .map(|result| {
            !result
                .content()
                .contains("the call was made, and its result is not kept")
        })
        .collect();
    assert_eq!(
        are_kept,
        [true, true, true, true, false, false, false, false]
    );
}

/// Answers each request with a text that never ends.
fn serve_without_end(listener: TcpListener) {
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a client");
            std::thread::spawn(move || {
                read_request(&stream);
                let head = "HTTP/1.1 200 x\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n\
                            {\"choices\": [{\"message\": {\"content\": \"";
                let _ = stream.write_all(head.as_bytes());
                while stream.write_all(&[b'x'; 1 << 16]).is_ok() {}
            });
        }
    });
}

/// An answer may have 32 MiB, because it may have images. Together they may not take a gigabyte.
#[tokio::test]
#[ignore = "these take half a minute; at night"]
async fn thirty_two_endless_answers_at_the_same_time_take_less_than_500_mb() {
    let _alone = ALONE.lock().await;
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    serve_without_end(listener);
    let runtime = Runtime::builder()
        .environment(Environment::from_pairs([(
            "OPENAI_API_KEY",
            "a-key-of-a-test",
        )]))
        .base_url(format!("http://127.0.0.1:{port}"))
        .build()
        .expect("a runtime");
    let gram = "[a:Agent {instruction: \"Look.\", model: \"OpenAI/m\"}]";
    let agent = Arc::new(AgentPattern::parse(gram).expect("an agent"));
    let base = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let mut runs = JoinSet::new();
    for _ in 0..32 {
        let (runtime, agent) = (runtime.clone(), Arc::clone(&agent));
        runs.spawn(async move { runtime.run(&agent, "What?").await });
    }
    while let Some(run) = runs.join_next().await {
        let error = run.expect("no panic").expect_err("too long");
        assert!(
            error.to_string().contains("answered with more than 32 MB"),
            "{error}"
        );
    }
    let peak = ALLOCATOR.peak_usage() - base;
    assert!(peak < 500_000_000, "{peak} bytes");
    assert!(peak > 100_000_000, "the allocator does not count");
}

/// A document of brackets has a pattern for every other byte, and a shape takes 170 bytes.
#[tokio::test]
#[ignore = "these take half a minute; at night"]
async fn the_check_of_tiny_patterns_takes_less_than_60_bytes_for_each_of_theirs() {
    let _alone = ALONE.lock().await;
    let brackets = format!("{}{}\n", "[".repeat(100), "]".repeat(100)).repeat(10_000);
    for document in [
        brackets,
        "()".repeat(1_000_000),
        "[a:Agent|b]\n".repeat(160_000),
    ] {
        let base = ALLOCATOR.current_usage();
        ALLOCATOR.reset_peak_usage();
        let checked = agent_spec::check::check(&document, agent_spec::check::Options::default());
        assert!(checked.has_errors());
        let peak = ALLOCATOR.peak_usage() - base;
        assert!(peak > document.len(), "the allocator does not count");
        assert!(peak < 60 * document.len(), "{peak} bytes");
    }
}
