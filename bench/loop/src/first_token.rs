//! How long after it was written a piece of a streamed answer is handed on.

use crate::contender::{Failure, INPUT, bare};
use crate::server::now;
use agent_runtime::{Conversation, Environment, Event, Runtime, ToolLibrary, agent};
use bench_shared::median;
use serde_json::json;
use std::io::{Read, Write};

/// The number of streamed answers.
const ANSWERS: usize = 20;

/// Streams answers whose pieces hold the time at which they were written, and prints how long the
/// pieces took: to the events of a run, to a client of reqwest, and to a bare socket, which is the way that all must go.
pub(crate) async fn measure(base_url: &str) -> Result<(), Failure> {
    let agent = agent! { [greeter:Agent {instruction: "Greet.", model: "OpenAI/gpt-6-luna"}] };
    let runtime = Runtime::builder()
        .environment(Environment::empty())
        .base_url(base_url)
        .build()?;
    let library = ToolLibrary::new();
    let (mut ours, mut firsts) = (Vec::new(), Vec::new());
    for _ in 0..ANSWERS {
        let mut conversation = Conversation::new();
        let mut events = runtime
            .run(&agent, INPUT)
            .tools(&library)
            .conversation(&mut conversation)
            .stream();
        let mut is_first = true;
        while let Some(event) = events.next().await {
            if let Event::TextDelta { text, .. } = event? {
                let took = micros(&text)?;
                if std::mem::take(&mut is_first) {
                    firsts.push(took);
                }
                ours.push(took);
            }
        }
    }
    let (mut chunks, mut first_chunks) = (Vec::<f64>::new(), Vec::<f64>::new());
    let client = bare::client()?;
    for _ in 0..ANSWERS {
        let took = answer_of_reqwest(&client, base_url).await?;
        first_chunks.extend(took.first());
        chunks.extend(took);
    }
    let address = base_url
        .trim_start_matches("http://")
        .trim_end_matches("/v1")
        .to_owned();
    let bare = tokio::task::spawn_blocking(move || socket(&address)).await??;
    println!(
        "{}",
        json!({
            "first": median(firsts), "piece": median(ours), "firstChunk": median(first_chunks),
            "chunk": median(chunks), "socket": median(bare),
        })
    );
    Ok(())
}

fn micros(text: &str) -> Result<f64, Failure> {
    let written: u128 = text.trim().parse()?;
    Ok(now().saturating_sub(written) as f64 / 1_000.0)
}

const BODY: &str = "{\"stream\":true}";

/// How long the pieces of one answer took to a client of reqwest, without the parsing of JSON.
async fn answer_of_reqwest(client: &reqwest::Client, base_url: &str) -> Result<Vec<f64>, Failure> {
    let request = client.post(format!("{base_url}/chat/completions"));
    let mut answer = request.body(BODY).send().await?;
    let mut took = Vec::new();
    while let Some(bytes) = answer.chunk().await? {
        took.extend(pieces(&bytes)?);
    }
    Ok(took)
}

/// The same, read from the socket by hand.
fn socket(address: &str) -> Result<Vec<f64>, Failure> {
    let mut stream = std::net::TcpStream::connect(address)?;
    write!(
        stream,
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {address}\r\ncontent-length: {}\r\n\r\n{BODY}",
        BODY.len()
    )?;
    let mut took = Vec::new();
    let mut bytes = [0; 65_536];
    while took.len() < crate::server::PIECES {
        let read = stream.read(&mut bytes)?;
        took.extend(pieces(&bytes[..read])?);
        if read == 0 {
            return Err("the server hung up".into());
        }
    }
    Ok(took)
}

/// How long the pieces took that just arrived in these bytes.
fn pieces(bytes: &[u8]) -> Result<Vec<f64>, Failure> {
    let arrived = now();
    let text = std::str::from_utf8(bytes)?;
    let pieces = text.split("\"content\":\"").skip(1).map(|piece| {
        let written: u128 = piece.split(' ').next().unwrap_or_default().parse()?;
        Ok(arrived.saturating_sub(written) as f64 / 1_000.0)
    });
    pieces.collect()
}
