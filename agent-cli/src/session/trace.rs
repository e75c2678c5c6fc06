//! Tracing of a session: to standard error, and to an OpenTelemetry collector.

mod json_indent;
mod wire;

use crate::outcome::CommandError;
use crate::output::Stderr;
use crate::style::Style;
use agent_runtime::Environment;
use agent_spec::terminal;
use std::io::{self, Write};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::FmtSpan;
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
    let mut layers = Vec::new();
    if debug {
        layers.extend(debug_layers(style));
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

/// Writes trace events to standard error. Their fields quote models and servers, so characters that control the
/// terminal are replaced; only the colours of the layer stay.
struct TraceWriter;

impl Write for TraceWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let event = String::from_utf8_lossy(bytes);
        Stderr.write_all(with_colours_only(&event).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Stderr.flush()
    }
}

/// Replaces the characters that control a terminal, except in the escape sequences of colours.
fn with_colours_only(event: &str) -> String {
    let mut parts = event.split("\u{1b}[");
    let mut shown = terminal::text(parts.next().unwrap_or_default());
    for part in parts {
        let digits = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        shown.push_str(if digits.starts_with('m') {
            "\u{1b}["
        } else {
            "\u{fffd}["
        });
        shown.push_str(&terminal::text(part));
    }
    shown
}

type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// Returns the layers that write the runtime's traces to standard error: requests and answers verbatim,
/// spans with their attributes when they end, and events. Traces of other crates are left out, because
/// they are too detailed and may show headers with keys.
fn debug_layers(style: &Style) -> [BoxedLayer; 2] {
    let spans = tracing_subscriber::fmt::layer()
        .with_writer(|| TraceWriter)
        .with_ansi(style.has_colour())
        .with_span_events(FmtSpan::CLOSE)
        // The layer would report a failure to write with a macro that panics when it cannot write.
        .log_internal_errors(false);
    let ours = Targets::new()
        .with_target("agent_runtime", LevelFilter::TRACE)
        .with_target(WIRE, LevelFilter::OFF);
    let wire = Targets::new().with_target(WIRE, LevelFilter::TRACE);
    [
        WireLayer.with_filter(wire).boxed(),
        spans.with_filter(ours).boxed(),
    ]
}

/// Installs the layers as the global subscriber.
fn install(layers: Vec<BoxedLayer>) {
    if layers.is_empty() {
        return;
    }
    // This fails only if a subscriber is installed already, and nothing else in this program installs one.
    let _ = tracing_subscriber::registry().with(layers).try_init();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_keep_only_their_colours() {
        assert_eq!(
            with_colours_only("\u{1b}[2mmodel\u{1b}[0m: a\u{1b}[2Jb\u{1b}]8;;x\u{9b}c\n"),
            "\u{1b}[2mmodel\u{1b}[0m: a\u{fffd}[2Jb\u{fffd}]8;;x\u{fffd}c\n"
        );
    }
}
