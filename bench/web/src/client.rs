//! A client that reads one answer, and checks that nothing of it is missing, doubled or wrong.

use crate::model::now;
use crate::server::Contender;
use agent_runtime::Event;
use agent_runtime::event::{EventCollector, FollowedEvent};
use bench_shared::Failure;
use serde_json::{Value, json};

/// Asks a server for one answer of so many pieces, and adds the time of each piece from the model to this client, in
/// microseconds. The pieces of answers that were cut have a time, too.
pub(crate) async fn ask(
    client: &reqwest::Client,
    contender: Contender,
    base_url: &str,
    pieces: usize,
    took: &mut Vec<u64>,
) -> Result<(), Failure> {
    loop {
        let is_whole = match contender {
            Contender::Proxy => passed_on(client, base_url, pieces, took).await?,
            Contender::Ours => followed(client, base_url, pieces, took).await?,
        };
        if is_whole {
            return Ok(());
        }
    }
}

/// Reads an answer whose bytes are the model's. Returns whether it is whole.
async fn passed_on(
    client: &reqwest::Client,
    base_url: &str,
    pieces: usize,
    took: &mut Vec<u64>,
) -> Result<bool, Failure> {
    let body = json!({"model": "gpt-6-luna", "stream": true, "messages": [{"role": "user", "content": "Count."}]});
    let request = client.post(format!("{base_url}/proxy")).json(&body);
    let response = request.send().await?;
    if !response.status().is_success() {
        return Ok(false);
    }
    let mut lines = Lines::new(response);
    let mut text = String::new();
    while let Some(line) = lines.next().await? {
        if line == "data: [DONE]" {
            check(&text, pieces)?;
            return Ok(true);
        }
        if let Some(data) = line.strip_prefix("data: ") {
            let chunk: Value = serde_json::from_str(data)?;
            let piece = &chunk["choices"][0]["delta"]["content"];
            let piece = piece.as_str().unwrap_or_default();
            arrived(piece, took)?;
            text.push_str(piece);
        }
    }
    Ok(false)
}

/// Reads the events of a run to its end. Returns whether the run has its answer. A run whose model was cut off after the first
/// piece fails, because its client has seen the piece.
async fn followed(
    client: &reqwest::Client,
    base_url: &str,
    pieces: usize,
    took: &mut Vec<u64>,
) -> Result<bool, Failure> {
    let request = client.post(format!("{base_url}/counter/runs"));
    let response = request.json(&json!({"message": "Count."})).send().await?;
    if !response.status().is_success() {
        return Err(response.text().await?.into());
    }
    let mut lines = Lines::new(response);
    let mut collector = EventCollector::new();
    let mut id = None;
    while let Some(line) = lines.next().await? {
        if let Some(value) = line.strip_prefix("id: ") {
            id = Some(value.parse()?);
        }
        let Some(data) = line.strip_prefix("data: ") else {
            continue;
        };
        let event: Event = serde_json::from_str(data)?;
        if let Event::TextDelta { text, .. } = &event {
            arrived(text, took)?;
        }
        let is_last = match &event {
            Event::Finished { response, .. } => Some(response.clone()),
            Event::Failed { kind, .. } if kind == "llm" => return Ok(false),
            _ => None,
        };
        let id = id.take().ok_or("an event without an id")?;
        collector.push_followed(&FollowedEvent::new(id, event));
        if let Some(response) = is_last {
            if *collector.response() != response {
                return Err("the events are not those of the response".into());
            }
            check(&response.content, pieces)?;
            return Ok(true);
        }
    }
    Err("a stream ended without its last event".into())
}

/// Notes how long the pieces of a text took.
fn arrived(text: &str, took: &mut Vec<u64>) -> Result<(), Failure> {
    let arrived = now();
    for piece in text.split_whitespace() {
        let (_, written) = piece.split_once(':').ok_or("a piece without its time")?;
        took.push(arrived.saturating_sub(written.parse()?));
    }
    Ok(())
}

/// Checks that a text has each piece once, in order.
fn check(text: &str, pieces: usize) -> Result<(), Failure> {
    let numbers: Vec<&str> = text
        .split_whitespace()
        .filter_map(|piece| piece.split(':').next())
        .collect();
    let is_right = numbers.len() == pieces
        && numbers
            .iter()
            .enumerate()
            .all(|(at, number)| *number == at.to_string());
    match is_right {
        true => Ok(()),
        false => Err(format!("{pieces} pieces were written, and these arrived: {text:?}").into()),
    }
}

/// The lines of a body.
struct Lines {
    response: reqwest::Response,
    held: Vec<u8>,
}

impl Lines {
    fn new(response: reqwest::Response) -> Self {
        let held = Vec::new();
        Self { response, held }
    }

    /// Returns the next line without its end. A body that is cut ends.
    async fn next(&mut self) -> Result<Option<String>, Failure> {
        loop {
            if let Some(end) = self.held.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.held.drain(..=end).collect();
                return Ok(Some(String::from_utf8(line)?.trim_end().to_owned()));
            }
            match self.response.chunk().await {
                Ok(Some(bytes)) => self.held.extend_from_slice(&bytes),
                Ok(None) | Err(_) => return Ok(None),
            }
        }
    }
}
