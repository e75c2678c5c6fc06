//! Implementation B: the same name, description and types as A, so that it fits the same agents.

use agent_runtime::tool;

/// Returns a greeting for the given name
#[tool]
pub(crate) fn say_hello(#[tool(default = "world")] person_name: &str) -> String {
    format!("Hey {person_name}!")
}
