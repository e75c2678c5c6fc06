//! Tests of the client with servers that are scripted here.

#[cfg(feature = "client")]
mod calls;
#[cfg(feature = "client")]
mod changes;
#[cfg(feature = "client")]
mod faults;
#[cfg(feature = "client")]
mod fixture;
#[cfg(feature = "client")]
mod http;
#[cfg(feature = "client")]
mod lists;
#[cfg(feature = "client")]
mod locked;
#[cfg(feature = "oauth")]
mod oauth;
#[cfg(all(feature = "client", unix))]
mod processes;
#[cfg(feature = "client")]
mod questions;
#[cfg(feature = "client")]
mod results;
#[cfg(feature = "client")]
mod runs;
