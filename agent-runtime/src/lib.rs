#![doc = include_str!("docs/crate.md")]
// So that what the macros make names this crate by one path, inside it as well as outside.
extern crate self as agent_runtime;

#[doc(hidden)]
pub mod __private;
mod approval;
mod cancel;
mod context;
mod conversation;
mod cost;
mod drive;
mod env;
mod error;
mod error_path;
mod event;
mod executable;
#[cfg(feature = "experiment")]
pub mod experiment;
mod extensions;
mod hook;
mod id;
mod invoke;
#[cfg(feature = "schemars")]
mod json;
mod library;
mod macros;
mod model;
pub mod permissions;
mod redact;
mod response;
mod run;
mod runtime;
#[cfg(feature = "testing")]
pub mod testing;
mod time_limit;
mod tool;
mod tool_error;
pub mod trace;
mod usage;

/// The notation that agents are written in. Its types stand in signatures of [`spec`].
pub use agent_gram as gram;
pub use agent_macros::{GramType, tool, toolbox};
/// What agents and tools are as data: types, JSON Schemas, patterns, diagnostics.
pub use agent_spec as spec;
/// Tools as constants, for sets of tools that a `const` holds.
pub use agent_spec::tool_set::ToolSet;
pub use agent_spec::{
    Agent, AgentPattern, Diagnostics, GramType, Grants, Model, ReasoningEffort, Settings,
    Signature, ToolChoice, ToolPattern, ToolSpec,
};
pub use approval::{Approver, DecisionFuture, MAX_EDITS};
pub use cancel::Cancellation;
pub use context::ToolContext;
pub use conversation::{
    Conversation, ConversationInfo, ConversationName, ConversationPolicy, ConversationStore,
    Invalid, InvalidName, MemoryStore, Message, ReadError, Repair, Revision, Role, StoreError,
    StoreFuture, StoredConversation, Summarised, SummaryOptions, ToolCall, Truncated,
    estimate_tokens,
};
pub use cost::{Price, PriceError, Prices};
pub use env::Environment;
pub use error::Error;
pub use event::{Event, ResponseFold};
pub use executable::Executable;
pub use extensions::Extension;
pub use hook::{Hook, HookFuture, RunContext, StopRun, ToolVerdict};
pub use invoke::{DEFAULT_TOOL_TIMEOUT, catch_panic, invoke_tool};
#[cfg(feature = "schemars")]
pub use json::Json;
pub use library::{
    BindError, BindFailure, BindPolicy, BoundTool, BoundTools, IntoTool, IntoTools, LibraryError,
    ToolLibrary, bind_agent_tools, bind_agent_tools_with,
};
#[cfg(feature = "http")]
pub use model::CompatibleProvider;
pub use model::{
    ChatFuture, ChatModel, FinishReason, ModelReply, ModelRequest, Offline, ReplyPart, ReplySink,
    Scripted, ToolDefinition, Usage, detect_tool_call,
};
pub use permissions::Permissions;
pub use redact::{Redactor, StreamRedactor};
pub use response::{AgentResponse, ToolInvocation};
pub use run::{
    AwaitingApproval, Decision, MAX_BAD_CALLS, MAX_CALLS, MAX_CALLS_AT_ONCE, MAX_FAILURES,
    MAX_ITERATIONS, MAX_RESULT_TEXT, PendingCall, Run, RunOutcome, Step, UsageLimits,
    instruction_variables,
};
pub use runtime::{
    DriveOptions, Input, RunBuilder, RunResponse, RunStream, Runtime, RuntimeBuilder, TypedResponse,
};
/// JSON Schemas of Rust types, for [`Json`].
#[cfg(feature = "schemars")]
pub use schemars;
#[cfg(feature = "derive")]
pub use serde;
/// The JSON values that tools take and give, of the version that this crate has.
pub use serde_json;
pub use tool::{
    Contract, DynamicTool, SchemaError, StaticTool, StaticTools, Tool, ToolConfig, ToolConfigError,
    ToolDescriptor, ToolError, ToolFuture, ToolOutput, ToolSettings, Toolbox, ValidationError,
    create_tool, validate_tool_args, validate_tool_input, validate_tool_output,
};
