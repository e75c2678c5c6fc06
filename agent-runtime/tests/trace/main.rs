//! The traces of runs: names of the OpenTelemetry conventions, and no content.

#[path = "../support/mod.rs"]
mod support;

mod content;
#[cfg(feature = "http")]
#[path = "../providers/exchange.rs"]
#[allow(dead_code, reason = "the tests of providers use the rest of it")]
mod exchange;
mod nested;
#[cfg(feature = "http")]
mod over_http;
mod recorder;
#[cfg(feature = "http")]
mod redaction;
#[cfg(feature = "http")]
mod settings;
mod spans;
