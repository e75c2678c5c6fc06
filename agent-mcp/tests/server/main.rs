//! The server: with rmcp's client in memory, with lines that a test writes, and over HTTP.

mod agents;
mod approvals;
#[cfg(feature = "client")]
mod both_ends;
mod http;
mod lines;
mod paused;
mod support;
mod tools;
