//! The loop around a [`Run`]: it does the I/O that the run asks for, and decides nothing.

mod agents;
mod config;
mod driven_run;
pub(crate) mod event_queue;
mod handle;
mod hooks;
pub(crate) mod host;
pub(crate) mod live_run;
mod mailbox;
mod model_call;
mod observers;
mod options;
pub(crate) mod recorded_events;
pub(crate) mod recorder;
mod scope;
mod shared;
pub(crate) mod spans;
mod stop;
mod tool_calls;

pub use config::RuntimeConfig;
pub use driven_run::end_cancelled;
pub(crate) use handle::Inbox;
pub use handle::RunHandle;
pub(crate) use host::{CallingTool, Host};
pub(crate) use live_run::{LiveRun, LiveRuns};
pub use options::DriveOptions;
pub(crate) use recorder::{Recorder, not_stored};
pub(crate) use stop::{StopCondition, until_stopped};

use crate::approval::{Approver, MAX_EDITS, NO_APPROVER, OnDoubt, too_many_edits};
use crate::conversation::{Taint, ToolCall};
use crate::event::Event;
use crate::hook::RunContext;
use crate::journal::Mail;
use crate::model::{ChatModel, ModelReply, ModelRequest};
use crate::response::readable;
use crate::run::record::RunRecord;
use crate::run::{
    AgentRun, Decision, Due, Inherited, Input, MAX_CALLS_AT_ONCE, PendingCall, Place, Run,
    RunOutcome, Step,
};
use agent_spec::{Agent, Grants};
use agent_tool::__private::{KeptMedia, check_timers};
use agent_tool::media::Sha256;
use agent_tool::permissions::Permissions;
use agent_tool::tool::ToolError;
use agent_tool::trace::TARGET;
use agent_tool::{Cancellation, Error, ToolContext};
use driven_run::{DrivenRun, RunEnd, Shown, stopped_outcome};
use hooks::HookEnd;
use mailbox::Mailbox;
use model_call::{Answer, ModelCall};
use observers::Observers;
use scope::{RunReporter, Scope};
use shared::Shared;
use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use stop::StopReason;
use tokio::sync::oneshot;
use tool_calls::{CallOutcome, DrivenCall, HookedAgent, timeout};
use tracing::Instrument;

impl RuntimeConfig {
    /// Drives a run to its end, or until a person must decide on a call. `provider` is that of the agent's
    /// own model.
    pub async fn drive(
        self: &Arc<Self>,
        run: &mut Run,
        provider: Arc<dyn ChatModel>,
        options: DriveOptions<'_>,
    ) -> Result<RunOutcome, Error> {
        check_timers()?;
        if let Some(limits) = options.usage_limits {
            run.set_usage_limits(limits);
        }
        let caller = options.caller;
        if let Some(caller) = &caller {
            run.set_usage_limits(run.usage_limits().within(caller.left()));
            run.place_below_tool(&caller.path(), caller.depth_left(), &caller.inherited())?;
        }
        self.check_limits(run.usage_limits(), run.agent())?;
        let stored_as = options.stored_as;
        let recorder = match (options.recorder, &self.journal) {
            (Some(recorder), _) => Some(recorder),
            // The call of the tool that calls this agent is in the journal as a whole.
            (None, Some(journal)) if caller.is_none() && !options.is_unrecorded => {
                // A journal promises that no call acts twice without a decision, also after a drive that was dropped.
                run.doubt_begun_calls();
                Some(Recorder::find(journal, &self.redactor, run, stored_as.as_ref()).await?)
            }
            (None, _) => None,
        };
        // A run that was paused keeps its conversation.
        let stored_as = stored_as.or_else(|| recorder.as_ref()?.stored_as());
        if stored_as.is_some() {
            self.store()?;
        }
        let mut driven_run = DrivenRun {
            run,
            inbox: options.inbox,
            caller: caller.clone(),
            end: RunEnd {
                config: Arc::clone(self),
                recorder,
                stored_as,
                shown: Shown::default(),
                live: None,
            },
            cancels_on_drop: !options.leaves_on_drop,
        };
        let cancellation = options.cancellation.child();
        let mut mailbox = None;
        if let Some(recorder) = &driven_run.end.recorder {
            let lease = recorder.lease();
            let place = (lease.number, recorder.position());
            let (signal, handle) = (cancellation.clone(), driven_run.inbox.handle());
            mailbox = Some(Mailbox::new(recorder.journal(), lease));
            driven_run.end.live = Some(self.live.begin(driven_run.run.id(), place, signal, handle));
        }
        drop(options.acquiring);
        let DrivenRun {
            run, inbox, end, ..
        } = &mut driven_run;
        let inherited = caller.as_ref().and_then(CallingTool::conversation_id);
        let conversation_id = options.conversation_id.as_deref().or(inherited);
        let mut operation = spans::invoke_agent(
            run.first(),
            run.place(),
            provider.trace_name(),
            conversation_id,
        );
        spans::record_output_type(&operation, run.first().is_typed());
        let mut stop = StopCondition::new(self.run_timeout, options.elapsed, cancellation.clone());
        let cancellation = cancellation.child();
        // Cancels the tools that still run when this future is dropped.
        let _guard = cancellation.guard();
        if let Some(caller) = &caller {
            stop = stop.within(caller);
        }
        let permissions = caller
            .as_ref()
            .map_or(&self.permissions, CallingTool::permissions);
        let context = RunContext {
            path: run.place().path.to_string(),
            run_id: run.id().to_owned(),
            agent: run.first().shared_agent(),
            conversation_id: conversation_id.map(str::to_owned),
            extensions: self.extensions.overlaid(options.extensions),
            permissions: narrowed(permissions, run.agent(), options.grants.as_ref()),
            usage_limits: *run.usage_limits(),
        };
        let mut driver = Driver {
            config: self,
            provider,
            provider_name: run.agent().model().provider().into(),
            may_pause: !options.denies && caller.is_none(),
            pause_key: options.pause_key,
            observers: Observers::new(
                options.observer,
                options.queue,
                caller.map(|caller| caller.outer_run(run.place().path.to_string())),
                end.live.clone(),
            ),
            mailbox,
            started: options.started,
            scopes: BTreeMap::new(),
            results: BTreeMap::new(),
            streaming: options.streaming,
            stop: stop.clone(),
            cancellation,
            inbox,
            end,
        };
        let host = |shared| driver.host(shared);
        let scope = Scope::new(run.first(), run.place(), context, None, None, host);
        let place = Arc::clone(&run.place().run);
        driver.scopes.insert(place, Box::new(scope));
        let driven = operation.around(until_stopped(driver.drive(run), &stop));
        let mut outcome = match driven.await {
            Ok(outcome) => outcome,
            Err(reason) => {
                driver.end.stop(run, reason);
                stopped_outcome(run)
            }
        };
        if outcome.is_err() {
            driver.end.keep_shown(run);
        }
        if let Err(unwritten) = driver.end.write(run, &outcome).await {
            // In the journal the run has not ended, so that the journal's error comes before the outcome.
            outcome = Err(match outcome {
                Err(error) => unwritten.and(&format!("; the run itself ended: {error}")),
                Ok(_) => unwritten,
            });
        }
        driver.report(run);
        if let (Ok(_), Some(started)) = (&outcome, driver.started.take()) {
            let _ = started.send(run.id().to_owned());
        }
        driver.observers.notify_with(|| match &outcome {
            Ok(RunOutcome::Done(response)) => Event::Finished {
                response: response.clone(),
            },
            Ok(RunOutcome::AwaitingApproval(calls)) => Event::Waiting {
                calls: calls.clone(),
            },
            Err(error) => Event::of_error(error),
        });
        spans::record_run(&mut operation, run.first(), outcome.as_ref().err());
        drop(driver);
        driven_run.cancels_on_drop = false;
        outcome
    }
}

/// Permissions that are narrowed by the grants of the agent and of the run.
fn narrowed(permissions: &Permissions, agent: &Agent, of_run: Option<&Grants>) -> Permissions {
    let grants = [agent.settings().grants.as_ref(), of_run];
    let grants = grants.into_iter().flatten();
    grants.fold(permissions.clone(), |permissions, grants| {
        permissions.narrowed(grants)
    })
}

/// The values of one drive of a run.
struct Driver<'a, 'o> {
    config: &'a Arc<RuntimeConfig>,
    /// The provider of the first agent's own model.
    provider: Arc<dyn ChatModel>,
    provider_name: Arc<str>,
    observers: Observers<'o>,
    /// Whether models are asked to stream their answers.
    streaming: bool,
    /// Checked between two steps. During a step, [`until_stopped`] checks it.
    stop: StopCondition,
    /// The cancellation signal of the tools, which is set when the run is dropped or cancelled.
    cancellation: Cancellation,
    /// The messages that the host sends during the run.
    inbox: &'a Inbox,
    /// The record of the run, and its end.
    end: &'a mut RunEnd,
    /// The mail from other processes, for a run of a journal.
    mailbox: Option<Mailbox>,
    /// Receives the id of the run when the beginning of the run is in the journal.
    started: Option<oneshot::Sender<String>>,
    /// Whether to return when a person must decide and there is no approver, instead of denying.
    may_pause: bool,
    /// The key of the decisions on the calls for which the run is paused.
    pause_key: Option<String>,
    /// The runs that have not ended, by the ids of the calls that lead to them. The first run has no ids.
    scopes: BTreeMap<Arc<str>, Box<Scope>>,
    /// The calls of agents around which hooks are called, by the ids of the calls.
    results: BTreeMap<String, (HookedAgent, KeptMedia)>,
}

/// The requests and calls in progress. Besides calls of agents there are at most [`MAX_CALLS_AT_ONCE`], few enough to poll
/// each of them at every wake.
type Tasks<'a> = Vec<Task<'a>>;

/// A request or a call in progress.
struct Task<'a> {
    place: Place,
    /// The ids that lead to the run of an agent, if the task is the call of an agent. The task waits for the
    /// tasks of that run.
    agent: Option<String>,
    /// Whether the journal has what began the task. The task is polled from then on.
    is_recorded: bool,
    work: Pin<Box<dyn Future<Output = TaskOutcome> + Send + 'a>>,
}

/// The work that waits until other work has ended.
#[derive(Default)]
struct Waiting {
    work: VecDeque<Due>,
    /// The calls of agents, by the place of the run that makes them. They hold up no other work, because they end only
    /// when the requests of their agents do.
    agents: BTreeMap<Arc<str>, VecDeque<Due>>,
}

impl Waiting {
    fn extend(&mut self, due: &mut Vec<Due>) {
        for due in due.drain(..) {
            match &due {
                Due::Call {
                    place,
                    is_agent: true,
                    ..
                } => {
                    let run = Arc::clone(&place.run);
                    self.agents.entry(run).or_default().push_back(due);
                }
                // A request of an agent is queued before the requests of agents beside it, so that few of
                // many agents that call each other are in progress at a time.
                Due::Request { .. } => self.work.push_front(due),
                Due::Call { .. } => self.work.push_back(due),
            }
        }
    }

    /// The number of calls of agents in progress, for each run that makes them. Empty if no further call of
    /// an agent waits.
    fn agents_going(&self, tasks: &Tasks<'_>) -> BTreeMap<Arc<str>, usize> {
        let mut going = BTreeMap::new();
        if !self.agents.is_empty() {
            for task in tasks.iter().filter(|task| task.agent.is_some()) {
                *going.entry(Arc::clone(&task.place.run)).or_default() += 1;
            }
        }
        going
    }

    /// Returns the next work that may begin besides these tasks, of which `going` are calls of agents.
    fn next(&mut self, tasks: &Tasks<'_>, going: &mut BTreeMap<Arc<str>, usize>) -> Option<Due> {
        let mut found = None;
        self.agents.retain(|run, calls| {
            if found.is_none() {
                let going = going.entry(Arc::clone(run)).or_default();
                if *going < MAX_CALLS_AT_ONCE {
                    found = calls.pop_front();
                    *going += 1;
                }
            }
            !calls.is_empty()
        });
        if found.is_some() {
            return found;
        }
        let work = tasks.iter().filter(|task| task.agent.is_none()).count();
        (work < MAX_CALLS_AT_ONCE).then(|| self.work.pop_front())?
    }
}

enum TaskOutcome {
    /// The answer to a request, and the digest of the request if the run is recorded.
    Answer(Answer, Option<Sha256>),
    Call {
        id: String,
        outcome: CallOutcome,
    },
}

/// The maximum number of events that the callback gets before the calls are polled again. Without it, a tool that
/// reports without pause would not be stopped in time.
const EVENTS_AT_ONCE: usize = 32;

impl<'a> Driver<'a, '_> {
    /// Performs the due requests and calls, until the run ends or a person must decide. Requests and calls
    /// are made at the same time on this task, so that dropping the run drops them.
    async fn drive(&mut self, run: &mut Run) -> Result<RunOutcome, Error> {
        run.forget_taken();
        let mut tasks = Tasks::new();
        let mut waiting = Waiting::default();
        let mut is_first = true;
        // Reused in each iteration, so that they are allocated once.
        let (mut due, mut finished) = (Vec::with_capacity(1), Vec::with_capacity(1));
        loop {
            // Without this, steps that are ready at once would never let another task on this thread run,
            // such as the task that cancels the run.
            tokio::task::coop::consume_budget().await;
            self.append_messages(run);
            if let Some(reason) = self.stop.reason() {
                self.end.stop(run, reason);
            }
            self.stop_late_agents(run);
            // Agents are closed before work is taken, because the run drops an agent when it takes the
            // agent's result.
            self.close_agents(run, &mut tasks);
            let asked = run.awaiting_approval();
            if asked.is_empty() && !run.is_over() {
                run.take_due(&mut due);
                self.open_agents(run, std::mem::take(&mut is_first));
                waiting.extend(&mut due);
                let mut going = waiting.agents_going(&tasks);
                while let Some(due) = waiting.next(&tasks, &mut going) {
                    self.begin(run, due, &mut tasks);
                }
            }
            self.close_agents(run, &mut tasks);
            self.report(run);
            if run.is_over() {
                drop(tasks);
                return match run.next()? {
                    Step::Done(response) => Ok(RunOutcome::Done(response)),
                    _ => Err(Error::cancelled("the run was stopped")),
                };
            }
            if tasks.is_empty() && asked.is_empty() {
                continue;
            }
            // The call of an agent cannot end before the person decides about the calls of that agent.
            if !asked.is_empty() && tasks.iter().all(|task| task.waits_for_agent(run)) {
                if self.decide_unknown(run, &asked)? {
                    continue;
                }
                let pauses = self.may_pause && self.config.approver.is_none();
                let key = self.pause_key.clone().filter(|_| pauses);
                self.end.record(|| RunRecord::decision_asked(&asked, key));
                if pauses {
                    return Ok(RunOutcome::AwaitingApproval(asked));
                }
                self.end.commit(run).await?;
                self.decide(run, asked).await?;
                continue;
            }
            // The requests and calls that were begun are polled only after this commit.
            beside(self.end.commit(run), &mut tasks, &mut finished).await?;
            for task in &mut tasks {
                task.is_recorded = true;
            }
            if let Some(started) = self.started.take() {
                let _ = started.send(run.id().to_owned());
            }
            if beside(self.take_mail(run), &mut tasks, &mut finished).await? {
                self.apply_outcomes(run, &mut finished)?;
                continue;
            }
            self.next_finished(run, &mut tasks, &mut finished).await;
            self.apply_outcomes(run, &mut finished)?;
        }
    }

    /// Passes the messages of the host to the run.
    fn append_messages(&mut self, run: &mut Run) {
        while let Some(message) = self.inbox.take(run.is_over()) {
            self.say(run, message);
        }
    }

    fn say(&mut self, run: &mut Run, message: Input) {
        let said = message.clone().into_message().into_steering();
        self.end.record(|| RunRecord::Said {
            messages: vec![said.clone()],
        });
        match run.say(message.clone()) {
            Ok(()) => {
                tracing::debug!(target: TARGET, "a message was said");
                self.observers
                    .notify_with(|| Event::Steered { message: said });
            }
            // The run failed or was cancelled, so that nothing more is sent.
            Err(_) => run.append_late_message(message),
        }
    }

    /// Applies the mail from other processes to the run. Returns whether there was any mail.
    async fn take_mail(&mut self, run: &mut Run) -> Result<bool, Error> {
        let (Some(mailbox), Some(recorder)) = (&mut self.mailbox, &mut self.end.recorder) else {
            return Ok(false);
        };
        let mail = match mailbox.take().await {
            Ok(mail) => mail,
            Err(error) => return Err(recorder.not_written(error)),
        };
        let is_any = !mail.is_empty();
        for received in mail {
            match received.mail {
                Mail::Cancel => self.end.stop(run, StopReason::Cancelled),
                Mail::Say(message) => self.say(run, message.parts().to_vec().into()),
            }
            if let Some(recorder) = &mut self.end.recorder {
                recorder.took(received.number);
            }
        }
        Ok(is_any)
    }

    /// Begins a request or a call.
    fn begin(&mut self, run: &mut Run, due: Due, tasks: &mut Tasks<'a>) {
        match due {
            Due::Request { place, request } => self.begin_request(run, place, request, tasks),
            Due::Call {
                place, id, call, ..
            } => self.begin_call(run, place, id, call, tasks),
        }
    }

    fn begin_request(
        &mut self,
        run: &Run,
        place: Place,
        request: Box<ModelRequest>,
        tasks: &mut Tasks<'a>,
    ) {
        let (Some(own), Some(scope)) = (run.run_at(&place.run), self.scopes.get(&*place.run))
        else {
            return;
        };
        let mut call = ModelCall {
            config: self.config,
            provider: Arc::clone(&self.provider),
            provider_name: Arc::clone(&self.provider_name),
            request,
            summarises: own.summarises(),
            call_ids: (self.streaming && self.observers.is_any()).then(|| own.call_ids()),
            is_typed: own.is_typed(),
            streaming: self.streaming,
            is_recorded: self.end.recorder.is_some(),
            digest: None,
            shown: place.run.is_empty().then(|| self.end.shown.clone()),
            reporter: self.reporter(scope),
        };
        let work = async move {
            let answer = call.send().await;
            TaskOutcome::Answer(answer, call.digest)
        };
        tasks.push(Task::new(place, scope, work));
    }

    fn begin_call(
        &mut self,
        run: &mut Run,
        place: Place,
        id: String,
        call: PendingCall,
        tasks: &mut Tasks<'a>,
    ) {
        let left = run.limits_left();
        let (Some(own), Some(scope)) = (run.run_at_mut(&place.run), self.scopes.get(&*place.run))
        else {
            return;
        };
        let shared = &scope.shared;
        self.observers
            .notify_with(|| shared.event(Event::ToolStarted { call: call.clone() }));
        let Some(tool) = shared.tools.get(&call.tool).cloned() else {
            // A saved run was resumed with other tools.
            let error = ToolError::Execution(format!("the tool `{}` is gone", call.tool));
            // The run accepts the result, because the call is due.
            let _ = run.tool_finished(&call.id, Err(error));
            self.end
                .record(|| RunRecord::call_finished(run, &place.run, &id, None));
            return;
        };
        let is_agent = tool.rule().is_agent;
        let inherited = Inherited {
            is_tainted: own.taint() == Taint::Tainted,
            touched: own.touched_results(),
            when_tainted: own.when_tainted(),
        };
        scope.inherited.set_state(left, inherited);
        let kept = KeptMedia::default();
        let reporter = self.reporter(scope);
        let task = DrivenCall {
            config: self.config,
            timeout: timeout(self.config, own.agent(), &tool),
            context: self
                .context(&reporter, &call)
                .with_host(Arc::clone(&scope.host) as Arc<_>)
                .with_kept_media(kept.clone()),
            attempt: own.attempt(&call.tool),
            tool,
            call,
            reporter,
        };
        own.begin_call(&id);
        if let Some(recorder) = &mut self.end.recorder {
            let call = &task.call;
            recorder.put(RunRecord::CallBegun {
                run: place.run.as_ref().to_owned(),
                call: id.clone(),
                tool: call.tool.clone(),
                arguments: call.arguments.clone(),
                is_masked: false,
            });
        }
        if is_agent {
            let agent = Some(task.call.id.clone());
            let hooked = HookedAgent::default();
            self.results
                .insert(task.call.id.clone(), (hooked.clone(), kept.clone()));
            let work = async move {
                let hooked = task.make_agent(hooked).await;
                let outcome = CallOutcome { hooked, kept };
                TaskOutcome::Call { id, outcome }
            };
            tasks.push(Task {
                agent,
                ..Task::new(place, scope, work)
            });
        } else {
            let work = async move {
                let hooked = task.make().await;
                let outcome = CallOutcome { hooked, kept };
                TaskOutcome::Call { id, outcome }
            };
            tasks.push(Task::new(place, scope, work));
        }
    }

    /// The values that agents inherit when the tools of a run call them.
    fn host(&self, shared: Arc<Shared>) -> Host {
        let reporter = self.observers.reporter.clone();
        Host::new(Arc::clone(self.config), shared, reporter)
    }

    fn reporter(&self, scope: &Scope) -> RunReporter {
        RunReporter {
            reporter: self.observers.reporter.clone(),
            shared: Arc::clone(&scope.shared),
        }
    }

    fn context(&self, reporter: &RunReporter, call: &PendingCall) -> ToolContext {
        let run = &reporter.shared.context;
        let (call_id, tool) = (call.id.clone(), call.tool.clone());
        let reporter = reporter.clone();
        ToolContext::new(run.run_id.clone(), call_id.clone(), tool.clone())
            .with_cancellation(self.cancellation.clone())
            .with_extensions(run.extensions.clone())
            .with_permissions(run.permissions.clone())
            .with_progress(move |text| {
                reporter.progress(Event::ToolProgress {
                    call_id: call_id.clone(),
                    tool: tool.clone(),
                    text: text.to_owned(),
                });
            })
    }

    /// Waits until requests or calls finish or report something. The callback gets the events of a call before its result.
    async fn next_finished(
        &mut self,
        run: &mut Run,
        tasks: &mut Tasks<'a>,
        finished: &mut Vec<(Place, TaskOutcome)>,
    ) {
        let deadlines = self.scopes.values().filter_map(|scope| scope.deadline());
        let renewal = self
            .end
            .recorder
            .as_ref()
            .map(|recorder| recorder.renewal());
        let deadline = deadlines.chain(renewal).min();
        let mail = self.mailbox.as_mut().map(Mailbox::arrived);
        let mut mail = Box::pin(mail);
        let mut timer = pin!(deadline.map(tokio::time::sleep_until));
        poll_fn(|context| {
            // The calls are polled first, because a queue that is never empty must not hold up their timeouts.
            poll_tasks(tasks, context, finished);
            let is_late = timer
                .as_mut()
                .as_pin_mut()
                .is_some_and(|timer| timer.poll(context).is_ready());
            let has_mail = mail
                .as_mut()
                .as_pin_mut()
                .is_some_and(|mail| mail.poll(context).is_ready());
            let is_late = is_late || has_mail;
            let has_passed = self.results.values().any(|(call, _)| call.has_passed());
            match self.observers.poll_waiting(context) {
                Poll::Pending if finished.is_empty() && !is_late && !has_passed => Poll::Pending,
                _ => Poll::Ready(()),
            }
        })
        .await;
        drop(mail);
        self.observers.deliver(match finished.is_empty() {
            true => EVENTS_AT_ONCE,
            false => usize::MAX,
        });
        self.begin_passed_agents(run);
    }

    /// Passes the outcomes of requests and calls to the run. The run gets all of these outcomes before one of
    /// them ends it.
    fn apply_outcomes(
        &mut self,
        run: &mut Run,
        finished: &mut Vec<(Place, TaskOutcome)>,
    ) -> Result<(), Error> {
        let mut end = None;
        let mut called = Vec::new();
        for (place, outcome) in finished.drain(..) {
            let is_call = matches!(outcome, TaskOutcome::Call { .. });
            end = end.or(self.apply_outcome(run, &place, outcome)?);
            if is_call {
                called.push(place);
            }
        }
        for place in called {
            run.advance(&place.run);
        }
        if let Some(end) = end {
            self.report(run);
            if !run.is_over() {
                run.stop("", end.into_error(&self.config.redactor));
                self.end.record_stop(run);
            }
        }
        Ok(())
    }

    /// Passes the outcome of a request or a call to the run. Returns the reason of a hook to end the run.
    fn apply_outcome(
        &mut self,
        run: &mut Run,
        place: &Place,
        outcome: TaskOutcome,
    ) -> Result<Option<HookEnd>, Error> {
        match outcome {
            TaskOutcome::Answer(Answer::Stopped(end), _) => return Ok(Some(end)),
            TaskOutcome::Answer(Answer::Failed(error), request) => {
                self.end
                    .record(|| RunRecord::request_failed(&place.run, &error, request));
                if place.run.is_empty() {
                    run.model_failed(error)?;
                } else if let Some(own) = run.run_at_mut(&place.run) {
                    // An error that ends the agent is in its state, and becomes the result of its call.
                    let _ = own.model_failed(error);
                }
            }
            TaskOutcome::Answer(Answer::Replied(reply, end), request) => {
                if place.run.is_empty() {
                    self.end.shown.lock().clear();
                }
                if run.run_at(&place.run).is_some_and(|own| !own.is_over()) {
                    let reply = match &self.end.recorder {
                        Some(_) => reply.redacted(&self.config.redactor),
                        None => *reply,
                    };
                    let recorded = self.end.recorder.is_some().then(|| reply.clone());
                    let index = run.run_at(&place.run).map_or(0, AgentRun::message_count);
                    let taken = self.take_reply(run, place, reply);
                    if let Some(mut reply) = recorded {
                        if let Some(own) = run.run_at(&place.run) {
                            name_calls(&mut reply, own.calls_at(index));
                        }
                        self.end.record(|| RunRecord::Replied {
                            run: place.run.as_ref().to_owned(),
                            request_digest: request.map(|digest| digest.to_string()),
                            reply,
                        });
                    }
                    taken?;
                }
                return Ok(end);
            }
            TaskOutcome::Call { id, outcome } => {
                let CallOutcome { mut hooked, kept } = outcome;
                if self.end.recorder.is_some() {
                    hooked.redact(&self.config.redactor);
                    kept.redact_beside(&self.config.redactor);
                }
                let call_id = place.call_id(&id);
                self.results.remove(&call_id);
                if let Some(own) = run.run_at_mut(&place.run).filter(|own| !own.is_over()) {
                    if let Some(arguments) = hooked.arguments {
                        own.change_arguments(&id, arguments);
                    }
                    run.take_result(&place.run, &id, hooked.result, &kept)?;
                }
                let scope = self.scopes.get(&*place.run);
                let spent = scope.and_then(|scope| scope.inherited.take_spent(&call_id));
                if let Some(spent) = &spent {
                    run.count_call(&place.run, &id, spent);
                }
                self.end
                    .record(|| RunRecord::call_finished(run, &place.run, &id, spent));
                return Ok(hooked.end);
            }
        }
        Ok(None)
    }

    /// Passes a reply to the run, and reports the reply with the ids that the run gave its calls.
    fn take_reply(&mut self, run: &mut Run, place: &Place, reply: ModelReply) -> Result<(), Error> {
        let scope = self.scopes.get(&*place.run);
        let (Some(own), Some(scope)) = (run.run_at(&place.run), scope) else {
            return Ok(());
        };
        if !self.observers.is_any() {
            return run.reply_to(&place.run, reply);
        }
        let summarised = own.summarises().then(|| own.summary_usage());
        let parts = readable(&reply.parts);
        let finish_reason = reply.finish_reason.clone();
        let (mut usage, usage_parts) = (reply.counted(), reply.usage_parts.clone());
        let index = own.message_count();
        run.reply_to(&place.run, reply)?;
        let Some(own) = run.run_at(&place.run) else {
            return Ok(());
        };
        let event = match summarised {
            None => Event::ModelReplied {
                parts,
                calls: own.calls_at(index).to_vec(),
                finish_reason,
                usage,
                usage_parts,
            },
            Some(before) => {
                usage.add(&before);
                match own.message_at(index).filter(|message| message.is_summary()) {
                    Some(summary) => Event::Compacted {
                        summary: summary.clone(),
                        usage,
                    },
                    None => return Ok(()),
                }
            }
        };
        self.observers.notify_with(|| scope.shared.event(event));
        Ok(())
    }

    /// Reports the calls that got their results.
    fn report(&mut self, run: &mut Run) {
        for (place, own) in run.runs() {
            if let Some(scope) = self.scopes.get(&*place.run) {
                self.observers.report_invocations(own, scope);
            }
        }
        run.mark_reported();
    }

    /// Decides [`Decision::Unknown`] on calls in doubt, if there is no approver and the host chose
    /// [`OnDoubt::TellModel`]. Returns whether there were such calls.
    fn decide_unknown(&mut self, run: &mut Run, calls: &[PendingCall]) -> Result<bool, Error> {
        if self.config.approver.is_some() || self.config.on_doubt != OnDoubt::TellModel {
            return Ok(false);
        }
        let mut is_decided = false;
        for call in calls.iter().filter(|call| call.in_doubt) {
            let decision = approve(run, call, Decision::Unknown)?;
            self.end
                .record(|| RunRecord::decision_made(&call.id, &decision));
            is_decided = true;
        }
        Ok(is_decided)
    }

    /// Asks the approver about one call after the other, because a person can only answer one question at
    /// a time. Skips a call that no longer waits: a decision also settles other calls of a tool when it uses
    /// up the tool's attempts.
    async fn decide(&mut self, run: &mut Run, calls: Vec<PendingCall>) -> Result<(), Error> {
        self.scopes.values_mut().for_each(|scope| scope.pause());
        for call in calls {
            if self.stop.reason().is_some() {
                break;
            }
            if !run.awaits_decision(&call.id) {
                continue;
            }
            let id = call.id.clone();
            let decision = match &self.config.approver {
                Some(approver) => decide_call(&**approver, run, call).await?,
                None => approve(run, &call, deny(NO_APPROVER))?,
            };
            self.end.record(|| RunRecord::decision_made(&id, &decision));
        }
        self.scopes.values_mut().for_each(|scope| scope.go_on());
        Ok(())
    }
}

impl<'a> Task<'a> {
    fn new(
        place: Place,
        scope: &Scope,
        work: impl Future<Output = TaskOutcome> + Send + 'a,
    ) -> Self {
        Self {
            place,
            agent: None,
            is_recorded: false,
            work: match scope.shared.span() {
                Some(span) => Box::pin(work.instrument(span.clone())),
                None => Box::pin(work),
            },
        }
    }

    /// Whether this is the call of an agent whose run has not ended.
    fn waits_for_agent(&self, run: &Run) -> bool {
        let agent = self.agent.as_deref().and_then(|agent| run.run_at(agent));
        agent.is_some_and(|agent| !agent.is_over())
    }
}

/// Polls each recorded task, and moves the outcomes of those that finished.
fn poll_tasks(
    tasks: &mut Tasks<'_>,
    context: &mut Context<'_>,
    finished: &mut Vec<(Place, TaskOutcome)>,
) {
    tasks.retain_mut(|task| {
        if !task.is_recorded {
            return true;
        }
        match task.work.as_mut().poll(context) {
            Poll::Pending => true,
            Poll::Ready(outcome) => {
                finished.push((task.place.clone(), outcome));
                false
            }
        }
    });
}

/// Waits for the journal while the recorded tasks go on. Otherwise the time of a slow journal would count as that of a call,
/// which would be stopped when the journal has answered.
async fn beside<T>(
    journal: impl Future<Output = T>,
    tasks: &mut Tasks<'_>,
    finished: &mut Vec<(Place, TaskOutcome)>,
) -> T {
    let mut journal = pin!(journal);
    poll_fn(|context| {
        let polled = journal.as_mut().poll(context);
        if polled.is_pending() {
            poll_tasks(tasks, context, finished);
        }
        polled
    })
    .await
}

/// Asks the approver about a call, again after an edit that the tool does not accept. Returns the decision.
async fn decide_call(
    approver: &dyn Approver,
    run: &mut Run,
    mut call: PendingCall,
) -> Result<Decision, Error> {
    for _ in 0..MAX_EDITS {
        let decision = approver.decide(&call).await;
        let was_edited = matches!(decision, Decision::Edit { .. });
        match approve(run, &call, decision) {
            Err(error) if was_edited => call.refused_edit = Some(error.to_string()),
            settled => return settled,
        }
    }
    approve(run, &call, deny(&too_many_edits()))
}

fn approve(run: &mut Run, call: &PendingCall, decision: Decision) -> Result<Decision, Error> {
    run.approve(&call.id, decision.clone())?;
    Ok(decision)
}

/// Gives the calls of a reply the ids under which the run accepted them.
fn name_calls(reply: &mut ModelReply, calls: &[ToolCall]) {
    if reply.tool_calls.len() == calls.len() {
        reply.tool_calls = calls.to_vec();
    }
}

fn deny(reason: &str) -> Decision {
    Decision::Deny {
        reason: Some(reason.to_owned()),
    }
}
