//! Results of tools.

use super::ToolError;
use serde_core::Serialize;
use serde_json::Value;

/// A value that a tool's function can return. Every type that implements `Serialize` has it.
///
/// Implement it by hand for a type without `Serialize` whose contents can be moved into the JSON value,
/// because serde copies them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    label = "it cannot be written as JSON, which models read",
    note = "derive `serde::Serialize` for it; what a future gives is returned by an `async fn`, or by \
            a function whose result is written `impl Future<Output = T>`"
)]
pub trait ToolOutput {
    /// Converts the value into JSON.
    ///
    /// # Errors
    /// Execution when the value cannot be written as JSON.
    fn into_json(self) -> Result<Value, ToolError>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> ToolOutput for T {
    fn into_json(self) -> Result<Value, ToolError> {
        serde_json::to_value(&self).map_err(|error| {
            ToolError::Execution(format!("the result cannot be written as JSON: {error}"))
        })
    }
}
