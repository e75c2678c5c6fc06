//! The loop around a [`Run`]: it does the I/O that the run asks for, and decides nothing.

mod handle;
mod hooks;
mod model_call;
mod observers;
mod options;
pub(crate) mod spans;
mod stop;
mod tool_calls;

pub(crate) use handle::Inbox;
pub use handle::RunHandle;
pub(crate) use hooks::Hooks;
pub(crate) use observers::EventQueue;
pub use options::DriveOptions;
pub(crate) use stop::{StopCondition, until_stopped};

use crate::approval::{Approver, MAX_EDITS, NO_APPROVER, too_many_edits};
use crate::cancel::Cancellation;
use crate::conversation::Compaction;
use crate::error::Error;
use crate::event::Event;
use crate::extensions::Extensions;
use crate::hook::RunContext;
use crate::library::{BindPolicy, BoundTools};
use crate::model::{ChatModel, ModelRequest, Permit, ProviderUse, Providers};
use crate::permissions::Permissions;
use crate::redact::Redactor;
use crate::run::{Decision, HostValues, PendingCall, Run, RunOutcome, Step, UsageLimits};
use crate::time_limit::check_timers;
use agent_spec::{Agent, Grants};
use handle::Attended;
use observers::Observers;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The configuration of a runtime, which all its runs share.
pub(crate) struct RuntimeConfig {
    pub(crate) providers: Providers,
    pub(crate) approver: Option<Box<dyn Approver>>,
    pub(crate) extensions: Extensions,
    pub(crate) permissions: Permissions,
    pub(crate) hooks: Box<Hooks>,
    pub(crate) redactor: Redactor,
    /// The redactor of traced content; `None` if content is not traced.
    pub(crate) trace_redactor: Option<Redactor>,
    pub(crate) tool_timeout: Duration,
    pub(crate) model_timeout: Duration,
    pub(crate) run_timeout: Option<Duration>,
    pub(crate) bind_policy: BindPolicy,
    pub(crate) variables: BTreeMap<String, String>,
    pub(crate) usage_limits: UsageLimits,
    pub(crate) compaction: Option<Compaction>,
    pub(crate) host: HostValues,
}

impl RuntimeConfig {
    /// Returns the provider of an agent's own model, as opposed to that of a fallback model.
    pub(crate) fn own_provider(&self, agent: &Agent) -> Result<Arc<dyn ChatModel>, Error> {
        self.providers
            .resolve(agent.model().provider(), ProviderUse::Own)
    }

    /// Waits until the limits of its provider allow a request. Returns `None` for a provider without limits.
    ///
    /// # Errors
    /// Llm when the provider asked to wait longer than requests may wait.
    pub(crate) async fn enter(&self, request: &ModelRequest) -> Result<Option<Permit>, Error> {
        match self.providers.gate(request.model.provider()) {
            Some(gate) => gate.enter(request).await.map(Some),
            None => Ok(None),
        }
    }

    /// Checks that limits can be enforced for an agent.
    pub(crate) fn check_limits(&self, limits: &UsageLimits, agent: &Agent) -> Result<(), Error> {
        limits.check(agent, |model| self.host.prices.get(model).is_some())
    }

    /// Drives a run to its end, or until a person must decide on a call. `provider` is that of the agent's
    /// own model.
    pub(crate) async fn drive(
        &self,
        run: &mut Run,
        tools: &BoundTools,
        provider: Arc<dyn ChatModel>,
        options: DriveOptions<'_>,
    ) -> Result<RunOutcome, Error> {
        check_timers()?;
        self.check_limits(run.usage_limits(), run.agent())?;
        let mut attended = Attended {
            run,
            inbox: options.inbox,
        };
        let Attended { run, inbox } = &mut attended;
        let conversation_id = options.conversation_id.as_deref();
        let mut operation = spans::invoke_agent(run, provider.trace_name(), conversation_id);
        spans::record_output_type(&operation, run);
        let cancellation = options.cancellation.child();
        // Cancels the tools that still run when this future is dropped.
        let _guard = cancellation.guard();
        let stop = StopCondition::new(self.run_timeout, options.cancellation);
        let context = RunContext {
            run_id: run.id().to_owned(),
            agent: run.agent().clone(),
            conversation_id: options.conversation_id.clone(),
            extensions: self.extensions.overlaid(options.extensions),
            permissions: self.narrowed_permissions(run.agent(), options.grants.as_ref()),
            usage_limits: *run.usage_limits(),
        };
        let mut driver = Driver {
            config: self,
            context: &context,
            tools,
            provider,
            observers: Observers::new(options.observer, options.queue, run.invocations().len()),
            streaming: options.streaming,
            stop: stop.clone(),
            cancellation,
            may_pause: !options.denies,
            inbox,
        };
        let driven = operation.around(until_stopped(driver.drive(run), &stop));
        let outcome = match driven.await {
            Ok(outcome) => outcome,
            Err(reason) => {
                reason.end(run);
                stopped_outcome(run)
            }
        };
        driver.observers.report_invocations(run);
        if let Ok(RunOutcome::Done(response)) = &outcome {
            driver.observers.notify_with(|| Event::Finished {
                response: response.clone(),
            });
        }
        spans::record_run(&mut operation, run, outcome.as_ref().err());
        outcome
    }

    /// The runtime's permissions, narrowed by the grants of the agent and of the run.
    fn narrowed_permissions(&self, agent: &Agent, of_run: Option<&Grants>) -> Permissions {
        let grants = [agent.settings().grants.as_ref(), of_run];
        let grants = grants.into_iter().flatten();
        grants.fold(self.permissions.clone(), |permissions, grants| {
            permissions.narrowed(grants)
        })
    }
}

impl fmt::Debug for RuntimeConfig {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RuntimeConfig")
            .field("providers", &self.providers)
            .field("bind_policy", &self.bind_policy)
            .field("tool_timeout", &self.tool_timeout)
            .field("model_timeout", &self.model_timeout)
            .field("run_timeout", &self.run_timeout)
            .finish_non_exhaustive()
    }
}

/// The outcome of a run that was cancelled or took too long.
fn stopped_outcome(run: &mut Run) -> Result<RunOutcome, Error> {
    match run.next()? {
        Step::Done(response) => Ok(RunOutcome::Done(response)),
        _ => Err(Error::cancelled("the run was stopped")),
    }
}

/// The values of one drive of a run.
struct Driver<'a, 'o> {
    config: &'a RuntimeConfig,
    tools: &'a BoundTools,
    /// The provider of the agent's own model.
    provider: Arc<dyn ChatModel>,
    observers: Observers<'o>,
    /// Whether models are asked to stream their answers.
    streaming: bool,
    /// The values that hooks and tools see.
    context: &'a RunContext,
    /// Checked between two steps. During a step, [`until_stopped`] checks it.
    stop: StopCondition,
    /// The signal of the tools: given when the run is dropped or cancelled.
    cancellation: Cancellation,
    /// The messages that the host says meanwhile.
    inbox: &'a Inbox,
    /// Whether to return when a person must decide and there is no approver, instead of denying.
    may_pause: bool,
}

impl Driver<'_, '_> {
    /// Does one step after the other, until the run ends or a person must decide.
    async fn drive(&mut self, run: &mut Run) -> Result<RunOutcome, Error> {
        loop {
            // Steps that are ready at once would otherwise never let another task on this thread run,
            // which may be the one that cancels.
            tokio::task::coop::consume_budget().await;
            self.hear(run);
            if let Some(reason) = self.stop.reason() {
                // Does nothing to a run that has already ended, so that its outcome is kept.
                reason.end(run);
            }
            match run.next()? {
                Step::CallModel(request) | Step::Summarise(request) => {
                    self.call_model(run, request).await?;
                }
                Step::CallTools(calls) => self.call_tools(run, calls).await?,
                Step::AwaitApproval(calls) => {
                    if self.may_pause && self.config.approver.is_none() {
                        return Ok(RunOutcome::AwaitingApproval(calls));
                    }
                    self.decide(run, calls).await?;
                }
                Step::Done(response) => return Ok(RunOutcome::Done(response)),
            }
            self.observers.report_invocations(run);
        }
    }

    /// Gives the run the messages that the host said.
    fn hear(&mut self, run: &mut Run) {
        while let Some(message) = self.inbox.take(run.is_over()) {
            let said = message.clone().into_message().into_steering();
            match run.say(message.clone()) {
                Ok(()) => {
                    tracing::debug!("a message was said");
                    self.observers
                        .notify_with(|| Event::Steered { message: said });
                }
                // The run failed or was cancelled, so that nothing more is sent.
                Err(_) => run.keep_said(message),
            }
        }
    }

    /// Asks the approver about one call after the other, because a person can only answer one question at
    /// a time. Skips a call that no longer waits: a decision also settles other calls of a tool when it uses
    /// up the tool's attempts.
    async fn decide(&mut self, run: &mut Run, calls: Vec<PendingCall>) -> Result<(), Error> {
        for call in calls {
            if self.stop.reason().is_some() {
                break;
            }
            if !run.awaits_decision(&call.id) {
                continue;
            }
            match &self.config.approver {
                Some(approver) => decide_call(&**approver, run, call).await?,
                None => run.approve(&call.id, deny(NO_APPROVER))?,
            }
        }
        Ok(())
    }
}

/// Asks the approver about a call, again after an edit that the tool does not accept.
async fn decide_call(
    approver: &dyn Approver,
    run: &mut Run,
    mut call: PendingCall,
) -> Result<(), Error> {
    for _ in 0..MAX_EDITS {
        let decision = approver.decide(&call).await;
        let was_edited = matches!(decision, Decision::Edit { .. });
        match run.approve(&call.id, decision) {
            Err(error) if was_edited => call.refused_edit = Some(error.to_string()),
            settled => return settled,
        }
    }
    run.approve(&call.id, deny(&too_many_edits()))
}

fn deny(reason: &str) -> Decision {
    Decision::Deny {
        reason: Some(reason.to_owned()),
    }
}
