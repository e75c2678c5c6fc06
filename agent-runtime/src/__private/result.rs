//! What a function returns, as what a tool returns.

use crate::tool::{ToolError, ToolOutput};
use serde_json::Value;
use std::any::Any;
use std::convert::Infallible;
use std::fmt::Display;

/// What a function returned. A `Result` has a method of its own; everything else gets it from
/// [`ReturnedPlain`], which rustc only looks at when there is none. So aliases of `Result` count,
/// and an error is never taken for a result.
#[derive(Debug)]
pub struct Returned<T>(pub T);

impl<T, E> Returned<Result<T, E>> {
    /// What the function returned.
    ///
    /// # Errors
    /// The function's own.
    pub fn into_result(self) -> Result<T, E> {
        self.0
    }
}

/// The result of a function that cannot fail; see [`Returned`].
pub trait ReturnedPlain<T> {
    /// What the function returned.
    ///
    /// # Errors
    /// Never.
    fn into_result(self) -> Result<T, Infallible>;
}

impl<T> ReturnedPlain<T> for Returned<T> {
    fn into_result(self) -> Result<T, Infallible> {
        Ok(self.0)
    }
}

/// The result of the call. What can be one is demanded here and not of the methods above, since of a
/// function rustc marks the whole argument, and so the whole type that stands at its place.
///
/// # Errors
/// The function's own error: a [`ToolError`] as it is, any other as its text in the alternate form,
/// with which `anyhow` tells all causes; or that the result cannot be written as JSON.
pub fn outcome<T: ToolOutput, E: ToolFailure>(returned: Result<T, E>) -> Result<Value, ToolError> {
    match returned {
        Ok(value) => value.into_json(),
        Err(error) => Err(error.into_tool_error()),
    }
}

/// An error that a tool's function may return: anything that can be displayed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool",
    label = "it cannot be displayed, and the error is shown to the model",
    note = "implement `std::fmt::Display` for it, or return a `ToolError`"
)]
pub trait ToolFailure {
    /// The error as the model is told.
    fn into_tool_error(self) -> ToolError;
}

#[diagnostic::do_not_recommend]
impl<E: Display + 'static> ToolFailure for E {
    fn into_tool_error(self) -> ToolError {
        match (&self as &dyn Any).downcast_ref::<ToolError>() {
            Some(error) => error.clone(),
            None => ToolError::execution(self),
        }
    }
}
