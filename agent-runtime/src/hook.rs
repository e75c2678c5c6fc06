//! Looking at what a run does, changing it, or stopping it.

use crate::extensions::Extensions;
use crate::model::{ModelReply, ModelRequest};
use crate::permissions::Permissions;
use crate::run::{PendingCall, UsageLimits};
use crate::tool::ToolError;
use agent_spec::Agent;
use serde_json::Value;
use std::fmt;
use std::pin::Pin;

/// What a hook comes to, while it is at work.
pub type HookFuture<'a, T = ()> = Pin<Box<dyn Future<Output = Result<T, StopRun>> + Send + 'a>>;

/// Looks at the requests and calls of runs before and after they are made, and may change or stop
/// them. [`RuntimeBuilder::hook`](crate::runtime::RuntimeBuilder::hook) adds one.
///
/// Several hooks are asked in the order in which they were added before something is done, and in
/// the reverse order after it. A run waits for its hooks; its own time limit goes on, that of the
/// request or the call does not. Dropping the run drops them. They must not panic.
///
/// ```
/// use agent_runtime::hook::{HookFuture, RunContext, StopRun};
/// use agent_runtime::model::{ModelReply, ModelRequest, Scripted};
/// use agent_runtime::{Hook, Runtime};
///
/// /// Lets nothing out that somebody might have marked.
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
    /// Before a model is asked. What is changed is sent, and does not become part of the history.
    /// The cost is counted as that of the model that the agent names.
    fn before_model<'a>(
        &'a self,
        run: &'a RunContext,
        request: &'a mut ModelRequest,
    ) -> HookFuture<'a> {
        let _ = (run, request);
        Box::pin(async { Ok(()) })
    }

    /// After a model has answered. What is changed is what the run goes on with; of a streamed answer
    /// the parts were told already.
    fn after_model<'a>(
        &'a self,
        run: &'a RunContext,
        request: &'a ModelRequest,
        reply: &'a mut ModelReply,
    ) -> HookFuture<'a> {
        let _ = (run, request, reply);
        Box::pin(async { Ok(()) })
    }

    /// Before a tool is called, and after a person has approved the call if one must. The arguments
    /// are those that the tool will be given: JSON text, at first that of the call, then as the hooks
    /// before left it. A hook that changes them changes what was approved; they are validated then as
    /// those of the model are, and the history keeps the model's.
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

    /// After a tool has been called, or answered for by a hook. What is changed is what the model
    /// reads, if it is of the type that the agent declares. The call has the arguments that the tool
    /// was given. Calls that are not made, such as those of unknown tools, come to no hook.
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
    pub(crate) run_id: String,
    pub(crate) agent: Agent,
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

    /// What the tools of the run may access.
    #[must_use]
    pub fn permissions(&self) -> &Permissions {
        &self.permissions
    }

    /// The limits of what the run may use.
    pub fn usage_limits(&self) -> &UsageLimits {
        &self.usage_limits
    }
}

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ToolVerdict {
    /// It is made.
    Call,
    /// It is not made, and this is its result. Further hooks are not asked before the call.
    Answer(Result<Value, ToolError>),
}

/// That a hook stops the run. The run ends with a cancelled error; calls without a result are
/// answered as cancelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopRun(String);

impl StopRun {
    /// The reason is told to whoever executes the agent.
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
