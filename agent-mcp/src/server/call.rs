//! One call of a tool or of an agent, which can stop for questions to the client's user.

use super::content::{Output, failed};
use super::offered::{Offered, ServedAgent};
use super::user::{Answer, ClientUser, Question, Round};
use super::{Approvals, Settings};
use agent_runtime::approval::MAX_EDITS;
use agent_runtime::response::AgentResponse;
use agent_runtime::run::{Decision, PendingCall, Run, RunOutcome};
use agent_runtime::runtime::DriveOptions;
use agent_runtime::tool::{catch_panic, invoke_tool, validate_tool_input};
use agent_runtime::{Error, Event, ToolError};
use agent_spec::terminal;
use rmcp::model::{CallToolResult, ElicitationSchema};
use serde_json::Value;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::mpsc;
use uuid::Uuid;

/// The maximum number of progress reports that wait to be sent. Further ones are lost.
const REPORTS: usize = 64;

/// The maximum number of characters of arguments that a user is shown.
const SHOWN: usize = 8000;

/// A call that goes on.
pub(super) struct Call {
    offered: Arc<Offered>,
    arguments: String,
    work: Pin<Box<dyn Future<Output = CallToolResult> + Send>>,
    rounds: mpsc::Receiver<Round>,
    reports: mpsc::Receiver<String>,
}

/// The next step of a call.
pub(super) enum Step {
    /// It reports progress.
    Reports(String),
    /// It waits for answers of the user.
    Asks(Round),
    /// It has its result.
    Ends(CallToolResult),
}

/// The side of a call that made it.
pub(super) struct Caller {
    /// Whether the client speaks the revision 2026-07-28 or a later one.
    pub(super) is_current: bool,
    /// Whether the client can ask its user.
    pub(super) can_answer: bool,
}

impl Call {
    /// Begins a call. Dropping it cancels it.
    pub(super) fn new(
        offered: Arc<Offered>,
        arguments: String,
        settings: &Settings,
        caller: &Caller,
    ) -> Self {
        let (user, rounds) = ClientUser::new(caller.can_answer);
        let (report, reports) = mpsc::channel(REPORTS);
        let making = Making {
            offered: Arc::clone(&offered),
            id: Uuid::new_v4().simple().to_string(),
            settings: settings.clone(),
            user,
            report,
        };
        let (given, is_current) = (arguments.clone(), caller.is_current);
        let work = async move {
            match catch_panic(making.make(given)).await {
                Ok(Ok(output)) => output.result(&making.offered, is_current),
                Ok(Err(error)) => failed(making.redacted(&error)),
                Err(_) => failed("the call panicked".to_owned()),
            }
        };
        Self {
            offered,
            arguments,
            work: Box::pin(work),
            rounds,
            reports,
        }
    }

    /// Whether the call is of this tool, with these arguments.
    pub(super) fn is_of(&self, tool: &str, arguments: &str) -> bool {
        self.offered.name() == tool && self.arguments == arguments
    }

    /// Goes on until the next step. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Step {
        tokio::select! {
            biased;
            Some(text) = self.reports.recv() => Step::Reports(text),
            Some(round) = self.rounds.recv() => Step::Asks(round),
            result = &mut self.work => match self.reports.try_recv() {
                // The last reports come before the result.
                Ok(text) => {
                    self.work = Box::pin(std::future::ready(result));
                    Step::Reports(text)
                }
                Err(_) => Step::Ends(result),
            },
        }
    }
}

/// A call that is made: the parts that its work needs.
struct Making {
    offered: Arc<Offered>,
    id: String,
    settings: Settings,
    user: ClientUser,
    report: mpsc::Sender<String>,
}

impl Making {
    async fn make(&self, arguments: String) -> Result<Output, ToolError> {
        let tool = self.offered.as_tool();
        let descriptor = tool.descriptor();
        let mut arguments = arguments;
        if descriptor.settings().requires_approval {
            // A person is not asked about a call that cannot be made.
            let parsed = serde_json::from_str(&arguments).unwrap_or_default();
            validate_tool_input(tool, &parsed)
                .map_err(|error| ToolError::Validation(error.to_string()))?;
            let call = PendingCall::new(&self.id, descriptor.name(), &arguments);
            let fits = |decision: &Decision| match decision {
                Decision::Edit { args } => {
                    validate_tool_input(tool, args).map_err(|error| error.to_string())
                }
                _ => Ok(()),
            };
            match self.decide(call, fits).await {
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
        }
        if let Some(agent) = self.offered.as_agent() {
            let response = self.run(agent, &arguments).await?;
            let parts = response.parts.clone();
            return Ok(Output::of_agent(agent.tool.result(response), &parts));
        }
        let report = self.report.clone();
        let context = self.settings.context.clone();
        let context = context
            .with_call(&self.id, &self.id, descriptor.name())
            .with_extension(self.user.clone())
            // A report that does not fit is lost, because a tool does not wait for its observers.
            .with_progress(move |text| drop(report.try_send(text.to_owned())));
        let value = invoke_tool(tool, &arguments, &context).await?;
        Ok(Output::of_tool(&self.offered, value, &context))
    }

    /// Runs an agent to its end, with the decisions on the calls that require approval.
    async fn run(&self, agent: &ServedAgent, arguments: &str) -> Result<AgentResponse, ToolError> {
        let report = self.report.clone();
        let mut observer = move |event: &Event| {
            if let Some(text) = step(event) {
                let _ = report.try_send(text);
            }
        };
        let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
        let run = agent.runtime.call(agent.tool.agent(), arguments);
        let mut run = run.tools(&agent.library).observer(&mut observer);
        let is_denied = !self.user.can_answer();
        if is_denied && matches!(self.settings.approvals, Approvals::Client) {
            run = run.deny_without_approver();
        }
        let error = match self.within(run.into_future()).await? {
            Ok(response) => return Ok(response),
            Err(error) => error,
        };
        let Some(paused) = error.awaiting_approval() else {
            return Err(self.failure(agent, &error));
        };
        let (mut run, mut calls) = (paused.run.clone(), paused.calls.clone());
        loop {
            let decisions = self.decide_all(&run, calls).await;
            let options = DriveOptions::new().observer(&mut observer);
            let outcome = if agent.runtime.has_journal() {
                let (id, library) = (run.id().to_owned(), &agent.library);
                let recovered = agent
                    .runtime
                    .recover_run_with(&id, library, decisions, options);
                let recovered = self.within(recovered).await?;
                let recovered = recovered.map_err(|error| self.failure(agent, &error))?;
                run = recovered.run.unwrap_or(run);
                recovered.outcome
            } else {
                for (call, decision) in decisions {
                    let given = run.approve(&call, decision);
                    given.map_err(|error| self.failure(agent, &error))?;
                }
                let driven = agent.runtime.drive(&mut run, &agent.library, options);
                self.within(driven).await?
            };
            match outcome.map_err(|error| self.failure(agent, &error))? {
                RunOutcome::Done(response) => return Ok(response),
                RunOutcome::AwaitingApproval(waiting) => calls = waiting,
                outcome => {
                    let text =
                        format!("the run ended in a way that is not known here: {outcome:?}");
                    return Err(ToolError::Execution(text));
                }
            }
        }
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
        let text = agent.runtime.redactor().text(&error.to_string());
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

/// Returns the question whether a call may be made. Accepting it is the approval.
fn question(call: &PendingCall) -> Question {
    let arguments = terminal::line(&call.arguments, SHOWN);
    let mut message = format!("Allow the call of `{}` with {arguments}?", call.path);
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
    Question {
        key: format!("approve_{}", call.id),
        message,
        schema: ElicitationSchema::new(BTreeMap::new()),
    }
}

fn decision(answer: Option<&Answer>) -> Decision {
    let reason = match answer {
        Some(Answer::Accepted(_)) => return Decision::Approve,
        Some(Answer::Declined) => None,
        _ => Some("the user did not answer".to_owned()),
    };
    Decision::Deny { reason }
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

/// Returns the text of an event that is a step of a run. It has no arguments and results, which may be private.
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
