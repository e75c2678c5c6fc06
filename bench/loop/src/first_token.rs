//! How long after it was written a piece of a streamed answer is handed on.

use crate::contender::{Failure, INPUT};
use crate::server::now;
use agent_runtime::{Conversation, Environment, Event, Runtime, ToolLibrary, agent};
use bench_shared::median;
use serde_json::json;
use std::io::{Read, Write};

/// Streams answers whose pieces hold the time at which they were written, and prints how long the
/// pieces took: to the events of a run, and to a bare socket, which is the way that all must go.
pub(crate) async fn measure(base_url: &str) -> Result<(), Failure> {
    let agent = agent! { [greeter:Agent {instruction: "Greet.", model: "OpenAI/gpt-6-luna"}] };
    let runtime = Runtime::builder()
        .environment(Environment::empty())
        .base_url(base_url)
        .build()?;
    let library = ToolLibrary::new();
    let (mut ours, mut firsts) = (Vec::new(), Vec::new());
    for _ in 0..10 {
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
    let address = base_url
        .trim_start_matches("http://")
        .trim_end_matches("/v1")
        .to_owned();
    let bare = tokio::task::spawn_blocking(move || socket(&address)).await??;
    println!(
        "{}",
        json!({"first": median(firsts), "piece": median(ours), "socket": median(bare)})
    );
    Ok(())
}

fn micros(text: &str) -> Result<f64, Failure> {
    let written: u128 = text.trim().parse()?;
    Ok(now().saturating_sub(written) as f64 / 1_000.0)
}

/// The same, read from the socket by hand.
fn socket(address: &str) -> Result<Vec<f64>, Failure> {
    let mut stream = std::net::TcpStream::connect(address)?;
    let body = "{\"stream\":true}";
    write!(
        stream,
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {address}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut took = Vec::new();
    let mut bytes = [0; 65_536];
    while took.len() < crate::server::PIECES {
        let read = stream.read(&mut bytes)?;
        let arrived = now();
        let text = std::str::from_utf8(&bytes[..read])?;
        for piece in text.split("\"content\":\"").skip(1) {
            let written: u128 = piece.split(' ').next().unwrap_or_default().parse()?;
            took.push(arrived.saturating_sub(written) as f64 / 1_000.0);
        }
        if read == 0 {
            return Err("the server hung up".into());
        }
    }
    Ok(took)
}
