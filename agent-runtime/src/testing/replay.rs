//! Replaying a recorded run with another agent, without a model.

mod difference;
mod live;
mod step;
mod text;

pub use difference::{RequestDifference, RequestPart};
pub use live::LiveReplay;
pub use step::{ReplayAction, ReplayStep, StepSide};

use crate::executable::Executable;
use crate::runtime::stand_in::StandIns;
use crate::runtime::{parsed, unreadable};
use agent_core::__private::{RequestDigests, not_read, record};
use agent_core::conversation::ReadError;
use agent_core::journal::StoredRun;
use agent_core::model::ModelRequest;
use agent_core::run::Run;
use agent_spec::Agent;
use agent_tool::Error;
use agent_tool::library::{BindPolicy, BoundTools, ToolLibrary, bind_agent_tools_with};
use agent_tool::redact::Redactor;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A run of a journal, which is replayed: a snapshot test of the requests that an agent makes.
///
/// The records of a run have all that came from outside: the input, the replies of the models and the results of the
/// calls. [`compare`](Self::compare) gives them to [another agent](Self::with_agent) as well, and compares each request
/// of the two. No model is asked and no tool is called.
///
/// ```
/// # use agent_runtime::journal::{Journal, MemoryJournal, RunFilter};
/// # use agent_runtime::model::{ModelReply, Scripted};
/// use agent_runtime::testing::{Replay, RequestPart};
/// use agent_runtime::{Runtime, agent};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let journal = MemoryJournal::new();
/// # let model = Scripted::new([ModelReply::text("Go north.")]);
/// # let runtime = Runtime::builder().model(model).journal(journal.clone()).build()?;
/// let guide = agent! { [guide:Agent {instruction: "Help.", model: "Scripted/any"}] };
/// runtime.run(&guide, "Where am I?").await?;
///
/// let run = journal.list(&RunFilter::new()).await?.remove(0).run;
/// let stored = journal.read(&run).await?.expect("the run that was recorded");
/// let replay = Replay::new(stored);
/// replay.clone().with_agent(&guide).assert_same();
///
/// let other = agent! { [guide:Agent {instruction: "Help kindly.", model: "Scripted/any"}] };
/// let difference = replay.with_agent(&other).compare()?.difference.expect("another instruction");
/// assert_eq!((difference.request, difference.part), (1, RequestPart::Instruction));
/// assert_eq!(difference.new.as_deref(), Some("Help kindly."));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Replay {
    stored: StoredRun,
    /// The agent in the place of the recorded one. The error is shared, because errors are not cloned.
    agent: Option<Result<Agent, Arc<Error>>>,
    library: ToolLibrary,
    variables: BTreeMap<String, String>,
    /// Whether a live replay makes calls that the recorded run does not have.
    makes_calls: bool,
}

/// The result of [`Replay::compare`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comparison {
    /// The number of requests that were compared, the one that differs included.
    pub requests: usize,
    /// The first request that differs from the recorded one.
    pub difference: Option<RequestDifference>,
    /// The numbers of the requests that were sent in another form than the records lead to, up to the first difference:
    /// a hook changed them, or the program that made the run builds requests in another way. They are compared in the
    /// form that the records lead to, because a journal has only the digest of what was sent.
    pub sent_otherwise: Vec<usize>,
}

impl Comparison {
    /// Whether all requests are the same.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.difference.is_none()
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.difference, self.requests) {
            (Some(difference), _) => difference.fmt(out),
            (None, 1) => out.write_str("1 request is the same"),
            (None, count) => write!(out, "{count} requests are the same"),
        }
    }
}

impl Replay {
    /// Creates the replay of a run, as [`Journal::read`](agent_core::journal::Journal::read) returns it.
    #[must_use]
    pub fn new(stored: StoredRun) -> Self {
        Self {
            stored,
            agent: None,
            library: ToolLibrary::new(),
            variables: BTreeMap::new(),
            makes_calls: false,
        }
    }

    /// Compares with the requests of this agent. Without one, the requests of the recorded agent are rebuilt and
    /// compared with the digests of those that were sent.
    #[must_use]
    pub fn with_agent(mut self, agent: impl Executable) -> Self {
        let agent = agent.to_agent().map(Cow::into_owned);
        self.agent = Some(agent.map_err(Arc::new));
        self
    }

    /// Sets the tools that the agents name. Tools that are not among them are taken as the agents, or the records,
    /// describe them.
    #[must_use]
    pub fn tools(mut self, library: &ToolLibrary) -> Self {
        self.library = library.clone();
        self
    }

    /// Sets a variable of the new agent's instruction. The variables of the recorded run have the values of the
    /// records.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Compares the requests of both agents, up to the first that differs.
    ///
    /// # Errors
    /// A journal error when the records are damaged or do not lead to the recorded requests. Validation when the new
    /// agent does not accept the recorded input, and configuration when a variable of its instruction has no
    /// value. A tool error when the new agent names a tool that is described nowhere.
    pub fn compare(&self) -> Result<Comparison, Error> {
        let records = self.records()?;
        let mut comparison = Comparison {
            requests: 0,
            difference: None,
            sent_otherwise: Vec::new(),
        };
        let mut sides: Option<Sides> = None;
        for record in parsed(&self.stored) {
            let (position, record) = record?;
            let record = &record;
            let Some(sides) = sides.as_mut().filter(|_| !record::is_started(record)) else {
                sides = Some(self.sides((position, record), records)?);
                continue;
            };
            let path = sides.path(record::place(record));
            let [recorded, new] = sides
                .apply(record)
                .map_err(|error| unreadable(&self.stored, position, error))?;
            if !record::is_answer(record) {
                continue;
            }
            let Some(recorded) = recorded else {
                return Err(unreadable(&self.stored, position, sides.no_request()));
            };
            comparison.requests += 1;
            let number = comparison.requests;
            let place = record::place(record);
            if !sides.is_same(place, &recorded, new.as_deref()) {
                let new = new.as_deref();
                let difference = RequestDifference::between(number, &path, Some(&recorded), new);
                if let Some(difference) = difference {
                    comparison.difference = Some(RequestDifference {
                        ended: sides.ended(place),
                        ..difference
                    });
                    return Ok(comparison);
                }
            }
            let sent = record::answered_digest(record);
            if sent.is_some_and(|sent| sent != sides.digests(place).recorded.of(&recorded)) {
                comparison.sent_otherwise.push(number);
            }
        }
        if let Some(mut sides) = sides {
            sides.compare_under_way(&mut comparison, records.is_over);
        }
        Ok(comparison)
    }

    /// Asserts that each request is the same, and shows the first that differs.
    ///
    /// # Panics
    /// When a request differs, or [`compare`](Self::compare) fails.
    #[track_caller]
    pub fn assert_same(&self) {
        match self.compare() {
            Ok(comparison) if comparison.is_same() => {}
            Ok(comparison) => panic!("{comparison}"),
            Err(error) => panic!("{}", with_causes(&error)),
        }
    }

    /// Reads the records once, and checks that they are complete and begin with a start.
    fn records(&self) -> Result<Records, Error> {
        self.stored.verify().map_err(not_read)?;
        let first = parsed(&self.stored).next().transpose()?;
        let (_, first) = first.unwrap_or_default();
        record::saved_run(&first).map_err(|error| unreadable(&self.stored, 0, error))?;
        let mut records = Records::default();
        for record in parsed(&self.stored) {
            let (_, record) = record?;
            records.is_over = record::is_end(&record);
            records.has_agents |= record::is_agent_begun(&record);
        }
        Ok(records)
    }

    /// Returns the replays of both agents, from a record of a start and its position.
    fn sides(&self, start: (u64, &Value), records: Records) -> Result<Sides, Error> {
        let (run, missing) = self.recorded(start, records)?;
        let (_, start) = start;
        let run = run.without_limits();
        let new = match &self.agent {
            None => None,
            Some(_) => Some(record::Replay::new(self.run_of_new(&run)?, start).of_other()),
        };
        Ok(Sides {
            recorded: record::Replay::new(run, start).of_other(),
            new,
            missing,
            digests: BTreeMap::new(),
        })
    }

    /// Returns the run of the record of a start, and the names of its tools that are not in the library.
    fn recorded(
        &self,
        (position, start): (u64, &Value),
        records: Records,
    ) -> Result<(Run, Vec<String>), Error> {
        let unreadable = |error| unreadable(&self.stored, position, error);
        let saved = record::saved_run(start).map_err(unreadable)?;
        let (mut host, settings) = record::recorded_host(start).map_err(unreadable)?;
        // An older version did not record whether there were hooks. The beginning of an agent is recorded
        // only with hooks.
        host.holds_agents |= records.has_agents;
        let agent = Run::saved_agent(saved)?;
        let mut stand_ins = StandIns::new(&self.library, settings)?;
        stand_ins.add(&agent)?;
        let tools = bound(&agent, stand_ins.library())?;
        let mut run = Run::from_json(saved, &tools)?;
        run.set_host_values(&host);
        Ok((run, stand_ins.into_names()))
    }

    /// Returns a recorded run with the new agent, or with its own if there is no other.
    fn run_of_new(&self, run: &Run) -> Result<Run, Error> {
        let agent = match &self.agent {
            Some(agent) => agent.as_ref().map_err(|error| error.again())?.clone(),
            None => run.agent().clone(),
        };
        let settings = run.first().tools().with_those_of_agents();
        let settings = settings.map(|tool| (tool.rule().name().to_owned(), tool.rule().settings));
        let mut stand_ins = StandIns::new(&self.library, settings.collect())?;
        stand_ins.add(&agent)?;
        stand_ins.add_referenced(&agent, run)?;
        let tools = bound(&agent, stand_ins.library())?;
        run.with_agent(agent, &tools, &self.variables)
    }
}

/// The facts about the records of a run that need all of them.
#[derive(Clone, Copy, Default)]
struct Records {
    /// Whether the last record is the end of the run.
    is_over: bool,
    /// Whether the beginning of an agent is recorded.
    has_agents: bool,
}

/// The replays of the recorded agent and of the new one.
struct Sides {
    recorded: record::Replay,
    new: Option<record::Replay>,
    /// The names of tools that are not in the library.
    missing: Vec<String>,
    /// The digests of the requests, by the places of their runs.
    digests: BTreeMap<String, Digests>,
}

/// The digests of the requests of the runs at one place.
struct Digests {
    /// The digests of the recorded requests, as a journal has them.
    recorded: RequestDigests,
    /// The digests of the recorded requests and of the new ones, for a comparison of both.
    compared: [RequestDigests; 2],
}

impl Sides {
    /// Applies a record to both runs. Returns the requests that the record answers.
    fn apply(&mut self, record: &Value) -> Result<[Option<Box<ModelRequest>>; 2], ReadError> {
        let recorded = self.recorded.apply(record)?;
        let mut answered = None;
        if let Some(new) = &mut self.new {
            answered = new.apply(record)?;
            // Calls of the new run are approved, except those that wait in the recorded run, because no model
            // learns whether a call requires approval.
            new.approve_except(&self.recorded.run().awaiting_approval());
        }
        Ok([recorded, answered])
    }

    fn digests(&mut self, place: &str) -> &mut Digests {
        self.digests
            .entry(place.to_owned())
            .or_insert_with(|| Digests {
                recorded: RequestDigests::recorded(&Redactor::new()),
                compared: [RequestDigests::compared(), RequestDigests::compared()],
            })
    }

    /// Whether the new run at a place, if there is one, makes the same request.
    fn is_same(
        &mut self,
        place: &str,
        recorded: &ModelRequest,
        new: Option<&ModelRequest>,
    ) -> bool {
        if self.new.is_none() {
            return true;
        }
        let [of_recorded, of_new] = &mut self.digests(place).compared;
        new.is_some_and(|new| of_recorded.of(recorded) == of_new.of(new))
    }

    /// The path of the recorded run at a place.
    fn path(&self, place: &str) -> String {
        let run = self.recorded.run();
        let path = run.path_at(place).unwrap_or_else(|| run.agent().name());
        path.to_owned()
    }

    /// The error with which the new run at a place, or the one that called it, ended.
    fn ended(&self, place: &str) -> Option<String> {
        let run = self.new.as_ref()?.run();
        let own = run.run_at(place).unwrap_or(run.first());
        own.failure().map(ToString::to_string)
    }

    fn no_request(&self) -> ReadError {
        let mut text = "it answers a request that the records do not lead to".to_owned();
        if !self.missing.is_empty() {
            let names: Vec<String> = self
                .missing
                .iter()
                .map(|name| format!("`{name}`"))
                .collect();
            text.push_str(&format!(
                "; the library has none of these tools, on which it may depend: {}",
                names.join(", ")
            ));
        }
        ReadError::new(text)
    }

    /// Compares the requests that are under way after the last record.
    fn compare_under_way(&mut self, comparison: &mut Comparison, is_over: bool) {
        let recorded = self.recorded.under_way();
        let Some(new) = &mut self.new else {
            return;
        };
        let new = new.under_way();
        let at = |requests: &[(Arc<str>, Box<ModelRequest>)], place: &Arc<str>| {
            let mut requests = requests.iter();
            let found = requests.find(|(other, _)| other == place);
            found.map(|(_, request)| ModelRequest::clone(request))
        };
        for (place, _) in recorded.iter().chain(&new) {
            let (recorded, new) = (at(&recorded, place), at(&new, place));
            // A run that was cancelled ended without an answer.
            if is_over && recorded.is_some() {
                continue;
            }
            let number = comparison.requests + 1;
            let path = self.path(place);
            let difference =
                RequestDifference::between(number, &path, recorded.as_ref(), new.as_ref());
            if let Some(difference) = difference {
                comparison.requests = number;
                comparison.difference = Some(RequestDifference {
                    ended: self.ended(place),
                    ..difference
                });
                return;
            }
        }
        if !is_over {
            comparison.requests += recorded.len();
        }
    }
}

fn bound(agent: &Agent, library: &ToolLibrary) -> Result<BoundTools, Error> {
    // The specs of a recorded agent may differ from the tools of today, which is what a replay looks for.
    Ok(bind_agent_tools_with(agent, library, BindPolicy::Name)?)
}

fn with_causes(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(&format!("\n  caused by: {cause}"));
        source = cause.source();
    }
    text
}
