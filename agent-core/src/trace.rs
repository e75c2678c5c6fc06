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

pub use agent_tool::trace::WIRE;

/// The maximum number of bytes of a name, an id or a description in a span. A model can write names of any length, and a
/// document descriptions, which each call has.
const MAX_LABEL: usize = 4096;

/// Cuts a name, an id or a description for a span.
pub(crate) fn label(text: &str) -> std::borrow::Cow<'_, str> {
    match text.len() > MAX_LABEL {
        true => agent_tool::__private::shortened(text, MAX_LABEL).into(),
        false => text.into(),
    }
}
