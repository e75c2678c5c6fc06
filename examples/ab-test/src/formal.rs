//! Implementation A.

use agent_runtime::tool;

/// Returns a greeting for the given name
#[tool]
pub(crate) fn say_hello(#[tool(default = "world")] person_name: &str) -> String {
    format!("Good day, {person_name}. How do you do?")
}
