use agent_runtime::{ToolError, tool};

/// Returns a friendly greeting message for the given name
#[tool]
pub fn say_hello(#[tool(default = "world")] person_name: String) -> Result<String, ToolError> {
    let _ = person_name;
    not_written("sayHello")
}

/// Returns the error of a tool that is not written yet.
fn not_written<T>(tool: &str) -> Result<T, ToolError> {
    Err(ToolError::Execution(format!("`{tool}` is not written yet")))
}
