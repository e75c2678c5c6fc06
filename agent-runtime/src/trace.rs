//! Spans and events of runs, for exporters and subscribers of `tracing`.
//!
//! Spans are named after OpenTelemetry's conventions for generative AI: `invoke_agent` for a run, and
//! within it `chat` for a request and `execute_tool` for a call. [`name`](mod@name) has the names of their
//! attributes.
//!
//! The content of messages and calls may be private. It is in no span and no event, except in events of
//! the target [`WIRE`], and in spans with [`RuntimeBuilder::trace_content`].
//!
//! [`RuntimeBuilder::trace_content`]: crate::runtime::RuntimeBuilder::trace_content

pub mod name;
mod operation;

pub(crate) use operation::Operation;

/// The target of events that hold requests and answers word for word, without keys. Their level is TRACE,
/// so that a subscriber records conversations only when it is told to.
pub const WIRE: &str = "agent_runtime::wire";

/// The maximum number of bytes of a name, an id or a description in a span. A model can write names of any length, and a
/// document descriptions, which each call has.
#[cfg(feature = "run")]
const MAX_LABEL: usize = 4096;

/// Cuts a name, an id or a description for a span.
#[cfg(feature = "run")]
pub(crate) fn label(text: &str) -> std::borrow::Cow<'_, str> {
    match text.len() > MAX_LABEL {
        true => crate::tool_error::shortened(text, MAX_LABEL).into(),
        false => text.into(),
    }
}

/// Records the server of a request in the current span.
#[cfg(feature = "http")]
pub(crate) fn record_server(url: &reqwest::Url) {
    let span = tracing::Span::current();
    if let Some(host) = url.host_str() {
        span.record(name::SERVER_ADDRESS, host);
    }
    if let Some(port) = url.port_or_known_default() {
        span.record(name::SERVER_PORT, i64::from(port));
    }
}

/// Records in the current span that the provider left earlier reasoning out of a request.
#[cfg(feature = "http")]
pub(crate) fn record_removed_reasoning(reasons: &str) {
    tracing::Span::current().record(name::REMOVED_REASONING, reasons);
}

/// The number of retries of a request. It is recorded once, when this is dropped, in the span that was current
/// at its creation, because a subscriber may print each recorded value.
#[cfg(feature = "http")]
pub(crate) struct Resent {
    span: tracing::Span,
    times: u32,
}

#[cfg(feature = "http")]
impl Resent {
    pub(crate) fn never() -> Self {
        Self {
            span: tracing::Span::current(),
            times: 0,
        }
    }

    pub(crate) fn once_more(&mut self) {
        self.times += 1;
    }
}

#[cfg(feature = "http")]
impl Drop for Resent {
    fn drop(&mut self) {
        if self.times > 0 {
            self.span.record(name::RESENT, i64::from(self.times));
        }
    }
}
