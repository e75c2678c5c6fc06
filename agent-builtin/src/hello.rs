//! Tools for first steps.

use agent_tool::tool;

/// Returns a friendly greeting message for the given name
#[tool(idempotent, read_only, inline, untrusted = false)]
#[must_use]
pub fn say_hello(#[tool(default = "world")] person_name: &str) -> String {
    format!("Hello, {person_name}! Nice to meet you.")
}

/// Returns a friendly farewell message for the given name
#[tool(idempotent, read_only, inline, untrusted = false)]
#[must_use]
pub fn say_goodbye(#[tool(default = "world")] person_name: &str) -> String {
    format!("Goodbye, {person_name}! See you soon.")
}
