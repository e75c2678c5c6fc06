//! What a model answered, kept in a file and played again.

mod exchange;
mod file;
mod tape;

use super::{ChatFuture, ChatModel, ModelReply, ModelRequest, ReplyPart, ReplySink, trace_name};
use crate::env::Environment;
use crate::error::Error;
use crate::redact::Redactor;
use exchange::{Exchange, Failed};
use file::LoadError;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tape::{Player, Recorder};

/// What a model answered, kept in a file: recorded once, with a key and a network, and replayed
/// without either.
///
/// [`RuntimeBuilder::cassette`](crate::runtime::RuntimeBuilder::cassette) puts it around whatever providers
/// the agents name. [`around`](Self::around) puts it around one model; and one that only replays is
/// a [`ChatModel`] itself. See [the module](crate::testing) for the file and an example.
///
/// Clones are the same cassette. Two cassettes that record into one file would undo each other's
/// work, so each test has a file of its own. A path is relative to the current directory, which under
/// `cargo test` is that of the package.
#[derive(Clone)]
pub struct Cassette(Arc<Inner>);

struct Inner {
    path: PathBuf,
    mode: Mode,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Replay,
    Record,
    ReplayOrRecord,
}

#[derive(Default)]
struct State {
    redactor: Redactor,
    /// Nothing until the cassette is first used.
    tape: Option<Tape>,
}

enum Tape {
    Player(Player),
    Recorder(Recorder),
}

/// What is to be done about a request.
enum Turn {
    Replay(Box<Exchange>),
    /// The model is asked, and its answer kept in this place.
    Record(usize),
}

impl Cassette {
    fn new(path: impl Into<PathBuf>, mode: Mode) -> Self {
        Self(Arc::new(Inner {
            path: path.into(),
            mode,
            state: Mutex::default(),
        }))
    }

    /// Replays a file. No model is asked, whatever happens.
    #[must_use]
    pub fn replay(path: impl Into<PathBuf>) -> Self {
        Self::new(path, Mode::Replay)
    }

    /// Asks the model and records what it answers, in place of what the file held.
    #[must_use]
    pub fn record(path: impl Into<PathBuf>) -> Self {
        Self::new(path, Mode::Record)
    }

    /// Replays the file if there is one, and else records it: to record again, delete the file.
    #[must_use]
    pub fn replay_or_record(path: impl Into<PathBuf>) -> Self {
        Self::new(path, Mode::ReplayOrRecord)
    }

    /// Writes `[key]` in place of this text, wherever it stands in requests and answers; for
    /// secrets that the runtime does not know, such as those of tools. The keys and headers that a
    /// [`RuntimeBuilder`](crate::runtime::RuntimeBuilder) holds, and those of its environment, it knows.
    ///
    /// The run that is recorded has the secret itself; one that is replayed has `[key]`.
    ///
    /// The text is found in every form that a [`Redactor`] recognises, and where the parts of a
    /// streamed answer divide it. Unlike there it may be short.
    #[must_use]
    pub fn secret(self, text: impl AsRef<str>) -> Self {
        self.state().redactor.add_any(text.as_ref());
        self
    }

    /// Writes `[key]` in place of the keys that an environment holds, as
    /// [`secret`](Self::secret) does: the values, from eight characters on, of variables with `KEY`,
    /// `APIKEY`, `TOKEN`, `SECRET` or `PASSWORD` among the words of their names; from four on, when the
    /// name ends in `API_KEY` or `AUTH_TOKEN`.
    #[must_use]
    pub fn secrets_of(self, environment: &Environment) -> Self {
        self.add_secrets(environment.keys());
        self
    }

    /// The cassette around a model, which is asked only when the cassette records.
    #[must_use]
    pub fn around<M: ChatModel>(&self, model: M) -> CassetteModel<M> {
        CassetteModel::new(self.clone(), model)
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Asserts that everything that was recorded was replayed. A cassette that records asserts
    /// nothing.
    ///
    /// # Panics
    /// When requests that were recorded did not come.
    #[track_caller]
    pub fn assert_complete(&self) {
        if let Err(error) = self.open() {
            panic!("{error}");
        }
        let left = match &self.state().tape {
            Some(Tape::Player(player)) => player.unused(),
            _ => Vec::new(),
        };
        assert!(
            left.is_empty(),
            "the cassette `{}` holds answers to requests that did not come: {}",
            self.path().display(),
            left.join("; ")
        );
    }

    /// Whether it replays, now that it must decide.
    ///
    /// # Errors
    /// Configuration when there is no file to replay, or one that cannot be read.
    pub(crate) fn replays(&self) -> Result<bool, Error> {
        self.open()?;
        Ok(matches!(self.state().tape, Some(Tape::Player(_))))
    }

    /// The name in traces of the provider whose answers are replayed, if they are all of one that comes
    /// with the crate.
    fn recorded_provider(&self) -> Option<&'static str> {
        self.open().ok()?;
        match &self.state().tape {
            Some(Tape::Player(player)) => trace_name::of(player.provider()?),
            _ => None,
        }
    }

    pub(crate) fn add_secrets(&self, texts: impl IntoIterator<Item = String>) {
        let state = self.state();
        for text in texts {
            state.redactor.add_any(&text);
        }
    }

    fn open(&self) -> Result<(), Error> {
        let mut state = self.state();
        if state.tape.is_none() {
            state.tape = Some(self.tape()?);
        }
        Ok(())
    }

    fn tape(&self) -> Result<Tape, Error> {
        let record = || Ok(Tape::Recorder(Recorder::default()));
        if self.0.mode == Mode::Record {
            return record();
        }
        let path = self.path().display();
        match file::load(self.path()) {
            Ok(exchanges) => Ok(Tape::Player(Player::new(exchanges))),
            Err(LoadError::Missing) if self.0.mode == Mode::ReplayOrRecord => record(),
            Err(LoadError::Missing) => Err(Error::configuration(format!(
                "there is no cassette `{path}`; to record it, run once with `Cassette::record` or \
                 `Cassette::replay_or_record`, and with the key that the model needs"
            ))),
            Err(LoadError::Io(error)) => Err(Error::configuration(format!(
                "the cassette `{path}` cannot be read"
            ))
            .with_source(error)),
            Err(LoadError::Form(error)) => Err(Error::configuration(format!(
                "the cassette `{path}` is not right: {error}; {}",
                self.remedy()
            ))),
        }
    }

    /// What is to be done about a request.
    fn turn(&self, request: &ModelRequest) -> Result<Turn, Error> {
        self.open()?;
        let mut state = self.state();
        let State { redactor, tape } = &mut *state;
        match tape {
            Some(Tape::Player(player)) => {
                let request = redactor.value(&exchange::request_to_json(request));
                let found = player.take(&request).map(Box::new);
                found.map(Turn::Replay).map_err(|why| {
                    let path = self.path().display();
                    let remedy = self.remedy();
                    Error::llm(format!(
                        "the cassette `{path}` has no answer to this request: {why}; {remedy}"
                    ))
                })
            }
            Some(Tape::Recorder(recorder)) => Ok(Turn::Record(recorder.begin())),
            None => Err(Error::configuration("the cassette is not open")),
        }
    }

    /// Keeps an exchange and writes the file.
    fn keep(&self, place: usize, exchange: Exchange) -> Result<(), Error> {
        let mut state = self.state();
        let State { redactor, tape } = &mut *state;
        let Some(Tape::Recorder(recorder)) = tape else {
            return Ok(());
        };
        recorder.keep(place, exchange.redacted(redactor));
        file::save(self.path(), recorder.written()).map_err(|error| {
            let path = self.path().display();
            Error::configuration(format!("the cassette `{path}` cannot be written"))
                .with_source(error)
        })
    }

    fn remedy(&self) -> &'static str {
        match self.0.mode {
            Mode::ReplayOrRecord => "to record it again, delete the file",
            Mode::Replay | Mode::Record => {
                "to record it again, run once with `Cassette::record` in place of `Cassette::replay`"
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shows no secret.
impl fmt::Debug for Cassette {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Cassette")
            .field("path", &self.0.path)
            .field("mode", &self.0.mode)
            .finish_non_exhaustive()
    }
}

/// A model with a [`Cassette`] around it. What it answers while the cassette records is the model's
/// own answer; a request that is given up, because the run is dropped or takes too long, is not
/// recorded.
#[derive(Clone, Debug)]
pub struct CassetteModel<M> {
    cassette: Cassette,
    model: M,
}

impl<M> CassetteModel<M> {
    pub(super) fn new(cassette: Cassette, model: M) -> Self {
        Self { cassette, model }
    }
}

impl<M: ChatModel> ChatModel for CassetteModel<M> {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            let place = match self.cassette.turn(request)? {
                Turn::Replay(exchange) => return exchange.into_answer(),
                Turn::Record(place) => place,
            };
            let answer = self.model.chat(request).await;
            self.cassette
                .keep(place, recorded(request, Vec::new(), &answer))?;
            answer
        })
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        Box::pin(async move {
            let place = match self.cassette.turn(request)? {
                Turn::Replay(exchange) => return replay(*exchange, sink).await,
                Turn::Record(place) => place,
            };
            let mut parts = Vec::new();
            let answer = {
                let (take, has_room, sent) = sink.pieces();
                let mut note = |part: ReplyPart| {
                    parts.push(part.clone());
                    *sent = true;
                    take(part);
                };
                let mut overheard = ReplySink::with_room(&mut note, has_room);
                self.model.stream(request, &mut overheard).await
            };
            self.cassette
                .keep(place, recorded(request, parts, &answer))?;
            answer
        })
    }

    fn trace_name(&self) -> &'static str {
        self.model.trace_name()
    }
}

/// A cassette that replays needs no model. One that records does: see [`Cassette::around`].
impl ChatModel for Cassette {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move { self.replayed(request)?.into_answer() })
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        Box::pin(async move { replay(self.replayed(request)?, sink).await })
    }

    /// That of the provider that was recorded, if it is one that comes with the crate.
    fn trace_name(&self) -> &'static str {
        let recorded = self.recorded_provider();
        recorded.unwrap_or("cassette")
    }
}

/// A cassette that replays what a provider answered, of which the runtime knows the name in traces.
pub(crate) struct ReplayedModel {
    pub(crate) cassette: Cassette,
    pub(crate) trace_name: Option<&'static str>,
}

impl ChatModel for ReplayedModel {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        self.cassette.chat(request)
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        self.cassette.stream(request, sink)
    }

    fn trace_name(&self) -> &'static str {
        self.trace_name
            .unwrap_or_else(|| self.cassette.trace_name())
    }
}

impl Cassette {
    fn replayed(&self, request: &ModelRequest) -> Result<Exchange, Error> {
        match self.turn(request)? {
            Turn::Replay(exchange) => Ok(*exchange),
            Turn::Record(_) => Err(Error::configuration(format!(
                "the cassette `{}` records, so it needs a model to ask: give it to \
                 `RuntimeBuilder::cassette`, or put it around one with `Cassette::around`",
                self.path().display()
            ))),
        }
    }
}

fn recorded(
    request: &ModelRequest,
    parts: Vec<ReplyPart>,
    answer: &Result<ModelReply, Error>,
) -> Exchange {
    Exchange {
        request: exchange::request_to_json(request),
        parts,
        outcome: match answer {
            Ok(reply) => Ok(reply.clone()),
            Err(error) => Err(Failed::of(error)),
        },
    }
}

/// Gives a recorded answer in the parts in which it came, or in one when it came as a whole.
async fn replay(exchange: Exchange, sink: &mut ReplySink<'_>) -> Result<ModelReply, Error> {
    if exchange.parts.is_empty() {
        if let Ok(reply) = &exchange.outcome {
            sink.send_reply(reply).await;
        }
    } else {
        for part in &exchange.parts {
            sink.send(part.clone()).await;
        }
    }
    exchange.into_answer()
}
