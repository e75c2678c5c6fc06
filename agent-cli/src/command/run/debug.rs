//! Tracing on standard error.

use crate::style::Style;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Shows what the runtime traces: spans with their attributes when they end, and events. Other
/// crates trace at a level of detail that would bury it, and might show headers with keys.
pub(super) fn trace_to_stderr(style: &Style) {
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(style.has_colour())
        .with_span_events(FmtSpan::CLOSE)
        // A failure to write would be reported with a macro that panics when it cannot write.
        .log_internal_errors(false);
    let ours = Targets::new().with_target("agent_runtime", LevelFilter::TRACE);
    // It fails only when a subscriber is set already, and nothing else here sets one.
    let _ = tracing_subscriber::registry()
        .with(layer)
        .with(ours)
        .try_init();
}
