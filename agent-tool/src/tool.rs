//! Tools: the trait, and the ways to make one.

pub(crate) mod agent_tool;
#[cfg(feature = "json-schema")]
mod any_schema;
pub(crate) mod complete;
pub(crate) mod contract_guard;
#[cfg(feature = "json-schema")]
mod dialect;
mod dynamic;
pub(crate) mod invoke;
pub(crate) mod part_schemas;
mod schema_error;
mod static_tool;
mod toolbox;
mod validate;

pub use crate::tool_error::ToolError;
/// Tools as constants, for sets of tools that a `const` holds.
pub use agent_spec::ToolSet;
pub use agent_spec::{Contract, ToolDescriptor, ToolSettings};
pub use agent_tool::AgentTool;
pub(crate) use contract_guard::{ContractGuard, wrong_arguments};
pub use dynamic::{DynamicTool, ToolConfig, ToolConfigError, create_tool};
pub use invoke::{DEFAULT_TOOL_TIMEOUT, catch_panic, invoke_tool};
pub(crate) use part_schemas::PartSchemas;
pub use schema_error::SchemaError;
pub use static_tool::{StaticTool, StaticTools};
pub use toolbox::{MethodTool, Toolbox};
pub use validate::{
    ValidationError, validate_tool_args, validate_tool_input, validate_tool_output,
};

pub(crate) use crate::tool_error::shortened;
/// The items that only generated code names.
pub(crate) mod generated {
    pub use super::agent_tool::{AgentTool, call_agent};
    pub use super::static_tool::*;
    pub use super::toolbox::*;
}

use crate::context::ToolContext;
use serde_core::Serialize;
use serde_json::Value;
use std::pin::Pin;

/// The future of a tool's call.
pub type ToolFuture<'a> = Pin<Box<dyn Future<Output = Result<Value, ToolError>> + Send + 'a>>;

/// An implementation of a tool.
///
/// `#[tool]` implements it for a function and [`create_tool`] for a closure. Implement it for a type of your
/// own if neither fits:
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
    /// The name, description, contract and settings of the tool. They must not change while the tool is in
    /// use.
    fn descriptor(&self) -> &ToolDescriptor;

    /// Calls the tool. `arguments` is the JSON text of an object that satisfies the tool's contract: runs and
    /// [`invoke_tool`] validate it, fill in the defaults of the tool's signature or schema and drop the
    /// arguments that the signature does not have, independently of the spec of the agent.
    ///
    /// Call a tool by [`invoke_tool`] and not by this method, unless the tool
    /// [validates its arguments](Self::validates_arguments) itself.
    ///
    /// The result is any JSON value. Dropping the future cancels the call. Work that the call started
    /// elsewhere can watch [`ToolContext::cancellation`].
    ///
    /// # Errors
    /// The error that the model reads. It ends the call, never the run.
    fn call<'a>(&'a self, arguments: &'a str, context: &'a ToolContext) -> ToolFuture<'a>;

    /// Whether [`call`](Self::call) validates the arguments against the tool's contract and fills in the
    /// defaults itself. The tools of `#[tool]`, `#[toolbox]`, [`create_tool`] and [`ToolConfig`] do. For any
    /// other tool, runs and [`invoke_tool`] do it before the call.
    ///
    /// Return `true` in a tool that passes its arguments on to a tool that validates them.
    fn validates_arguments(&self) -> bool {
        false
    }

    /// Whether [`call`](Self::call) skips its validation if the context marks the arguments as valid.
    #[doc(hidden)]
    fn trusts_validation(&self) -> bool {
        false
    }

    /// Returns the JSON Schema of the tool's arguments: the tool's own schema, or the schema of its
    /// signature.
    ///
    /// ```
    /// use agent_runtime::{Tool, serde_json::json, tool};
    ///
    /// /// Greets
    /// #[tool]
    /// fn greet(name: &str) -> String {
    ///     format!("Hello, {name}!")
    /// }
    ///
    /// let name = json!({"name": {"type": "string"}});
    /// let expected = json!({"type": "object", "properties": name, "required": ["name"]});
    /// assert_eq!(greet {}.input_schema(), expected);
    /// ```
    fn input_schema(&self) -> Value {
        self.descriptor().input_schema()
    }

    /// Checks that the tool has the configuration it needs. It is called when the tools of an agent are bound,
    /// so that a missing key is reported before a run and not in its middle.
    ///
    /// # Errors
    /// The missing configuration, such as the variable that holds a key. It becomes a Configuration error of
    /// the run.
    fn check_configuration(&self) -> Result<(), String> {
        Ok(())
    }

    /// The owner of the tool, such as the type of its toolbox. It only appears in messages.
    fn owner(&self) -> Option<&str> {
        None
    }

    /// Returns the agent and its tools, if the tool is an agent. A run then runs the agent inside of itself, and does
    /// not use [`call`](Self::call).
    fn agent(&self) -> Option<AgentTool> {
        None
    }
}

/// A value that a tool's function can return. Every type that implements `Serialize` implements this trait.
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
