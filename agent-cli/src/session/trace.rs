//! Traces of a session: on standard error, and to an OpenTelemetry collector.

mod json_indent;
mod wire;

use crate::outcome::Trouble;
use crate::output::Stderr;
use crate::style::Style;
use agent_runtime::Environment;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::Registry;
use tracing_subscriber::util::SubscriberInitExt;
use wire::{WIRE, Wire};

/// What goes on exporting the trace of a session until it is dropped.
#[cfg(feature = "otel")]
pub(crate) type Exports = Option<agent_otel::Otel>;
/// What goes on exporting the trace of a session until it is dropped.
#[cfg(not(feature = "otel"))]
pub(crate) type Exports = Option<std::convert::Infallible>;

/// Has what follows traced as the command line (`debug`) and the environment ask for.
///
/// # Errors
/// When the environment asks for what cannot be done.
pub(crate) fn trace(
    debug: bool,
    environment: &Environment,
    style: &Style,
) -> Result<Exports, Trouble> {
    let mut takers = Vec::new();
    if debug {
        takers.extend(debug_layers(style));
    }
    #[cfg(not(feature = "otel"))]
    let (exports, _) = (None, environment);
    #[cfg(feature = "otel")]
    let exports = super::export::start(environment).map_err(super::trouble_of)?;
    #[cfg(feature = "otel")]
    if let Some(exports) = &exports {
        takers.push(Box::new(exports.layer()));
    }
    trace_to(takers);
    Ok(exports)
}

/// What takes what is traced.
type Taker = Box<dyn Layer<Registry> + Send + Sync>;

/// What shows on standard error what the runtime traces: what is sent and received as it stands,
/// spans with their attributes when they end, and events. Other crates trace at a level of detail
/// that would bury it, and might show headers with keys.
fn debug_layers(style: &Style) -> [Taker; 2] {
    let spans = tracing_subscriber::fmt::layer()
        .with_writer(|| Stderr)
        .with_ansi(style.has_colour())
        .with_span_events(FmtSpan::CLOSE)
        // A failure to write would be reported with a macro that panics when it cannot write.
        .log_internal_errors(false);
    let ours = Targets::new()
        .with_target("agent_runtime", LevelFilter::TRACE)
        .with_target(WIRE, LevelFilter::OFF);
    let wire = Targets::new().with_target(WIRE, LevelFilter::TRACE);
    [
        Wire.with_filter(wire).boxed(),
        spans.with_filter(ours).boxed(),
    ]
}

/// Has what is traced taken.
fn trace_to(takers: impl IntoIterator<Item = Taker>) {
    let takers: Vec<Taker> = takers.into_iter().collect();
    if takers.is_empty() {
        return;
    }
    // It fails only when a subscriber is set already, and nothing else here sets one.
    let _ = tracing_subscriber::registry().with(takers).try_init();
}
