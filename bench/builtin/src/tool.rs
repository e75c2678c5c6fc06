//! A tool that is called as in a run.

use agent_runtime::tool::invoke_tool;
use agent_runtime::{Grants, Permissions, Tool, ToolContext};
use bench_shared::Failure;
use serde_json::Value;
use std::path::Path;
use tokio::runtime::Runtime;

/// A context of calls that may read in a folder.
pub(crate) fn context(folder: &Path) -> Result<ToolContext, Failure> {
    let grants = Grants::new().read(folder.display().to_string());
    Ok(ToolContext::detached().with_permissions(Permissions::new(&grants)?))
}

/// What calls wait on.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    Ok(tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?)
}

pub(crate) fn call(
    runtime: &Runtime,
    tool: &dyn Tool,
    arguments: &Value,
    context: &ToolContext,
) -> Result<Value, Failure> {
    let arguments = arguments.to_string();
    Ok(runtime.block_on(invoke_tool(tool, &arguments, context))?)
}
