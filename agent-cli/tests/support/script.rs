//! A server with scripted answers in the format of OpenAI, which it streams if it is asked to.

use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

/// The answer to a request.
pub enum Answer {
    /// Several pieces of text.
    Text(&'static [&'static str]),
    /// A text, and the numbers of tokens that were read from the cache and stored in it.
    Cached(u64, u64),
    /// A call of a tool.
    Call(&'static str, &'static str),
    /// A text, and then nothing until the client disconnects.
    Hang(&'static str),
    /// A text, and another one after [`Script::resume`].
    Wait(&'static str, &'static str),
    /// A text, and then the end of the connection.
    Break(&'static str),
    /// An error with this status.
    Refuse(u16),
}

/// A server that answers each request with the next answer of a script.
pub struct Script {
    port: u16,
    requests: Arc<Mutex<Vec<Value>>>,
    resume: Sender<()>,
}

impl Script {
    pub fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let received = Arc::clone(&requests);
        let (resume, resumed) = channel();
        let answers: Vec<Answer> = answers.into_iter().collect();
        // The thread runs as long as the test program.
        std::thread::spawn(move || {
            for answer in answers {
                let (stream, _) = listener.accept().expect("a client");
                serve(stream, &answer, &received, &resumed);
            }
        });
        Self {
            port,
            requests,
            resume,
        }
    }

    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Continues an answer that waits.
    pub fn resume(&self) {
        self.resume.send(()).expect("a server");
    }

    /// Returns the messages of each request.
    pub fn messages(&self) -> Vec<Value> {
        let requests = self.requests.lock().expect("requests");
        requests.iter().map(|r| r["messages"].clone()).collect()
    }
}

fn serve(
    mut stream: TcpStream,
    answer: &Answer,
    received: &Mutex<Vec<Value>>,
    resumed: &Receiver<()>,
) {
    let request = read(&mut stream);
    let is_streamed = request["stream"] == true;
    received.lock().expect("requests").push(request);
    let mut send = |text: &str| {
        let _ = stream.write_all(text.as_bytes());
    };
    if let Answer::Refuse(status) = answer {
        let body = json!({"error": {"message": "not\u{1b} now"}}).to_string();
        let length = body.len();
        send(&format!(
            "HTTP/1.1 {status} No\r\ncontent-type: application/json\r\nconnection: close\r\n\
             content-length: {length}\r\n\r\n{body}"
        ));
        return;
    }
    let whole = match answer {
        Answer::Text(texts) if !is_streamed => Some((json!({"content": texts.concat()}), "stop")),
        Answer::Call(tool, arguments) if !is_streamed => {
            let function = json!({"name": tool, "arguments": arguments});
            let call = json!({"id": "c1", "type": "function", "function": function});
            Some((json!({"content": null, "tool_calls": [call]}), "tool_calls"))
        }
        _ => None,
    };
    if let Some((message, reason)) = whole {
        let body = json!({
            "choices": [{"message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10},
        });
        let body = body.to_string();
        let length = body.len();
        send(&format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\
             content-length: {length}\r\n\r\n{body}"
        ));
        return;
    }
    send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
    let mut part = |delta: Value, end: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": end});
        let chunk = json!({"object": "chat.completion.chunk", "choices": [choice]});
        send(&format!("data: {chunk}\n\n"));
    };
    match answer {
        Answer::Text(texts) => {
            for text in *texts {
                part(json!({"content": text}), Value::Null);
            }
            part(json!({}), json!("stop"));
        }
        Answer::Cached(..) => part(json!({"content": "Yes."}), json!("stop")),
        Answer::Call(tool, arguments) => {
            let function = json!({"name": tool, "arguments": arguments});
            let call = json!({"index": 0, "id": "c1", "type": "function", "function": function});
            part(json!({"tool_calls": [call]}), Value::Null);
            part(json!({}), json!("tool_calls"));
        }
        Answer::Hang(text) => {
            part(json!({"content": text}), Value::Null);
            let _ = stream.read(&mut [0; 1]);
            return;
        }
        Answer::Break(text) => {
            part(json!({"content": text}), Value::Null);
            return;
        }
        Answer::Wait(first, then) => {
            part(json!({"content": first}), Value::Null);
            // Receiving fails if the test has failed and dropped the script.
            let _ = resumed.recv();
            part(json!({"content": then}), json!("stop"));
        }
        Answer::Refuse(_) => {}
    }
    let mut usage = json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110});
    if let Answer::Cached(cached, stored) = answer {
        usage["prompt_tokens_details"] =
            json!({"cached_tokens": cached, "cache_write_tokens": stored});
    }
    let last = json!({"object": "chat.completion.chunk", "choices": [], "usage": usage});
    send(&format!("data: {last}\n\ndata: [DONE]\n\n"));
}

/// Reads the body of a request.
fn read(stream: &mut TcpStream) -> Value {
    let mut request = Vec::new();
    loop {
        let mut bytes = [0; 4096];
        let read = stream.read(&mut bytes).expect("a request");
        assert!(read > 0, "the client went away");
        request.extend_from_slice(&bytes[..read]);
        let text = String::from_utf8_lossy(&request);
        if let Some((_, body)) = text.split_once("\r\n\r\n")
            && let Ok(body) = serde_json::from_str(body)
        {
            return body;
        }
    }
}
