//! What a run writes into traces: names after the OpenTelemetry conventions, and no content.

#[path = "../support/mod.rs"]
mod support;

mod content;
#[cfg(feature = "http")]
mod over_http;
mod recorder;
mod spans;
