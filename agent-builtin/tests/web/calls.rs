//! Calls of a tool as in a run: the arguments are checked first.

use crate::with_timeout::{ENDLESS, WithTimeout};
use agent_runtime::library::IntoTools;
use agent_runtime::tool::invoke_tool;
use agent_runtime::{Grants, Permissions, Tool, ToolContext, ToolError};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// Returns the only tool of a toolbox.
pub(crate) fn only(tools: impl IntoTools) -> Arc<dyn Tool> {
    tools.into_tools().remove(0)
}

pub(crate) fn granting<T: AsRef<str>>(hosts: &[T]) -> Grants {
    let grant = |grants: Grants, host: &T| grants.network(host.as_ref().to_owned());
    hosts.iter().fold(Grants::new(), grant)
}

pub(crate) async fn call(
    tool: &Arc<dyn Tool>,
    arguments: &Value,
    grants: &Grants,
) -> Result<Value, ToolError> {
    call_within(tool, arguments, grants, ENDLESS).await
}

pub(crate) async fn call_within(
    tool: &Arc<dyn Tool>,
    arguments: &Value,
    grants: &Grants,
    timeout: Duration,
) -> Result<Value, ToolError> {
    let signature = tool.descriptor().signature().expect("a signature");
    let text = arguments.to_string();
    let arguments = signature
        .check_arguments(&text, None)
        .map_err(|violations| ToolError::Validation(violations.to_string()))?;
    let context =
        ToolContext::detached().with_permissions(Permissions::new(grants).expect("grants"));
    let tool = WithTimeout::new(Arc::clone(tool), timeout);
    invoke_tool(&tool, arguments.text(), &context).await
}
