//! Agents, tools and types as data: what a gram document declares, checked.
//!
//! These are the names of `gramwork-spec` that programs need: the types in signatures of this crate, the
//! checker, the comparison of a tool with its spec, JSON Schemas and the JSON forms. Tools for agent files
//! can depend on `gramwork-spec` itself, which has the rest.

pub use agent_spec::JsonError;
pub use agent_spec::{
    Agent, AgentPattern, AgentTool, Arguments, Code, CompactAbove, Constraints, Contract,
    Diagnostic, Diagnostics, Field, GramType, Grants, Kind, Model, Nest, Param, PromptCache,
    ReasoningEffort, Returns, Schema, Settings, Severity, Shape, Signature, ToolChoice,
    ToolDescriptor, ToolPattern, ToolSet, ToolSettings, ToolSpec, Type, Violation, Violations,
    WhenTainted, parse_signature,
};
pub use agent_spec::{binding, check, effects, file, grants, json, schema, terminal, types};
