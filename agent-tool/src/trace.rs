//! Events of `tracing` by which tools are observed.

use crate::tool_error::shortened;
use std::borrow::Cow;

/// The target of the other events and of the spans of agent-tool and agent-core. Those of agent-runtime begin with it, so
/// that one filter has them all.
pub const TARGET: &str = "agent_runtime";

/// The target of events that hold requests and answers word for word, without keys. Their level is TRACE,
/// so that a subscriber records conversations only when it is told to.
pub const WIRE: &str = "agent_runtime::wire";

/// The maximum number of bytes of a name, an id or a description in a span. A model can write names of any length, and a
/// document descriptions, which each call has.
const MAX_LABEL: usize = 4096;

/// Cuts a name, an id or a description for a span.
#[doc(hidden)]
pub fn label(text: &str) -> Cow<'_, str> {
    match text.len() > MAX_LABEL {
        true => shortened(text, MAX_LABEL).into(),
        false => text.into(),
    }
}
