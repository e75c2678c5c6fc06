//! Cassettes: a model's answers, recorded in a file and replayed.

mod exchange;
mod file;
mod tape;

use super::{ChatFuture, ChatModel, ModelReply, ModelRequest, ReplyPart, ReplySink};
use agent_core::__private::{request_to_json, trace_name};
use agent_tool::redact::Redactor;
use agent_tool::{Environment, Error};
use exchange::{Exchange, RecordedError};
use file::LoadError;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tape::{Player, Recorder};

/// A file with a model's answers: recorded once, with a key and a network, and replayed without either.
///
/// [`RuntimeBuilder::cassette`](crate::runtime::RuntimeBuilder::cassette) wraps all providers of a runtime.
/// [`around`](Self::around) wraps one model, and a cassette that only replays is a [`ChatModel`] itself. See
/// [the module](crate::testing) for the file and an example.
///
/// A file has at most 32 MiB and 1,000,000 JSON values, where a list counts as 2, an object as 8, and each key as 1. A
/// recording that would have more is an error, and keeps what was recorded before.
///
/// Clones share one cassette. Give each test its own file, because two cassettes that record into one file
/// overwrite each other. A path is relative to the current directory, which is that of the package under
/// `cargo test`.
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
    /// `None` until the first use.
    tape: Option<Tape>,
}

enum Tape {
    Player(Player),
    Recorder(Recorder),
}

/// The action for a request.
enum Action {
    Replay(Box<Exchange>),
    /// Ask the model, and keep its answer at this index.
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

    /// Replays a file. No model is ever asked.
    #[must_use]
    pub fn replay(path: impl Into<PathBuf>) -> Self {
        Self::new(path, Mode::Replay)
    }

    /// Asks the model and records its answers, in place of those in the file.
    #[must_use]
    pub fn record(path: impl Into<PathBuf>) -> Self {
        Self::new(path, Mode::Record)
    }

    /// Replays the file if it exists, and else records it. To record again, delete the file.
    #[must_use]
    pub fn replay_or_record(path: impl Into<PathBuf>) -> Self {
        Self::new(path, Mode::ReplayOrRecord)
    }

    /// Adds a secret, which the file has as `[key]`. The keys and headers of a
    /// [`RuntimeBuilder`](crate::runtime::RuntimeBuilder) and the keys of its environment need not be added;
    /// those of tools do.
    ///
    /// The recorded run has the secret itself; a replayed run has `[key]`.
    ///
    /// The secret is found in every form that a [`Redactor`] finds, also if it is divided between the parts
    /// of a streamed answer. Unlike there, it may have any length.
    #[must_use]
    pub fn secret(self, text: impl AsRef<str>) -> Self {
        self.state().redactor.add_any(text.as_ref());
        self
    }

    /// Adds the keys of an environment as [secrets](Self::secret): the values of variables with `KEY`,
    /// `APIKEY`, `TOKEN`, `SECRET` or `PASSWORD` among the words of their names. A value has at least eight
    /// characters, or four if the name ends with `API_KEY` or `AUTH_TOKEN`.
    #[must_use]
    pub fn secrets_of(self, environment: &Environment) -> Self {
        self.add_secrets(environment.keys());
        self
    }

    /// Wraps a model, which is asked only if the cassette records.
    #[must_use]
    pub fn around<M: ChatModel>(&self, model: M) -> CassetteModel<M> {
        CassetteModel::new(self.clone(), model)
    }

    /// Writes requests and their answers into a file, without the secrets of `redactor`. Returns their number.
    pub(crate) fn write(
        path: &Path,
        redactor: &Redactor,
        exchanges: impl Iterator<Item = Result<(Box<ModelRequest>, Result<ModelReply, Error>), Error>>,
    ) -> Result<usize, Error> {
        let (mut recorder, mut bytes) = (Recorder::default(), 0);
        for exchange in exchanges {
            // Each request has all messages before it, so that a long run would fill the memory.
            if bytes > file::MAX_BYTES {
                break;
            }
            let (request, answer) = exchange?;
            let exchange = Exchange {
                request: request_to_json(&request),
                parts: Vec::new(),
                outcome: answer.map_err(|error| RecordedError::of(&error)),
            };
            let index = recorder.begin();
            bytes += recorder.keep(index, exchange.redacted(redactor)) as u64;
        }
        save(path, &recorder)?;
        Ok(recorder.texts().count())
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Asserts that all recorded answers were replayed. A cassette that records asserts nothing.
    ///
    /// # Panics
    /// When an answer was not replayed.
    #[track_caller]
    pub fn assert_complete(&self) {
        if let Err(error) = self.open() {
            panic!("{error}");
        }
        let left = match &self.state().tape {
            Some(Tape::Player(player)) => player.unused(),
            _ => None,
        };
        if let Some(left) = left {
            let path = self.path().display();
            panic!("the cassette `{path}` holds answers to requests that did not come: {left}");
        }
    }

    /// Opens the cassette, and returns whether it replays.
    ///
    /// # Errors
    /// Configuration when the file to replay is missing or cannot be read.
    pub(crate) fn replays(&self) -> Result<bool, Error> {
        self.open()?;
        Ok(matches!(self.state().tape, Some(Tape::Player(_))))
    }

    /// Returns the name in traces of the provider of all answers, if it is one built-in provider.
    fn recorded_provider(&self) -> Option<&'static str> {
        self.open().ok()?;
        match &self.state().tape {
            Some(Tape::Player(player)) => trace_name::trace_name_of(player.provider()?),
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

    /// Decides what to do with a request.
    fn action(&self, request: &ModelRequest) -> Result<Action, Error> {
        self.open()?;
        let mut state = self.state();
        let State { redactor, tape } = &mut *state;
        match tape {
            Some(Tape::Player(player)) => {
                let request = redactor.value(&request_to_json(request));
                let found = player.take(&request).map(Box::new);
                found.map(Action::Replay).map_err(|why| {
                    let path = self.path().display();
                    let remedy = self.remedy();
                    Error::llm(format!(
                        "the cassette `{path}` has no answer to this request: {why}; {remedy}"
                    ))
                })
            }
            Some(Tape::Recorder(recorder)) => Ok(Action::Record(recorder.begin())),
            None => Err(Error::configuration("the cassette is not open")),
        }
    }

    /// Adds an exchange and writes the file.
    fn keep(&self, index: usize, exchange: Exchange) -> Result<(), Error> {
        let mut state = self.state();
        let State { redactor, tape } = &mut *state;
        let Some(Tape::Recorder(recorder)) = tape else {
            return Ok(());
        };
        recorder.keep(index, exchange.redacted(redactor));
        save(self.path(), recorder)
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

fn save(path: &Path, recorder: &Recorder) -> Result<(), Error> {
    file::save(path, recorder.texts()).map_err(|error| {
        let path = path.display();
        Error::configuration(format!("the cassette `{path}` cannot be written")).with_source(error)
    })
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

/// A model that is wrapped in a [`Cassette`]. While the cassette records, it returns the model's own answers.
/// A cancelled request is not recorded.
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
            let index = match self.cassette.action(request)? {
                Action::Replay(exchange) => return exchange.into_answer(),
                Action::Record(index) => index,
            };
            let answer = self.model.chat(request).await;
            self.cassette
                .keep(index, recorded(request, Vec::new(), &answer))?;
            answer
        })
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        Box::pin(async move {
            let index = match self.cassette.action(request)? {
                Action::Replay(exchange) => return replay(*exchange, sink).await,
                Action::Record(index) => index,
            };
            let mut parts = Vec::new();
            let answer = {
                let (take, has_room, sent) = sink.pieces();
                let mut record_part = |part: ReplyPart| {
                    parts.push(part.clone());
                    *sent = true;
                    take(part);
                };
                let mut recording_sink = ReplySink::with_room(&mut record_part, has_room);
                self.model.stream(request, &mut recording_sink).await
            };
            self.cassette
                .keep(index, recorded(request, parts, &answer))?;
            answer
        })
    }

    /// Checks a request that is going to be recorded. Replaying needs neither a key nor an address.
    fn check(&self, request: &ModelRequest) -> Result<(), Error> {
        match self.cassette.replays()? {
            true => Ok(()),
            false => self.model.check(request),
        }
    }

    fn trace_name(&self) -> &'static str {
        self.model.trace_name()
    }
}

/// Replays without a model. To record, wrap a model with [`Cassette::around`].
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

    /// Returns the name of the recorded provider if it is a built-in one.
    fn trace_name(&self) -> &'static str {
        let recorded = self.recorded_provider();
        recorded.unwrap_or("cassette")
    }
}

/// A cassette that replays for a provider of the runtime, with that provider's name in traces.
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
        match self.action(request)? {
            Action::Replay(exchange) => Ok(*exchange),
            Action::Record(_) => Err(Error::configuration(format!(
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
        request: request_to_json(request),
        parts,
        outcome: match answer {
            Ok(reply) => Ok(reply.clone()),
            Err(error) => Err(RecordedError::of(error)),
        },
    }
}

/// Sends a recorded answer in its recorded parts, or as a whole if it has none.
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
