//! Calling a tool as a run does: the arguments are checked first.

use agent_runtime::{Grants, IntoTools, Permissions, Tool, ToolContext, ToolError, invoke_tool};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The one tool of a toolbox.
pub(crate) fn only(tools: impl IntoTools) -> Arc<dyn Tool> {
    tools.into_tools().remove(0)
}

pub(crate) fn granting<T: AsRef<str>>(hosts: &[T]) -> Grants {
    let grant = |grants: Grants, host: &T| grants.network(host.as_ref().to_owned());
    hosts.iter().fold(Grants::new(), grant)
}

pub(crate) async fn call(
    tool: &dyn Tool,
    arguments: &Value,
    grants: &Grants,
) -> Result<Value, ToolError> {
    call_within(tool, arguments, grants, Duration::from_secs(8)).await
}

pub(crate) async fn call_within(
    tool: &dyn Tool,
    arguments: &Value,
    grants: &Grants,
    time: Duration,
) -> Result<Value, ToolError> {
    let signature = tool.descriptor().signature().expect("a signature");
    let arguments = signature
        .check_arguments(&arguments.to_string(), None)
        .map_err(|violations| ToolError::Validation(violations.to_string()))?;
    let context = ToolContext::detached()
        .with_permissions(Permissions::new(grants).expect("grants"))
        .with_deadline(Instant::now() + time);
    invoke_tool(tool, arguments.text(), &context).await
}
