//! A server that answers like OpenAI's, as fast as it can: a call of a tool first, and words once the
//! result is there.

use std::error::Error;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Duration, sleep};

const CALL: &str = r#"{"id":"chatcmpl-1","object":"chat.completion","created":1763800000,"model":"gpt-6-luna","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"sayHello","arguments":"{\"personName\":\"Ada\"}"}}]},"logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":82,"completion_tokens":17,"total_tokens":99}}"#;

const WORDS: &str = r#"{"id":"chatcmpl-2","object":"chat.completion","created":1763800000,"model":"gpt-6-luna","choices":[{"index":0,"message":{"role":"assistant","content":"I greeted Ada."},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":120,"completion_tokens":6,"total_tokens":126}}"#;

/// How many timed pieces a streamed answer has.
pub(crate) const PIECES: usize = 200;

/// Prints its port, then answers until standard input ends.
pub(crate) async fn serve() -> Result<(), Box<dyn Error + Send + Sync>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?.port());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            tokio::spawn(connection(stream));
        }
    });
    // The end of whoever started it ends this, too.
    let mut rest = Vec::new();
    tokio::task::spawn_blocking(move || {
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut rest)
    })
    .await??;
    Ok(())
}

async fn connection(mut stream: TcpStream) {
    let mut held = Vec::with_capacity(16_384);
    loop {
        let Some(length) = whole_request(&held) else {
            match stream.read_buf(&mut held).await {
                Ok(0) | Err(_) => return,
                Ok(_) => continue,
            }
        };
        let request = &held[..length];
        let written = if contains(request, b"\"stream\":true") {
            streamed(&mut stream).await
        } else {
            // The result of the call is a message of the role `tool`.
            let has_result = contains(request, b"\"role\":\"tool\"");
            let body = if has_result { WORDS } else { CALL };
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
            );
            stream.write_all(answer.as_bytes()).await
        };
        if written.is_err() {
            return;
        }
        held.drain(..length);
    }
}

/// The length of the request at the beginning of the bytes, if all of it is there.
fn whole_request(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&bytes[..head]).ok()?;
    let length = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>())
    });
    let whole = head + length?.ok()?;
    (bytes.len() >= whole).then_some(whole)
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|part| part == wanted)
}

/// Pieces of text, each the time at which it is written, in nanoseconds.
async fn streamed(stream: &mut TcpStream) -> std::io::Result<()> {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    for _ in 0..PIECES {
        sleep(Duration::from_millis(2)).await;
        let text = format!("{} ", now());
        let data = format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":null}}]}}\n\n"
        );
        chunk(stream, &data).await?;
    }
    chunk(
        stream,
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    )
    .await?;
    chunk(stream, "data: [DONE]\n\n").await?;
    stream.write_all(b"0\r\n\r\n").await
}

async fn chunk(stream: &mut TcpStream, data: &str) -> std::io::Result<()> {
    let chunk = format!("{:x}\r\n{data}\r\n", data.len());
    stream.write_all(chunk.as_bytes()).await
}

/// The time, which all processes of the machine share.
pub(crate) fn now() -> u128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos()
}
