//! Tools: what can be called.

mod dynamic;
mod invoke;
mod static_tool;
mod toolbox;
mod validate;

pub use crate::tool_error::ToolError;
/// Tools as constants, for sets of tools that a `const` holds.
pub use agent_spec::ToolSet;
pub use agent_spec::{Contract, ToolDescriptor, ToolSettings};
pub use dynamic::{DynamicTool, ToolConfig, ToolConfigError, create_tool};
pub use invoke::{DEFAULT_TOOL_TIMEOUT, catch_panic, invoke_tool};
pub(crate) use invoke::{check_result, invoke_within};
pub use static_tool::{StaticTool, StaticTools};
pub use toolbox::{MethodTool, Toolbox};
pub use validate::{
    SchemaError, ValidationError, validate_tool_args, validate_tool_input, validate_tool_output,
};

pub(crate) use crate::tool_error::shortened;
/// The items that only generated code names.
pub(crate) mod generated {
    pub use super::static_tool::*;
    pub use super::toolbox::*;
}

use crate::context::ToolContext;
use serde_core::Serialize;
use serde_json::Value;
use std::pin::Pin;

/// What a tool's call is while it runs.
pub type ToolFuture<'a> = Pin<Box<dyn Future<Output = Result<Value, ToolError>> + Send + 'a>>;

/// An implementation of a tool.
///
/// `#[tool]` writes this for a function and [`create_tool`] for a closure. A type of your own
/// implements it when it needs neither:
///
/// ```
/// use agent_runtime::tool::{ToolDescriptor, ToolFuture};
/// use agent_runtime::{Tool, ToolContext};
///
/// struct Clock {
///     descriptor: ToolDescriptor,
/// }
///
/// impl Tool for Clock {
///     fn descriptor(&self) -> &ToolDescriptor {
///         &self.descriptor
///     }
///
///     fn call<'a>(&'a self, _arguments: &'a str, _context: &'a ToolContext) -> ToolFuture<'a> {
///         Box::pin(async { Ok("12:00".into()) })
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    note = "write `#[tool]` on the function, or make a tool with `create_tool`"
)]
pub trait Tool: Send + Sync + 'static {
    /// What the tool says of itself. It must not change while the tool is in use.
    fn descriptor(&self) -> &ToolDescriptor;

    /// Calls the tool. `arguments` is the JSON text of an object that satisfies the tool's
    /// contract: the runtime validated it, filled in what is missing and dropped what is unknown.
    ///
    /// The result is any JSON value. The call is cancelled by dropping its future; work that it
    /// started elsewhere can look at [`ToolContext::cancellation`].
    ///
    /// # Errors
    /// What the model is told when the call fails. It ends the call, never the run.
    fn call<'a>(&'a self, arguments: &'a str, context: &'a ToolContext) -> ToolFuture<'a>;

    /// Whether the tool can do its work as it is configured. It is asked when an agent's tools are
    /// bound, so that what is missing is known before a run and not in its middle.
    ///
    /// # Errors
    /// What is missing, such as the variable that holds a key: a Configuration error of the run.
    fn check_configuration(&self) -> Result<(), String> {
        Ok(())
    }

    /// What the tool belongs to, such as the type of its toolbox: for messages alone.
    fn owner(&self) -> Option<&str> {
        None
    }
}

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

/// The page for those who write tools, whose examples must compile.
#[cfg(doctest)]
#[doc = include_str!("../../docs/custom-tools.md")]
struct CustomToolsPage;
