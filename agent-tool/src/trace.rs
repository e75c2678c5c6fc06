//! Events of `tracing` by which tools are observed.

use crate::tool_error::shortened;
use std::borrow::Cow;

/// The target of the spans and of the events of agent-tool and agent-core, except for the events of [`WIRE`].
/// The targets of agent-runtime begin with this name, so that one filter matches all of them.
pub const TARGET: &str = "agent_runtime";

/// The target of events that hold requests and answers word for word, without keys. Their level is TRACE, so
/// that a subscriber records conversations only when it enables this level.
pub const WIRE: &str = "agent_runtime::wire";

/// The maximum number of bytes of a name, an id or a description in a span. The length is limited because a
/// model can write names of any length, a document can have descriptions of any length, and each call has
/// them.
const MAX_LABEL: usize = 4096;

/// Cuts a name, an id or a description for a span.
#[doc(hidden)]
pub fn label(text: &str) -> Cow<'_, str> {
    match text.len() > MAX_LABEL {
        true => shortened(text, MAX_LABEL).into(),
        false => text.into(),
    }
}
