//! A tool with another timeout.

use agent_runtime::tool::{ToolDescriptor, ToolFuture};
use agent_runtime::{Tool, ToolContext};
use std::ops::Deref;
use std::time::Duration;

/// A timeout that only a call without an end reaches, however busy the machine is.
pub(crate) const ENDLESS: Duration = Duration::from_secs(600);

/// A tool with a timeout in place of its own or that of the runtime.
pub(crate) struct WithTimeout<T> {
    tool: T,
    descriptor: ToolDescriptor,
}

impl<T: Deref<Target = dyn Tool>> WithTimeout<T> {
    pub(crate) fn new(tool: T, timeout: Duration) -> Self {
        let descriptor = tool.descriptor();
        let mut settings = *descriptor.settings();
        settings.timeout = Some(timeout);
        let descriptor = ToolDescriptor::new(
            descriptor.name().to_owned().into(),
            descriptor.description().to_owned().into(),
            descriptor.contract().clone(),
            settings,
        );
        Self { tool, descriptor }
    }
}

impl<T: Deref<Target = dyn Tool> + Send + Sync + 'static> Tool for WithTimeout<T> {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    fn call<'a>(&'a self, arguments: &'a str, context: &'a ToolContext) -> ToolFuture<'a> {
        self.tool.call(arguments, context)
    }
}
