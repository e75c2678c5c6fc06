//! Events of `tracing` by which tools are observed.

/// The target of the other events and of the spans of agent-tool and agent-core. Those of agent-runtime begin with it, so
/// that one filter has them all.
pub const TARGET: &str = "agent_runtime";

/// The target of events that hold requests and answers word for word, without keys. Their level is TRACE,
/// so that a subscriber records conversations only when it is told to.
pub const WIRE: &str = "agent_runtime::wire";
