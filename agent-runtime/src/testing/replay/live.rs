//! Replaying a run with a live model, whose calls get the recorded results.

use super::step::{ReplayStep, StepSide, Steps, side_by_side};
use super::{Records, Replay, bound, parsed};
use crate::runtime::{Runtime, unreadable};
use agent_core::__private::{AgentRun, CallResult, record, sorted_text};
use agent_core::approval::NO_APPROVER;
use agent_core::conversation::ReadError;
use agent_core::event::Event;
use agent_core::response::AgentResponse;
use agent_core::run::{Decision, PendingCall, Run, RunOutcome};
use agent_spec::ToolDescriptor;
use agent_spec::json::parse_json;
use agent_tool::library::ToolLibrary;
use agent_tool::tool::{AgentTool, Tool, ToolError, ToolFuture, invoke_tool};
use agent_tool::{Error, ToolContext};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// The error that the model reads about a call that the recorded run does not have.
const NOT_RECORDED: &str =
    "not made: this run repeats a recorded one, which has no result of such a call";

/// The result of [`Replay::live`].
#[derive(Debug)]
#[non_exhaustive]
pub struct LiveReplay {
    /// The steps of the recorded run.
    pub recorded: Vec<ReplayStep>,
    /// The steps of the new run.
    pub new: Vec<ReplayStep>,
    /// The answer of the new run, or the error that ended it.
    pub outcome: Result<AgentResponse, Error>,
}

impl LiveReplay {
    /// Returns the steps of both runs in one list, which has as many steps of both as possible.
    #[must_use]
    pub fn steps(&self) -> Vec<(StepSide, &ReplayStep)> {
        side_by_side(&self.recorded, &self.new)
    }
}

impl Replay {
    /// Lets [`live`](Self::live) make calls that the recorded run does not have, with the tools of the library.
    #[must_use]
    pub fn making_new_calls(mut self) -> Self {
        self.makes_calls = true;
        self
    }

    /// Runs the new agent, or the recorded one, on the recorded input with the models of a runtime. A call that equals
    /// a recorded one, in tool and arguments, gets the recorded result; equal calls get theirs in order. Any other call
    /// is not made, and the model reads that, unless [`making_new_calls`](Self::making_new_calls) allows it. Such a
    /// call is denied if it requires approval and the runtime has no approver.
    ///
    /// Messages that were sent to the model during the run are not sent again. The runtime's hooks are
    /// called. If it has a journal, the new run is recorded there.
    ///
    /// ```
    /// # use agent_runtime::journal::{Journal, MemoryJournal, RunFilter};
    /// # use agent_runtime::model::{ModelReply, Scripted};
    /// # use agent_runtime::{Runtime, agent};
    /// use agent_runtime::testing::{Replay, StepSide};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let journal = MemoryJournal::new();
    /// # let model = Scripted::new([ModelReply::text("Go north.")]);
    /// # let recording = Runtime::builder().model(model).journal(journal.clone()).build()?;
    /// # let guide = agent! { [guide:Agent {instruction: "Help.", model: "Scripted/any"}] };
    /// # recording.run(&guide, "Where am I?").await?;
    /// # let run = journal.list(&RunFilter::new()).await?.remove(0).run;
    /// # let stored = journal.read(&run).await?.expect("the run that was recorded");
    /// let runtime = Runtime::with_model(Scripted::new([ModelReply::text("In Vienna.")]));
    /// let live = Replay::new(stored).live(&runtime).await?;
    /// assert_eq!(live.outcome?.content, "In Vienna.");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`compare`](Self::compare), and configuration when a model cannot be asked, such as
    /// without its key.
    pub async fn live(&self, runtime: &Runtime) -> Result<LiveReplay, Error> {
        let records = self.records()?;
        let (recorded, results) = self.results(records)?;
        let start = parsed(&self.stored).next().transpose()?;
        let (position, start) = start.unwrap_or_default();
        let (first, _) = self.recorded((position, &start), records)?;
        let run = self.run_of_new(&first.anew())?;
        let results = Arc::new(Results {
            calls: Mutex::new(results),
            makes_calls: self.makes_calls,
        });
        let library = replaying(&run, &self.library, &results)?;
        let mut run = run;
        run.set_tools(&bound(run.agent(), &library)?)?;
        let mut steps = Steps::default();
        let outcome = drive(runtime, &mut run, &results, &mut steps).await?;
        Ok(LiveReplay {
            recorded,
            new: steps.into_steps(),
            outcome,
        })
    }

    /// Returns the steps of the recorded run, and the results of its calls.
    fn results(&self, records: Records) -> Result<(Vec<ReplayStep>, Calls), Error> {
        let (mut steps, mut calls) = (Steps::default(), Recording::default());
        let mut replay: Option<record::Replay> = None;
        for record in parsed(&self.stored) {
            let (position, record) = record?;
            let record = &record;
            let Some(replay) = replay.as_mut().filter(|_| !record::is_started(record)) else {
                let (run, _) = self.recorded((position, record), records)?;
                let run = run.without_limits();
                replay = Some(record::Replay::new(run, record).of_other());
                continue;
            };
            let unreadable = |error| unreadable(&self.stored, position, error);
            calls.take(replay.run(), record).map_err(unreadable)?;
            let place = record::place(record);
            let path = replay.run().path_at(place).map(str::to_owned);
            let own = replay.run().run_at(place);
            let summarises = own.is_some_and(AgentRun::summarises);
            replay.apply(record).map_err(unreadable)?;
            if record::is_answer(record)
                && !summarises
                && let Ok(reply) = record::read_answer(record).map_err(unreadable)?
            {
                let path = path.unwrap_or_default();
                steps.replied(&path, place, &reply.parts, &reply.tool_calls);
            }
            steps.collect(replay.run());
        }
        if let Some(mut replay) = replay {
            replay.under_way();
            steps.collect(replay.run());
        }
        Ok((steps.into_steps(), calls.results))
    }
}

/// Drives a run to its end. Calls with recorded results need no approval, because nothing is called.
async fn drive(
    runtime: &Runtime,
    run: &mut Run,
    results: &Results,
    steps: &mut Steps,
) -> Result<Result<AgentResponse, Error>, Error> {
    let agent = run.agent().name().to_owned();
    loop {
        let mut observer = |event: &Event| steps.event(&agent, event);
        let mut resumed = runtime.resume(run).observer(&mut observer);
        // The journal has the recorded run, and a comparison is none.
        resumed.options.is_unrecorded = true;
        let outcome = resumed.await;
        // A call that was denied between two drives has no event.
        steps.collect(run);
        let calls = match outcome {
            Ok(RunOutcome::Done(response)) => return Ok(Ok(response)),
            Ok(RunOutcome::AwaitingApproval(calls)) => calls,
            Err(error) if error.is_configuration() => return Err(error),
            Err(error) => return Ok(Err(error)),
        };
        for call in calls {
            let decision = match results.allow(&call) {
                true => Decision::Approve,
                false => Decision::Deny {
                    reason: Some(NO_APPROVER.to_owned()),
                },
            };
            run.approve(&call.id, decision)?;
        }
    }
}

/// The results of calls in order, by the tool and the arguments.
type Calls = HashMap<(String, String), VecDeque<CallResult>>;

/// Returns the key of a call. Arguments are equal in any order of their members.
fn key(tool: &str, arguments: &str) -> (String, String) {
    let arguments =
        parse_json(arguments).map_or_else(|_| arguments.to_owned(), |json| sorted_text(&json));
    (tool.to_owned(), arguments)
}

/// Collects the results of the calls of a run while its records are replayed.
#[derive(Default)]
struct Recording {
    results: Calls,
    /// The calls that were begun or decided on: tool and arguments, by the ids that lead to them.
    begun: HashMap<String, (String, String)>,
}

impl Recording {
    /// Reads the record before it is applied to the run.
    fn take(&mut self, run: &Run, record: &Value) -> Result<(), ReadError> {
        let text = |key: &str| record[key].as_str().unwrap_or_default();
        let place = record::place(record);
        let id = match (place, text("call")) {
            ("", id) => id.to_owned(),
            (place, id) => format!("{place}/{id}"),
        };
        match text("kind") {
            "callBegun" => {
                // An edit by a person keeps the arguments of the model.
                let call = || (text("tool").to_owned(), text("arguments").to_owned());
                self.begun.entry(id).or_insert_with(call);
            }
            "decisionMade" => {
                let waiting = run.awaiting_approval();
                let Some(call) = waiting.into_iter().find(|call| call.id == text("call")) else {
                    return Ok(());
                };
                let result = match text("decision") {
                    "done" => Ok(parse_json(text("detail")).unwrap_or_default()),
                    "deny" => Err(record::denial(record["detail"].as_str(), call.in_doubt)),
                    "unknown" => Err(record::not_known()),
                    _ => {
                        let call_key = (call.tool.clone(), call.arguments.clone());
                        self.begun.entry(call.id).or_insert(call_key);
                        return Ok(());
                    }
                };
                let media = Vec::new();
                self.put(&call.tool, &call.arguments, CallResult { result, media });
            }
            "callFinished" => {
                if let Some((tool, arguments)) = self.begun.remove(&id)
                    && let Some(result) = record::result_of_call(record)?
                {
                    self.put(&tool, &arguments, result);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn put(&mut self, tool: &str, arguments: &str, result: CallResult) {
        let results = self.results.entry(key(tool, arguments)).or_default();
        results.push_back(result);
    }
}

/// The recorded results that are left.
struct Results {
    calls: Mutex<Calls>,
    makes_calls: bool,
}

impl Results {
    /// Removes and returns the next result of a call.
    fn next(&self, tool: &str, arguments: &str) -> Option<CallResult> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.get_mut(&key(tool, arguments))?.pop_front()
    }

    /// Whether a call is approved: nothing is called, because its result is recorded or calls are not made.
    fn allow(&self, call: &PendingCall) -> bool {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let recorded = calls.get(&key(&call.tool, &call.arguments));
        !self.makes_calls || recorded.is_some_and(|results| !results.is_empty())
    }
}

/// A tool that returns recorded results.
struct ReplayedTool {
    tool: Arc<dyn Tool>,
    results: Arc<Results>,
    /// Whether the tool may be called.
    makes_calls: bool,
}

impl Tool for ReplayedTool {
    fn descriptor(&self) -> &ToolDescriptor {
        self.tool.descriptor()
    }

    fn call<'a>(&'a self, arguments: &'a str, context: &'a ToolContext) -> ToolFuture<'a> {
        Box::pin(async move {
            let name = self.tool.descriptor().name();
            if let Some(recorded) = self.results.next(name, arguments) {
                context.kept_media().keep(recorded.media);
                return recorded.result;
            }
            match (self.makes_calls, self.tool.validates_arguments()) {
                (false, _) => Err(ToolError::Execution(NOT_RECORDED.to_owned())),
                (true, true) => self.tool.call(arguments, context).await,
                (true, false) => invoke_tool(&*self.tool, arguments, context).await,
            }
        })
    }

    /// The arguments must stay as they were recorded, which is without the defaults of the tool.
    fn validates_arguments(&self) -> bool {
        true
    }

    fn input_schema(&self) -> Value {
        self.tool.input_schema()
    }

    fn check_configuration(&self) -> Result<(), String> {
        match self.makes_calls {
            true => self.tool.check_configuration(),
            false => Ok(()),
        }
    }
}

/// Returns the tools of a run, each with its recorded results.
fn replaying(
    run: &Run,
    library: &ToolLibrary,
    results: &Arc<Results>,
) -> Result<ToolLibrary, Error> {
    let mut replaying = ToolLibrary::new();
    for bound in run.first().tools().with_those_of_agents() {
        let name = bound.tool().descriptor().name();
        // The library binds the agents of the document itself.
        if run.agent().is_agent(name) || replaying.lookup(name).is_some() {
            continue;
        }
        let here = library.lookup(name);
        let tool = replayed(here.unwrap_or(bound.tool()), here.is_some(), results)?;
        add(&mut replaying, tool)?;
    }
    // The other tools of the library are added, too, because the error of a call of a tool that the agent
    // does not have depends on whether the library has the tool.
    for tool in library.iter() {
        if replaying.lookup(tool.descriptor().name()).is_none() {
            add(&mut replaying, replayed(tool, true, results)?)?;
        }
    }
    Ok(replaying)
}

fn replayed(
    tool: &Arc<dyn Tool>,
    is_here: bool,
    results: &Arc<Results>,
) -> Result<Arc<dyn Tool>, Error> {
    if let Some(agent) = tool.agent() {
        let tools = agent.tools().iter();
        let tools = tools.map(|tool| replayed(tool, is_here, results));
        let tools = tools.collect::<Result<Vec<_>, _>>()?;
        return Ok(Arc::new(AgentTool::new(agent.agent().clone(), tools)?));
    }
    Ok(Arc::new(ReplayedTool {
        tool: Arc::clone(tool),
        results: Arc::clone(results),
        makes_calls: is_here && results.makes_calls,
    }))
}

fn add(library: &mut ToolLibrary, tool: Arc<dyn Tool>) -> Result<(), Error> {
    match library.add(tool) {
        Ok(_) => Ok(()),
        Err(error) => Err(Error::tool("a tool cannot be replayed").with_source(error)),
    }
}
