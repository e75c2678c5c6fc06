//! What a call knows about the run it is part of.

use crate::cancel::Cancellation;
use crate::extensions::{Extension, Extensions};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a call knows about the run it is part of. Cloning is cheap.
///
/// A tool function takes it as `&ToolContext`, anywhere among its parameters.
#[derive(Clone)]
pub struct ToolContext(Arc<Inner>);

struct Inner {
    run_id: String,
    call_id: String,
    tool: String,
    deadline: Option<Instant>,
    cancellation: Cancellation,
    progress: Option<Report>,
    extensions: Extensions,
}

/// What takes a progress report.
pub(crate) type Report = Arc<dyn Fn(&str) + Send + Sync>;

impl ToolContext {
    /// A context that belongs to no run, for tests: empty ids, no deadline, never cancelled,
    /// reports are dropped.
    #[must_use]
    pub fn detached() -> Self {
        Self::new(String::new(), String::new(), String::new())
    }

    pub(crate) fn new(run_id: String, call_id: String, tool: String) -> Self {
        Self(Arc::new(Inner {
            run_id,
            call_id,
            tool,
            deadline: None,
            cancellation: Cancellation::new(),
            progress: None,
            extensions: Extensions::default(),
        }))
    }

    fn changed(self, change: impl FnOnce(&mut Inner)) -> Self {
        let mut inner = self.into_inner();
        change(&mut inner);
        Self(Arc::new(inner))
    }

    fn into_inner(self) -> Inner {
        match Arc::try_unwrap(self.0) {
            Ok(inner) => inner,
            Err(shared) => Inner {
                run_id: shared.run_id.clone(),
                call_id: shared.call_id.clone(),
                tool: shared.tool.clone(),
                deadline: shared.deadline,
                cancellation: shared.cancellation.clone(),
                progress: shared.progress.clone(),
                extensions: shared.extensions.clone(),
            },
        }
    }

    /// The same context with a value that tools find by its type.
    #[must_use]
    pub fn with_extension<T: Send + Sync + 'static>(self, value: T) -> Self {
        self.changed(|inner| inner.extensions.insert(value))
    }

    /// The same context with this signal of cancellation.
    #[must_use]
    pub fn with_cancellation(self, cancellation: Cancellation) -> Self {
        self.changed(|inner| inner.cancellation = cancellation)
    }

    /// The same context with a time at which the call is stopped.
    #[must_use]
    pub fn with_deadline(self, deadline: Instant) -> Self {
        self.changed(|inner| inner.deadline = Some(deadline))
    }

    /// The same context with a callback for progress reports.
    #[must_use]
    pub fn with_progress(self, report: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.changed(|inner| inner.progress = Some(Arc::new(report)))
    }

    pub(crate) fn with_extensions(self, extensions: Extensions) -> Self {
        self.changed(|inner| inner.extensions = extensions)
    }

    /// The run: an id that no other run has.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.0.run_id
    }

    /// The call: an id that no other call of the conversation has.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.0.call_id
    }

    /// The name under which the tool was called.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.0.tool
    }

    /// When the call will be stopped, if ever.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.0.deadline
    }

    /// How much time the call has left, if that is limited.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        let deadline = self.0.deadline?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// The signal that the call is no longer wanted: it timed out, or the run was dropped or
    /// cancelled. An async tool is stopped by itself; code on a thread of its own should look.
    #[must_use]
    pub fn cancellation(&self) -> &Cancellation {
        &self.0.cancellation
    }

    /// Whether the call is no longer wanted.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancellation.is_cancelled()
    }

    /// Says how far the call has come, to whoever watches the run. The model does not see it.
    pub fn report(&self, text: &str) {
        if let Some(report) = &self.0.progress {
            report(text);
        }
    }

    /// The value of a type that the host gave the runtime, such as a connection pool.
    #[must_use]
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.extensions.get()
    }

    pub(crate) fn shared_extension<T: Send + Sync + 'static>(&self) -> Option<Extension<T>> {
        self.0.extensions.shared().map(Extension::shared)
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ToolContext")
            .field("run_id", &self.0.run_id)
            .field("call_id", &self.0.call_id)
            .field("tool", &self.0.tool)
            .finish_non_exhaustive()
    }
}
