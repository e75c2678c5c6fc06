//! Hooks, which observe, change or stop a run.

use crate::model::{ModelReply, ModelRequest};
use crate::run::{PendingCall, UsageLimits};
use agent_spec::Agent;
use agent_tool::__private::Extensions;
use agent_tool::permissions::Permissions;
use agent_tool::tool::ToolError;
use serde_json::Value;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

/// The future of a hook's method.
pub type HookFuture<'a, T = ()> = Pin<Box<dyn Future<Output = Result<T, StopRun>> + Send + 'a>>;

/// Observes the requests and calls of runs before and after they are made, and may change or stop them.
/// `RuntimeBuilder::hook` adds a hook.
///
/// Before a request or a call, hooks run in the order in which they were added; after it, in the reverse order.
/// A run waits for its hooks. The time limit of the run includes this time, the timeouts of requests and calls do
/// not. Dropping the run drops the futures of its hooks.
///
/// A panic of a hook ends the run with an error for which [`Error::is_panic`](agent_tool::Error::is_panic) is true; the
/// conversation keeps what was done. In a program built with `panic = "abort"`, the panic ends the program.
///
/// ```
/// use agent_runtime::hook::{HookFuture, RunContext, StopRun};
/// use agent_runtime::model::{ModelReply, ModelRequest, Scripted};
/// use agent_runtime::{Hook, Runtime};
///
/// /// Sends no message that is marked as secret.
/// struct KeepSecrets;
///
/// impl Hook for KeepSecrets {
///     fn before_model<'a>(
///         &'a self,
///         _run: &'a RunContext,
///         request: &'a mut ModelRequest,
///     ) -> HookFuture<'a> {
///         Box::pin(async move {
///             match request.messages.iter().any(|said| said.content().contains("SECRET")) {
///                 true => Err(StopRun::new("the conversation holds a secret")),
///                 false => Ok(()),
///             }
///         })
///     }
/// }
///
/// let runtime = Runtime::builder()
///     .model(Scripted::new([ModelReply::text("Hello.")]))
///     .hook(KeepSecrets)
///     .build()?;
/// # Ok::<(), agent_runtime::Error>(())
/// ```
pub trait Hook: Send + Sync + 'static {
    /// Runs before a request is sent, also before a request for a summary of a long conversation. A change of
    /// the request is sent and not written to the history. The cost is that of the model that the agent
    /// names.
    fn before_model<'a>(
        &'a self,
        run: &'a RunContext,
        request: &'a mut ModelRequest,
    ) -> HookFuture<'a> {
        let _ = (run, request);
        Box::pin(async { Ok(()) })
    }

    /// Runs after a model has answered. The run continues with the changed reply. The parts of a streamed answer
    /// were already reported.
    fn after_model<'a>(
        &'a self,
        run: &'a RunContext,
        request: &'a ModelRequest,
        reply: &'a mut ModelReply,
    ) -> HookFuture<'a> {
        let _ = (run, request, reply);
        Box::pin(async { Ok(()) })
    }

    /// Runs before a tool is called, and after a person approved the call. `arguments` is the JSON text that the
    /// tool will be given, with the changes of earlier hooks. Changed arguments are validated as those of a model
    /// are, but no person approves them again. The history keeps the arguments of the model.
    ///
    /// ```
    /// use agent_runtime::serde_json::{Value, from_str, json};
    /// use agent_runtime::hook::{HookFuture, RunContext, ToolVerdict};
    /// use agent_runtime::run::PendingCall;
    /// use agent_runtime::Hook;
    ///
    /// /// The maximum number of rows for the user of a run.
    /// struct MaxRows(u64);
    ///
    /// /// Limits the rows that a call asks for.
    /// struct FewRows;
    ///
    /// impl Hook for FewRows {
    ///     fn before_tool<'a>(
    ///         &'a self,
    ///         run: &'a RunContext,
    ///         call: &'a PendingCall,
    ///         arguments: &'a mut String,
    ///     ) -> HookFuture<'a, ToolVerdict> {
    ///         Box::pin(async move {
    ///             let mut args: Value = from_str(arguments).unwrap_or_default();
    ///             let most = run.extension::<MaxRows>().map_or(10, |most| most.0);
    ///             if call.tool == "findRows" && args["limit"].as_u64() > Some(most) {
    ///                 args["limit"] = json!(most);
    ///                 *arguments = args.to_string();
    ///             }
    ///             Ok(ToolVerdict::Call)
    ///         })
    ///     }
    /// }
    /// ```
    fn before_tool<'a>(
        &'a self,
        run: &'a RunContext,
        call: &'a PendingCall,
        arguments: &'a mut String,
    ) -> HookFuture<'a, ToolVerdict> {
        let _ = (run, call, arguments);
        Box::pin(async { Ok(ToolVerdict::Call) })
    }

    /// Runs after a tool was called, or after a hook answered the call. The model reads the changed result, which
    /// must be of the type that the agent declares. `call` has the arguments that the tool was given. Hooks do not
    /// see calls that are not made, such as those of unknown tools.
    fn after_tool<'a>(
        &'a self,
        run: &'a RunContext,
        call: &'a PendingCall,
        result: &'a mut Result<Value, ToolError>,
    ) -> HookFuture<'a> {
        let _ = (run, call, result);
        Box::pin(async { Ok(()) })
    }
}

/// The values of one run that its hooks see.
#[derive(Debug)]
pub struct RunContext {
    pub(crate) path: String,
    pub(crate) run_id: String,
    pub(crate) agent: Arc<Agent>,
    pub(crate) conversation_id: Option<String>,
    pub(crate) extensions: Extensions,
    pub(crate) permissions: Permissions,
    pub(crate) usage_limits: UsageLimits,
}

impl RunContext {
    /// The run's id, which no other run has.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// The agent.
    #[must_use]
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// The names of the agents that lead to this run, joined by `/`, that of its own agent included: `support/billing`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The id of the conversation in traces, when the host gave one.
    #[must_use]
    pub fn conversation_id(&self) -> Option<&str> {
        self.conversation_id.as_deref()
    }

    /// The value of a type that the host gave the run or the runtime, such as the current user.
    #[must_use]
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.extensions.get()
    }

    /// The permissions of the run's tools.
    #[must_use]
    pub fn permissions(&self) -> &Permissions {
        &self.permissions
    }

    /// The limits of what the run may use.
    pub fn usage_limits(&self) -> &UsageLimits {
        &self.usage_limits
    }
}

/// The decision of a hook about a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ToolVerdict {
    /// Make the call.
    Call,
    /// Do not make the call, and use this result. Later hooks are not run before the call.
    Answer(Result<Value, ToolError>),
}

/// The error with which a hook stops the run. The run ends with a cancelled error. Calls without a result are
/// answered as cancelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopRun(String);

impl StopRun {
    /// Creates the error with a reason, which is part of the run's error.
    pub fn new(reason: impl fmt::Display) -> Self {
        Self(reason.to_string())
    }
}

impl fmt::Display for StopRun {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "a hook stopped the run: {}", self.0)
    }
}

impl std::error::Error for StopRun {}
