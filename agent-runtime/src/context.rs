//! What a call knows about the run it is part of.

use crate::cancel::Cancellation;
use crate::extensions::{Extension, Extensions};
use crate::permissions::Permissions;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a call knows about the run it is part of. Cloning is cheap.
///
/// A tool function takes it as `&ToolContext`, anywhere among its parameters.
#[derive(Clone)]
pub struct ToolContext {
    shared: Arc<Shared>,
    // Not shared: every call has its own, and finds it without a copy of all the rest.
    deadline: Option<Instant>,
    cancellation: Cancellation,
}

#[derive(Clone)]
struct Shared {
    run_id: String,
    call_id: String,
    tool: String,
    progress: Option<Report>,
    extensions: Extensions,
    permissions: Permissions,
}

/// What takes a progress report.
pub(crate) type Report = Arc<dyn Fn(&str) + Send + Sync>;

impl ToolContext {
    /// A context that belongs to no run, for tests: empty ids, no deadline, never cancelled,
    /// reports are dropped, nothing is granted.
    #[must_use]
    pub fn detached() -> Self {
        Self::new(String::new(), String::new(), String::new())
    }

    pub(crate) fn new(run_id: String, call_id: String, tool: String) -> Self {
        Self {
            shared: Arc::new(Shared {
                run_id,
                call_id,
                tool,
                progress: None,
                extensions: Extensions::default(),
                permissions: Permissions::none(),
            }),
            deadline: None,
            cancellation: Cancellation::new(),
        }
    }

    fn changed(mut self, change: impl FnOnce(&mut Shared)) -> Self {
        change(Arc::make_mut(&mut self.shared));
        self
    }

    /// The same context with a value that tools find by its type.
    #[must_use]
    pub fn with_extension<T: Send + Sync + 'static>(self, value: T) -> Self {
        self.changed(|shared| shared.extensions.insert(value))
    }

    /// The same context with this signal of cancellation.
    #[must_use]
    pub fn with_cancellation(mut self, cancellation: Cancellation) -> Self {
        self.cancellation = cancellation;
        self
    }

    /// The same context with a time at which the call is stopped.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// The same context with a callback for progress reports.
    #[must_use]
    pub fn with_progress(self, report: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.changed(|shared| shared.progress = Some(Arc::new(report)))
    }

    /// The same context with these grants.
    #[must_use]
    pub fn with_permissions(self, permissions: Permissions) -> Self {
        self.changed(|shared| shared.permissions = permissions)
    }

    pub(crate) fn with_extensions(self, extensions: Extensions) -> Self {
        self.changed(|shared| shared.extensions = extensions)
    }

    /// The run: an id that no other run has.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.shared.run_id
    }

    /// The call: an id that no other call of the conversation has.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.shared.call_id
    }

    /// The name under which the tool was called.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.shared.tool
    }

    /// When the call will be stopped, if ever.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// How much time the call has left, if that is limited.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// The signal that the call is no longer wanted: it timed out, or the run was dropped or
    /// cancelled. An async tool is stopped by itself; code on a thread of its own should look.
    #[must_use]
    pub fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }

    /// Whether the call is no longer wanted.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }

    /// Says how far the call has come, to whoever watches the run. The model does not see it.
    pub fn report(&self, text: &str) {
        if let Some(report) = &self.shared.progress {
            report(text);
        }
    }

    /// What the call may touch. A tool that reads files, contacts hosts or looks at the environment
    /// asks this before it does.
    #[must_use]
    pub fn permissions(&self) -> &Permissions {
        &self.shared.permissions
    }

    /// The value of a type that the host gave the runtime, such as a connection pool.
    #[must_use]
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.shared.extensions.get()
    }

    pub(crate) fn shared_extension<T: Send + Sync + 'static>(&self) -> Option<Extension<T>> {
        self.shared.extensions.shared().map(Extension::shared)
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ToolContext")
            .field("run_id", &self.shared.run_id)
            .field("call_id", &self.shared.call_id)
            .field("tool", &self.shared.tool)
            .finish_non_exhaustive()
    }
}
