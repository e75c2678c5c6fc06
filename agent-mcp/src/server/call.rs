//! One call of a tool or of an agent, which can stop for questions to the client's user.

use super::content::{Output, failed};
use super::offered::{Offered, ServedAgent};
use super::paused::{self, Binding, Handle, Start};
use super::seal::Seals;
use super::user::{Answer, ClientUser, Question, Round};
use super::{Approvals, Settings};
use agent_runtime::approval::MAX_EDITS;
use agent_runtime::run::{Decision, PendingCall, Run, RunOutcome};
use agent_runtime::runtime::{RunBuilder, RunSource};
use agent_runtime::tool::{catch_panic, invoke_tool, validate_tool_input};
use agent_runtime::{Error, Event, ToolError};
use agent_spec::terminal;
use rmcp::model::{CallToolResult, ErrorData, InputRequiredResult};
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::mpsc;
use uuid::Uuid;

/// The maximum number of progress reports that wait to be sent. Further ones are lost.
const REPORTS: usize = 64;

/// The maximum number of characters of arguments that a user is shown.
const SHOWN: usize = 8000;

/// A call of an offered tool, from its beginning to its result.
pub(super) struct OfferedCall {
    binding: Binding,
    work: Pin<Box<dyn Future<Output = Ended> + Send>>,
    rounds: mpsc::Receiver<Round>,
    reports: mpsc::Receiver<String>,
}

/// The next step of a call.
pub(super) enum Step {
    /// The call reports progress.
    Reports(String),
    /// The call waits for answers of the user in the memory of this process.
    Asks(Round),
    /// The call ends.
    Ends(Ended),
}

/// The end of a call.
pub(super) enum Ended {
    /// The call has its result.
    Output(Box<Output>),
    /// The call failed.
    Failed(CallToolResult),
    /// The call stopped for a question. The client calls again with the answer.
    Pauses(InputRequiredResult),
    /// The call cannot continue from the state that the client sent.
    Refused(ErrorData),
}

/// The abilities of the client that made a call.
pub(super) struct Caller {
    /// Whether the client can ask its user.
    pub(super) can_answer: bool,
    /// Whether the call may stop for a question, so that the client calls again. A task, and a call of a
    /// client of an earlier revision, wait for the answer instead.
    pub(super) can_call_again: bool,
}

impl OfferedCall {
    /// Begins a call, or continues a call that stopped. Dropping the value cancels the call.
    pub(super) fn new(
        offered: Arc<Offered>,
        binding: Binding,
        start: Start,
        settings: &Settings,
        seals: &Arc<Seals>,
        caller: &Caller,
    ) -> Self {
        let (user, rounds) = ClientUser::new(caller.can_answer);
        let (report, reports) = mpsc::channel(REPORTS);
        let asks_client = matches!(settings.approvals, Approvals::Client);
        let making = Making {
            offered,
            id: match &start {
                Start::Decided { id, .. } => id.clone(),
                _ => Uuid::new_v4().simple().to_string(),
            },
            binding: binding.clone(),
            settings: settings.clone(),
            seals: Arc::clone(seals),
            may_pause: caller.can_call_again && caller.can_answer && asks_client,
            user,
            report,
        };
        let work = async move {
            let failed = |text| Ended::Failed(failed(text));
            match catch_panic(making.make(start)).await {
                Ok(Ok(Made::Output(output))) => Ended::Output(Box::new(output)),
                Ok(Ok(Made::Pauses(questions, state))) => {
                    Ended::Pauses(paused::required(&questions, state))
                }
                Ok(Ok(Made::Refused(error))) => Ended::Refused(error),
                Ok(Err(error)) => failed(making.redacted(&error)),
                Err(_) => failed("the call panicked".to_owned()),
            }
        };
        Self {
            binding,
            work: Box::pin(work),
            rounds,
            reports,
        }
    }

    /// The tool, the arguments and the caller.
    pub(super) fn binding(&self) -> &Binding {
        &self.binding
    }

    /// Continues until the next step. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Step {
        tokio::select! {
            biased;
            Some(text) = self.reports.recv() => Step::Reports(text),
            Some(round) = self.rounds.recv() => Step::Asks(round),
            ended = &mut self.work => match self.reports.try_recv() {
                // The last reports come before the result.
                Ok(text) => {
                    self.work = Box::pin(std::future::ready(ended));
                    Step::Reports(text)
                }
                Err(_) => Step::Ends(ended),
            },
        }
    }
}

/// The parts that the work of a call needs.
struct Making {
    offered: Arc<Offered>,
    id: String,
    binding: Binding,
    settings: Settings,
    seals: Arc<Seals>,
    /// Whether the call may stop for a question.
    may_pause: bool,
    user: ClientUser,
    report: mpsc::Sender<String>,
}

/// The end of the work of a call, unless it failed.
enum Made {
    Output(Output),
    /// Questions, and the state that the client sends back with the answers.
    Pauses(Vec<Question>, String),
    Refused(ErrorData),
}

/// The error of a state that cannot be used.
pub(super) fn refused() -> ErrorData {
    ErrorData::invalid_params(
        "the `requestState` is not of a call of this tool with these arguments that waits; it may have been used or have \
         expired; call the tool without it",
        None,
    )
}

/// A part of the run of an agent.
enum RunPart {
    /// A run that this call drives.
    Driven(Box<Run>),
    /// A run of the journal, decisions on its calls, and the key that they need.
    Recovered {
        id: String,
        key: Option<String>,
        decisions: BTreeMap<String, Decision>,
    },
}

impl RunPart {
    /// The id of the run.
    fn id(&self) -> &str {
        match self {
            Self::Driven(run) => run.id(),
            Self::Recovered { id, .. } => id,
        }
    }
}

impl Making {
    async fn make(&self, start: Start) -> Result<Made, ToolError> {
        let tool = self.offered.as_tool();
        let descriptor = tool.descriptor();
        let mut arguments = self.binding.arguments.clone();
        // A state of a client is accepted only for the kind of call that it was made for.
        let decision = match start {
            Start::Saved { .. } | Start::Recorded { .. } => {
                return match self.offered.as_agent() {
                    Some(agent) => self.run(agent, &arguments, start).await,
                    None => Ok(Made::Refused(refused())),
                };
            }
            Start::Decided {
                decision: Some(decision),
                ..
            } => decision,
            Start::New | Start::Decided { decision: None, .. }
                if self.offered.requires_approval() =>
            {
                // A person is not asked about a call that cannot be made.
                let parsed = serde_json::from_str(&arguments).unwrap_or_default();
                validate_tool_input(tool, &parsed)
                    .map_err(|error| ToolError::Validation(error.to_string()))?;
                let call = PendingCall::new(&self.id, descriptor.name(), &arguments);
                if self.may_pause
                    && let Some(state) = paused::of_call(&self.id, &self.binding, &self.seals)
                {
                    return Ok(Made::Pauses(vec![question(&call)], state));
                }
                let fits = |decision: &Decision| match decision {
                    Decision::Edit { args } => {
                        validate_tool_input(tool, args).map_err(|error| error.to_string())
                    }
                    _ => Ok(()),
                };
                self.decide(call, fits).await
            }
            Start::New | Start::Decided { decision: None, .. } => Decision::Approve,
        };
        match decision {
            Decision::Approve => {}
            Decision::Edit { args } => arguments = args.to_string(),
            Decision::Deny { reason } => {
                return Err(ToolError::Authorization(match reason {
                    Some(reason) => format!("the call was denied: {reason}"),
                    None => "the call was denied".to_owned(),
                }));
            }
            _ => {
                return Err(ToolError::Authorization(
                    "the call was denied: it is not in doubt, so that it can only be approved, edited or denied"
                        .to_owned(),
                ));
            }
        }
        if let Some(agent) = self.offered.as_agent() {
            return self.run(agent, &arguments, Start::New).await;
        }
        let report = self.report.clone();
        let context = self.settings.context.clone();
        let context = context
            .with_call(&self.id, &self.id, descriptor.name())
            .with_extension(self.user.clone())
            // A report that does not fit is lost, because a tool does not wait for its observers.
            .with_progress(move |text| drop(report.try_send(text.to_owned())));
        let value = invoke_tool(tool, &arguments, &context).await?;
        Ok(Made::Output(Output::of_tool(
            &self.offered,
            value,
            &context,
        )))
    }

    /// Runs an agent to its end, or until the client's user must decide on a call.
    async fn run(
        &self,
        agent: &ServedAgent,
        arguments: &str,
        start: Start,
    ) -> Result<Made, ToolError> {
        let report = self.report.clone();
        let mut observer = move |event: &Event| {
            if let Some(text) = step(event) {
                let _ = report.try_send(text);
            }
        };
        let asks_client = matches!(self.settings.approvals, Approvals::Client);
        let is_denied = asks_client && !self.user.can_answer();
        let mut next = self.part(agent, arguments, start)?;
        loop {
            let mut handle = None;
            if self.may_pause && agent.runtime.has_journal() {
                let made = Handle::new(
                    next.id(),
                    &self.binding,
                    self.settings.time_to_live_in_journal,
                );
                handle = Some(made);
            }
            let key = handle.as_ref().map(|handle| handle.key.as_str());
            let (outcome, run) = match next {
                RunPart::Driven(mut run) => {
                    let resumed = agent.runtime.resume(&mut run).observer(&mut observer);
                    let resumed = set_up(resumed, is_denied, key);
                    (self.within(resumed.into_future()).await?, Some(*run))
                }
                RunPart::Recovered {
                    id,
                    key: answered,
                    decisions,
                } => {
                    let is_answer = answered.is_some();
                    let mut recovered = agent
                        .runtime
                        .recover_run(id)
                        .tools(&agent.library)
                        .decisions(decisions)
                        .observer(&mut observer);
                    if let Some(answered) = answered {
                        recovered = recovered.answers(answered);
                    }
                    let recovered = set_up(recovered, is_denied, key);
                    match self.within(recovered.into_future()).await? {
                        Ok(recovered) => (recovered.outcome, recovered.run),
                        Err(error)
                            if is_answer && (error.is_validation() || error.is_configuration()) =>
                        {
                            let text = agent.runtime.redactor().log_text(&error.to_string());
                            tracing::debug!(target: "agent_mcp", problem = text, "an answer to a call was refused");
                            return Ok(Made::Refused(refused()));
                        }
                        Err(error) if is_answer => {
                            let text = self.failure(agent, &error);
                            let text = self.redacted(&text);
                            return Ok(Made::Refused(ErrorData::internal_error(text, None)));
                        }
                        Err(error) => return Err(self.failure(agent, &error)),
                    }
                }
            };
            let (calls, mut run) = match (outcome, run) {
                (Ok(RunOutcome::Done(response)), _) => {
                    let parts = response.parts.clone();
                    let value = response.into_result(agent.tool.agent());
                    let output = Output::of_agent(&self.offered, value, &parts);
                    return Ok(Made::Output(output));
                }
                (Ok(RunOutcome::AwaitingApproval(calls)), Some(run)) => (calls, run),
                (Ok(outcome), _) => {
                    let text =
                        format!("the run ended in a way that is not known here: {outcome:?}");
                    return Err(ToolError::Execution(text));
                }
                (Err(error), _) => return Err(self.failure(agent, &error)),
            };
            if self.may_pause {
                let state = handle.map(|handle| handle.state);
                let state = state.or_else(|| paused::of_run(&run, &self.binding, &self.seals));
                if let Some(state) = state {
                    return Ok(Made::Pauses(calls.iter().map(question).collect(), state));
                }
            }
            let decisions = self.decide_all(&run, calls).await;
            next = if agent.runtime.has_journal() {
                RunPart::Recovered {
                    id: run.id().to_owned(),
                    key: None,
                    decisions,
                }
            } else {
                for (call, decision) in decisions {
                    let given = run.approve(&call, decision);
                    given.map_err(|error| self.failure(agent, &error))?;
                }
                RunPart::Driven(Box::new(run))
            };
        }
    }

    /// Returns the first part of the run.
    fn part(
        &self,
        agent: &ServedAgent,
        arguments: &str,
        start: Start,
    ) -> Result<RunPart, ToolError> {
        let run = match start {
            Start::New | Start::Decided { .. } => {
                let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
                let run = agent.runtime.call(agent.tool.agent(), arguments);
                run.tools(&agent.library).start()
            }
            Start::Saved { run, decisions } => {
                let run = agent.runtime.read_run(&run, &agent.library);
                run.map(|mut run| {
                    for (call, decision) in decisions {
                        // An answer to a question that was not asked is ignored.
                        let _ = run.approve(&call, decision);
                    }
                    run
                })
            }
            Start::Recorded {
                run,
                key,
                decisions,
            } => {
                return Ok(RunPart::Recovered {
                    id: run,
                    key: Some(key),
                    decisions,
                });
            }
        };
        let run = run.map_err(|error| self.failure(agent, &error))?;
        Ok(RunPart::Driven(Box::new(run)))
    }

    /// Awaits a part of a run, at most for the time that the agent's spec allows.
    async fn within<T>(&self, work: impl Future<Output = T>) -> Result<T, ToolError> {
        match self.offered.as_tool().descriptor().settings().timeout {
            Some(limit) => tokio::time::timeout(limit, work)
                .await
                .map_err(|_| ToolError::Timeout),
            None => Ok(work.await),
        }
    }

    fn failure(&self, agent: &ServedAgent, error: &Error) -> ToolError {
        let mut text = agent.runtime.redactor().text(&error.to_string());
        if error.unended_run().is_some() {
            if let Some(cause) = StdError::source(error) {
                let cause = agent.runtime.redactor().text(&cause.to_string());
                text.push_str(&format!(": {cause}"));
            }
            text.push_str(
                ". It may have acted: look at the run in the journal, if it is there, before you repeat the call",
            );
        }
        match error.is_validation() {
            true => ToolError::Validation(text),
            false => ToolError::Execution(text),
        }
    }

    fn redacted(&self, error: &ToolError) -> String {
        error.redacted(&self.settings.redactor).to_string()
    }

    /// Returns the decision on a call, by the side that approves calls.
    async fn decide(
        &self,
        mut call: PendingCall,
        fits: impl Fn(&Decision) -> Result<(), String>,
    ) -> Decision {
        let Approvals::Host(approver) = &self.settings.approvals else {
            let answers = self.user.ask_all(vec![question(&call)]).await;
            return match answers {
                Ok(answers) => decision(answers.first()),
                Err(error) => denied(&error),
            };
        };
        for _ in 0..=MAX_EDITS {
            let decision = approver.decide(&call).await;
            match fits(&decision) {
                Ok(()) => return decision,
                Err(reason) => call.refused_edit = Some(reason),
            }
        }
        Decision::Deny {
            reason: Some(format!(
                "its arguments were edited {MAX_EDITS} times and were never right for the tool"
            )),
        }
    }

    /// Returns the decisions on the calls of a run. The client's user gets all questions at once.
    async fn decide_all(&self, run: &Run, calls: Vec<PendingCall>) -> BTreeMap<String, Decision> {
        let mut decisions = BTreeMap::new();
        if let Approvals::Client = self.settings.approvals {
            let questions = calls.iter().map(question).collect();
            let answers = self.user.ask_all(questions).await;
            for (at, call) in calls.into_iter().enumerate() {
                let decision = match &answers {
                    Ok(answers) => decision(answers.get(at)),
                    Err(error) => denied(error),
                };
                decisions.insert(call.id, decision);
            }
            return decisions;
        }
        for call in calls {
            let id = call.id.clone();
            let fits = |decision: &Decision| {
                let given = run.clone().approve(&id, decision.clone());
                given.map_err(|error| error.to_string())
            };
            let decision = self.decide(call, fits).await;
            decisions.insert(id, decision);
        }
        decisions
    }
}

/// Sets the options of each part of a run: whether calls that need an approval are denied, and the key of its
/// questions.
fn set_up<'a, S: RunSource<'a>>(
    mut run: RunBuilder<'a, S>,
    is_denied: bool,
    key: Option<&str>,
) -> RunBuilder<'a, S> {
    if is_denied {
        run = run.deny_without_approver();
    }
    match key {
        Some(key) => run.pause_key(key),
        None => run,
    }
}

/// Returns the question whether a call may be made. Accepting it is the approval.
fn question(call: &PendingCall) -> Question {
    let arguments = terminal::line(&call.arguments, SHOWN);
    let mut message = format!("Allow the call of `{}` with {arguments}?", call.path);
    if let Some(guarded) = &call.guarded {
        let reason = terminal::line(&guarded.reason, SHOWN);
        message.push_str(&format!(" It waits because {reason}."));
    }
    let length = call.arguments.chars().count();
    if length > SHOWN {
        // A person must know that there is more than the question shows.
        message.push_str(&format!(
            " These are the first {SHOWN} of {length} characters."
        ));
    }
    if call.in_doubt {
        message.push_str(
            " It was begun before, and it is not known whether it was made: it may be made twice.",
        );
    }
    Question::about_call(&call.id, message)
}

fn decision(answer: Option<&Answer>) -> Decision {
    answer.unwrap_or(&Answer::Cancelled).decision()
}

fn denied(error: &ToolError) -> Decision {
    let reason = match error {
        ToolError::Authorization(reason) => {
            format!("it needs the approval of a person, and {reason}")
        }
        error => error.to_string(),
    };
    Decision::Deny {
        reason: Some(reason),
    }
}

/// Returns the text of an event that is a step of a run. The text has no arguments and results, because they
/// may be private.
fn step(event: &Event) -> Option<String> {
    Some(match event {
        Event::ModelCalled { model, .. } => format!("asks {model}"),
        Event::CompactionStarted { model, .. } => format!("asks {model} for a summary"),
        Event::ToolStarted { call, .. } => format!("calls {}", call.path),
        Event::ToolProgress { tool, text, .. } => format!("{tool}: {text}"),
        Event::ToolFinished { invocation, .. } => match invocation.result {
            Ok(_) => format!("{} has answered", invocation.tool),
            Err(_) => format!("{} has failed", invocation.tool),
        },
        Event::Nested { path, event, .. } => format!("{path} {}", step(event)?),
        _ => return None,
    })
}
