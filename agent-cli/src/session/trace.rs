//! Tracing of a session: to standard error, and to an OpenTelemetry collector.

mod json_indent;
mod wire;

use crate::outcome::CommandError;
use crate::output::Stderr;
use crate::style::Style;
use agent_runtime::Environment;
use agent_spec::terminal;
use std::fmt;
use tracing_subscriber::Layer;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{DefaultFields, FmtSpan, Writer};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::Registry;
use tracing_subscriber::util::SubscriberInitExt;
use wire::{WIRE, WireLayer};

/// The exporter of a session's trace, which stops when it is dropped.
#[cfg(feature = "otel")]
pub(crate) type Exporter = Option<agent_otel::Otel>;
/// The exporter of a session's trace, which does not exist without the feature `otel`.
#[cfg(not(feature = "otel"))]
pub(crate) type Exporter = Option<std::convert::Infallible>;

/// Starts the tracing that `--debug` and the environment ask for.
///
/// # Errors
/// Returns an error if the environment names a collector that cannot be used.
pub(crate) fn start_tracing(
    debug: bool,
    environment: &Environment,
    style: &Style,
) -> Result<Exporter, CommandError> {
    start_tracing_with(None, debug, environment, style)
}

/// Starts the tracing that `--debug` and the environment ask for, with a further layer.
///
/// # Errors
/// As those of [`start_tracing`].
pub(crate) fn start_tracing_with(
    layer: Option<BoxedLayer>,
    debug: bool,
    environment: &Environment,
    style: &Style,
) -> Result<Exporter, CommandError> {
    let mut layers = Vec::from_iter(layer);
    if debug {
        layers.extend(debug_layers(style));
    } else {
        // These errors are the only record of why a request to `agent serve` failed, because clients do not
        // get the reason.
        let errors = Targets::new().with_target("agent_web", LevelFilter::ERROR);
        layers.push(events_layer(style, errors, FmtSpan::NONE));
    }
    #[cfg(not(feature = "otel"))]
    let (exporter, _) = (None, environment);
    #[cfg(feature = "otel")]
    let exporter = super::otel::start(environment)?;
    #[cfg(feature = "otel")]
    if let Some(exporter) = &exporter {
        layers.push(Box::new(exporter.layer()));
    }
    install(layers);
    Ok(exporter)
}

/// Formats the fields of spans and events on one line. They quote documents, models and servers, so characters
/// that control the terminal are escaped, and long fields are cut. Only the colours of the layer itself remain.
struct SafeFields(DefaultFields);

impl<'w> FormatFields<'w> for SafeFields {
    fn format_fields<R: RecordFields>(&self, mut out: Writer<'w>, fields: R) -> fmt::Result {
        let mut text = String::new();
        self.0.format_fields(Writer::new(&mut text), fields)?;
        out.write_str(&terminal::line(&text, MAX_FIELDS))
    }
}

/// The maximum number of characters of the fields of a span or an event, so that a long name of a tool does
/// not fill the terminal. The requests and answers beside the fields contain the whole name.
const MAX_FIELDS: usize = 2000;

pub(crate) type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// Returns the layers that write the runtime's traces to standard error: requests and answers verbatim,
/// spans with their attributes when they end, and events. Traces of other crates are left out, because
/// they are too detailed and may show headers with keys.
fn debug_layers(style: &Style) -> [BoxedLayer; 2] {
    let ours = Targets::new()
        .with_target("agent_runtime", LevelFilter::TRACE)
        .with_target("agent_mcp", LevelFilter::DEBUG)
        .with_target("agent_web", LevelFilter::DEBUG)
        .with_target(WIRE, LevelFilter::OFF);
    let wire = Targets::new().with_target(WIRE, LevelFilter::TRACE);
    [
        WireLayer.with_filter(wire).boxed(),
        events_layer(style, ours, FmtSpan::CLOSE),
    ]
}

/// Returns the layer that writes events, and these times of spans, to standard error.
fn events_layer(style: &Style, targets: Targets, spans: FmtSpan) -> BoxedLayer {
    tracing_subscriber::fmt::layer()
        .with_writer(|| Stderr)
        .fmt_fields(SafeFields(DefaultFields::new()))
        .with_ansi(style.has_colour())
        .with_span_events(spans)
        // The layer would report a failure to write with a macro that panics when it cannot write.
        .log_internal_errors(false)
        .with_filter(targets)
        .boxed()
}

/// Installs the layers as the global subscriber.
fn install(layers: Vec<BoxedLayer>) {
    if layers.is_empty() {
        return;
    }
    // This fails only if a subscriber is installed already, and nothing else in this program installs one.
    let _ = tracing_subscriber::registry().with(layers).try_init();
}
