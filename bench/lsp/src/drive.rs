//! An editor at work.

use crate::document::Edits;
use crate::method::{METHODS, Method};
use crate::options::Options;
use crate::server::{Received, Server};
use bench_shared::Failure;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

const URI: &str = "file:///bench/long.gram";
const METHOD_NOT_FOUND: i64 = -32601;

/// How long answers took.
pub(crate) struct Measured {
    /// By method, and for the findings.
    pub(crate) times: Vec<(&'static str, Vec<Duration>)>,
    /// What is not answered.
    pub(crate) unserved: Vec<&'static str>,
    /// How many findings the last text had.
    pub(crate) findings: usize,
    /// How many texts had findings of their own.
    pub(crate) publications: usize,
    /// In bytes.
    pub(crate) peak_memory: Option<u64>,
}

/// Opens the document, edits it, asks, and measures.
pub(crate) fn drive(options: &Options, document: &[String]) -> Result<Measured, Failure> {
    let mut server = Server::start(&options.agent)?;
    server.request("initialize", json!({"processId": null, "capabilities": {}}))?;
    server.notify("initialized", json!({}))?;
    let item = json!({
        "uri": URI, "languageId": "gram", "version": 0, "text": document.join("\n") + "\n",
    });
    server.notify("textDocument/didOpen", json!({"textDocument": item}))?;
    let (served, unserved) = served(&mut server)?;
    let mut clock = Clock::default();
    let pause = Duration::from_secs(1) / options.rate;
    let begin = Instant::now();
    let edits = Edits::new(document).take((options.rate * options.seconds) as usize);
    for (count, edit) in edits.enumerate() {
        let due = begin + pause * count as u32;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        let version = count as i64 + 1;
        clock.edited.push_back((version, Instant::now()));
        server.notify(
            "textDocument/didChange",
            json!({
                "textDocument": {"uri": URI, "version": version},
                "contentChanges": [edit.change()],
            }),
        )?;
        let asked = count / options.every % served.len().max(1);
        if let Some(method) = served.get(asked).filter(|_| count % options.every == 0) {
            let sent = Instant::now();
            let id = server.ask(method.name, (method.params)(URI, edit.position()))?;
            clock.asked.insert(id, (method.name, sent));
        }
        while let Ok(received) = server.received.try_recv() {
            clock.take(&received)?;
        }
    }
    while !clock.asked.is_empty() || !clock.edited.is_empty() {
        clock.take(&server.next()?)?;
    }
    let peak_memory = server.peak_memory();
    server.finish()?;
    let mut times: Vec<_> = std::mem::take(&mut clock.times).into_iter().collect();
    times.sort_by_key(|(name, _)| *name);
    Ok(Measured {
        times,
        unserved,
        findings: clock.findings,
        publications: clock.publications,
        peak_memory,
    })
}

/// Which methods are answered, and which are not.
fn served(server: &mut Server) -> Result<(Vec<Method>, Vec<&'static str>), Failure> {
    let (mut served, mut unserved) = (Vec::new(), Vec::new());
    for method in METHODS {
        let position = json!({"line": 0, "character": 1});
        let answer = server.request(method.name, (method.params)(URI, position))?;
        if answer["error"]["code"] == METHOD_NOT_FOUND {
            unserved.push(method.name);
        } else {
            served.push(method);
        }
    }
    Ok((served, unserved))
}

/// What is waited for, and how long it took.
#[derive(Default)]
struct Clock {
    asked: HashMap<i64, (&'static str, Instant)>,
    /// Edits whose findings have not come.
    edited: VecDeque<(i64, Instant)>,
    times: HashMap<&'static str, Vec<Duration>>,
    findings: usize,
    publications: usize,
}

impl Clock {
    fn take(&mut self, received: &Received) -> Result<(), Failure> {
        let Received { at, message } = received;
        if message["method"] == "textDocument/publishDiagnostics" {
            let params = &message["params"];
            let version = params["version"].as_i64().ok_or("findings of no version")?;
            self.findings = params["diagnostics"].as_array().map_or(0, Vec::len);
            self.publications += 1;
            while let Some((edit, sent)) = self.edited.front().copied() {
                if edit > version {
                    break;
                }
                self.edited.pop_front();
                self.took("findings after an edit", *at - sent);
            }
        } else if let Some((method, sent)) =
            message["id"].as_i64().and_then(|id| self.asked.remove(&id))
        {
            if let Value::Object(error) = &message["error"] {
                return Err(format!("{method}: {error:?}").into());
            }
            self.took(method, *at - sent);
        }
        Ok(())
    }

    fn took(&mut self, name: &'static str, time: Duration) {
        self.times.entry(name).or_default().push(time);
    }
}
