//! HTTP for providers: one client, retries, bounds, and no secret in any message.

mod backoff;
mod client;
mod date;
mod endpoint;
mod failure;
mod secret;
mod tls;

pub(crate) use backoff::Retry;
pub(crate) use client::{HttpClient, HttpSettings, KeyHeader};
pub(crate) use endpoint::{Caller, Endpoint, Vendor, check_base_url};
pub(crate) use failure::Failure;
pub(crate) use secret::Secret;
