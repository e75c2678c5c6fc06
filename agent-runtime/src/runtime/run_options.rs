//! The options that a host gives each run, new or recovered.

use super::run_builder::{RunBuilder, RunSource};
use agent_core::__private::DriveOptions;
use agent_core::run::UsageLimits;
use agent_spec::Grants;
use agent_tool::__private::Extensions;
use std::fmt;

/// The options that a host gives a run, such as the values for tools and hooks, and the grants, which no
/// journal has. A web server creates them in one place for new runs and for those that it
/// [recovers](super::Runtime::recover_with).
///
/// ```
/// use agent_runtime::runtime::RunOptions;
///
/// struct Account(String);
///
/// let options = RunOptions::new().extension(Account("ada".to_owned()));
/// ```
#[derive(Clone, Default)]
pub struct RunOptions {
    extensions: Extensions,
    grants: Option<Grants>,
    limits: Option<UsageLimits>,
    streaming: bool,
}

impl RunOptions {
    /// Creates empty options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value for the tools and hooks of the run, as [`RunBuilder::extension`] does.
    #[must_use]
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(value);
        self
    }

    /// Narrows what the tools of the run may access, as [`RunBuilder::grants`] does.
    #[must_use]
    pub fn grants(mut self, grants: Grants) -> Self {
        self.grants = Some(grants);
        self
    }

    /// Limits what the run may use, as [`RunBuilder::usage_limits`] does.
    #[must_use]
    pub fn usage_limits(mut self, limits: UsageLimits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Asks models to stream their answers, for clients that [follow](super::Runtime::follow) the run.
    #[must_use]
    pub fn streaming(mut self) -> Self {
        self.streaming = true;
        self
    }

    pub(super) fn apply(self, options: &mut DriveOptions<'_>) {
        let extensions = std::mem::take(&mut options.extensions);
        options.extensions = extensions.overlaid(self.extensions);
        options.grants = self.grants.or_else(|| options.grants.take());
        options.usage_limits = self.limits.or(options.usage_limits);
        options.streaming |= self.streaming;
    }
}

impl<'a, S: RunSource<'a>> RunBuilder<'a, S> {
    /// Sets these options, in place of options of the same kind that were set before.
    pub fn options(mut self, options: RunOptions) -> Self {
        options.apply(&mut self.options);
        self
    }
}

impl fmt::Debug for RunOptions {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RunOptions")
            .field("grants", &self.grants)
            .field("limits", &self.limits)
            .field("streaming", &self.streaming)
            .finish_non_exhaustive()
    }
}
