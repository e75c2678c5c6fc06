//! What a run writes into traces: names after the OpenTelemetry conventions, and no content.

#[path = "../support/mod.rs"]
mod support;

mod content;
#[cfg(feature = "http")]
mod over_http;
mod recorder;
#[cfg(all(feature = "http", feature = "testing"))]
mod redaction;
mod spans;
