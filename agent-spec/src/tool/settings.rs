//! How an implementation wants to be run.

use std::time::Duration;

/// Settings of a tool that the runtime enforces. A spec can tighten them, never loosen them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolSettings {
    /// How long a call may take; the runtime's own limit (10 s) when it is not given.
    pub timeout: Option<Duration>,
    /// Whether the model may call the tool again after a failure.
    pub retryable: bool,
    /// Whether doing the same twice does no more than doing it once.
    pub idempotent: bool,
    /// Whether the tool changes nothing.
    pub read_only: bool,
    /// Whether the tool may destroy something.
    pub destructive: bool,
    /// Whether a person must approve each call.
    pub requires_approval: bool,
    /// Whether no other tool may run at the same time.
    pub sequential: bool,
    /// Whether the tool runs on the caller's task, where it cannot be timed out.
    pub inline: bool,
}

impl ToolSettings {
    /// The settings of a tool that says nothing about itself.
    pub const DEFAULT: ToolSettings = ToolSettings {
        timeout: None,
        retryable: true,
        idempotent: false,
        read_only: false,
        destructive: false,
        requires_approval: false,
        sequential: false,
        inline: false,
    };

    /// The same settings with a time limit, which is more than 0: libraries refuse a tool of none.
    #[must_use]
    pub const fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The same settings for a tool that must not be called again after a failure.
    #[must_use]
    pub const fn not_retryable(mut self) -> Self {
        self.retryable = false;
        self
    }

    /// The same settings for a tool that does no more when called twice.
    #[must_use]
    pub const fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    /// The same settings for a tool that changes nothing.
    #[must_use]
    pub const fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// The same settings for a tool that may destroy something.
    #[must_use]
    pub const fn destructive(mut self) -> Self {
        self.destructive = true;
        self
    }

    /// The same settings for a tool whose calls a person must approve.
    #[must_use]
    pub const fn requires_approval(mut self) -> Self {
        self.requires_approval = true;
        self
    }

    /// The same settings for a tool beside which no other may run.
    #[must_use]
    pub const fn sequential(mut self) -> Self {
        self.sequential = true;
        self
    }

    /// The same settings for a tool that runs on the caller's task.
    #[must_use]
    pub const fn inline(mut self) -> Self {
        self.inline = true;
        self
    }
}

impl Default for ToolSettings {
    fn default() -> Self {
        Self::DEFAULT
    }
}
