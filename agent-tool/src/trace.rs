//! Events of `tracing` by which tools are observed.

/// The target of the other events and spans of all our crates. It is one name, whatever crate they come from, so that a filter
/// names one.
pub const TARGET: &str = "agent_runtime";

/// The target of events that hold requests and answers word for word, without keys. Their level is TRACE,
/// so that a subscriber records conversations only when it is told to.
pub const WIRE: &str = "agent_runtime::wire";
