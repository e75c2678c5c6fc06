//! The traces of runs: names of the OpenTelemetry conventions, and no content.

#[path = "../support/mod.rs"]
mod support;

mod content;
#[path = "../providers/exchange.rs"]
#[allow(dead_code, reason = "the tests of providers use the rest of it")]
mod exchange;
mod nested;
mod over_http;
mod recorder;
mod redaction;
mod settings;
mod spans;
