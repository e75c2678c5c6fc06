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
}

impl Default for ToolSettings {
    fn default() -> Self {
        Self::DEFAULT
    }
}
