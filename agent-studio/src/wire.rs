//! The requests to the servers of models and their answers, kept as they were on the wire.

use agent_runtime::trace::{WIRE, attribute};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

/// The maximum number of bytes that are kept of a body, because a model's answer can have 32 MiB and each run has many.
const MAX_BODY: usize = 16 << 20;

/// Keeps the requests of runs to the servers of models, and their answers, in files. Keys are replaced before.
///
/// [`layer`](Self::layer) listens to the events of runs. The folder has a folder for each run, and in it a file for each
/// exchange, which is written when the answer has ended. The requests of the offline model are on no wire.
#[derive(Clone, Debug)]
pub struct WireLog(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    /// The number of the last exchange of each run that this process has written to.
    numbers: Mutex<HashMap<String, u32>>,
    /// The last reason why an exchange could not be written.
    problem: Mutex<Option<String>>,
}

/// An exchange without its texts. It is the first line of a file; the texts are the second one.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Exchange {
    /// The number within the run, from 1.
    number: u32,
    /// The ids of the calls that lead to the run of the request, joined by `/`.
    place: String,
    /// The times in milliseconds since 1970.
    started: u64,
    ended: u64,
    url: String,
    /// The status of the answer; none if there was no answer.
    status: Option<u16>,
    sent_bytes: usize,
    received_bytes: usize,
    /// Whether a part of a text was left out because it was too long.
    cut: bool,
}

/// The texts of an exchange.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Texts {
    /// The body of the request.
    request: String,
    /// The body of the answer. The pieces of a stream have a blank line between them.
    response: String,
}

/// An exchange with its texts.
#[derive(Debug, Serialize)]
pub(crate) struct WholeExchange {
    #[serde(flatten)]
    exchange: Exchange,
    #[serde(flatten)]
    texts: Texts,
}

impl WireLog {
    /// Creates a log in a folder, which is created with the first exchange.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(Arc::new(Inner {
            folder: folder.into(),
            numbers: Mutex::default(),
            problem: Mutex::default(),
        }))
    }

    /// Returns the layer that writes the log. Install it in the subscriber of the program.
    pub fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let targets = Targets::new()
            .with_target("agent_runtime", LevelFilter::INFO)
            .with_target(WIRE, LevelFilter::TRACE);
        WireLayer(self.clone()).with_filter(targets)
    }

    /// Deletes the exchanges of runs that do not exist any more.
    ///
    /// # Errors
    /// When the folder cannot be read, or a run's folder cannot be deleted.
    pub fn retain(&self, exists: impl Fn(&str) -> bool) -> io::Result<()> {
        let entries = match fs::read_dir(&self.0.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            if !exists(&entry.file_name().to_string_lossy()) {
                fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(())
    }

    /// Returns the exchanges of a run, in the order in which they ended.
    pub(crate) fn exchanges(&self, run: &str) -> io::Result<Vec<Exchange>> {
        let Some(folder) = self.folder_of(run) else {
            return Ok(Vec::new());
        };
        let last = last_number(&folder)?;
        (1..=last)
            .map(|number| Ok(open(&folder, number)?.0))
            .collect()
    }

    /// Returns an exchange of a run, if it was kept.
    pub(crate) fn exchange(&self, run: &str, number: u32) -> io::Result<Option<WholeExchange>> {
        let Some(folder) = self.folder_of(run) else {
            return Ok(None);
        };
        let (exchange, rest) = match open(&folder, number) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let texts = serde_json::from_reader(rest)?;
        Ok(Some(WholeExchange { exchange, texts }))
    }

    /// Returns the last reason why an exchange could not be written.
    pub(crate) fn problem(&self) -> Option<String> {
        locked(&self.0.problem).clone()
    }

    /// Returns the folder of a run; none if the id is not the name of a file.
    fn folder_of(&self, run: &str) -> Option<PathBuf> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let is_file_name = !run.is_empty() && run.bytes().all(is_name);
        is_file_name.then(|| self.0.folder.join(run))
    }

    fn write(&self, run: &str, mut exchange: Exchange, texts: &Texts) -> io::Result<()> {
        let Some(folder) = self.folder_of(run) else {
            return Ok(());
        };
        let mut numbers = locked(&self.0.numbers);
        let last = match numbers.get(run) {
            Some(last) => *last,
            None => last_number(&folder)?,
        };
        exchange.number = last + 1;
        create_private(&folder)?;
        let mut file = File::create(file_of(&folder, exchange.number))?;
        serde_json::to_writer(&mut file, &exchange)?;
        file.write_all(b"\n")?;
        serde_json::to_writer(&mut file, texts)?;
        numbers.insert(run.to_owned(), exchange.number);
        Ok(())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates a folder that only its user can open, because messages may be private.
fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn file_of(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("{number}.json"))
}

/// Returns the number of the last exchange in the folder of a run; 0 if there is none.
fn last_number(folder: &Path) -> io::Result<u32> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let names = entries.map_while(|entry| Some(entry.ok()?.file_name()));
    let numbers = names.filter_map(|name| {
        let number = name.to_str()?.strip_suffix(".json")?;
        number.parse().ok()
    });
    Ok(numbers.max().unwrap_or(0))
}

/// Opens an exchange, and returns the rest of its file, which has the texts.
fn open(folder: &Path, number: u32) -> io::Result<(Exchange, BufReader<File>)> {
    let mut file = BufReader::new(File::open(file_of(folder, number))?);
    let mut line = String::new();
    file.read_line(&mut line)?;
    Ok((serde_json::from_str(&line)?, file))
}

struct WireLayer(WireLog);

/// The part of a span that the layer keeps.
enum KnownSpan {
    /// A run, with its id.
    Run(String),
    /// A call of a tool, with its id.
    Call(String),
    /// A request to a model. There is no exchange before its first event.
    Request(Option<OpenExchange>),
}

/// An exchange that has not been written.
struct OpenExchange {
    exchange: Exchange,
    texts: Texts,
    /// Whether the last answer was written, so that a further answer belongs to a further attempt.
    is_written: bool,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for WireLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let text = |field| {
            let mut fields = Fields::only(field);
            attributes.record(&mut fields);
            fields.text
        };
        let known = match attributes.metadata().name() {
            "invoke_agent" => KnownSpan::Run(text(attribute::RUN)),
            "execute_tool" => KnownSpan::Call(text(attribute::CALL_ID)),
            "chat" => KnownSpan::Request(None),
            _ => return,
        };
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(known);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        if event.metadata().target() != WIRE {
            return;
        }
        let Some(scope) = context.event_scope(event) else {
            return;
        };
        for span in scope {
            let mut extensions = span.extensions_mut();
            let Some(KnownSpan::Request(open)) = extensions.get_mut() else {
                continue;
            };
            let ended = record(open, event);
            drop(extensions);
            if let Some((exchange, texts)) = ended {
                self.write(span.scope(), exchange, &texts);
            }
            return;
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else {
            return;
        };
        let open = match span.extensions_mut().get_mut() {
            Some(KnownSpan::Request(open)) => open.take(),
            _ => None,
        };
        if let Some(open) = open.filter(|open| !open.is_written) {
            self.write(span.scope(), open.exchange, &open.texts);
        }
    }
}

impl WireLayer {
    fn write<'a, S: Subscriber + LookupSpan<'a>>(
        &self,
        scope: tracing_subscriber::registry::Scope<'a, S>,
        mut exchange: Exchange,
        texts: &Texts,
    ) {
        let (mut run, mut calls) = (None, Vec::new());
        for span in scope {
            match span.extensions().get() {
                // The outermost run is the one in the journal.
                Some(KnownSpan::Run(id)) => run = Some(id.clone()),
                Some(KnownSpan::Call(id)) => calls.push(id.clone()),
                _ => {}
            }
        }
        calls.reverse();
        exchange.place = calls.join("/");
        exchange.ended = now();
        exchange.sent_bytes = texts.request.len();
        let Some(run) = run else {
            return;
        };
        if let Err(error) = self.0.write(&run, exchange, texts) {
            *locked(&self.0.0.problem) = Some(error.to_string());
        }
    }
}

/// Adds an event to the exchange of a request. Returns the exchange if its answer has ended.
fn record(open: &mut Option<OpenExchange>, event: &Event<'_>) -> Option<(Exchange, Texts)> {
    let mut fields = Fields::default();
    event.record(&mut fields);
    let (body, is_cut) = cut(fields.body);
    if fields.message == "request" {
        let before = open.replace(OpenExchange {
            exchange: Exchange {
                number: 0,
                place: String::new(),
                started: now(),
                ended: 0,
                url: fields.url,
                status: None,
                sent_bytes: 0,
                received_bytes: 0,
                cut: is_cut,
            },
            texts: Texts {
                request: body,
                response: String::new(),
            },
            is_written: false,
        });
        let before = before.filter(|open| !open.is_written)?;
        return Some((before.exchange, before.texts));
    }
    let open = open.as_mut()?;
    if open.is_written {
        open.is_written = false;
        open.exchange.received_bytes = 0;
        open.texts.response.clear();
    }
    let exchange = &mut open.exchange;
    exchange.cut |= is_cut;
    exchange.received_bytes += body.len();
    // The pieces of an answer come without the status, which is that of success.
    exchange.status = Some(fields.status.unwrap_or(200));
    let response = &mut open.texts.response;
    if fields.message == "response piece" {
        match response.len() + body.len() > MAX_BODY {
            true => exchange.cut = true,
            false => *response += &(body + "\n\n"),
        }
        return None;
    }
    *response = body;
    open.is_written = true;
    let request = open.texts.request.clone();
    let response = std::mem::take(response);
    let ended = (exchange.clone(), Texts { request, response });
    // A further attempt counts from here, its pause included.
    exchange.started = now();
    Some(ended)
}

/// Cuts a text that is too long. Returns whether it was.
fn cut(mut text: String) -> (String, bool) {
    let is_cut = text.len() > MAX_BODY;
    text.truncate(text.floor_char_boundary(MAX_BODY));
    (text, is_cut)
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.unwrap_or_default().as_millis();
    u64::try_from(since).unwrap_or(u64::MAX)
}

/// The fields of an event, or one field of a span.
#[derive(Default)]
struct Fields {
    message: String,
    url: String,
    body: String,
    status: Option<u16>,
    /// The field of a span that is wanted.
    wanted: &'static str,
    text: String,
}

impl Fields {
    fn only(wanted: &'static str) -> Self {
        Self {
            wanted,
            ..Self::default()
        }
    }

    fn set(&mut self, name: &str, value: String) {
        match name {
            "message" => self.message = value,
            "url" => self.url = value,
            "body" => self.body = value,
            _ if name == self.wanted => self.text = value,
            _ => {}
        }
    }
}

impl Visit for Fields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "status" {
            self.status = u16::try_from(value).ok();
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.set(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.set(field.name(), format!("{value:?}"));
    }
}

impl fmt::Debug for WireLayer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("WireLayer")
    }
}
