//! Spans and events of runs, for exporters and subscribers of `tracing`.
//!
//! Spans are named after OpenTelemetry's conventions for generative AI: `invoke_agent` for a run, and
//! within it `chat` for a request and `execute_tool` for a call. [`attribute`](mod@attribute) has the names of their
//! attributes.
//!
//! The content of messages and calls may be private. It is in no span and no event, except in events of
//! the target [`WIRE`], and in spans with `RuntimeBuilder::trace_content`.

pub mod attribute;
mod operation;

pub(crate) use operation::Operation;

pub(crate) use agent_tool::__private::label;
pub use agent_tool::trace::WIRE;
