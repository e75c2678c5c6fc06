//! Converting the return value of a function to the result of a tool.

use crate::media::{Media, Noting};
use crate::tool::{ToolError, ToolOutput};
use serde_json::Value;
use std::any::Any;
use std::convert::Infallible;
use std::fmt::Display;

/// The return value of a function. For a `Result`, rustc finds the inherent method; for any other type, the
/// method of [`ReturnedPlain`]. So an alias of `Result` is handled as a `Result`, and an error is never
/// returned as a value.
#[derive(Debug)]
pub struct Returned<T>(pub T);

impl<T, E> Returned<Result<T, E>> {
    /// Returns the value as a `Result`.
    ///
    /// # Errors
    /// The error of the function.
    pub fn into_result(self) -> Result<T, E> {
        self.0
    }
}

/// The return value of a function that cannot fail; see [`Returned`].
pub trait ReturnedPlain<T> {
    /// Returns the value as a `Result`.
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

/// Returns the result of the call. The bounds are on this function and not on the methods above, because for a
/// function rustc marks the whole argument, and so the whole return type.
///
/// # Errors
/// The error of the function: a [`ToolError`] itself, any other as its text in the alternate form, in which
/// `anyhow` prints all causes. Also when the result cannot be written as JSON.
pub fn outcome<T: ToolOutput, E: ToolFailure>(returned: Result<T, E>) -> Result<Given, ToolError> {
    match returned {
        Ok(value) => {
            let noting = Noting::begin();
            let value = value.into_json()?;
            let media = noting.end();
            Ok(Given { value, media })
        }
        Err(error) => Err(error.into_tool_error()),
    }
}

/// The result of a function: its JSON, and the media that the JSON names by their digests.
#[derive(Debug, PartialEq)]
pub struct Given {
    pub(super) value: Value,
    pub(super) media: Vec<Media>,
}

/// An error that a tool's function may return: anything that can be displayed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool",
    label = "it cannot be displayed, and the error is shown to the model",
    note = "implement `std::fmt::Display` for it, or return a `ToolError`"
)]
pub trait ToolFailure {
    /// Converts the error to that of a tool.
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
